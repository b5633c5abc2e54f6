"""What `gori info` shows of particles."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gori.spec import Spec


def granular(spec: "Spec") -> dict[str, Any]:
    """Particles, inlets, outlets, walls and their step, as plain data."""
    from gori.model.particles.materials import suggested_step
    from gori.spec.particles.groups import radius_range

    grains = bool(spec.particles or spec.inlets)
    walls = {
        f"{body}.{name}": {"type": shape.type, "material": shape.material}
        for body, part in spec.bodies.items()
        for name, shape in part.shapes.items()
        if shape.material is not None and (grains or not shape.collide)
    }
    about: dict[str, Any] = {"particles": {}, "inlets": {}, "outlets": list(spec.outlets), "walls": walls}
    if not grains:
        return about | {"particle_step": None}
    for name, part in spec.particles.items():
        given = None if isinstance(part.positions, str) or part.positions is None else len(part.positions)
        about["particles"][name] = {
            "material": part.material,
            "radius": None if part.radius is None else list(radius_range(part.radius)),
            "count": part.fill.count if part.fill is not None else given,
            "where": (part.fill.shape or "a box") if part.fill is not None else f"positions on {part.body}",
            "packing": None if part.fill is None else part.fill.packing,
        }
    for name, part in spec.inlets.items():
        span = list(radius_range(part.radius))
        about["inlets"][name] = {"material": part.material, "radius": span, "rate": part.rate}
    chosen = {} if spec.run is None else spec.run.subsystems
    steps = [part.step for name, part in chosen.items() if name not in spec.drivetrains and part.step != "auto"]
    devices = [part.device for name, part in chosen.items() if name not in spec.drivetrains]
    about["particle_step"] = {
        "suggested": suggested_step(spec),
        "chosen": min(steps) if steps else None,
        "device": devices[0] if devices else "cpu",
    }
    return about


def particle_rows(about: dict[str, Any]) -> list[tuple[str, ...]]:
    """Rows on particles, where they come in and go out, and on their step."""
    rows: list[tuple[str, ...]] = []
    for name, part in about["particles"].items():
        number = "as in its file" if part["count"] is None else f"{part['count']}"
        where = part["where"] if part["packing"] is None else f"{part['packing']} in {part['where']}"
        rows.append((name, f"{number} of {part['material']}", _radius(part["radius"]), where))
    for name, part in about["inlets"].items():
        rows.append((name, f"an inlet of {part['material']}", _radius(part["radius"]), f"{part['rate']:g} a second"))
    rows += [(name, "an outlet") for name in about["outlets"]]
    if (step := about["particle_step"]) is not None:
        chosen = "" if step["chosen"] is None else f", taken: {step['chosen']:g} s"
        rows.append(("step", f"suggested: {step['suggested']:.3g} s{chosen}", f"on {step['device']}"))
    return rows


def _radius(span: list[float] | None) -> str:
    if span is None:
        return "radii as in its file"
    low, high = span
    return f"radius {low:g} m" if low == high else f"radius {low:g} to {high:g} m"
