"""IFToMM A01: planar simple pendulum, m = 1 kg, L = 1 m, massless bar, g = 9.81, released at rest, horizontal.

Exact: sin(theta/2) = k sn(K(k) - w t, k) from the lowest point, k = sin(45 deg), w = sqrt(g/L); the period from 90
degrees is 4 sqrt(L/g) K(1/2) = 2.36784194757624 s. Judged after 10 s: error of the position, and drift of the energy.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import gori

PERIOD = 2.36784194757624
METHODS = (
    gori.SemiImplicit(step=1e-3),
    gori.ImplicitEuler(step=1e-3),
    gori.ImplicitEuler(step=1e-3, newton=True),
    gori.GeneralizedAlpha(step=1e-3, rho_inf=1.0),
    gori.RK4(step=1e-3),
    gori.Dopri5(rtol=1e-10, atol=1e-12),
)


def model() -> gori.Model:
    return gori.compile(
        gori.Spec(
            bodies={"bob": gori.Body(mass=1, com=(1, 0, 0), inertia=(0, 0, 0))},
            joints={"pivot": gori.Joint(type="revolute", parent="ground", child="bob", axis=(0, 1, 0))},
            frames={"P1": gori.Frame(body="bob", at=(1, 0, 0))},
        )
    )


def exact(t: np.ndarray) -> np.ndarray:
    """Position (x, z) of the bob at times t."""
    m = 0.5  # k^2
    sn, _, _, _ = ellipj(ellipk(m) - np.sqrt(9.81) * t, m)
    theta = 2.0 * np.arcsin(np.sqrt(m) * sn)  # from the lowest point
    return np.column_stack([np.sin(theta), -np.cos(theta)])


def solve(rows: list[list]) -> bool:
    """One row for each method: largest error of P1 over 10 s, drift of the energy. Whether the accurate ones agree."""
    good = True
    for method in METHODS:
        rec = gori.Simulation(model(), method).run(10.0, sample=0.01)
        error = np.abs(rec["P1.position"][:, [0, 2]] - exact(rec.time)).max()
        drift = np.abs(rec["energy.total"] - rec["energy.total"][0]).max()
        name = type(method).__name__ + (" (Newton)" if getattr(method, "newton", False) else "")
        step = f"step {method.step:g} s" if hasattr(method, "step") else f"rtol {method.rtol:g}"
        rows.append(["A01 pendulum, 10 s", f"{name}, {step}", error, drift])
        if type(method) in (gori.RK4, gori.Dopri5):
            good &= bool(error < 1e-6 and drift < 5e-5)
    return good
