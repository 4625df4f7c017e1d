"""Small adapters that let a peer do the same work as we do."""
