"""The world of one scenario: its actors, what they exchanged, what was found."""
