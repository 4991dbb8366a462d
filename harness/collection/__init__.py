"""Strict collection of feature files: whatever would silently not be judged is a problem with file and line."""
