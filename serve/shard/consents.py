"""Leave to keep sensitive matters, given and withdrawn (R32). Call under the user's lock."""

from __future__ import annotations

from lake.store import Drop, Put
from memory.privacy import Sensitive
from schemas.memory import Consent
from serve.shard.active import ActiveUser
from serve.shard.resources import Resources


async def give(resources: Resources, active: ActiveUser, category: Sensitive, turn: str | None = None) -> Consent:
    """From now on what is said about it is kept; ``turn``: where the user said so."""
    row = Consent(id=category, user=active.user, given_at=resources.now(), turn=turn)
    await resources.commit([Put([row])])
    active.agreed |= {category}
    return row


async def withdraw(resources: Resources, active: ActiveUser, category: Sensitive) -> None:
    """From now on it is not kept any more; what was kept stays until it is deleted."""
    await resources.commit([Drop(Consent, active.user, [category])])
    active.agreed -= {category}
