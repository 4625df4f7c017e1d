"""Pictures of results, with matplotlib."""
