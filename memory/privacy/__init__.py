"""What must never be stored, found before anything is written, and what is stored only with the user's leave (R32)."""

from memory.privacy.redact import Found, Redaction, neighbours, redact, redact_all
from memory.privacy.sensitive import SENSITIVE, Sensitive, agrees, matters_left_out, withhold
from memory.privacy.verdict import Action, Verdict, names_a_secret, verdict

__all__ = [
    "SENSITIVE",
    "Action",
    "Found",
    "Redaction",
    "Sensitive",
    "Verdict",
    "agrees",
    "matters_left_out",
    "names_a_secret",
    "neighbours",
    "redact",
    "redact_all",
    "verdict",
    "withhold",
]
