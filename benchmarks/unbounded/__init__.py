"""Models of constant size on streams, with and without concept drift."""
