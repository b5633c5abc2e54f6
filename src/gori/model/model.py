"""The Model: a machine compiled into frozen tables, with its kinematics and dynamics.

Conventions, for all of Gori:
- SI units, radians. World axes unless a name says otherwise.
- Rotation before translation: a twist is (angular; linear), a wrench (moment; force), a Jacobian has its angular rows
  first, a free joint's q is the quaternion, then the position.
- Quaternions are w x y z and unit.
- Velocities of spherical and free joints are in the axes of the moving body; the linear part is that of its origin.
- Joints stand in depth-first order from the ground, siblings in the order of the description. Fixed joints have no
  coordinates.
- Stiffness, damping, friction and limits of joints are forces of a simulation: the dynamics here take tau as the
  whole of the joint forces. Armature is inertia and is included.
"""

import hashlib
import warnings
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from gori.errors import ConditionWarning, InputError, SingularError, UnsupportedError
from gori.kernels.tree import crba, derivatives, direct, jacobian, kinematics, rnea, totals
from gori.kernels.tree.aba import aba_batch, aba_one
from gori.kernels.tree.batch import all_finite
from gori.kernels.tree.columns import D_INV, MASS, N_BODY_W, N_DOF_W, N_FRAME_F, N_WRENCH, P_BF, WRENCH
from gori.kernels.tree.crba import crba_batch, crba_one
from gori.kernels.tree.derivatives import forward_derivatives_batch, forward_derivatives_one, inverse_derivatives_batch
from gori.kernels.tree.direct import direct_batch
from gori.kernels.tree.jacobian import jacobian_batch, jacobian_rate_batch
from gori.kernels.tree.kinematics import poses_batch, poses_one
from gori.kernels.tree.rnea import rnea_batch, rnea_one
from gori.kernels.tree.totals import ANGULAR, CENTER, KINETIC, N_TOTALS, POTENTIAL, totals_batch
from gori.model.arrays import Rows, frozen
from gori.model.coordinates import Coordinates
from gori.model.poses import Poses
from gori.model.state import State
from gori.model.tables import Derivatives, InverseDerivatives, Names, Tables
from gori.model.work import Workspaces, one_state
from gori.spec import Spec

if TYPE_CHECKING:
    from gori.model.forces import ForceTables
    from gori.model.loops.mobility import Mobility
    from gori.model.loops.system import LoopSystem
    from gori.model.particles.tables import ParticleTables
    from gori.model.vehicle.tables import VehicleTables
    from gori.spec.run import Run

BAD_CONDITION = 1e10


class Compiled(NamedTuple):
    """What a Model holds besides its tree."""

    forces: "ForceTables"
    vehicle: "VehicleTables | None"  # wheels, drive trains, steering, drag, terrain and soil
    particles: "ParticleTables | None"  # materials, walls, groups, inlets and outlets


