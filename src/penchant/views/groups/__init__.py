"""What is shown of a group beside its ranking."""

from penchant.views.groups._another_winner import (
    AnotherWinnerView,
    another_winner_view,
)

__all__ = ["AnotherWinnerView", "another_winner_view"]
