"""Which bodies never touch: those that are joined, those that a gear or a belt couples, and those of `no_contact`.

Bodies that are fixed to each other move as one and do not touch either; kernels see that from their rows. A body on
the ground touches the shapes of the ground whatever joint carries it, and a free joint joins nothing.
"""

from collections.abc import Sequence

from gori.spec import GROUND, Spec
from gori.spec.contact import shape_of


def joined_bodies(spec: Spec) -> dict[tuple[str, str], str]:
    """Pairs of bodies that joints, cuts and gears keep from touching, each with what joins them.

    What is fixed to a body counts as a part of it, except for the ground.
    """
    joints = {**spec.joints, **spec.cuts}
    whole = {body: body for body in spec.bodies}  # representative of all that is fixed together

    def root(body: str) -> str:
        while whole[body] != body:
            body = whole[body]
        return body

    for joint in spec.joints.values():
        if joint.type == "fixed" and GROUND not in (joint.parent, joint.child):
            whole[root(joint.child)] = root(joint.parent)
    members: dict[str, list[str]] = {}
    for body in spec.bodies:
        members.setdefault(root(body), []).append(body)

    pairs = [
        (joint.parent, joint.child, name)
        for name, joint in joints.items()
        if not joint.contact and joint.type not in ("free", "distance")
    ]
    pairs += [(*gear.bodies[:2], name) for name, gear in spec.gears.items()]
    found: dict[tuple[str, str], str] = {}
    for a, b, name in pairs:
        if GROUND not in (a, b) and root(a) != root(b):
            for one in members[root(a)]:
                for other in members[root(b)]:
                    found.setdefault((min(one, other), max(one, other)), name)
    return found


def excluded_pairs(spec: Spec, bodies: Sequence[str], shapes: Sequence[str]) -> list[int]:
    """Numbers a * n + b, a < b, sorted, of the pairs out of n shapes that never touch.

    bodies, shapes   name of the body of each shape, and its own name in it
    """
    of_body: dict[str, list[int]] = {}
    for k, body in enumerate(bodies):
        of_body.setdefault(body, []).append(k)

    def meant(name: str) -> list[int]:
        found = shape_of(spec, name)
        assert found is not None  # as the Spec has checked
        body, shape = found
        return [k for k in of_body.get(body, []) if shape is None or shapes[k] == shape]

    apart = [(of_body.get(a, []), of_body.get(b, [])) for a, b in joined_bodies(spec)]
    apart += [(meant(a), meant(b)) for a, b in spec.no_contact]
    n = len(bodies)
    return sorted({min(i, j) * n + max(i, j) for ones, others in apart for i in ones for j in others if i != j})
