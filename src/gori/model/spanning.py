"""From a graph of joints to a tree and cuts.

A machine with loops may be given by all its joints. Some of them then become cuts, so that a tree remains. A joint of
the tree costs as many coordinates as it has degrees of freedom f, a cut 6 - f equations: both sums are smallest for the
spanning tree with the fewest degrees of freedom (Kruskal 1956), so ball joints are cut before hinges.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from gori.errors import SpecError
from gori.spec import GROUND, Cut, Joint, Spec
from gori.spec.base import quaternion, rotation_to
from gori.spec.explain import Problem
from gori.spec.expression import parse
from gori.spec.joint import NV

_SAME_Q = ("fixed", "revolute", "prismatic", "helical", "cylindrical")
"""types whose coordinates keep their meaning when the joint is turned around and its axis negated"""
_SIDES = {"parent": "child", "at": "child_at", "rpy_deg": "child_rpy_deg", "quat": "child_quat"}
_OTHER_SIDE = _SIDES | {child: parent for parent, child in _SIDES.items()}
_PLACES = ("bodies", "joints", "cuts", "frames")
"""groups whose texts are names of bodies, not of joints"""
_MOST = 6
"""joints of a loop that an error message lists"""


def span(spec: Spec) -> Spec:
    """The same machine with joints that form a tree from the ground; the rest are cuts with the names of their joints.

    Joints that cannot be cuts, or have something that a cut has not (start values, springs, limits, a motor, ...), stay
    in the tree before all others; then screws and bearings of gears; then those with few degrees of freedom, near the
    ground, first in the Spec. A joint of the tree whose child is nearer to the ground than its parent is turned around,
    with q of the same meaning.
    """
    carried = {joint.child for joint in spec.joints.values()}
    if GROUND not in carried and len(carried) == len(spec.joints):
        return spec  # each body is carried once, and all hang together with the ground: a tree already
    own = _own(spec)
    tree, surplus = _choose(spec, own)
    mover = _movers(spec, tree)
    around = dict.fromkeys(name for name in tree if mover.get(spec.joints[name].child) != name)
    if problems := [*_lost(spec, own, mover, surplus), *_spoilt(spec, own, around)]:
        refused = SpecError("\n".join(f"{at}: {message}" for at, message in problems))
        refused.problems = tuple(problems)
        raise refused

    joints = {name: turned(spec.joints[name]) if name in around else spec.joints[name] for name in tree}
    cuts = {**spec.cuts, **{name: _cut(spec.joints[name]) for name in surplus}}
    given = {name: getattr(spec, name) for name in type(spec).model_fields if name in spec.model_fields_set}
    return Spec.model_validate(given | {"joints": joints, "cuts": cuts})


# ---- what a joint would lose as a cut


def _own(spec: Spec) -> dict[str, str]:
    """Joints that should stay in the tree, and the reason, as text that follows "it"."""
    named: dict[str, list[str]] = {}
    for place, joint in _mentions(spec):
        named.setdefault(joint, []).append(place)
    own = {}
    for name, joint in spec.joints.items():
        reasons = [f"is {joint.type}, which a cut cannot be"] if joint.type == "free" else []
        reasons += [f"has {', '.join(fields)}"] if (fields := joint.own()) else []
        reasons += [f"is named by {', '.join(dict.fromkeys(named[name]))}"] if name in named else []
        if reasons:
            own[name] = " and ".join(reasons)
    return own


def _mentions(spec: Spec) -> Iterator[tuple[str, str]]:
    """Each place outside of the joints that speaks of one or of its coordinates, and the name of that joint."""
    for name, joint in spec.joints.items():
        if joint.mimic is not None:
            yield f"joints.{name}.mimic", joint.mimic.joint
    for group, parts in spec.model_dump(exclude=set(_PLACES), exclude_unset=True).items():
        for name, part in parts.items() if isinstance(parts, dict) else ():
            for key, text in _texts(part, name):
                if key == "joint":
                    yield f"{group}.{name}", text
                else:
                    yield from ((f"{group}.{name}", joint) for joint in _coordinates(text) if joint in spec.joints)


def _texts(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """All texts in plain data, each with the key that it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _texts(part, name)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _texts(part, key)


def _coordinates(text: str) -> Iterator[str]:
    """What stands before .q and .v in an expression, or in the name of a channel."""
    try:
        names = [str(argument) for operation, argument in parse(text) if operation == "name"]
    except ValueError:
        names = []
    for name in (text, *names):
        joint, _, coordinate = name.rpartition(".")
        if coordinate in ("q", "v"):
            yield joint


# ---- the tree


def _choose(spec: Spec, own: dict[str, str]) -> tuple[list[str], list[str]]:
    """Joints of the tree, and the others, both in the order of the Spec."""
    distance, bearings = _distances(spec), _bearings(spec)

    def cost(name: str) -> tuple[bool, bool, int, int]:
        joint = spec.joints[name]
        wanted = name in bearings or joint.type == "helical"  # as a cut it would take any of its turns for the first
        return name not in own, not wanted, NV[joint.type], distance[joint.parent] + distance[joint.child]

    part = {body: body for body in (GROUND, *spec.bodies)}  # bodies that hang together lead to one of them

    def lead(body: str) -> str:
        while part[body] != body:
            part[body] = body = part[part[body]]
        return body

    chosen = set()
    for name in sorted(spec.joints, key=cost):
        one, other = lead(spec.joints[name].parent), lead(spec.joints[name].child)
        if one != other:
            part[one] = other
            chosen.add(name)
    return [name for name in spec.joints if name in chosen], [name for name in spec.joints if name not in chosen]


