"""One-class models in batches and streams."""
