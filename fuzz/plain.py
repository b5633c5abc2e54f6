"""Mutants of plain data, as YAML holds it: values, names, references, counts, nesting, parts in other places."""

from typing import Any

import yaml

from fuzz.hostile import EXPRESSIONS, VALUES, Rng, one_of, word

Spot = tuple[Any, Any]
"""a mapping or list, and the key or index in it"""
LARGE = 100_000
"""bytes of a mutant at most"""


def mutated(content: bytes, rng: Rng, others: list[bytes]) -> tuple[bytes, str]:
    """YAML with one to three changes, and words on them. others: files that parts may come from."""
    data = yaml.load(content, yaml.CSafeLoader)
    told = []
    for _ in range(int(rng.choice([1, 1, 1, 1, 2, 3]))):
        change = one_of(rng, _CHANGES)
        donor = data if rng.random() < 0.6 else yaml.load(one_of(rng, others), yaml.CSafeLoader)
        told.append(change(data, donor, rng))
    style = None if rng.random() < 0.8 else bool(rng.random() < 0.5)
    dumper = type("Dumper", (yaml.CSafeDumper,), {"ignore_aliases": lambda self, node: rng.random() < 0.97})
    try:
        made = yaml.dump(data, Dumper=dumper, sort_keys=False, allow_unicode=True, default_flow_style=style).encode()
    except (yaml.YAMLError, RecursionError, UnicodeError, ValueError):  # ValueError: an int of too many digits
        return content[::-1], "reversed"
    return (made if len(made) < LARGE else made[:LARGE]), ", ".join(told)


def _spots(data: Any) -> list[Spot]:
    """All places in plain data."""
    found, todo = [], [data]
    while todo:
        one = todo.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            found.append((one, key))
            todo.append(one[key])
    return found


def _spot(data: Any, rng: Rng, kind: Any = object) -> Spot | None:
    found = [spot for spot in _spots(data) if isinstance(spot[0][spot[1]], kind)]
    return one_of(rng, found) if found else None


def _names(data: Any) -> list[str]:
    return [key for one, key in _spots(data) if isinstance(key, str)] + [
        one[key] for one, key in _spots(data) if isinstance(one[key], str)
    ]


def _value(data: Any, donor: Any, rng: Rng) -> str:
    spot = _spot(data, rng, (int, float))
    if spot is None:
        return _any(data, donor, rng)
    one, key = spot
    if rng.random() < 0.55 and not isinstance(one[key], bool):
        one[key] = float(one[key]) * one_of(rng, (-1.0, 1e3, 1e-3, 1e9, 1e-9, 1e100, 0.5, 2.0))
    else:
        one[key] = one_of(rng, VALUES)
    return f"{key} = {one[key]!r:.40}"


def _any(data: Any, donor: Any, rng: Rng) -> str:
    if (spot := _spot(data, rng)) is None:
        return "nothing"
    one, key = spot
    one[key] = one_of(rng, VALUES)
    return f"{key} = {one[key]!r:.40}"


def _text(data: Any, donor: Any, rng: Rng) -> str:
    if (spot := _spot(data, rng, str)) is None:
        return _any(data, donor, rng)
    one, key = spot
    one[key] = word(rng, one[key], _names(data))
    return f"{key} = {one[key]!r:.40}"


def _expression(data: Any, donor: Any, rng: Rng) -> str:
    found = [spot for spot in _spots(data) if spot[1] in ("value", "target", "force", "moment", "position", "throttle")]
    if not found:
        return _value(data, donor, rng)
    one, key = one_of(rng, found)
    one[key] = one_of(rng, EXPRESSIONS)
    return f"{key} = {one[key]!r:.40}"


def _removed(data: Any, donor: Any, rng: Rng) -> str:
    if (spot := _spot(data, rng)) is None:
        return "nothing"
    del spot[0][spot[1]]
    return f"{spot[1]} removed"


def _renamed(data: Any, donor: Any, rng: Rng) -> str:
    found = [spot for spot in _spots(data) if isinstance(spot[0], dict)]
    if not found:
        return "nothing"
    one, key = one_of(rng, found)
    new = word(rng, str(key), _names(donor)) if rng.random() < 0.9 else one_of(rng, (1, None, True, 1.5))
    one[new] = one.pop(key)
    return f"{key} renamed {new!r:.40}"


def _moved(data: Any, donor: Any, rng: Rng) -> str:
    """A part from elsewhere in the place of another, or beside it."""
    spot, source = _spot(data, rng), _spot(donor, rng)
    if spot is None or source is None:
        return "nothing"
    one, key = spot
    part = yaml.load(_plain(source[0][source[1]]), yaml.CSafeLoader)  # a copy
    if isinstance(one, dict) and rng.random() < 0.5:
        one[source[1] if isinstance(source[1], str) else f"{key}_2"] = part
    elif isinstance(one, list) and rng.random() < 0.5:
        one.insert(key, part)
    else:
        one[key] = part
    return f"{source[1]} at {key}"


def _plain(part: Any) -> str:
    return yaml.dump(part, Dumper=yaml.CSafeDumper)


def _nested(data: Any, donor: Any, rng: Rng) -> str:
    if (spot := _spot(data, rng)) is None:
        return "nothing"
    one, key = spot
    depth = int(rng.choice([1, 2, 30, 200]))
    for _ in range(depth):
        one[key] = [one[key]] if rng.random() < 0.5 else {"a": one[key]}
    return f"{key} nested {depth}"


def _length(data: Any, donor: Any, rng: Rng) -> str:
    spot = _spot(data, rng, list)
    if spot is None:
        return _any(data, donor, rng)
    one, key = spot
    old = one[key]
    one[key] = one_of(rng, ([], old[:-1], old * 2, old[:1], old * 500, [old, old], old[::-1], dict(enumerate(old))))
    return f"{key} of {len(one[key])}"


def _copies(data: Any, donor: Any, rng: Rng) -> str:
    """A part many times, under other names."""
    spot = _spot(data, rng, dict)
    if spot is None or not spot[0][spot[1]]:
        return "nothing"
    group = spot[0][spot[1]]
    key = one_of(rng, list(group))
    for k in range(int(rng.choice([1, 5, 60]))):
        group[f"{key}_{k}"] = group[key]
    return f"copies of {key}"


_CHANGES = (
    _value, _value, _value, _value, _value, _value, _value, _text, _text, _any, _expression, _removed, _removed,
    _renamed, _moved, _moved,
    _nested, _length, _length, _copies,
)  # fmt: skip
"""what can be done; every number of these is seeded, so the same number is the same mutant"""
