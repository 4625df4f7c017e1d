import pytest

from penchant.web.security._connections import Connections


class Link:
    """A connection that has sent nothing, and knows whether it was ended."""

    has_sent_nothing_whole = True

    def __init__(self) -> None:
        self.ended = False

    def hang_up(self) -> None:
        self.ended = True


@pytest.mark.parametrize(
    ("addresses", "ended"),
    [
        (["192.0.2.1"] * 3, [True, False, False]),
        (["192.0.2.1", "192.0.2.2", "192.0.2.3"], [False, False, False]),
        (["2001:db8::1", "2001:db8::2", "2001:db8::3"], [True, False, False]),
        (["2001:db8::1", "2001:db8:0:1::2", "2001:db8:0:2::3"], [False] * 3),
        (["10.1.2.3"] * 3, [False, False, False]),
        ([""] * 3, [False, False, False]),
    ],
    ids=["same", "others", "one network", "three networks", "proxy", "no address"],
)
def test_where_connections_come_from_counts(
    addresses: list[str], ended: list[bool]
) -> None:
    connections = Connections(2, ["10.0.0.0/8"])
    links = [Link() for _ in addresses]
    for address, link in zip(addresses, links, strict=True):
        connections.enter(address, link)
    assert [link.ended for link in links] == ended
    for address, link in zip(addresses, links, strict=True):
        connections.leave(address, link)
    assert connections._open == {}
