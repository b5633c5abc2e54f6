"""Where the mechanisms of `bench/mechanisms.py` are at the end: converged positions, computed anew on every call.

A row of squares on its parallelogram is one equation, integrated as such. The others are integrated in index-1 form,
    M qdd + J' lambda = tau - bias,   J qdd + gamma = 0,
with M, bias and the Jacobians of Gori's open tree; cuts and forces are written out here in NumPy. DOP853 with tight
tolerances; every hundredth of the way the state is brought back onto the loops.
"""

from functools import cache
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

import gori
from bench.mechanisms import CASES
from gori.spec.base import quaternion, rotation_to
from gori.spec.joint import GROUND

PIECES = 100
SINGULAR = 1e-8
"""singular values below this share of the largest belong to equations that follow from others"""
PUBLISHED_ANDREWS = {
    "beta": 15.81077119629904,
    "Theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "Phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "Omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}
"""angles of Andrews' squeezer at t = 0.03 s (IVP test set) [rad]"""


@cache
def reference(name: str) -> np.ndarray:
    """Position (3,) of the case's point at the end [m]."""
    case = CASES[name]
    spec = case.make()
    if name in ("four_bar", "n_four_bar_40"):
        return row_of_squares(len(spec.cuts), case.duration)
    machine = IndexOne(spec)
    q, _ = machine.run(case.duration)
    if name == "andrews":
        for angle, value in PUBLISHED_ANDREWS.items():
            error = abs(q[machine.model.joint(angle).q][0] - value)
            assert error < 1e-6, f"{angle} is {error:.1e} from its published value"
    return machine.model.forward_kinematics(q)[case.point][:3, 3]


def row_of_squares(n: int, duration: float) -> np.ndarray:
    """B0 of n squares: phi'' = g ((n+1)/2 + n) / ((n+1)/3 + n) sin phi, phi from the vertical."""
    rate = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    motion = solve_ivp(
        lambda _, y: [y[1], rate * np.sin(y[0])], (0.0, duration), [0.0, 1.0], method="DOP853", rtol=1e-13, atol=1e-13
    )
    phi = motion.y[0, -1]
    return np.array([np.sin(phi), np.cos(phi), 0.0])


class IndexOne:
    """A mechanism with revolute and spherical cuts, line springs, constant torques, joint springs and dampers."""

    def __init__(self, spec: gori.Spec):
        frames = dict(spec.frames)
        for name, cut in spec.cuts.items():
            to_axis = rotation_to(cut.axis)
            for side, body, (R, p) in (("A", cut.parent, cut.pose()), ("B", cut.child, cut.child_pose())):
                frames[f"{name}.{side}"] = gori.spec.Frame(body=body, at=p, quat=quaternion(R @ to_axis))
        for name, force in spec.forces.items():
            if force.type == "spring":
                frames[f"{name}.A"] = gori.spec.Frame(body=force.parent, at=force.at)
                frames[f"{name}.B"] = gori.spec.Frame(body=force.child, at=force.child_at)
        self.spec = gori.Spec(**{**spec.model_dump(exclude_unset=True), "frames": frames})
        self.model = gori.compile(self.spec, open_loops=True)

    # ---- motion

    def run(self, duration: float, rtol: float = 1e-11) -> tuple[np.ndarray, np.ndarray]:
        """q and v at the end."""
        nq = self.model.nq
        q, v = self.project(self.model.q0, self.model.v0)
        times = np.linspace(0.0, duration, PIECES + 1)
        for begin, end in pairwise(times):
            atol = rtol * np.concatenate([np.ones(nq), np.maximum(1.0, np.abs(v))])
            y = solve_ivp(self._rate, (begin, end), np.concatenate([q, v]), method="DOP853", rtol=rtol, atol=atol).y
            q, v = self.project(y[:nq, -1], y[nq:, -1])
        return q, v

    def _rate(self, _, y: np.ndarray) -> np.ndarray:
        q, v = y[: self.model.nq].copy(), y[self.model.nq :].copy()
        rate = np.zeros(self.model.nq)
        for info in self.model.joints:
            if info.type == "spherical":  # quaternion: half of it times the angular velocity in the child's axes
                w, x, y, z = q[info.q]
                p = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
                rate[info.q] = 0.5 * p @ v[info.v]
                q[info.q] /= np.linalg.norm(q[info.q])
            else:
                rate[info.q] = v[info.v]
        return np.concatenate([rate, self.accelerations(q, v)])

    def accelerations(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The free accelerations, and the least change (in the measure of M) that keeps the loops closed."""
        M = self.model.mass_matrix(q)
        free = np.linalg.solve(M, self.forces(q, v) - self.model.bias(q, v))
        _, J, gamma = self.loops(q, v)
        L_inverse = np.linalg.inv(np.linalg.cholesky(M))
        return free - L_inverse.T @ np.linalg.pinv(J @ L_inverse.T, rcond=SINGULAR) @ (J @ free + gamma)

    def project(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest state with closed loops."""
        for info in self.model.joints:
            if info.type == "spherical":
                q[info.q] /= np.linalg.norm(q[info.q])
        for _ in range(10):
            residual, J, _ = self.loops(q, v)
            if np.abs(residual).max() < 1e-15:
                break
            q = self.model.integrate(q, -np.linalg.pinv(J, rcond=SINGULAR) @ residual)
        _, J, _ = self.loops(q, v)
        return q, v - np.linalg.pinv(J, rcond=SINGULAR) @ (J @ v)

    # ---- equations

    def loops(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Residual, J and gamma of all cuts: residual'' = J qdd + gamma."""
        poses = self.model.forward_kinematics(q)
        residuals, rows, gammas = [], [], []
        for name, cut in self.spec.cuts.items():
            (T_A, J_A, c_A), (T_B, J_B, c_B) = (self._moving(q, v, f"{name}.{side}", poses) for side in "AB")
            residuals.append(T_B[:3, 3] - T_A[:3, 3])
            rows.append(J_B[3:] - J_A[3:])
            gammas.append(c_B[3:] - c_A[3:])
            if cut.type == "spherical":
                continue
            assert cut.type == "revolute", cut.type
            w_A, w_B, z_B = J_A[:3] @ v, J_B[:3] @ v, T_B[:3, 2]
            for e_A in (T_A[:3, 0], T_A[:3, 1]):  # e_A . z_B = 0, with the rate (w_B - w_A) . (z_B x e_A)
                n = np.cross(z_B, e_A)
                n_rate = np.cross(np.cross(w_B, z_B), e_A) + np.cross(z_B, np.cross(w_A, e_A))
                residuals.append([e_A @ z_B])
                rows.append((n @ (J_B[:3] - J_A[:3]))[None])
                gammas.append([n @ (c_B[:3] - c_A[:3]) + n_rate @ (w_B - w_A)])
        return np.concatenate(residuals), np.concatenate(rows), np.concatenate(gammas)

    def _moving(self, q, v, frame: str, poses) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pose, Jacobian (6, nv), and the Jacobian's rate times v, of a frame; zero on the ground."""
        body = self.spec.frames[frame].body
        if body == GROUND:
            return poses[frame], np.zeros((6, self.model.nv)), np.zeros(6)
        return poses[frame], self.model.jacobian(q, frame), self.model.jacobian_rate(q, v, frame) @ v

    def forces(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Generalised forces (nv,) of the joints' springs and dampers and of the forces of the Spec."""
        tau = -self.model.damping * v
        for info in self.model.joints:
            if info.nq == info.nv:
                tau[info.v] -= self.model.stiffness[info.v] * (q[info.q] - self.model.rest[info.q])
        poses = self.model.forward_kinematics(q)
        for name, force in self.spec.forces.items():
            if force.type == "torque":
                tau[self.model.joint(force.joint).v] += force.value
                continue
            assert force.type == "spring", force.type
            (T_A, J_A, _), (T_B, J_B, _) = (self._moving(q, v, f"{name}.{side}", poses) for side in "AB")
            line = T_B[:3, 3] - T_A[:3, 3]
            length = np.linalg.norm(line)
            J = line / length @ (J_B[3:] - J_A[3:])
            tau -= J * (force.stiffness * (length - force.length) + force.damping * (J @ v))
        return tau


def main() -> None:
    for name in CASES:
        print(f"{name:12s} {reference(name)}")


if __name__ == "__main__":
    main()
