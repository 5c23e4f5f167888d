"""status: how it stands."""


def status() -> None:
    """Status."""
