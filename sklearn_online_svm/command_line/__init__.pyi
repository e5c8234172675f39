# Written by `make stubs`.

__all__ = ["main"]

def main(argv: list[str] | None = ...) -> int: ...
