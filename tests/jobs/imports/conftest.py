"""The house of the serving tests."""

from tests.serve.conftest import embedder, house

__all__ = ["embedder", "house"]
