"""Forces and accelerations of a Model's tree: inverse and forward dynamics, mass matrix, derivatives."""

import warnings
from typing import Any, Literal

import numpy as np

from gori.errors import ConditionWarning, InputError, SingularError, UnsupportedError
from gori.kernels.tree import crba, derivatives, direct, rnea, transposed
from gori.kernels.tree.aba import aba_batch, aba_one
from gori.kernels.tree.batch import all_finite
from gori.kernels.tree.columns import D_INV, N_BODY_W, N_DOF_W, N_WRENCH, P_BF, WRENCH
from gori.kernels.tree.crba import crba_batch, crba_one
from gori.kernels.tree.derivatives import forward_derivatives_batch, forward_derivatives_one, inverse_derivatives_batch
from gori.kernels.tree.direct import direct_batch
from gori.kernels.tree.rnea import rnea_batch, rnea_one
from gori.kernels.tree.transposed import transposed_batch
from gori.model.arrays import Rows
from gori.model.kinematics import Kinematics, one_of
from gori.model.tables import Derivatives, InverseDerivatives, Names, Tables, Transposed
from gori.model.work import one_state
from gori.text.arguments import is_one_of

BAD_CONDITION = 1e10


class Dynamics(Kinematics):
    """Base of Model: functions of q, v and forces or accelerations. Not made on its own."""

    def __init__(self, tables: Tables, names: Names, values: dict[str, np.ndarray]):
        super().__init__(tables, names, values)
        nrow, nq, nv = len(tables.body_i), self.nq, self.nv
        tree, no_wrench, scratch = tables[:2], (np.zeros((0, N_WRENCH)),), ((nrow, N_BODY_W), (nv, N_DOF_W))
        self._aba = one_state(aba_one, tree, no_wrench, (nv,), scratch)
        self._rnea = one_state(rnea_one, tree, no_wrench, (nv,), scratch)
        self._crba = one_state(crba_one, tree, (), (nv, nv), scratch)
        scratch = ((derivatives.WORK.size(nrow=nrow, nq=nq, nv=nv),),)
        self._aba_derivatives = one_state(forward_derivatives_one, tree, (), (3, nv, nv), scratch)

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
        if one_of(q, v, tau) and wrenches is None and isinstance(method, str) and method == "aba" and not self.loops:
            try:
                if (qdd := self._aba(q, v, tau)) is not None:
                    return qdd
            except TypeError:
                pass
        return self._forward_dynamics(q, v, tau, wrenches, method)

    def _forward_dynamics(self, q, v, tau, wrenches, method) -> np.ndarray:
        x = self.rows(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv), **self._wrenches(wrenches))
        at, out = self._wrench_points(wrenches), np.empty((x.count, self.nv))
        tables, rows = (self._t.body_i, self._t.body_f, at), (x["q"], x["v"], x["tau"], x["wrenches"], out)
        self._require_method(method)
        if method == "aba":
            self._batch(aba_batch, rnea.WORK, tables, rows, nw=len(at))
        elif method == "direct":
            self._batch(direct_batch, direct.WORK, (self._t.dof_i, *tables), rows, nw=len(at))
        else:
            from scipy.linalg import LinAlgError, cho_factor, cho_solve

            # the pivots are judged as everywhere, by the articulated bodies
            judged = np.empty_like(out)
            self._batch(aba_batch, rnea.WORK, tables, (*rows[:4], judged), nw=len(at))
            zero = np.zeros((x.count, self.nv))
            self._batch(rnea_batch, rnea.WORK, tables, (x["q"], x["v"], zero, x["wrenches"], out), nw=len(at))
            for b, M in enumerate(self._mass_matrix(x["q"])):
                try:
                    factor = cho_factor(M, check_finite=False)
                    out[b] = cho_solve(factor, x["tau"][b] - out[b], check_finite=False)
                except LinAlgError:
                    out[b] = np.nan
            out[~np.isfinite(judged).all(axis=1)] = np.nan
        self._check_finite(x["q"], out)
        return x.shaped(out)

    def inverse_dynamics(self, q: Any, v: Any, a: Any, wrenches: Any = None) -> np.ndarray:
        """Joint forces tau (nv,) for accelerations a (nv,); wrenches as in `forward_dynamics`."""
        if one_of(q, v, a) and wrenches is None and not self.loops:
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
        self._require_finite(out, "joint forces")
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
        if one_of(q):
            try:
                if (M := self._crba(q)) is not None:
                    return M
            except TypeError:
                pass
        x = self.rows(q=(q, self.nq))
        return x.shaped(self._mass_matrix(x["q"]))

    def tree_mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M(q) (nv, nv) of the tree, whatever loops close it."""
        x = self.rows(q=(q, self.nq))
        if not x.single:
            raise InputError(f"q must have shape ({self.nq},): one state at a time")
        return self._mass_matrix(x["q"])[0]

    def _mass_matrix(self, q: np.ndarray) -> np.ndarray:
        out = np.empty((len(q), self.nv * self.nv))
        self._batch(crba_batch, crba.WORK, (self._t.body_i, self._t.body_f, self.nv), (q, out))
        self._require_finite(np.ascontiguousarray(out[:, :: self.nv + 1]), "mass matrix")  # its diagonal is largest
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
        if one_of(q, v, tau):
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

    def transposed_derivatives(self, q: Any, v: Any, tau: Any, g: Any) -> Transposed:
        """g times each of `derivatives`, (nv,) or (B, nv): how g . acceleration changes; in O(n), without matrices."""
        self._refuse_loops("derivatives")
        x = self.rows(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv), g=(g, self.nv))
        out = np.empty((3, x.count, self.nv))
        self._batch(transposed_batch, transposed.WORK, (self._t.body_i, self._t.body_f), (*x.values(), *out))
        for d in out:
            self._check_finite(x["q"], d)
        return Transposed(*(x.shaped(d) for d in out))

    def inverse_derivatives(self, q: Any, v: Any, a: Any) -> InverseDerivatives:
        """Analytic derivatives of the joint forces of inverse dynamics with respect to q, v and a."""
        self._refuse_loops("derivatives")
        x = self.rows(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        out = self._derivatives(inverse_derivatives_batch, x, "a")
        self._require_finite(out, "derivatives")
        return InverseDerivatives(*(x.shaped(d, self.nv, self.nv) for d in out))

    def _derivatives(self, kernel, x: Rows, third: str) -> np.ndarray:
        out = np.empty((3, x.count, self.nv * self.nv))
        rows = (x["q"], x["v"], x[third], *out)
        self._batch(kernel, derivatives.WORK, (self._t.body_i, self._t.body_f), rows)
        return out

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

    @staticmethod
    def _require_method(method: Any) -> None:
        if not is_one_of(method, ("aba", "crba", "direct")):
            raise InputError(f"method {method!r} is not one of 'aba', 'crba', 'direct'")

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
