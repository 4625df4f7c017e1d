"""Which part of a long list an address asks for."""

from typing import Annotated, TypeAlias

from fastapi import Depends, Query

from penchant.views import Wanted


async def _wanted(
    find: Annotated[str, Query(max_length=200)] = "",
    page: Annotated[int | None, Query(ge=1)] = None,
) -> Wanted:
    return Wanted(find, page or 0)


WantedPart: TypeAlias = Annotated[Wanted, Depends(_wanted)]
