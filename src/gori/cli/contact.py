"""What `gori info` shows of contact between bodies."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gori.spec import Spec


def touching(spec: "Spec") -> dict[str, Any]:
    """Shapes that collide, pairs of their materials that touch, and pairs of bodies that never do, as plain data."""
    from gori.model.contact.exclusions import joined_bodies
    from gori.spec.material import colliding_materials, pair_of

    shapes = {
        f"{body}.{name}": {"type": shape.type, "material": shape.material, "hollow": getattr(shape, "hollow", False)}
        for body, part in spec.bodies.items()
        for name, shape in part.shapes.items()
        if shape.collide
    }
    if spec.terrain is not None and spec.terrain.material is not None:
        shapes["terrain"] = {"type": "terrain", "material": spec.terrain.material, "hollow": False}
    known, holders = colliding_materials(spec), {name.rpartition(".")[0] for name in shapes}
    pairs = {
        key: {"friction": contact.friction, "restitution": contact.restitution}
        for key, contact in spec.contacts.items()
        if set(pair_of(key) or ("",)) <= set(known)
    }
    apart = [
        {"pair": list(pair), "because": f"joined by {name}"}
        for pair, name in (joined_bodies(spec).items() if shapes else ())
        if set(pair) <= holders
    ]
    apart += [{"pair": list(pair), "because": "no_contact"} for pair in spec.no_contact]
    return {"colliding": shapes, "touching": pairs, "apart": apart}


def shape_rows(about: dict[str, Any]) -> list[tuple[str, ...]]:
    """Rows of shapes that collide."""
    return [
        (name, f"hollow {shape['type']}" if shape["hollow"] else shape["type"], f"of {shape['material']}")
        for name, shape in about["colliding"].items()
    ]


def pair_rows(about: dict[str, Any]) -> list[tuple[str, ...]]:
    """Rows of materials that touch."""
    return [
        (name, f"friction {pair['friction']:g}", f"restitution {pair['restitution']:g}")
        for name, pair in about["touching"].items()
    ]


def apart_rows(about: dict[str, Any]) -> list[tuple[str, ...]]:
    """Rows of pairs that never touch."""
    return [(" - ".join(row["pair"]), row["because"]) for row in about["apart"]]
