"""What must never be stored, found before anything is written (R32)."""

from memory.privacy.redact import Found, Redaction, redact

__all__ = ["Found", "Redaction", "redact"]
