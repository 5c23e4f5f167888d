"""What is wrong with this house, and what to do about it (admin)."""

from __future__ import annotations

from fastapi import APIRouter

from schemas.doctor import Diagnosis
from serve.auth import AdminDep, PartsDep
from serve.doctor.online import examine

router = APIRouter(prefix="/v1", tags=["health"])


@router.get("/doctor", summary="What is wrong, and what to do")
async def doctor(_: AdminDep, parts: PartsDep) -> Diagnosis:
    """Counts and states of the whole house, no word of what anybody said; texts in English and Chinese."""
    return await examine(parts)
