"""Public calls with good arguments, as a start for wrong ones."""

import atexit
import copy
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gori
from bench.mechanisms import four_bar
from gori.sim.batch import Batch
from tests.sim.coupled import Spring, simulate, slider
from tests.sim.damage import go_on, machine

ROOT = Path(__file__).parents[1]
STEP = 1e-3


class Call(NamedTuple):
    """A public callable, its good arguments, and how often it is taken beside the others."""

    function: Callable
    arguments: dict[str, Any]
    weight: float = 1.0


def batch(model: Any, count: Any, steps: Any, machines: Any, start: Any, machine: Any, duration: Any, **options: Any):
    """All that is done with a batch of machines."""
    made = Batch(model, count, **options)
    made.step(steps)
    made.restart(machines)
    made.reset(machines, start)
    made.run(duration, progress=False)
    made.state(machine)


def _force(t, q, v):
    return -0.1 * v


def _drive(simulation):
    return None


def _bounce(state):
    return state.replace(v=-0.5 * state.v)


@cache
def models() -> dict[str, Any]:
    """Machines that the calls are made on."""
    arm = gori.compile(gori.load(ROOT / "examples" / "arm.yaml"))
    loop = gori.compile(four_bar())
    driven = gori.compile(gori.load(ROOT / "examples" / "four_bar.yaml"))
    free = gori.compile(
        gori.Spec(
            bodies={"a": {"mass": 1.0, "inertia": [1, 2, 2]}, "b": {"mass": 0.5, "inertia": [0.1, 0.2, 0.2]}},
            joints={
                "fly": {"type": "free", "parent": "ground", "child": "a"},
                "ball": {"type": "spherical", "parent": "a", "child": "b", "at": [0.3, 0, 0]},
            },
            frames={"tip": {"body": "b", "at": [0, 0, 0.2]}},
            forces={"spring": {"type": "spring", "parent": "ground", "child": "b", "stiffness": 10.0, "length": 0.5}},
        )
    )
    return {"arm": arm, "loop": loop, "driven": driven, "free": free}


