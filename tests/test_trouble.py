"""Every message that docs/trouble.md shows is provoked, and compared."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import gori

PAGE = Path(__file__).parent.parent / "docs" / "trouble.md"
PENDULUM = """gori: 1
bodies: {rod: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}}
joints: {pivot: {type: revolute, parent: ground, child: rod, axis: [0, 1, 0], q: 1}}
"""
CRANK = """gori: 1
bodies:
  crank: {mass: 1, inertia: [1, 1, 1]}
  rod: {mass: 1, inertia: [1, 1, 1]}
  slider: {mass: 1, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, parent: ground, child: crank, q_deg: 30}
  B: {type: revolute, parent: crank, child: rod, at: [2, 0, 0]}
  D: {type: prismatic, parent: ground, child: slider, axis: [1, 0, 0], q: 1.5}
cuts: {C: {type: spherical, parent: rod, at: [3.5, 0, 0], child: slider}}
"""
FLAT = """gori: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  A: {type: revolute, parent: ground, child: a, v: 2, q: 0}
  B: {type: revolute, parent: a, child: b, at: [1, 0, 0], q: 0}
  C: {type: revolute, parent: ground, child: c, at: [2, 0, 0], q: 0}
cuts: {D: {type: revolute, parent: b, at: [2, 0, 0], child: c, child_at: [1, 0, 0]}}
"""
STONES = """gori: 1
materials: {stone: {E: 1e7, density: 2500}}
contacts: {stone/stone: {restitution: 0.5, friction: 0.5}}
bodies: {ground: {shapes: {floor: {type: box, size: [1, 1, 0.1], at: [0, 0, -0.05], material: stone}}}}
particles: {a: {material: stone, radius: 0.01, positions: POSITIONS}}
"""


def model(text):
    Path("m.yaml").write_text(text)
    return gori.compile(gori.load("m.yaml"))


def pendulum():
    return model(PENDULUM)


def run(text, method=None, duration=0.1, **options):
    return gori.Simulation(model(text), method).run(duration, **options)


def massless():
    text = PENDULUM.replace("mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]", "mass: 0")
    return run(text)


def in_use():
    def second(simulation):
        run(PENDULUM, path="run.h5", overwrite=True)

    gori.Simulation(pendulum(), driver=second).run(0.1, path="run.h5")


def other_programs():
    def damper(t, q, v):
        return -v

    damper.__qualname__ = "damper"
    gori.Simulation(pendulum(), forces=damper).run(0.1, path="run.h5")
    gori.Simulation.resume("run.h5")


def twice():
    for _ in range(2):
        run(PENDULUM, path="run.h5")


def another_method():
    first = gori.Simulation(pendulum())
    first.step()
    gori.Simulation(first.model, gori.Adams(), state=first.state)


def stones(positions, more=""):
    return STONES.replace("POSITIONS", positions) + more


CASES = {
    "unknown key": lambda: model(PENDULUM.replace("mass", "mas")),
    "must not be negative": lambda: model(PENDULUM.replace("mass: 1", "mass: -1")),
    "inertia violates": lambda: model(PENDULUM.replace("0.1, 0.01]", "0.1, 0.3]")),
    "child 'rood'": lambda: model(PENDULUM.replace("child: rod", "child: rood")),
    "q[0] is nan": lambda: pendulum().forward_dynamics([np.nan], [0], [0]),
    "q must have shape": lambda: pendulum().forward_dynamics([0, 1], [0], [0]),
    "there is no channel": lambda: run(PENDULUM)["rod.posn"],
    "the loops do not close": lambda: gori.Simulation(model(CRANK)),
    "the initial velocities": lambda: gori.Simulation(model(FLAT)),
    "joint 'pivot' moves nothing": massless,
    "this State belongs": lambda: gori.Simulation(model(CRANK), state=pendulum().state()),
    "the State holds the memory": another_method,
    "particles overlap": lambda: gori.Simulation(model(stones("[[0, 0, 0.1], [0.001, 0, 0.1]]"))),
    "overlaps the wall": lambda: gori.Simulation(model(stones("[[0, 0, 0.001]]"))),
    "a step of 0.01 s": lambda: gori.Simulation(
        model(stones("[[0, 0, 1]]", "run: {duration: 1, subsystems: {a: {step: 1e-2}}}\n"))
    ),
    "forces.p.value": lambda: run(
        PENDULUM + "forces: {p: {type: torque, joint: pivot, value: '100*pivot.q**3'}}\n", duration=1.0
    ),
    "energy.balance": lambda: run(PENDULUM, gori.Adams(step=0.05, order=2), 5.0),
    "a sample every": lambda: run(PENDULUM, sample=0.00033),
    "dopri5 uses": lambda: gori.Simulation(pendulum(), gori.Dopri5(), driver=print),
    "particle 0 at": lambda: run(stones("[[0.6, 0, 0.1]]"), duration=2.0),
    "1e+12 samples": lambda: run(PENDULUM, gori.RK4(step=1e-6), 1e6, sample=1e-6),
    "already exists": twice,
    "is in use": in_use,
    "was recorded with other": other_programs,
    "cannot be written": lambda: run(PENDULUM, path="nowhere/run.h5"),
}


def shown() -> list[str]:
    """The messages of the tables whose first column is what one sees."""
    tables = re.findall(r"\| you see \|.*?\n\|[-|]+\n((?:\|.*\n)+)", PAGE.read_text())
    return [re.match(r"\| `([^`]*)`", row)[1] for table in tables for row in table.splitlines()]


@pytest.mark.parametrize("message", shown())
def test_a_message_is_as_the_page_shows_it(message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (provoke,) = [case for start, case in CASES.items() if message.startswith(start)]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        try:
            provoke()
            texts = []
        except gori.errors.GoriError as error:
            texts = [str(error)]
    texts += [str(one.message) for one in told if issubclass(one.category, UserWarning)]
    pattern = ".*".join(re.escape(part.strip()) for part in message.split("..."))
    assert any(re.search(pattern, text, re.DOTALL) for text in texts), texts


def test_every_case_is_on_the_page():
    assert sorted(CASES) == sorted(start for start in CASES if any(one.startswith(start) for one in shown()))
