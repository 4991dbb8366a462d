"""Controls of time: what moves the clock a server goes by, and how it is known that it does."""
