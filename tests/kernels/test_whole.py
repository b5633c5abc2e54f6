"""Whole numbers next to a number."""

from gori.kernels.whole import ceil, floor
from tests.plain import plain


def test_next_to_numbers_of_both_signs():
    for x, below, above in ((2.5, 2, 3), (-2.5, -3, -2), (4.0, 4, 4), (-0.0, 0, 0)):
        assert (plain(floor)(x), plain(ceil)(x)) == (below, above)
        assert isinstance(plain(floor)(x), int) and isinstance(plain(ceil)(x), int)
