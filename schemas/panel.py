"""Bodies of the panel's only route for programs: a link to sign in with."""

from __future__ import annotations

from pydantic import BaseModel

from schemas.record import Moment


class SignInLink(BaseModel):
    """Opens the panel as the key's user, once; worthless after ``expires_at``. The code stands behind ``#``: no server log sees it."""

    url: str
    expires_at: Moment
