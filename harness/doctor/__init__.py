"""`doctor`: before a run, what of a server can be judged, and what to do about the rest."""
