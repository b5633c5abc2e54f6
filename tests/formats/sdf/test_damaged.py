"""Files that are damaged at random are read, or refused by an error of Gori."""

import random
import re

import pytest

import gori
from bench.sdf_machines import MACHINES, MAIN, write
from gori.errors import GoriError

WORDS = ("0", "-1", "nan", "inf", "1e400", "", "x", "true", "world", "__model__", "a", "arm::hand", "revolute2", "1.4")


def damaged(text: str, rng: random.Random) -> str:
    """One value, element, name or piece of the text changed."""
    kind = rng.choice(("value", "attribute", "element", "tag", "cut"))
    if kind == "cut":
        at = rng.randrange(len(text))
        return text[:at] + text[at + rng.randint(1, 40) :]
    pattern = {
        "value": r">([^<>]+)<",
        "attribute": r"='([^']*)'",
        "element": r"(<(\w+)[^<>]*>[^<>]*</\2>)",
        "tag": r"</?(\w+)",
    }
    found = rng.choice(list(re.finditer(pattern[kind], text)))
    other = {
        "element": rng.choice(("", found[1] * 2)),
        "tag": rng.choice(("model", "link", "joint", "pose", "include")),
    }
    new = other.get(kind, rng.choice(WORDS))
    return text[: found.start(1)] + new + text[found.end(1) :]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MACHINES)
def test_damaged_files_are_read_or_refused(tmp_path, name):
    rng, path = random.Random(name), write(name, tmp_path)
    whole, outcomes = MACHINES[name][MAIN], set()
    for _ in range(60):
        text = whole
        for _ in range(rng.randint(1, 3)):
            text = damaged(text, rng)
        path.write_text(text)
        try:
            gori.load(path, packages=[tmp_path], collide=rng.choice((None, "rubber")))
            outcomes.add("read")
        except GoriError as error:
            assert str(error)
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}
