"""SRDF, which stands beside a URDF: links that never touch, groups, and named poses."""

import itertools
import os
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

from gori.errors import FileError
from gori.formats.urdf_xml import ElementError, numbers, parse
from gori.spec.explain import warn
from gori.text.arguments import path_of

MOST_PAIRS = 100_000
"""that <disable_default_collisions> may stand for"""


@dataclass
class Srdf:
    """What an SRDF file says.

    groups   {name: {"links": [...], "joints": [...], "chains": [(base, tip), ...], "groups": [...]}}
    states   {name: {"group": ..., joint: value or values}} in rad and m
    disabled pairs of links that never touch each other
    """

    groups: dict[str, dict[str, list]] = field(default_factory=dict)
    states: dict[str, dict[str, Any]] = field(default_factory=dict)
    disabled: list[tuple[str, str]] = field(default_factory=list)

    def apart(self, links: Container[str]) -> list[list[str]]:
        """The pairs among these links, each once, as `no_contact` takes them."""
        pairs = {tuple(sorted(pair)) for pair in self.disabled}
        return [list(pair) for pair in sorted(pairs) if pair[0] in links and pair[1] in links and pair[0] != pair[1]]


def read_srdf(path: str | os.PathLike) -> Srdf:
    """Groups, named poses and disabled collisions of an SRDF file; all else that stands in it is passed over."""
    file = path_of(path)

    def note(line: int, words: str) -> None:
        warn(f"{file}, line {line}: {words}")

    try:
        root = parse(file, note)
        if root.tag != "robot":
            raise ElementError(root, f"the root element is <{root.tag}>, not <robot>: this is not an SRDF")
        found = Srdf()
        for element in root.findall("group"):
            found.groups[_name(element, "name")] = {
                "links": [_name(link, "name") for link in element.findall("link")],
                "joints": [_name(joint, "name") for joint in element.findall("joint")],
                "chains": [(_name(chain, "base_link"), _name(chain, "tip_link")) for chain in element.findall("chain")],
                "groups": [_name(group, "name") for group in element.findall("group")],
            }
        for element in root.findall("group_state"):
            found.states[_name(element, "name")] = {"group": element.get("group")} | {
                _name(joint, "name"): _values(joint) for joint in element.findall("joint")
            }
        found.disabled = [(_name(pair, "link1"), _name(pair, "link2")) for pair in root.findall("disable_collisions")]
        found.disabled += _with_all_others(root)
        return found
    except ElementError as problem:
        raise FileError(problem.reason, file, problem.line) from None


def _with_all_others(root: Any) -> list[tuple[str, str]]:
    """Links that by default touch nothing (MoveIt 2), each with all others that the file names, but for pairs that it
    enables again.
    """
    defaults = root.findall("disable_default_collisions")
    pairs = root.findall("disable_collisions")
    links = {_name(default, "link"): default for default in defaults}
    others = set(itertools.chain.from_iterable((pair.get("link1"), pair.get("link2")) for pair in pairs)) | {*links}
    others -= {None}
    if (count := len(links) * len(others)) > MOST_PAIRS:
        raise ElementError(defaults[-1], f"disables {count:,} pairs of links; {MOST_PAIRS:,} are possible")
    enabled = {frozenset((pair.get("link1"), pair.get("link2"))) for pair in root.findall("enable_collisions")}
    found = itertools.product(links, sorted(others))
    return [pair for pair in found if pair[0] != pair[1] and frozenset(pair) not in enabled]


def _name(element: Any, key: str) -> str:
    found = element.get(key)
    if not found:
        raise ElementError(element, f"a <{element.tag}> has no {key}")
    return found


def _values(joint: Any) -> float | list[float]:
    count = len((joint.get("value") or "").split())
    values = numbers(joint, f"joint {joint.get('name')!r}", "value", max(count, 1))
    if values is None:
        raise ElementError(joint, f"joint {joint.get('name')!r} has no value")
    return values[0] if len(values) == 1 else values
