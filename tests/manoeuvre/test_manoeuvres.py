"""Manoeuvres by name: arguments, words, and what is refused."""

import pytest

from gori.errors import GoriError
from gori.manoeuvre import circle, soft_soil
from gori.manoeuvre.manoeuvres import MANOEUVRES, about, arguments_of, manoeuvre


def test_all_have_words_and_arguments():
    for name in MANOEUVRES:
        assert len(about(name)) > 10 and {"vehicle", "set", "soil", "loops"} <= set(arguments_of(name))


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("bumps", {}, "did you mean 'bump'"),
        ("bump", {"sped": 3}, "did you mean 'speed'"),
        ("bump", {"speed": -3.0}, "speed"),
        ("bump", {"vehicle": "tractor"}, "not a vehicle"),
    ],
)
def test_refused(name, arguments, words):
    with pytest.raises(GoriError, match=words):
        manoeuvre(name, progress=False, **arguments)


def test_signatures_are_those_of_the_functions():
    assert circle.__module__.startswith("gori.manoeuvre") and soft_soil is MANOEUVRES["soft_soil"]
