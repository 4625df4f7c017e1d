"""Studies: alternatives, participants, answers, and where they are kept."""
