"""How many connections one address may have at the same time."""

import ipaddress
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, Protocol

MOST: Final = 500
"""By default: a school with one address may be behind it, and a browser opens six."""


class Connection(Protocol):
    """What is known of a connection here."""

    @property
    def has_sent_nothing_whole(self) -> bool:
        """Whether no request has come, or not all of its head."""
        ...

    def hang_up(self) -> None:
        """End it."""
        ...


class Connections:
    """The open connections of a server, by where they come from.

    Whoever has too many loses the oldest that has not sent a request yet, so that
    somebody else at the same address still gets in; if all of them did, the new one is
    refused. Addresses of version 6 count by network, since everybody has many.

    Parameters
    ----------
    most : int
        Of one address.
    proxies : sequence of str
        Networks whose connections are not counted: they carry those of all people.
    """

    def __init__(self, most: int = MOST, proxies: Sequence[str] = ()) -> None:
        self._most = most
        self._proxies = [ipaddress.ip_network(each, strict=False) for each in proxies]
        self._open: defaultdict[str, dict[Connection, None]] = defaultdict(dict)

    def enter(self, address: str, connection: Connection) -> None:
        """Count a new connection, and end one if there are too many."""
        if not (place := self._place(address)):
            return
        there = self._open[place]
        there[connection] = None
        if len(there) > self._most:
            idle = (each for each in there if each.has_sent_nothing_whole)
            oldest = next(idle, connection)
            del there[oldest]
            oldest.hang_up()

    def leave(self, address: str, connection: Connection) -> None:
        """Forget a connection that ended."""
        place = self._place(address)
        self._open[place].pop(connection, None)
        if not self._open[place]:
            del self._open[place]

    def _place(self, address: str) -> str:
        """Give under what a connection counts; empty: it does not."""
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return ""  # such as a socket in a folder
        if any(found in network for network in self._proxies):
            return ""
        if found.version == 4:
            return address
        return str(ipaddress.ip_network((found, 64), strict=False))
