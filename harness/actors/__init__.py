"""Who acts in a scenario: the client (an assistant), the upstream (tenants, time, faults, ledger), the person."""
