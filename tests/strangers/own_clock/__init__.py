"""A conforming server that keeps its questions itself and goes by the clock of its own process."""