@cache
def folder() -> Path:
    """Files that calls read and write."""
    place = Path(tempfile.mkdtemp(prefix="gori_mutants_"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    simulation = gori.Simulation(models()["arm"], gori.RK4(step=STEP))
    simulation.run(0.01, path=place / "run.h5", progress=False)
    simulation.state.save(place / "state.npz")
    gori.save(models()["arm"].spec, place / "arm.yaml")
    return place


def simulation(name: str = "arm", **options: Any) -> gori.Simulation:
    return gori.Simulation(models()[name], gori.RK4(step=STEP), **options)


@cache
def recording() -> gori.Recording:
    return simulation().run(0.05, sample=5e-3, progress=False)


def particles(call: str, **arguments: Any) -> Any:
    """A method of the particles of a run, which then takes a step."""
    make, state = machine("tray with an inlet")
    run = make(state=state)
    if call in ("velocity", "angular_velocity"):
        setattr(run.particles, call, arguments["value"])
    else:
        getattr(run.particles, call)(**arguments)
    run.step()


def vehicle(name: Any, value: Any) -> None:
    """An input of a vehicle, which then takes a step."""
    make, state = machine("vehicle on sand")
    run = make(state=state)
    run.inputs[name] = value
    run.step()


def made(**options: Any) -> None:
    """A Simulation that takes some steps."""
    go_on(gori.Simulation(**options), 2)


def coupled(**options: Any) -> None:
    """A Simulation with a subsystem."""
    made(model=slider(), method=gori.RK4(step=STEP), **options)


def subsystem(**members: Any) -> None:
    """A subsystem with other members."""
    spring = Spring()
    for name, value in members.items():
        setattr(spring, name, value)
    run = simulate(spring)
    run.step(3)


def of_state(**options: Any) -> None:
    state = gori.State(**options)
    run = simulation(state=state)
    run.step()


def replaced(**changes: Any) -> None:
    run = simulation(state=simulation().state.replace(**changes))
    run.step()


def clock(duration: Any, **options: Any) -> None:
    if duration is not None:  # without end
        gori.Clock(**options).run(duration)


def spec_of(**sections: Any) -> None:
    made(model=gori.compile(gori.Spec(**sections)))


def method(kind: type, **settings: Any) -> None:
    """A method with other settings, on a tree and on loops."""
    go_on(gori.Simulation(models()["arm"], kind(**settings)), 2)
    go_on(gori.Simulation(models()["loop"], kind(**settings)), 2)


def strategy(kind: type, **settings: Any) -> None:
    made(model=models()["arm"], method=gori.ImplicitEuler(step=STEP, jacobian=kind(**settings)))


def loops(kind: type, **settings: Any) -> None:
    made(model=models()["loop"], loops=kind(**settings), method=gori.RK4(step=STEP))


def drawn(call: Callable, **arguments: Any) -> None:
    import matplotlib.pyplot as plt

    try:
        call(**arguments)
    finally:
        plt.close("all")


def of_model(name: str) -> dict[str, Call]:
    """Methods of a Model."""
    model = models()[name]
    state = model.state()
    q, v, tau = state.q.copy(), state.v.copy(), np.zeros(model.nv)
    body, joint = model.body_names[-1], model.joint_names[-1]
    wrenches = {body: np.ones(6)}
    found = {
        "forward_dynamics": {"q": q, "v": v, "tau": tau, "wrenches": wrenches, "method": "aba"},
        "inverse_dynamics": {"q": q, "v": v, "a": tau, "wrenches": wrenches},
        "bias": {"q": q, "v": v},
        "gravity_force": {"q": q},
        "mass_matrix": {"q": q},
        "tree_mass_matrix": {"q": q},
        "condition": {"q": q},
        "derivatives": {"q": q, "v": v, "tau": tau},
        "inverse_derivatives": {"q": q, "v": v, "a": tau},
        "transposed_derivatives": {"q": q, "v": v, "tau": tau, "g": v},
        "forward_kinematics": {"q": q},
        "jacobian": {"q": q, "frame": body, "axes": "world"},
        "jacobian_rate": {"q": q, "v": v, "frame": body, "axes": "body"},
        "energy": {"q": q, "v": v},
        "momentum": {"q": q, "v": v},
        "center_of_mass": {"q": q},
        "elastic_energy": {"q": q},
        "total_energy": {"q": q, "v": v},
        "integrate": {"q": q, "dv": v},
        "difference": {"q0": q, "q1": q},
        "random": {"rng": 3, "count": 2},
        "joint": {"name": joint},
        "frame": {"name": body},
        "joint_of_dof": {"dof": 0},
        "state": {"q": q, "v": v, "time": 0.0},
        "mobility": {"q": q, "independent": None},
    }
    calls = {f"{name}.{key}": Call(getattr(model, key), value) for key, value in found.items()}
    calls[f"{name}.poses"] = Call(model.forward_kinematics(q).__getitem__, {"name": body})
    calls[f"{name}.loop_system.terms"] = Call(model.loop_system.terms, {"q": q, "v": v, "time": 0.0})
    calls[f"{name}.assemble"] = Call(gori.assemble, {"model": model, "q": q, "hold": [joint], "time": 0.0})
    calls[f"{name}.consistent_velocity"] = Call(
        gori.consistent_velocity, {"model": model, "q": q, "v": v, "hold": [joint], "time": 0.0}
    )
    options = {"method": gori.RK4(step=STEP), "forces": _force, "state": state, "events": {"e": "t - 0.0015"}}
    options |= {"driver": _drive, "driver_period": 1e-3, "sub_steps": {}, "subsystems": [], "force_values": {}}
    calls[f"{name}.Simulation"] = Call(made, {"model": model, "device": "cpu", "loops": "multipliers"} | options, 6.0)
    return calls


def positional(function: Callable) -> Callable:
    """For functions that take their arguments by position alone."""
    return lambda **arguments: function(*arguments.values())


@cache
def calls() -> dict[str, Call]:
    """All of them by name."""
    place, m, rec = folder(), models(), recording()
    found = {key: call for name in m for key, call in of_model(name).items()}
    arm, loop, driven = m["arm"], m["loop"], m["driven"]
    joint, body = arm.joint_names[0], arm.body_names[-1]
    q, v, state = arm.q0, arm.v0, arm.state()
    run, times = gori.Simulation, np.linspace(0.0, 0.02, 3)
    data = gori.load(ROOT / "examples" / "arm.yaml").model_dump(exclude_unset=True)
    found |= {
        "step": Call(lambda count: simulation().step(count), {"count": 2}),
        "advance": Call(lambda count: simulation().advance(count), {"count": 2}),
        "run": Call(
            lambda **options: simulation().run(**options),
            {"duration": 0.01, "sample": 0.001, "path": None, "progress": False, "overwrite": True, "frames": 0.002},
            3.0,
        ),
        "run to a file": Call(lambda path: simulation().run(0.002, path=path, overwrite=True, progress=False),
                              {"path": str(place / "some.h5")}),
        "channel": Call(lambda name: simulation().channel(name), {"name": "x"}),
        "state setter": Call(lambda state: setattr(simulation(), "state", state), {"state": state}),
        "resume": Call(lambda path, **options: run.resume(path, progress=False, **options),
                       {"path": str(place / "run.h5"), "forces": _force, "events": {}, "driver": _drive}),
        "State": Call(of_state, {"time": 0.0, "q": q, "v": v, "z": state.z, "parts": {}, "model": ""}, 3.0),
        "State.replace": Call(replaced, {"time": 0.0, "q": q, "v": v, "z": state.z, "model": "", "clock": {}}, 3.0),
        "State.from_bytes": Call(gori.State.from_bytes, {"data": state.to_bytes()}),
        "State.load": Call(gori.State.load, {"path": str(place / "state.npz")}),
        "State.save": Call(state.save, {"path": str(place / "other.npz")}),
        "State ==": Call(state.__eq__, {"other": state}, 0.3),
        "Recording": Call(gori.Recording, {"model": arm, "time": rec.time, "q": rec.q, "v": rec.v, "z": rec.z,
                                           "extra": {"x": rec.time}, "info": {"a": 1}}, 3.0),
        "Recording[]": Call(positional(rec.__getitem__), {"name": f"{body}.position"}),
        "Recording in": Call(positional(rec.__contains__), {"name": f"{body}.position"}, 0.3),
        "Recording.state": Call(rec.state, {"index": 0}),
        "Recording.select": Call(positional(rec.select), {"pattern": "*.q"}),
        "Recording.units": Call(rec.units, {"name": "q"}),
        "Recording.add_source": Call(lambda **x: copy.copy(rec).add_source(**x),
                                     {"names": ["new"], "function": _drive, "units": "m"}),
        "Recording.table": Call(positional(rec.table), {"name": "q"}),
        "Recording.to_csv": Call(positional(rec.to_csv), {"path": str(place / "x.csv"), "name": "q"}),
        "Recording.save": Call(rec.save, {"path": str(place / "x.h5")}),
        "Recording.load": Call(gori.Recording.load, {"path": str(place / "run.h5")}),
        "Recording.plot": Call(lambda **x: drawn(rec.plot, path=x["path"]), {"path": str(place / "x.png")}, 0.05),
        "open_run": Call(gori.open_run, {"path": str(place / "run.h5")}),
        "Trace": Call(lambda **x: gori.Trace(**x).accelerations,
                      {"recording": rec, "user": None, "accelerations": np.zeros((len(rec), arm.nv))}),
        "Event": Call(lambda **x: made(model=arm, events={"e": gori.Event(**x)}, method=gori.RK4(step=STEP)),
                      {"value": "t - 0.0015", "when": "both", "action": _bounce}),
        "expression": Call(lambda value: made(model=arm, events={"e": value}), {"value": f"{joint}.q - sin(t)"}, 2.0),
        "Clock": Call(clock, {"simulation": simulation(), "frame": 0.002, "outputs": ["time"], "exchange": _drive,
                              "pace": 10.0, "duration": 0.004}),
        "batch": Call(lambda simulations, **x: gori.batch(simulations, **x),
                      {"simulations": [simulation(), simulation()], "duration": 0.002, "sample": 0.001, "workers": 2,
                       "paths": None, "progress": False}),
        "Batch": Call(batch, {"model": arm, "count": 3, "method": gori.Adams(step=STEP), "device": "cpu", "workers": 1,
                              "state": None, "parameters": {f"joints.{joint}.damping": [0.1, 0.2, 0.3]}, "steps": 2,
                              "machines": [0, 2], "start": arm.state().replace(model=""), "machine": 1,
                              "duration": 0.002}, 2.0),
        "compile": Call(gori.compile, {"spec": arm.spec, "open_loops": False}),
        "load": Call(gori.load, {"path": str(place / "arm.yaml")}),
        "save": Call(gori.save, {"spec": arm.spec, "path": str(place / "b.yaml")}),
        "soil": Call(gori.soil, {"data": "dry_sand"}),
        "threads": Call(gori.threads, {"count": 2}, 0.5),
        "dh": Call(gori.dh, {"convention": "standard", "links": [{"a": 1.0, "alpha": 0.0, "d": 0.0, "theta": 0.1}]}),
        "at_rest": Call(gori.at_rest, {"model": arm, "speed": 0.0, "loops": None, "step": STEP, "longest": 0.01,
                                       "standing": None, "device": None}, 0.5),
        "kinematics": Call(gori.kinematics, {"model": driven, "times": times, "motions": {}, "q": None,
                                             "progress": False, "wrenches": {driven.body_names[-1]: np.ones(6)}}),
        "inverse_dynamics": Call(gori.inverse_dynamics, {"model": loop, "times": times, "q": None, "progress": False,
                                                         "motions": {loop.joint_names[0]: "0.1*t"}, "wrenches": {}}),
        "Spec.set": Call(lambda **x: made(model=gori.compile(arm.spec.set(**x))),
                         {"name": f"joints.{joint}.damping", "value": 0.5}),
        "Spec": Call(spec_of, data, 8.0),
        "Spec of loops": Call(spec_of, four_bar().model_dump(exclude_unset=True), 4.0),
        "RK4": Call(lambda **x: method(gori.RK4, **x), {"step": STEP}),
        "SemiImplicit": Call(lambda **x: method(gori.SemiImplicit, **x), {"step": STEP}),
        "Adams": Call(lambda **x: method(gori.Adams, **x), {"step": STEP, "order": 3}),
        "AdamsMoulton": Call(lambda **x: method(gori.AdamsMoulton, **x), {"step": STEP, "order": 4}),
        "Dopri5": Call(lambda **x: method(gori.Dopri5, **x), {"rtol": 1e-6, "atol": 1e-9, "largest_step": 1.0}),
        "Radau5": Call(lambda **x: method(gori.Radau5, **x), {"rtol": 1e-6, "atol": 1e-9, "largest_step": 1.0}),
        "ImplicitEuler": Call(lambda **x: method(gori.ImplicitEuler, **x),
                              {"step": STEP, "jacobian": "full", "newton": False}),
        "GeneralizedAlpha": Call(lambda **x: method(gori.GeneralizedAlpha, **x),
                                 {"step": STEP, "jacobian": "full", "rho_inf": 0.8}),
        "ErrorDriven": Call(lambda **x: strategy(gori.jacobian.ErrorDriven, **x), {"tolerance": 0.1}),
        "Fastest": Call(lambda **x: strategy(gori.jacobian.Fastest, **x), {"columns": 1}),
        "Full": Call(lambda **x: strategy(gori.jacobian.Full, **x), {"differences": True}),
        "MatrixFree": Call(lambda **x: strategy(gori.jacobian.MatrixFree, **x), {"tolerance": 1e-6}),
        "RoundRobin": Call(lambda **x: strategy(gori.jacobian.RoundRobin, **x), {"columns": 1}),
        "Partition": Call(lambda **x: loops(gori.loops.Partition, **x), {"independent": [loop.joint_names[0]]}),
        "RealTime": Call(lambda **x: loops(gori.loops.RealTime, **x), {"tolerance": 1e-3, "closure": 1e-7}),
        "FrozenExplicit": Call(lambda **x: loops(gori.loops.FrozenExplicit, **x),
                               {"tolerance": 1e-10, "closure": 7e-13}),
        "particles.add": Call(lambda **x: particles("add", **x),
                              {"position": np.array([[0.0, 0.0, 0.3]]), "radius": 0.004, "material": "grain",
                               "velocity": np.zeros(3), "angular_velocity": np.zeros(3), "group": 0,
                               "max_overlap": 0.1}, 2.0),
        "particles.remove": Call(lambda **x: particles("remove", **x), {"which": np.zeros(406, bool)}),
        "particles.velocity": Call(lambda **x: particles("velocity", **x), {"value": np.zeros((406, 3))}),
        "particles.spin": Call(lambda **x: particles("angular_velocity", **x), {"value": np.zeros(3)}),
        "inputs": Call(vehicle, {"name": "truck.throttle", "value": 0.5}),
        "subsystems": Call(coupled, {"subsystems": [Spring()]}, 0.5),
        "Subsystem": Call(subsystem, {"name": "spring", "bodies": ("block",), "step": 3e-4, "outputs": {"x": "m"},
                                      "start": lambda *x: None, "advance": lambda *x: np.zeros((1, 6)),
                                      "state": dict, "load": lambda x: None, "output_values": lambda: (0.0,)}),
        "draw": Call(lambda **x: drawn(gori.view.draw, **x), {"model": arm, "q": q, "color": "red", "label": "a",
                                                             "view": "xz"}, 0.3),
        "pictures": Call(lambda **x: drawn(gori.view.pictures, **x), {"recording": rec, "times": [0.0, 0.01],
                                                                     "view": "xz", "trails": [body], "size": 1.0,
                                                                     "path": None, "follow": body}, 0.1),
        "axle_loads": Call(gori.analysis.axle_loads, {"vehicle": "hmmwv", "set": {}, "gravity": 9.81}, 0.02),
        "bump_curves": Call(gori.analysis.bump_curves, {"vehicle": "hmmwv", "axle": "front", "rack": 0.0, "set": {},
                                                        "travel": np.array([-0.01, 0.01])}, 0.05),
        "steer_curves": Call(gori.analysis.steer_curves, {"vehicle": "hmmwv", "rack": np.array([0.0, 0.01]),
                                                          "travel": 0.0, "set": {}}, 0.05),
    }  # fmt: skip
    return found
