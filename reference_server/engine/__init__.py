"""A product-neutral MCP server: one engine, told by a product's tables what to offer.

Rule ids quoted here (`CNF-12`, `RES-06`, …) leave out the product's prefix, for each product has its own rule
of that number; `MCP-…` are the protocol's.
"""
