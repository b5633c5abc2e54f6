"""`gori info`: what is in a file."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gori.cli.contact import apart_rows, pair_rows, shape_rows, touching
from gori.cli.particles import granular, particle_rows
from gori.cli.reading import Reading, Source, is_machine, reads_machines
from gori.cli.terminal import collected_warnings, count, output, warn

if TYPE_CHECKING:
    from gori.model import Model
    from gori.record import Recording
    from gori.spec import Spec

SHOWN = 8
"""rows of a list before the rest is only counted"""


@reads_machines
def info(
    file: Source,
    reading: Reading,
    everything: Annotated[bool, typer.Option("--all", help="Show long chains and lists in full.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Show the bodies, joints and coordinates of a machine, or of the machine of a run."""
    from gori.formats import format_of
    from gori.model import compile

    run = None if is_machine(file) else _run(file, reading)
    with collected_warnings(file) as messages:
        spec = reading.spec(file) if run is None else run.model.spec
        model = compile(spec, open_loops=True)
    kind = format_of(file) if run is None else f"a run of {_length(run)}"
    about = facts(file, kind, spec, model) | granular(spec) | touching(model.spec)
    if as_json:
        typer.echo(json.dumps(about | {"warnings": messages}, indent=2))
        return

    from gori.cli.tree import draw

    console = output()
    _summary(console, about)
    if about["bodies"]:
        console.print()
        draw(console, about, everything)
    _lists(console, about, everything)
    warn(messages)


def _run(file: Path, reading: Reading) -> "Recording":
    from gori.sim.runfile import open_run

    reading.refuse(file)
    return open_run(file)


def _length(run: "Recording") -> str:
    words = f"{run.time[-1] - run.time[0]:g} s, {count(len(run), 'sample')}" if len(run) else "no samples"
    return words + (f", {count(len(run.frames), 'frame')} of particles" if run.frames else "")


def facts(file: Path, kind: str, written: "Spec", model: "Model") -> dict[str, Any]:
    """All that is shown, as plain data: bodies in depth-first order, each with the joint that carries it."""
    spec = model.spec
    carried_by = {joint.child: name for name, joint in spec.joints.items()}
    bodies = {
        name: {"mass": float(spec.bodies[name].inertial()[0]), "parent": spec.joints[carried_by[name]].parent,
               "joint": carried_by[name]}
        for name in model.body_names
    }  # fmt: skip
    joints = {carried_by[body]: _joint(model, carried_by[body]) for body in model.body_names}
    return {
        "file": str(file),
        "format": kind,
        "gravity": list(spec.gravity),
        "mass": model.mass,
        "nq": model.nq,
        "nv": model.nv,
        "bodies": bodies,
        "joints": joints,
        "cuts": {name: {"type": c.type, "parent": c.parent, "child": c.child} for name, c in spec.cuts.items()},
        "became_cuts": [name for name in spec.cuts if name not in written.cuts],
        "turned": [
            name
            for name, joint in spec.joints.items()
            if name in written.joints and joint.child != written.joints[name].child
        ],
        "frames": {name: {"body": frame.body} for name, frame in spec.frames.items()},
        "drawn": {
            f"{body}.{name}": {"type": shape.type, "colour": shape.colour}
            for body, part in spec.bodies.items()
            for name, shape in part.shapes.items()
            if shape.visual
        },
        "mimic": {name: j.mimic.model_dump() for name, j in spec.joints.items() if j.mimic is not None},
        "gears": {name: {"type": gear.type, "bodies": list(gear.bodies)} for name, gear in spec.gears.items()},
        "motions": {name: motion.model_dump(exclude_unset=True) for name, motion in spec.motions.items()},
        "loops": _loops(spec),
    } | running_gear(spec)


