"""Impacts in a run: velocities jump where gaps close, and contacts come to rest or cease to."""

import json
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gori.errors import ImpactWarning, InputError, SimulationError
from gori.integrate.clock import MET_AND_CHANGED
from gori.kernels.codes import EVENT, OK
from gori.kernels.impacts.memory import HELD, MOST_HELD
from gori.model.state import State
from gori.sim.callers.pickled import Bound
from gori.sim.check import check_array, json_of
from gori.sim.contact.impact_laws import ROUNDING, Colliding, impulses
from gori.sim.contact.impacts import Impacts, Watched
from gori.sim.run import Block
from gori.sim.stepper import Stepper

TOUCH = 1e-8
"""gap below which a point takes part in an impact [m, rad]"""
KEPT = 1e-4
"""gap up to which a point that rests and is pressed takes part too: its gap is an error of the method [m, rad]"""
DEEP = 1e-6
"""depth at the start of a run from which on it is refused [m, rad]"""
LEAVES = 1e-3
"""speed above which a contact parts, by `rest_speed`"""
FLAT = 1e-9
"""singular values of loop equations below this share of the largest count as zero"""
SHORT, MANY = 1e-12, 200
"""so many impacts within this share of the run, or of a second, would not end"""
BURST, ENDLESS = 100, 10
"""impacts of one pair which at `chatter_rate` or faster are chatter, that comes to rest; and times as many as that, in
the same time, which would not end
"""
EMERGES, SOONER, SOONEST = 100.0, 4.0, 30
"""by the rate of resting contacts: a point that is inside by an error, and parts so slowly, rests until it is out;
times that each time that no time has passed since the last impact, so often at most
"""
COLUMNS = ("time", "pair", "impulse", "energy_before", "energy_after")


class Touching(NamedTuple):
    """A point that touches: its watched gap, its rows (3, nv), its row of HELD to be, and how deep it is."""

    gap: int
    rows: np.ndarray
    friction: float
    restitution: float
    row: tuple[int, int, int, int]
    depth: float


class ImpactLog(Bound):
    """Colliding of one Simulation: which rest, and what impacts there were. Without impacts nothing happens.

    fresh     what touches is to be looked at before the next step: a State was set, or changed by an event
    impacts   rows of COLUMNS of all impacts of the present run
    """

    def __init__(self, stepper: Stepper, impacts: Impacts | None):
        self.there, self._rest, self._stepper = impacts is not None, stepper.data.rest, stepper
        self.fresh, self.impacts = impacts is not None, []

    @property
    def rate(self) -> float:
        """With which gaps and slips of contacts that rest decay [1/s]."""
        return float(self._rest.head["rate"][0])

    def hold(self, rows: list[tuple[int, int, int, int]], friction: list[float]) -> None:
        """From now on these contacts rest."""
        rest = self._rest
        rest.held[:] = np.zeros(len(rest.held), HELD.dtype)
        for held, row, mu in zip(rest.held, rows, friction):
            (held["a"], held["b"], held["feature"], held["stop"]), held["friction"] = row, mu
        rest.head["held"] = len(rows)
        self._stepper.data.contact_memory.wrench[:] = 0.0  # the next evaluation says what it is

    def pressed(self, most: float) -> dict[tuple[int, int, int, int], float]:
        """Rows of contacts that rest and are pressed, with gaps up to which they do, at most so large."""
        held = self._rest.held[: int(self._rest.head["held"][0])]
        return {
            (int(row["a"]), int(row["b"]), int(row["feature"]), int(row["stop"])): min(2.0 * float(row["gap"]), most)
            for row in held
            if row["force"][0] > 0.0
        }

    def state(self) -> dict[str, Any]:
        """What must be kept; rows of stops count from 1 in it."""
        if not self.there:
            return {}
        held = self._rest.held[: int(self._rest.head["held"][0])].copy()
        held["stop"] += 1
        return {"held": held, "impacts": json.dumps(self.impacts)}

    def check(self, saved: Mapping[str, np.ndarray]) -> None:
        """Raise InputError if the events of a State hold contacts that are not of such a run."""
        if not self.there or "held" not in saved:
            return
        held, shapes = saved["held"], len(self._stepper.machine.contact.shape)
        if held.ndim != 1 or len(held) > MOST_HELD:
            raise InputError(f"state.events['held'] must have at most {MOST_HELD} rows")
        most = {"a": max(shapes - 1, 0), "b": max(shapes - 1, 0), "stop": len(self._rest.stop)}
        most["feature"] = np.iinfo(np.int64).max
        check_array("events", "held", held, np.zeros(held.shape, HELD.dtype), most)
        if shapes == 0 and (held["stop"] == 0).any():
            raise InputError("state.events['held'] names shapes, but nothing in the Model collides")
        json_of("events", "impacts", saved["impacts"], list)

    def load(self, saved: Mapping[str, np.ndarray] | None) -> None:
        """Go on with the contacts of a State that was checked; None: what touches is looked for."""
        if not self.there:
            return
        self.hold([], [])
        self.fresh, self.impacts = True, []
        if saved is not None and "held" in saved:
            held = saved["held"]
            rest = self._rest
            rest.held[: len(held)] = held
            rest.held["stop"][: len(held)] -= 1
            rest.head["held"] = len(held)
            self.impacts = [tuple(row) for row in json.loads(str(saved["impacts"]))]
            self.fresh = False


