"""Alembic runs this file to migrate the connection that penchant gives it."""

from alembic import context

from penchant.studies.store._tables import metadata

# Alembic sets `context.config` while it runs this file; whoever merely imports it,
# such as a collector of doctests, finds none and migrates nothing.
if hasattr(context, "config"):
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        render_as_batch=True,
    )
    context.run_migrations()
