"""Fallah Tehrani, Strickert, Hüllermeier (ESANN 2014): the Choquet kernel."""