class Model(Coordinates):
    """A compiled machine. Made by `gori.compile`; never changes. Every method takes one state, q (nq,), or a batch of
    states, q (B, nq), which runs over threads; one-dimensional arguments then count for the whole batch.
    """

    def __init__(self, spec: Spec, tables: Tables, names: Names, values: dict[str, np.ndarray]):
        super().__init__(tables, names, values)
        self.spec, self._names, self._start = spec, names, values
        self.tables = Tables(*map(frozen, tables))
        self.kernel_tables = self._t = tables  # the same arrays, writable, as the kernels want them: do not write
        nrow, nq, nv, nframe = len(tables.body_i), self.nq, self.nv, len(self.frame_names)
        self._batch = Workspaces(nrow, nq, nv).run
        tree, frames, no_wrench = tables[:2], (tables.frame_i, tables.frame_f), (np.zeros((0, N_WRENCH)),)
        scratch = ((nrow, N_BODY_W), (nv, N_DOF_W))
        self._aba = one_state(aba_one, tree, no_wrench, (nv,), scratch)
        self._rnea = one_state(rnea_one, tree, no_wrench, (nv,), scratch)
        self._crba = one_state(crba_one, tree, (), (nv, nv), scratch)
        self._poses = one_state(poses_one, (*tree, *frames), (), (nframe, N_FRAME_F), scratch)
        scratch = ((derivatives.WORK.size(nrow=nrow, nq=nq, nv=nv),),)
        self._aba_derivatives = one_state(forward_derivatives_one, tree, (), (3, nv, nv), scratch)

    def complete(self, compiled: Compiled) -> "Model":
        """Add what was compiled with the help of the tree; from now on nothing changes."""
        self.compiled, self.forces, self.vehicle = compiled, compiled.forces, compiled.vehicle
        self.particles = compiled.particles
        carriers = () if self.particles is None else self.particles.carriers
        self.coupled = {carrier.name: carrier.row for carrier in carriers if carrier.row > 0}
        """bodies on which particles act, and their rows"""
        self.nz = self.forces.states
        self._sealed = True
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if "_sealed" in self.__dict__:
            raise AttributeError("a Model never changes: change its Spec (spec.set) and compile that")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<gori.Model: {len(self.body_names)} bodies, {len(self.joints)} joints, nq {self.nq}, nv {self.nv}>"

    def __reduce__(self):
        from gori.model.compile import compile

        return compile, (self.spec, self.open_loops)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of what a State refers to: names, tree, loops, wheels, soil and walls; not the values of forces."""
        parts = [self.joint_names, self.body_names, self.frame_names, self.loops, *self._t, self.forces.element_i]
        parts += [self.loop_system.tables if self.loops else ()]
        parts += [() if self.vehicle is None else tuple(self.vehicle.records)]
        parts += [() if self.particles is None else self.particles.arrays()]
        total = hashlib.sha256()
        for part in _flat(parts):
            total.update(part.encode() if isinstance(part, str) else np.ascontiguousarray(part).tobytes())
        return total.hexdigest()[:32]

    def state(self, q: Any = None, v: Any = None, time: float = 0.0) -> State:
        """A State to start from: at q and v, or where the Spec starts, with loops closed.

        Wheels roll with the bodies that carry them, engines idle, soil is untouched, and particles are packed around
        the bodies, which may take seconds. The Model keeps none of it: keep the State to start from it again.
        """
        from gori.model.start import start_state

        return start_state(self, q, v, time)

    @property
    def all_joint_names(self) -> tuple[str, ...]:
        """Names of all joints of the tree, fixed ones too."""
        return tuple(self.spec.joints)

    @property
    def cut_names(self) -> tuple[str, ...]:
        """Names of the cuts; none where loops are open."""
        return () if self.open_loops else tuple(self.spec.cuts)

    @property
    def motion_names(self) -> tuple[str, ...]:
        """Names of the given motions; none where loops are open."""
        return () if self.open_loops else tuple(self.spec.motions)

    @property
    def run_settings(self) -> "Run | None":
        """The section `run` of the Spec."""
        return self.spec.run

    @property
    def mass(self) -> float:
        """Mass of all bodies [kg]."""
        return float(self._t.body_f[:, MASS].sum())

    # ---- kinematics

    def forward_kinematics(self, q: Any) -> Poses:
        """Poses of all bodies and frames: `poses["tool"]` is a 4 x 4 matrix."""
        if _one(q):
            try:
                if (poses := self._poses(q)) is not None:
                    return Poses(self._index_of_frame, poses)
            except TypeError:
                pass
        t, x = self._t, self.rows(q=(q, self.nq))
        out = np.empty((x.count, len(self.frame_names) * N_FRAME_F))
        tables, nframe = (t.body_i, t.body_f, t.frame_i, t.frame_f, self.nv), len(self.frame_names)
        self._batch(poses_batch, kinematics.WORK, tables, (x["q"], out), nframe=nframe)
        return Poses(self._index_of_frame, x.shaped(out, nframe, N_FRAME_F))

    def jacobian(self, q: Any, frame: str, axes: Literal["world", "body"] = "world") -> np.ndarray:
        """J (6, nv) with (angular; linear) velocity of the frame's origin = J v.

        axes   "world", or "body" for the frame's own axes
        """
        x = self.rows(q=(q, self.nq))
        out = np.empty((x.count, 6 * self.nv))
        self._batch(jacobian_batch, jacobian.WORK, self._point(frame), (x["q"], out))
        J = out.reshape(x.count, 6, self.nv)
        if _own_axes(axes):
            J = _turn_rows(self.forward_kinematics(x["q"])[frame][:, :3, :3], J)
        return x.shaped(J, 6, self.nv)

    def jacobian_rate(self, q: Any, v: Any, frame: str, axes: Literal["world", "body"] = "world") -> np.ndarray:
        """Time derivative (6, nv) of `jacobian` along v."""
        x = self.rows(q=(q, self.nq), v=(v, self.nv))
        out = np.empty((x.count, 6 * self.nv))
        self._batch(jacobian_rate_batch, jacobian.WORK, self._point(frame), (x["q"], x["v"], out))
        rate = out.reshape(x.count, 6, self.nv)
        if _own_axes(axes):
            # (R' J)' = R' (J' - w x J)
            J = self.jacobian(x["q"], frame)
            w = np.einsum("bij,bj->bi", J[:, :3], x["v"])[:, None, :]
            for part in (slice(0, 3), slice(3, 6)):
                rate[:, part] -= np.cross(w, J[:, part].swapaxes(1, 2)).swapaxes(1, 2)
            rate = _turn_rows(self.forward_kinematics(x["q"])[frame][:, :3, :3], rate)
        return x.shaped(rate, 6, self.nv)

    def _point(self, frame: str) -> tuple:
        t, k = self._t, self.frame(frame)
        return t.body_i, t.body_f, int(t.frame_i[k]), t.frame_f[k, P_BF : P_BF + 3].copy()

    # ---- dynamics

    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        wrenches: Any = None,
        method: Literal["aba", "crba", "direct"] = "aba",
    ) -> np.ndarray:
        """Accelerations (nv,) for joint forces tau (nv,); with loops, of a state on them, at time 0 of motions.

        wrenches   {body or frame: (6,) moment and force at its origin, world axes}; values may be (B, 6)
        method     "aba" articulated bodies, O(n); "direct" mass matrix and branch-sparse factors;
                   "crba" mass matrix and dense Cholesky factors
        """
        # fast path: one state in arrays that the kernel takes as they are; anything else is checked and converted
        if _one(q, v, tau) and method == "aba" and wrenches is None and not self.loops:
            try:
                if (qdd := self._aba(q, v, tau)) is not None:
                    return qdd
            except TypeError:
                pass
        return self._forward_dynamics(q, v, tau, wrenches, method)

    def _forward_dynamics(self, q, v, tau, wrenches, method) -> np.ndarray:
        x = self.rows(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv), **self._wrenches(wrenches))
        if self.loops:
            free = x["tau"] - self.tree.inverse_dynamics(x["q"], x["v"], np.zeros(self.nv), wrenches)
            return x.shaped(self.loop_system.accelerations(x["q"], x["v"], free))
        at, out = self._wrench_points(wrenches), np.empty((x.count, self.nv))
        tables, rows = (self._t.body_i, self._t.body_f, at), (x["q"], x["v"], x["tau"], x["wrenches"], out)
        if method == "aba":
            self._batch(aba_batch, rnea.WORK, tables, rows, nw=len(at))
        elif method == "direct":
            self._batch(direct_batch, direct.WORK, (self._t.dof_i, *tables), rows, nw=len(at))
        elif method == "crba":
            from scipy.linalg import LinAlgError, cho_factor, cho_solve

            zero = np.zeros((x.count, self.nv))
            self._batch(rnea_batch, rnea.WORK, tables, (x["q"], x["v"], zero, x["wrenches"], out), nw=len(at))
            for b, M in enumerate(self._mass_matrix(x["q"])):
                try:
                    factor = cho_factor(M, check_finite=False)
                    out[b] = cho_solve(factor, x["tau"][b] - out[b], check_finite=False)
                except LinAlgError:
                    out[b] = np.nan
        else:
            raise InputError(f"method {method!r} is not one of 'aba', 'crba', 'direct'")
        self._check_finite(x["q"], out)
        return x.shaped(out)

    def inverse_dynamics(self, q: Any, v: Any, a: Any, wrenches: Any = None) -> np.ndarray:
        """Joint forces tau (nv,) for accelerations a (nv,); wrenches as in `forward_dynamics`."""
        if _one(q, v, a) and wrenches is None and not self.loops:
            try:
                if (tau := self._rnea(q, v, a)) is not None:
                    return tau
            except TypeError:
                pass
        self._refuse_loops("inverse dynamics")
        x = self.rows(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv), **self._wrenches(wrenches))
        at, out = self._wrench_points(wrenches), np.empty((x.count, self.nv))
        tables, rows = (self._t.body_i, self._t.body_f, at), (x["q"], x["v"], x["a"], x["wrenches"], out)
        self._batch(rnea_batch, rnea.WORK, tables, rows, nw=len(at))
        if not all_finite(out.reshape(-1)):
            raise InputError("the joint forces are not finite: the velocities or accelerations are too large")
        return x.shaped(out)

    def bias(self, q: Any, v: Any) -> np.ndarray:
        """C(q, v) v + G(q): the joint forces (nv,) that hold the accelerations at zero."""
        return self.inverse_dynamics(q, v, np.zeros(self.nv))

    def gravity_force(self, q: Any) -> np.ndarray:
        """G(q): the joint forces (nv,) that hold the machine at rest."""
        return self.inverse_dynamics(q, np.zeros(self.nv), np.zeros(self.nv))

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M(q) (nv, nv), armature included."""
        self._refuse_loops("the mass matrix")
        if _one(q):
            try:
                if (M := self._crba(q)) is not None:
                    return M
            except TypeError:
                pass
        x = self.rows(q=(q, self.nq))
        return x.shaped(self._mass_matrix(x["q"]))

    def tree_mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M(q) (nv, nv) of the tree, whatever loops close it."""
        return self._mass_matrix(np.array(q, float)[None])[0]

    def _mass_matrix(self, q: np.ndarray) -> np.ndarray:
        out = np.empty((len(q), self.nv * self.nv))
        self._batch(crba_batch, crba.WORK, (self._t.body_i, self._t.body_f, self.nv), (q, out))
        return out.reshape(len(q), self.nv, self.nv)

    def condition(self, q: Any) -> Any:
        """Condition number of M(q); warns and names the joint when it is bad."""
        M = self.mass_matrix(q)
        if not self.nv:
            return 1.0 if M.ndim == 2 else np.ones(len(M))
        values, vectors = np.linalg.eigh(M)
        with np.errstate(divide="ignore", invalid="ignore"):
            number = np.where(values[..., 0] > 0.0, values[..., -1] / values[..., 0], np.inf)
        if np.any(number > BAD_CONDITION):
            worst = np.unravel_index(np.argmax(number), number.shape)
            joint = self.joint_of_dof(int(np.argmax(np.abs(vectors[worst][:, 0]))))
            warnings.warn(
                f"the mass matrix has condition number {number[worst]:.2g}: joint {joint!r} moves next to no inertia. "
                "Check the mass and inertia of what it carries, or give it armature",
                ConditionWarning,
                stacklevel=2,
            )
        return float(number) if number.ndim == 0 else number

    def derivatives(self, q: Any, v: Any, tau: Any) -> Derivatives:
        """Analytic derivatives of the acceleration with respect to q (in the tangent space), v and tau; no wrenches."""
        self._refuse_loops("derivatives")
        if _one(q, v, tau):
            try:
                if (out := self._aba_derivatives(q, v, tau)) is not None:
                    return Derivatives(*out)
            except TypeError:
                pass
        x = self.rows(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv))
        out = self._derivatives(forward_derivatives_batch, x, "tau")
        for d in out:
            self._check_finite(x["q"], d)
        return Derivatives(*(x.shaped(d, self.nv, self.nv) for d in out))

    def inverse_derivatives(self, q: Any, v: Any, a: Any) -> InverseDerivatives:
        """Analytic derivatives of the joint forces of inverse dynamics with respect to q, v and a."""
        self._refuse_loops("derivatives")
        x = self.rows(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        out = self._derivatives(inverse_derivatives_batch, x, "a")
        return InverseDerivatives(*(x.shaped(d, self.nv, self.nv) for d in out))

    def _derivatives(self, kernel, x: Rows, third: str) -> np.ndarray:
        out = np.empty((3, x.count, self.nv * self.nv))
        rows = (x["q"], x["v"], x[third], *out)
        self._batch(kernel, derivatives.WORK, (self._t.body_i, self._t.body_f), rows)
        return out

    # ---- totals

    def energy(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Kinetic energy (armature included) and potential energy of gravity (zero at the world's origin) [J]."""
        out = self._totals(q, v)
        kinetic, potential = out[..., KINETIC], out[..., POTENTIAL]
        return (float(kinetic), float(potential)) if out.ndim == 1 else (kinetic, potential)

    def momentum(self, q: Any, v: Any) -> np.ndarray:
        """Momentum (6,) of all bodies: angular about the centre of mass, then linear, world axes."""
        return self._totals(q, v)[..., ANGULAR : ANGULAR + 6]

    def center_of_mass(self, q: Any) -> np.ndarray:
        """Centre of mass (3,) of all bodies [m]."""
        return self._totals(q, np.zeros(self.nv))[..., CENTER : CENTER + 3]

    def _totals(self, q, v) -> np.ndarray:
        x = self.rows(q=(q, self.nq), v=(v, self.nv))
        out = np.empty((x.count, N_TOTALS))
        self._batch(totals_batch, totals.WORK, (self._t.body_i, self._t.body_f), (x["q"], x["v"], out))
        return x.shaped(out)

    # ---- loops

    @cached_property
    def tree(self) -> "Model":
        """The Model without its loops: the tree that remains, with every joint free."""
        if not self.loops:
            return self
        names = self._names._replace(loops=(), open_loops=True)
        return Model(self.spec, self._t, names, self._start).complete(self.compiled)

    @cached_property
    def loop_system(self) -> "LoopSystem":
        """The equations of cuts, mimic joints and motions."""
        from gori.model.loops.system import LoopSystem

        return LoopSystem(self)

    @cached_property
    def travels(self) -> np.ndarray:
        """Which degrees of freedom are lengths, not angles (nv,)."""
        reach = {"prismatic": [1], "cylindrical": [0, 1], "planar": [1, 1, 0], "free": [0, 0, 0, 1, 1, 1]}
        flags = [flag for info in self.joints for flag in reach.get(info.type, [0] * info.nv)]
        return np.array(flags, bool)

    def mobility(self, q: Any = None, independent: Iterable[str] | None = None) -> "Mobility":
        """Degrees of freedom, redundant equations and independent coordinates at q; default: the start, closed."""
        from gori.model.loops.mobility import mobility

        return mobility(self, q, independent)

    # ---- inside

    def _wrenches(self, wrenches: dict | None) -> dict[str, tuple]:
        """Wrenches as one more argument of `Rows`: (6 * count,) or (B, 6 * count)."""
        if wrenches is not None and not isinstance(wrenches, dict):
            raise InputError("wrenches must be a dict of body or frame name to moment and force (6,)")
        if not wrenches:
            return {"wrenches": (np.zeros(0), 0)}
        joined = np.hstack(list(Rows(**{f"wrench on {name}": (w, 6) for name, w in wrenches.items()}).values()))
        single = all(np.ndim(w) < 2 for w in wrenches.values())
        return {"wrenches": (joined[0] if single else joined, joined.shape[1])}

    def _wrench_points(self, wrenches: dict | None) -> np.ndarray:
        points = np.zeros((len(wrenches or ()), WRENCH))
        for k, name in enumerate(wrenches or ()):
            f = self.frame(name)
            points[k] = self._t.frame_i[f], *self._t.frame_f[f, P_BF : P_BF + 3]
        return points

    def _refuse_loops(self, what: str) -> None:
        if self.loops:
            raise UnsupportedError(
                f"{what} of a Model with loops is that of the tree alone ({', '.join(self.loops)}): use model.tree. "
                "For the efforts of drives along a motion of the loops use gori.inverse_dynamics"
            )

    def _check_finite(self, q: np.ndarray, out: np.ndarray) -> None:
        """Raise when accelerations are not finite, and name the joint where the recursion broke."""
        if all_finite(out.reshape(-1)):
            return
        still, qdd = np.zeros(self.nv), np.empty(self.nv)
        body_w, dof_w = np.zeros((len(self._t.body_i), N_BODY_W)), np.zeros((self.nv, N_DOF_W))
        # one singular state spoils all eight of its block: look for the one
        for b in np.flatnonzero(~np.isfinite(out).all(axis=1)):
            aba_one(self._t.body_i, self._t.body_f, q[b], still, still, np.zeros((0, N_WRENCH)), qdd, body_w, dof_w)
            inverse = dof_w[:, D_INV]
            broken = np.flatnonzero(~(np.isfinite(inverse) & (inverse > 0.0)))
            if broken.size:
                # the recursion runs from the tips: what breaks first spoils all that carries it
                raise SingularError(
                    f"joint {self.joint_of_dof(int(broken[-1]))!r} moves nothing that has inertia about its axis, so "
                    "its acceleration is undefined: give what it carries mass and inertia, or give the joint armature"
                )
        raise SingularError("the accelerations are not finite: the velocities or forces are too large")


def _flat(parts: Any) -> Iterator[Any]:
    """Texts and arrays out of nested tuples and lists."""
    for part in parts:
        if isinstance(part, (tuple, list)):
            yield from _flat(part)
        else:
            yield part


def _one(*state: Any) -> bool:
    """Whether all are arrays of one state. Anything else would be refused by the kernel too, but slowly."""
    for x in state:
        if x.__class__ is not np.ndarray or x.ndim != 1:
            return False
    return True


def _own_axes(axes: str) -> bool:
    if axes not in ("world", "body"):
        raise InputError(f"axes must be 'world' or 'body', not {axes!r}")
    return axes == "body"


def _turn_rows(R: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Both halves of J (B, 6, n) from world axes into the axes R (B, 3, 3)."""
    return np.concatenate([R.swapaxes(1, 2) @ J[:, :3], R.swapaxes(1, 2) @ J[:, 3:]], axis=1)
