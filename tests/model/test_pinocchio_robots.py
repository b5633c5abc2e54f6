"""Every robot of example-robot-data, on a fixed and on a free base, against Pinocchio.

Nothing is skipped: files in REFUSED must be refused, and robots in SINGULAR must raise; all others are compared whole.
Mimic joints are open on both sides.
"""

from collections import Counter

import numpy as np
import pytest

import gori
from gori.errors import FileError, SingularError
from tests.model.robots import REFUSED, SINGULAR, Twin, files, folder, load

pytest.importorskip("pinocchio")
if not files():
    pytest.skip("example-robot-data is not installed", allow_module_level=True)
COUNT = 20
TOLERANCE = 1e-9
# an error of eps in tau moves qdd by up to cond(M) eps: above this, digits of qdd are lost in both libraries
BADLY_SCALED = 1e8
GOOD = [file for file in files() if file.name not in REFUSED]


def near(ours, theirs, scale=0.0):
    """Norm-wise relative difference; `scale` is what the array is the difference of, where it may vanish."""
    size = max(np.linalg.norm(theirs), scale)
    assert np.linalg.norm(ours - theirs) <= TOLERANCE * size


def some_bodies(model):
    """Bodies all over the machine, and some that fixed joints merge into others."""
    merged = [joint.child for joint in model.spec.joints.values() if joint.type == "fixed"]
    spread = [model.body_names[k] for k in np.linspace(0, len(model.body_names) - 1, 5).astype(int)]
    return dict.fromkeys([*spread, *merged[:: max(1, len(merged) // 3)]])


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("file", GOOD, ids=lambda file: f"{folder(file)}/{file.stem}")
def test_robot(file, base):
    model = gori.compile(load(file, base), open_loops=True)
    twin = Twin(model, file, base)
    rng = np.random.default_rng(7)
    q, v, a = model.random(rng, COUNT), *rng.normal(size=(2, COUNT, model.nv))

    # what needs no inverse
    tau, M = model.inverse_dynamics(q, v, a), model.mass_matrix(q)
    jacobians = {body: model.jacobian(q, body) for body in some_bodies(model)}
    for b in range(COUNT):
        near(tau[b], twin.inverse_dynamics(q[b], v[b], a[b]))
        near(M[b], twin.mass_matrix(q[b]))
        for body, J in jacobians.items():
            near(J[b], twin.jacobian(q[b], body))

    if file.name in SINGULAR:
        for call in (model.forward_dynamics, model.derivatives):
            with pytest.raises(SingularError, match=f"joint '{SINGULAR[file.name]}'"):
                call(q, v, tau)
        return

    # what needs one
    qdd, derivatives = model.forward_dynamics(q, v, tau), model.derivatives(q, v, tau)
    condition = max(np.linalg.cond(M)) if model.nv else 1.0
    assert (condition > BADLY_SCALED) == (file.name == "icub.urdf")
    for b in range(COUNT):
        if condition > BADLY_SCALED:
            # the icub's head weighs next to nothing: cond(M) is 2e10 on a fixed base, 5e10 on a free one. So compare
            # before the inverse: M qdd with tau - bias, M d(qdd) with -d(tau); all but qdd, d(qdd) is Pinocchio's
            M_b = twin.mass_matrix(q[b])
            near(M_b @ qdd[b], tau[b] - twin.inverse_dynamics(q[b], v[b], 0 * v[b]))
            dq, dv, _ = twin.inverse_derivatives(q[b], v[b], qdd[b])
            near(M_b @ derivatives.dq[b], -dq)
            near(M_b @ derivatives.dv[b], -dv)
            # M M^-1 is made of terms as large as cond(M), which must cancel to 1e-15 of that
            size = np.linalg.norm(M_b) * np.linalg.norm(derivatives.dtau[b])
            near(M_b @ derivatives.dtau[b], np.eye(model.nv), scale=1e-6 * size)
            continue
        near(qdd[b], twin.forward_dynamics(q[b], v[b], tau[b]))
        dq, dv, dtau = twin.derivatives(q[b], v[b], tau[b])
        near(derivatives.dq[b], dq)
        # rotors on a fixed base do not feel each other: dv is zero there, made of terms about as large as dtau M
        near(derivatives.dv[b], dv, scale=1e-6 * np.linalg.norm(dtau) * np.linalg.norm(M[b]))
        near(derivatives.dtau[b], dtau)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    (file,) = (file for file in files() if file.name == name)
    with pytest.raises(FileError, match=REFUSED[name]):
        load(file, "fixed")


def test_what_was_compared():
    """The tests above cover at least 25 folders; what they leave out is listed here, and nothing else."""
    assert len(files()) == len(GOOD) + len(REFUSED) >= 77
    whole = [file for file in GOOD if file.name not in SINGULAR]
    assert len(GOOD) - len(whole) == len(SINGULAR)
    folders = Counter(folder(file) for file in whole)
    mimic = [file.name for file in whole if any(j.mimic for j in load(file, "fixed").joints.values())]
    print(f"\n{len(GOOD)} robots of {len({folder(file) for file in GOOD})} folders, each on a fixed and a free base")
    print(f"compared whole: {len(whole)} robots of {len(folders)} folders; mimic joints open: {', '.join(mimic)}")
    for name, joint in SINGULAR.items():
        print(f"without dynamics: {name}: joint {joint!r} moves no inertia")
    for name, why in REFUSED.items():
        print(f"refused: {name}: {why}")
    assert len(folders) >= 35 and len(whole) >= 68 and mimic