def running_gear(spec: "Spec") -> dict[str, Any]:
    """Wheels, steering, drive trains, controls and terrain, as plain data."""
    from gori.spec.vehicle.control import owner

    terrain = spec.terrain
    ground: dict[str, Any] | None = None
    if terrain is not None:
        ground = {"grade": list(terrain.grade), "friction": terrain.friction, "field": None, "soft": None}
        ground["features"] = {name: feature.type for name, feature in terrain.features.items()}
        ground["patches"] = {name: patch.friction for name, patch in terrain.patches.items()}
        if (field := terrain.field) is not None:
            ground["field"] = {"points": [len(field.heights[0]), len(field.heights)], "cells": list(field.cells())}
        if (soft := terrain.soft) is not None:
            ground["soft"] = {"soil": soft.soil.type, "at": list(soft.at), "size": list(soft.size), "cell": soft.cell}
    return {
        "wheels": {
            name: {"body": w.body, "tyre": w.tyre.type, "radius": w.tyre.radius, "width": w.tyre.width,
                   "inertia": w.inertia, "brake": w.brake}
            for name, w in spec.wheels.items()
        },
        "steering": {name: {"joint": s.joint, "travel": s.travel} for name, s in spec.steering.items()},
        "drivetrains": {
            name: {"chassis": d.chassis, "wheels": list(d.wheels), "gears": list(d.gearbox.ratios),
                   "governed_rpm": d.engine.governed_rpm}
            for name, d in spec.drivetrains.items()
        },
        "drag": {name: {"body": d.body, "area_cd": d.area_cd} for name, d in spec.drag.items()},
        "controls": {name: {"type": c.type, "vehicle": c.vehicle or owner(name)} for name, c in spec.controls.items()},
        "terrain": ground,
    }  # fmt: skip


def _loops(spec: "Spec") -> dict[str, Any] | None:
    """How the machine can move with its loops closed; None if it has none."""
    from gori.errors import ClosureError
    from gori.model import compile

    model = compile(spec)
    if not model.loops:
        return None
    try:
        about = model.mobility()
    except ClosureError as error:
        return {"error": str(error)}
    return {
        "equations": about.equations,
        "rank": about.rank,
        "redundant": list(about.redundant),
        "freedom": about.freedom,
        "instantaneous": about.instantaneous,
        "independent": list(about.independent),
    }


def _joint(model: "Model", name: str) -> dict[str, Any]:
    joint = model.spec.joints[name]
    about = {"type": joint.type, "parent": joint.parent, "child": joint.child}
    if joint.type == "fixed":
        return about
    where = model.joint(name)
    limits = [float(model.lower[where.v.start]), float(model.upper[where.v.start])]
    return about | {
        "q": [where.q.start, where.q.stop],
        "v": [where.v.start, where.v.stop],
        "limits": limits if all(map(math.isfinite, limits)) else None,
    }


def _summary(console: Console, about: dict[str, Any]) -> None:
    moving = sum(joint["type"] != "fixed" for joint in about["joints"].values())
    gravity = " ".join(f"{g:g}" for g in about["gravity"])
    console.print(Text.assemble((about["file"], "bold"), f"  {about['format']}, gravity {gravity} m/s2"))
    counts = [
        count(len(about["bodies"]), "body"),
        f"{count(len(about['joints']), 'joint')} ({moving} moving)",
        count(len(about["cuts"]), "cut"),
        count(len(about["frames"]), "frame"),
        f"{len(about['mimic'])} mimic",
    ]
    console.print(", ".join(counts))
    console.print(f"mass {about['mass']:.6g} kg, nq {about['nq']}, nv {about['nv']}")
    loops = about["loops"]
    if loops is None:
        return
    if "error" in loops:
        console.print(Text(loops["error"], "yellow"))
        return
    console.print(
        f"{count(loops['equations'], 'equation')} from cuts, mimic joints, gears and motions, rank {loops['rank']}: "
        f"{count(loops['freedom'], 'degree')} of freedom"
    )
    if loops["instantaneous"] != loops["freedom"]:
        console.print(
            f"a singular pose: {loops['instantaneous']} in this instant, {loops['freedom']} of a finite motion"
        )
    if loops["independent"]:
        console.print(f"independent: {', '.join(loops['independent'])}")
    if loops["redundant"]:
        console.print(f"redundant: {', '.join(loops['redundant'])}")


