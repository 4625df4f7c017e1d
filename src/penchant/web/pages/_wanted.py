"""Which part of a long list an address asks for."""

from typing import Annotated, TypeAlias

from fastapi import Depends, Query

from penchant.views import Wanted


async def _wanted(
    find: Annotated[str, Query(max_length=200)] = "",
    page: Annotated[int, Query(ge=1)] = 1,
) -> Wanted:
    return Wanted(find, page)


WantedPart: TypeAlias = Annotated[Wanted, Depends(_wanted)]
