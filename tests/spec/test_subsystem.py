import pytest

from gori.errors import SpecError
from gori.spec.subsystem import SubsystemSettings


def test_automatic_or_given_numbers():
    assert SubsystemSettings().step == "auto" and SubsystemSettings(step=1e-4).step == 1e-4


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"step": "fast"}, "must be auto or a positive number"),
        ({"step": 0}, "must be positive"),
        ({"device": "tpu"}, "cuda"),
    ],
)
def test_refused(fields, words):
    with pytest.raises(SpecError, match=words):
        SubsystemSettings(**fields)