def _lists(console: Console, about: dict[str, Any], everything: bool) -> None:
    became = set(about["became_cuts"])
    _list(console, "cuts", [
        (name, cut["type"], f"{cut['parent']} - {cut['child']}", "a joint that closes a loop" * (name in became))
        for name, cut in about["cuts"].items()
    ], everything)  # fmt: skip
    _list(console, "reversed joints", [
        (name, f"{about['joints'][name]['parent']} - {about['joints'][name]['child']}") for name in about["turned"]
    ], everything)  # fmt: skip
    _list(console, "mimic", [
        (name, f"= {rule['ratio']:g} * {rule['joint']}" + (f" {rule['offset']:+g}" if rule["offset"] else ""))
        for name, rule in about["mimic"].items()
    ], everything)  # fmt: skip
    _list(console, "gears", [
        (name, gear["type"], " - ".join(gear["bodies"])) for name, gear in about["gears"].items()
    ], everything)  # fmt: skip
    _list(console, "motions", [
        (name, f"of {motion['joint']}", f"{motion.get('value', motion.get('speed'))}"[:60])
        for name, motion in about["motions"].items()
    ], everything)  # fmt: skip
    _list(console, "frames", [(name, f"on {frame['body']}") for name, frame in about["frames"].items()], everything)
    _list(console, "visual shapes", [
        (name, shape["type"], shape["colour"] or "") for name, shape in about["drawn"].items()
    ], everything)  # fmt: skip
    _list(console, "wheels", [
        (name, f"on {w['body']}", f"{w['tyre']}, radius {w['radius']:g} m, width {w['width']:g} m",
         f"brake {w['brake']:g} N m")
        for name, w in about["wheels"].items()
    ], everything)  # fmt: skip
    _list(console, "steering", [
        (name, f"leads {s['joint']}", f"travel {s['travel']:g}") for name, s in about["steering"].items()
    ], everything)  # fmt: skip
    _list(console, "drive trains", [
        (name, f"{count(len(d['gears']), 'gear')} ({' '.join(f'{ratio:g}' for ratio in d['gears'])})",
         f"governed at {d['governed_rpm']:g} rev/min", f"drives {' '.join(d['wheels'])}")
        for name, d in about["drivetrains"].items()
    ], everything)  # fmt: skip
    _list(console, "drag", [
        (name, f"on {d['body']}", f"{d['area_cd']:g} m2") for name, d in about["drag"].items()
    ], everything)  # fmt: skip
    _list(console, "controls", [
        (name, c["type"], f"drives {c['vehicle']}") for name, c in about["controls"].items()
    ], everything)  # fmt: skip
    _list(console, "particles", particle_rows(about), True)
    _list(console, "walls", [
        (name, wall["type"], f"of {wall['material']}") for name, wall in about["walls"].items()
    ], everything)  # fmt: skip
    _list(console, "shapes that collide", shape_rows(about), everything)
    _list(console, "materials that touch", pair_rows(about), everything)
    _list(console, "bodies that never touch", apart_rows(about), everything)
    if about["terrain"] is not None:
        _list(console, "terrain", _ground(about["terrain"]), True)


def _ground(terrain: dict[str, Any]) -> list[tuple[str, ...]]:
    """Rows on the ground under wheels."""
    rows = [("plane", f"grade {terrain['grade'][0]:g} along x, {terrain['grade'][1]:g} along y",
             f"friction {terrain['friction']:g}")]  # fmt: skip
    if (field := terrain["field"]) is not None:
        (nx, ny), (cx, cy) = field["points"], field["cells"]
        rows.append(("height field", f"{nx} x {ny} heights", f"{cx:g} x {cy:g} m apart"))
    rows += [(name, kind) for name, kind in terrain["features"].items()]
    rows += [(name, f"patch, friction {friction:g}") for name, friction in terrain["patches"].items()]
    if (soft := terrain["soft"]) is not None:
        (x, y), (length, width) = soft["at"], soft["size"]
        size = f"{length:g} x {width:g} m from ({x:g}, {y:g})"
        rows.append(("soft soil", soft["soil"], f"{size}, cells of {soft['cell']:g} m"))
    return rows


def _list(console: Console, title: str, rows: list[tuple[str, ...]], everything: bool) -> None:
    if not rows:
        return
    console.print()
    console.print(Text(title, "bold"))
    table = Table.grid(padding=(0, 2, 0, 0))
    shown = rows if everything or len(rows) <= SHOWN else rows[: SHOWN - 1]
    for name, *words in shown:
        table.add_row("", Text(name, "cyan"), *words)
    if len(shown) < len(rows):
        table.add_row("", Text(f"... {len(rows) - len(shown)} more", "dim"))
    console.print(table)
