"""Who may touch whom, where `collide` lets geoms collide.

MuJoCo decides by masks, contype and conaffinity; a Spec by materials. So geoms with the same masks and friction become
one material, and `contacts` has an entry for each two of them whose masks fit.
"""

from itertools import combinations_with_replacement
from typing import Any, NamedTuple

from gori.errors import FileError
from gori.formats.mjcf.shapes import is_visual
from gori.formats.mjcf.source import MjcfSource

MOST_CLASSES = 300
"""of geoms: each two of them are a contact of the Spec"""


class TouchClass(NamedTuple):
    """What decides who is touched: masks, friction and priority; and the <pair>s that a geom is in."""

    contype: int
    conaffinity: int
    friction: float
    priority: int
    pairs: tuple[int, ...]


def let_collide(
    source: MjcfSource, shapes: dict[str, dict[str, Any]], joints: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Materials, contacts and `no_contact` of the Spec; what collides is marked in the shapes and joints."""
    m, names, material = source.m, source.names, source.collide
    if material is None or source.disabled("contact"):
        return {}
    of_class: dict[TouchClass, list[dict[str, Any]]] = {}
    pairs_of: dict[int, list[int]] = {}
    for p in range(m.npair):
        for geom in {int(m.pair_geom1[p]), int(m.pair_geom2[p])}:
            pairs_of.setdefault(geom, []).append(p)
    for k, name in enumerate(names.geoms):
        shape = shapes.get(names.bodies[m.geom_bodyid[k]], {}).get(name)
        pairs = tuple(pairs_of.get(k, ()))
        if shape is None or (is_visual(m, k) and not pairs):
            continue
        friction = float(m.geom_friction[k, 0]) if m.geom_condim[k] > 1 else 0.0
        masks = int(m.geom_contype[k]), int(m.geom_conaffinity[k])
        key = TouchClass(*masks, friction, int(m.geom_priority[k]), pairs)
        of_class.setdefault(key, []).append(shape)
        if m.geom_condim[k] > 3:
            source.left.add("torsional and rolling friction", name)
    if len(of_class) > MOST_CLASSES:
        words = f"has {len(of_class)} kinds of geoms, by masks, friction and pairs; {MOST_CLASSES} may collide"
        raise FileError(words, source.file)
    touching = {
        (a, b): friction
        for a, b in combinations_with_replacement(of_class, 2)
        if (friction := friction_of(m, a, b)) is not None
    }
    in_touch = {key for pair in touching for key in pair}
    used = [key for key in of_class if key in in_touch]  # others touch nothing
    called = {key: f"{material}_{k + 1}" if k else material for k, key in enumerate(used)}
    for key, name in called.items():
        for shape in of_class[key]:
            shape |= {"material": name, "collide": True}
    contacts = {f"{called[a]}/{called[b]}": {"friction": x, "restitution": 0.0} for (a, b), x in touching.items()}
    apart = [[names.bodies[x >> 16], names.bodies[x & 0xFFFF]] for x in (int(s) for s in m.exclude_signature)]
    parts = {"materials": {name: {} for name in called.values()}, "contacts": contacts}
    return parts | {"no_contact": apart + _filter_parents(source, joints)}


def friction_of(m: Any, a: TouchClass, b: TouchClass) -> float | None:
    """Friction of two classes; None if they do not touch."""
    if shared := set(a.pairs) & set(b.pairs):
        pair = min(shared)
        return float(m.pair_friction[pair, 0]) if m.pair_dim[pair] > 1 else 0.0
    if not (a.contype & b.conaffinity or b.contype & a.conaffinity):
        return None
    if a.priority != b.priority:
        return max(a, b, key=lambda touching: touching.priority).friction
    return max(a.friction, b.friction)


def _filter_parents(source: MjcfSource, joints: dict[str, dict[str, Any]]) -> list[list[str]]:
    """Pairs of bodies that their joints keep apart in MuJoCo, and not here; and `contact` for joints of the other kind.

    In MuJoCo a body does not touch the one that carries it, with all that is fixed to either, unless that one stands on
    the ground. Here a joint keeps its bodies apart, with all that is fixed to them; several joints have bodies between.
    """
    m, names = source.m, source.names
    groups: dict[int, list[str]] = {}
    for k in range(m.nbody):
        groups.setdefault(int(m.body_weldid[k]), []).append(names.bodies[k])
    apart = []
    for k in range(1, m.nbody):
        carrier = int(m.body_weldid[m.body_parentid[k]])
        may_touch = carrier == 0 or source.disabled("filterparent")
        own = [names.joints[j] for j in range(m.jnt_bodyid.searchsorted(k), m.jnt_bodyid.searchsorted(k, "right"))]
        if len(own) == 1 and may_touch and m.body_parentid[k]:
            joints[own[0]]["contact"] = True
        elif len(own) > 1 and not may_touch:
            apart += [[one, other] for one in groups[k] for other in groups[carrier]]
    return apart
