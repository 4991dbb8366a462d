"""The command line: `kadu-conformance`."""
