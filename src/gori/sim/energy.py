"""Where the energy of a run went, and a warning where it does not balance.

    energy.balance = E - E0 - W,     E = kinetic + potential + elastic,     W = energy.work

W is the work of all that has no potential, integrated with the steps of the run by the method itself
(`integrate/rates.py`). So the balance is the error of the method in the energy: zero to its order where forces are
smooth. It is judged by the energy that was exchanged: the largest kinetic energy, the range of the others, and all
work, given or taken. What a method of first order cannot see is no alarm: it moves the weight of the machine by half a
step too far or too little (a free fall has an error of m g h v / 2), and lets it settle by a share of a step's fall.
"""

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gori.errors import EnergyWarning
from gori.integrate import Method
from gori.kernels.forces.efforts import WORKING
from gori.kernels.tree.columns import GRAVITY
from gori.model import Model
from gori.model.elastic import elastic_elements, elastic_energies
from gori.record import Recording
from gori.record.channels import WORK
from gori.sim.channels import ElementHistory

OF_TOLERANCE = 100.0
"""times the relative tolerance of an adaptive method, its errors may add up to over a run"""
AT_REST = 1e-7
"""share of potential and elastic energy that counts as exchanged, so that rounding at rest is no loss"""
STILL = 1e-6
"""speed [m/s] that counts as none"""
LOOKS = 400
"""samples at which the balance is looked at, so that it costs nothing beside the run"""
LAG = 0.5
"""share of a step by which positions are too far, or too late, with a method of first order"""
SETTLED = 0.1
"""share of a step's fall, g h^2, by which a machine may settle onto what carries it"""
FEW = 10
"""samples that tell too little of what was exchanged: a pendulum may be at rest at each of them"""


class Balance(NamedTuple):
    """The largest |energy.balance| of a run: when [s], how much [J], and of how much exchanged energy [J]."""

    time: float
    energy: float
    exchanged: float

    @property
    def share(self) -> float:
        """Of the exchanged energy; 0 where none was."""
        return abs(self.energy) / self.exchanged if self.exchanged > 0.0 else 0.0


def balance(recording: Recording, looks: int = LOOKS) -> Balance:
    """The energy balance of a run, at so many of its samples."""
    rec, model = recording, recording.model
    if WORK not in rec.extra or len(rec) < 2:
        return Balance(rec.state(0)[0] if len(rec) else 0.0, 0.0, 0.0)
    few = rec.part(np.unique(np.linspace(0, len(rec) - 1, looks).round().astype(int)))
    q, work = few.q, few.extra[WORK]
    kinetic, potential = model.energy(q, few.v)
    elastic = model.elastic_energy(q)
    left = kinetic + potential + elastic - work
    left = left - left[0]
    worst = int(np.argmax(np.abs(left)))
    exchanged = kinetic.max() + np.ptp(potential) + np.ptp(elastic) + np.abs(np.diff(work)).sum()
    exchanged += AT_REST * (np.abs(potential).max() + np.abs(elastic).max()) + model.mass * STILL**2
    return Balance(float(few.time[worst]), float(left[worst]), float(exchanged))


def works(recording: Recording, subsystems: Mapping[str, float]) -> dict[str, float]:
    """Work [J] of each contributor over a run, by the trapezoidal rule over its samples; what is left of `energy.work`
    is that of all others together.

    subsystems   work of each, as it was held on the bodies
    """
    rec, model, history = recording, recording.model, ElementHistory(recording)
    found = {
        _called(model, name): float(np.trapezoid(history.sum_of(elements, WORKING), rec.time))
        for name, elements in history.rows().items()
    }
    found |= {f"subsystem {name!r}": work for name, work in subsystems.items()}
    others = {
        "given motions": bool(model.motion_names),
        "wheels and drive trains": model.vehicle is not None,
        "user functions": "forces" in rec.info.get("programs", {}),
        "particles": model.particles is not None,
        "actions of events": bool(rec.info.get("events")),
    }
    if names := [name for name, there in others.items() if there]:
        whole = float(rec.extra[WORK][-1] - rec.extra[WORK][0])
        found[" and ".join(names)] = whole - sum(found.values())
    return found


def passed_through(recording: Recording, subsystems: Mapping[str, float]) -> dict[str, float]:
    """Energy [J] that went through each contributor: its work, and the range of what it stored."""
    model = recording.model
    found = {name: abs(work) for name, work in works(recording, subsystems).items()}
    stored = np.ptp(elastic_energies(model, recording.q), axis=0)
    for element, energy in zip(elastic_elements(model), stored):
        name = _called(model, model.forces.names[element])
        found[name] = found.get(name, 0.0) + float(energy)
    return found


def _called(model: Model, name: str) -> str:
    return f"{'joint' if name in model.joint_names else 'force'} {name!r}"


def limit(method: Method) -> float:
    """Share of the exchanged energy that may be the error of a method, if it runs as it was meant to."""
    return max(method.energy_error, OF_TOLERANCE * method.settings().get("rtol", 0.0))


def unseen(recording: Recording, method: Method) -> float:
    """Energy [J] below which an imbalance is no alarm, m g (LAG h v + SETTLED g h^2), v the largest speed: that of all
    mass together with the largest kinetic energy. Zero for methods of higher order.
    """
    model = recording.model
    if method.energy_error <= Method.energy_error or not model.mass > 0.0:
        return 0.0
    few = recording.part(np.unique(np.linspace(0, len(recording) - 1, LOOKS).round().astype(int)))
    speed = float(np.sqrt(2.0 * model.energy(few.q, few.v)[0].max() / model.mass))
    g, h = float(np.linalg.norm(model.kernel_tables.body_f[0, GRAVITY : GRAVITY + 3])), float(method.settings()["step"])
    return model.mass * g * h * (LAG * speed + SETTLED * g * h)


def warn_of_imbalance(
    recording: Recording, subsystems: Mapping[str, float], allowed: float, cure: str, least: float = 0.0
) -> None:
    """Warn of a run in which energy has appeared or vanished.

    subsystems   work of each in the run [J]
    allowed      share of the exchanged energy (`limit`)
    cure         what makes the method more accurate
    least        energy below which it is no alarm [J] (`unseen`)
    """
    found = balance(recording)
    if len(recording) < FEW or not found.share > allowed or abs(found.energy) <= least:
        return
    through = passed_through(recording, subsystems)
    largest = max(through, key=lambda name: through[name], default="")
    most = f" The largest contribution was that of {largest}, {through[largest]:.3g} J." if through.get(largest) else ""
    warnings.warn(
        f"energy.balance: {abs(found.energy):.3g} J, {100.0 * found.share:.2g} % of the {found.exchanged:.3g} J that "
        f"were exchanged, {'appeared' if found.energy > 0.0 else 'vanished'} until t = {found.time:.6g} s.{most} Try "
        f"{cure}; where forces are stiff or jump, fixed steps lose accuracy first",
        EnergyWarning,
        stacklevel=4,
    )
