"""What must never be stored, found before anything is written (R32)."""

from memory.privacy.redact import Found, Redaction, neighbours, redact, redact_all

__all__ = ["Found", "Redaction", "neighbours", "redact", "redact_all"]
