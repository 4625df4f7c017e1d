"""Files taken apart into cells, one module per format; limits before any work."""