def _bearings(spec: Spec) -> set[str]:
    """Joints on which gears, racks and belts turn or slide: their equations are written for coordinates of the tree."""
    joined: dict[str, dict[str, str]] = {body: {} for body in (GROUND, *spec.bodies)}  # joint, and the other body
    for name, joint in spec.joints.items():
        joined[joint.parent][name], joined[joint.child][name] = joint.child, joint.parent
    found = set()
    for gear in spec.gears.values():
        one, other = (joined[body] for body in gear.bodies)
        carriers = {*one.values()} & {*other.values()} if gear.carrier is None else {gear.carrier}
        found |= {name for own in (one, other) for name, body in own.items() if body in carriers}
    return found


def _distances(spec: Spec) -> dict[str, int]:
    """Joints between the ground and each body, by the shortest way."""
    distance = {GROUND: 0}
    for body, name in _walk(spec, list(spec.joints)):
        distance[body] = distance[_other_end(spec.joints[name], body)] + 1
    return distance


def _movers(spec: Spec, tree: list[str]) -> dict[str, str]:
    """The joint that carries each body in a tree."""
    return dict(_walk(spec, tree))


def _walk(spec: Spec, names: list[str]) -> Iterator[tuple[str, str]]:
    """Bodies in the order of their distance from the ground, each with the joint by which it is reached."""
    joined: dict[str, list[str]] = {body: [] for body in (GROUND, *spec.bodies)}
    for name in names:
        joined[spec.joints[name].parent].append(name)
        joined[spec.joints[name].child].append(name)
    reached, now = {GROUND}, [GROUND]
    while now:
        after = []
        for body in now:
            for name in joined[body]:
                other = _other_end(spec.joints[name], body)
                if other not in reached:
                    reached.add(other)
                    after.append(other)
                    yield other, name
        now = after


def _other_end(joint: Joint, body: str) -> str:
    return joint.parent if joint.child == body else joint.child


def _cut(joint: Joint) -> Cut:
    """The joint as a cut: the same frames and axes."""
    fields = {name: getattr(joint, name) for name in Cut.model_fields if name in joint.model_fields_set}
    if joint.type == "universal":
        fields["axis2"] = _axis2(joint)
    return Cut.model_validate(fields)


def turned(joint: Joint) -> Joint:
    """The joint with parent and child swapped: its motion is the inverse of what it was.

    The inverse of a turn or a travel by q along an axis is one by q along the opposite axis. Other types (not free)
    keep the motions that they allow, and the pose at zero; their coordinates get another meaning.
    """
    given = {name: getattr(joint, name) for name in type(joint).model_fields if name in joint.model_fields_set}
    data = {_OTHER_SIDE.get(name, name): value for name, value in given.items() if name != "reversed"}
    if not joint.reversed:
        data["reversed"] = True
    if joint.type == "spherical":
        # it takes no rotation of the child's frame: at zero, the parent is now seen from the child
        for name in ("child_rpy_deg", "child_quat"):
            data.pop(name, None)
        if joint.rpy_deg is not None or joint.quat is not None:
            data["quat"] = quaternion(joint.pose()[0].T)
    elif joint.type == "universal":
        data |= {"axis": _negated(_axis2(joint)), "axis2": _negated(joint.axis)}
    elif joint.type != "fixed":
        data["axis"] = _negated(joint.axis)
    return Joint.model_validate(data)


def _axis2(joint: Joint) -> tuple[float, ...]:
    return joint.axis2 or tuple(rotation_to(joint.axis)[:, 0].tolist())


def _negated(axis: tuple[float, ...]) -> tuple[float, ...]:
    return tuple((0.0 - np.array(axis)).tolist())


# ---- what cannot be


def _lost(spec: Spec, own: dict[str, str], mover: dict[str, str], surplus: list[str]) -> Iterator[Problem]:
    """Joints that would have to be cuts, and cannot."""
    for name in surplus:
        if name in own:
            # a joint of its own is left over only where all others of the loop are such, too
            loop = [name, *_loop(spec, mover, name)]
            reasons = [f"{joint!r} {own[joint]}" for joint in loop[:_MOST]] + ["..."] * (len(loop) > _MOST)
            yield (
                f"joints.{name}",
                f"joint {name!r} closes a loop, and no joint of that loop can become a cut: {'; '.join(reasons)}. "
                "Remove that from one of them, or list one of them under cuts",
            )


def _loop(spec: Spec, mover: dict[str, str], name: str) -> list[str]:
    """The joints of the tree that form a loop with this one."""
    ways = []
    for body in (spec.joints[name].parent, spec.joints[name].child):
        way = []
        while body != GROUND:
            way.append(mover[body])
            body = _other_end(spec.joints[mover[body]], body)
        ways.append(way)
    one, other = ways
    common = set(one) & set(other)
    return [joint for joint in (*one, *reversed(other)) if joint not in common]


def _spoilt(spec: Spec, own: dict[str, str], around: Iterable[str]) -> Iterator[Problem]:
    """Joints that would have to be turned around, and whose values would then mean something else."""
    for name in around:
        joint = spec.joints[name]
        if joint.type not in _SAME_Q and name in own:
            yield (
                f"joints.{name}",
                f"joint {name!r} is connected to the ground through its child {joint.child!r}, and turning a "
                f"{joint.type} joint around would change the meaning of its coordinates, but it {own[name]}: swap its "
                "parent and child",
            )