class ImpactStage:
    """Impacts where gaps have closed.

    change   takes over a State with other velocities
    log      (name, time) of all events so far
    sample   keeps rows of samples
    """

    def __init__(
        self,
        stepper: Stepper,
        impacts: Impacts,
        watched: Watched,
        contacts: ImpactLog,
        state: Callable[[], State],
        change: Callable[[State], None],
        log: list[tuple[str, float]],
        sample: Callable[[np.ndarray], None],
    ):
        self._stepper, self._impacts, self._watched, self._contacts = stepper, impacts, watched, contacts
        self._state, self._change, self._log, self._sample = state, change, log, sample
        self._last, self._count, self._warned = -np.inf, 0, set[str]()
        self._touch, self._kept, self._deep = TOUCH * watched.scale, KEPT * watched.scale, DEEP * watched.scale
        self._chatter_time = BURST / impacts.chatter_rate * float(np.sqrt(watched.scale))
        self._first = len(stepper.events_met()) - len(watched.names)
        model, tables = stepper.model, stepper.machine.contact
        self._law = {} if model.contact is None else {
            (a, b): tables.law[tables.shape["material"][a], tables.shape["material"][b]]
            for a, b in watched.pairs.tolist()
        }  # fmt: skip
        self._gap_of = {pair: k for k, pair in enumerate(self._law)}

    def begin(self, block: Block) -> None:
        """Before a step: what touches, where a State was set."""
        if self._contacts.fresh:
            try:
                self._settle(begins=True)
            except SimulationError as failure:
                block.failure = failure

    def __call__(self, block: Block) -> None:
        if "depth" not in self._warned and block.code in (OK, EVENT):
            self._warn_of_depth()
        if block.code != EVENT:
            return
        met = self._stepper.events_met()
        if not met[self._first :].any():
            return
        try:
            self._settle(begins=False)
        except SimulationError as failure:
            block.failure = failure
            return
        self._stepper.restart_after_event()
        if not met[: self._first].any():
            block.code, block.alone = OK, False

    # ---- inside

    def _touching(self, q: np.ndarray, begins: bool) -> list[Touching]:
        """All points that touch at q."""
        model, found, npairs = self._stepper.model, [], len(self._watched.pairs)
        pressed = {} if begins else self._contacts.pressed(self._kept)
        reach = max([self._touch, *pressed.values()])
        for point in model.contacts(q, reach) if npairs else ():
            if point.shapes not in self._gap_of:
                continue
            if point.gap > self._touch and (*point.shapes, point.feature, -1) not in pressed:
                continue
            if begins and point.gap < -self._deep:
                self._refuse(f"{point.a} and {point.b} are inside each other by {-point.gap:.3g} m")
            law, (a, b) = self._law[point.shapes], point.shapes
            row, e = (a, b, point.feature, -1), float(law["restitution"])
            found.append(Touching(self._gap_of[a, b], point.jacobian, float(law["friction"]), e, row, -point.gap))
        for s, stop in enumerate(self._watched.stops):
            gap = float(stop["side"] * (q[stop["coordinate"]] - stop["bound"]))
            if gap > self._touch and not ((0, 0, 0, s) in pressed and gap <= self._kept):
                continue
            if begins and gap < -self._deep:
                self._refuse(f"joint {self._watched.names[npairs + s]} is beyond its limit by {-gap:.3g}")
            rows = np.zeros((3, model.nv))
            rows[0, stop["dof"]] = stop["side"]
            found.append(Touching(npairs + s, rows, 0.0, self._impacts.limit_restitution, (0, 0, 0, s), -gap))
        return found

    def _refuse(self, words: str) -> None:
        raise SimulationError(
            f"{words} at t = {self._stepper.time:.6g} s: impacts need a start with bodies apart or just touching. Move "
            "them apart, or exclude the pair",
            self._stepper.time,
        )

    def _response(self, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M, and M^-1 J' (nv, 3k) on the motions that loops allow: Z (Z' M Z)^-1 Z' J', Z the null space of theirs."""
        stepper = self._stepper
        model, q = stepper.model, stepper.q.copy()
        M, Z = model.tree_mass_matrix(q), np.eye(model.nv)
        if model.loops:
            system = model.loop_system
            scale = system.column_scale
            _, values, right = np.linalg.svd(system.scaled(system.terms(q, time=stepper.time).J))
            rank = int((values > FLAT * values.max(initial=0.0)).sum())
            Z = scale[:, None] * right[rank:].T
        return M, Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ J.T)

    def _settle(self, begins: bool) -> None:
        """Impact of all that touches and approaches; then what does not part rests."""
        stepper, impacts, contacts = self._stepper, self._impacts, self._contacts
        contacts.fresh = False
        q, v, time = stepper.q.copy(), stepper.v.copy(), stepper.time
        touching = self._touching(q, begins)
        if not begins:
            self._refuse_endless(time, touching)
        marks = np.zeros(len(self._watched.names))
        if not touching:
            contacts.hold([], [])
            stepper.mark_gaps(marks)
            return
        J = np.vstack([point.rows for point in touching])
        u = J @ v
        leaves = impacts.rest_speed  # what touches again at once, and so slowly, has not parted
        if begins or u[::3].min() < 0.0:
            leaves *= LEAVES
        if u[::3].min() < 0.0:
            v = self._impact(touching, J, u, v, begins)
            u = J @ v
        inside = np.array([max(0.0, point.depth) for point in touching])
        emerges = EMERGES * contacts.rate * SOONER ** min(self._count, SOONEST)
        rests = u[::3] <= np.maximum(leaves, emerges * inside)
        if rests.sum() > MOST_HELD:
            raise SimulationError(
                f"{rests.sum()} contacts rest at t = {time:.6g} s: impacts by events hold at most {MOST_HELD}. Use "
                "method time_stepping",
                time,
            )
        resting = [point for point, still in zip(touching, rests) if still]
        contacts.hold([point.row for point in resting], [point.friction for point in resting])
        for point, still in zip(touching, rests):
            if not still:
                marks[point.gap] = MET_AND_CHANGED
        stepper.mark_gaps(marks)

    def _impact(
        self, touching: list[Touching], J: np.ndarray, u: np.ndarray, v: np.ndarray, begins: bool
    ) -> np.ndarray:
        """Velocities after the impact, which are taken over and noted."""
        stepper, impacts, time = self._stepper, self._impacts, self._stepper.time
        M, R = self._response(J)
        e = np.array([0.0 if self._chatters(point.gap) else point.restitution for point in touching])
        mu = np.array([point.friction for point in touching])
        contacts = Colliding(J @ R, u, mu, e)
        p = impulses(contacts, impacts.law, impacts.order, impacts.rest_speed)
        if not np.isfinite(p).all():
            raise SimulationError(f"{self._names(touching)} have no finite impulse at t = {time:.6g} s", time)
        after = v + R @ p
        before, energy = 0.5 * float(v @ M @ v), 0.5 * float(after @ M @ after)
        rows = [] if begins else [stepper.sample()]
        self._change(self._state().replace(v=after))
        self._contacts.fresh = False
        if u[::3].min() < -ROUNDING * (1.0 + np.abs(v).max()):
            rows.append(stepper.sample())
            self._sample(np.array(rows))
        for gap in dict.fromkeys(point.gap for point in touching):
            impulse = float(sum(p[3 * k] for k, point in enumerate(touching) if point.gap == gap))
            hit = min(u[3 * k] for k, point in enumerate(touching) if point.gap == gap) < -ROUNDING
            if impulse > 0.0 and hit:
                name = self._watched.names[gap]
                self._log.append((f"impact {name}", time))
                self._contacts.impacts.append((time, name, impulse, before, energy))
        gained = contacts.gain(p)  # without what given motions do
        if gained > 1e-9 * contacts.energy() and impacts.law == "newton":
            self._warn(
                "newton",
                f"the impact of {self._names(touching)} at t = {time:.6g} s gained {gained:.3g} J: Newton's "
                "law of restitution does so where friction changes the slip. Take law 'stronge' or 'poisson'",
            )
        return after

    def _names(self, touching: list[Touching]) -> str:
        return ", ".join(dict.fromkeys(self._watched.names[point.gap] for point in touching))

    def _warn(self, kind: str, words: str) -> None:
        """An ImpactWarning, once of each kind."""
        if kind not in self._warned:
            self._warned.add(kind)
            warnings.warn(words, ImpactWarning, stacklevel=4)

    def _chatters(self, gap: int) -> bool:
        """Whether a pair has struck so often in so short a time that it is to come to rest. Raises if it does not."""
        time, name, count = self._stepper.time, self._watched.names[gap], 0
        for row in reversed(self._contacts.impacts):
            if row[0] < time - self._chatter_time:
                break
            count += row[1] == name
        if count >= ENDLESS * BURST:
            raise SimulationError(
                f"{count} impacts of {name} within {self._chatter_time:g} s at t = {time:.6g} s follow each other "
                f"without end. Take a larger rest_speed (it is {self._impacts.rest_speed:g}), or method time_stepping",
                time,
            )
        if count >= BURST:
            self._warn(
                "chatter",
                f"{name}: {count} impacts within {self._chatter_time:g} s at t = {time:.6g} s. They come to rest, "
                f"without restitution from here on. Where so many are real, raise chatter_rate (it is "
                f"{self._impacts.chatter_rate:g})",
            )
        return count >= BURST

    def _warn_of_depth(self) -> None:
        """An ImpactWarning where shapes are inside each other: a gap has closed and nothing was seen of it."""
        stepper = self._stepper
        for point in stepper.model.contacts(stepper.q.copy(), 0.0) if len(self._watched.pairs) else ():
            if point.shapes in self._gap_of and point.gap < -self._kept:
                self._warn(
                    "depth",
                    f"{point.a} and {point.b} are {-point.gap:.3g} m inside each other at t = {stepper.time:.6g} "
                    "s: a step did not see their gap close. Take smaller steps, or a smaller largest_step",
                )

    def _refuse_endless(self, time: float, touching: list[Touching]) -> None:
        """Raise if impacts follow each other without end."""
        stepper = self._stepper
        short = SHORT * max(1.0, stepper.end_time - stepper.start_time)
        self._count = self._count + 1 if time - self._last <= short else 0
        self._last = time
        if self._count > MANY:
            raise SimulationError(
                f"impacts of {self._names(touching)} follow each other without end at t = {time:.6g} s. Take a "
                f"larger rest_speed (it is {self._impacts.rest_speed:g}), or method time_stepping",
                time,
            )
