"""What happens around the scenarios: programs, probes, the pytest session, the run as a whole."""
