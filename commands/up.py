"""up, down: start and stop laoma on this machine."""


def up() -> None:
    """Start."""


def down() -> None:
    """Stop."""
