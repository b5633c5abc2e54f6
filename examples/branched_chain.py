"""A complex chain as a paper writes it: Denavit-Hartenberg rows, index sets, links that are cut open.

The chain is that of Fig. 2 of Kim and Kim (1993); its dimensions are assumed. Three links are cut, so that the closed
chain becomes a tree: the sections C and R of a cut must coincide, which gives six equations for each.
"""

from pathlib import Path

import numpy as np

import gori

path = Path(__file__).parent / "branched_chain.yaml"
chain = gori.formats.read_dh(path)  # the rows, with their numbers
spec = gori.load(path)  # the same as bodies, joints, cuts and frames
model = gori.compile(spec)

print(chain)
for link, frames in chain.mu.items():
    print(f"  mu_{link} = {{{', '.join(map(str, frames))}}}:", ", ".join(chain.names[k] for k in frames))
print("bodies:", ", ".join(model.body_names))
print(f"coordinates: {model.nq}, the angles theta of", ", ".join(model.joint_names))

# where the chain starts, both sections of each cut are in one place
q = model.q0
poses = model.forward_kinematics(q)
cuts = [("C1", "R1"), ("C2", "R2"), ("C3", "R3")]
for C, R in cuts:
    print(f"{C} at {poses[C][:3, 3].round(3)}, {R} at {poses[R][:3, 3].round(3)}")
gap = max(np.abs(poses[C] - poses[R]).max() for C, R in cuts)

# J qd = 0: both sections have the same velocity. In a plane only three of the six equations of a cut count
J = np.vstack([model.jacobian(q, R) - model.jacobian(q, C) for C, R in cuts])
rank = np.linalg.matrix_rank(J, tol=1e-9)
print(f"equations: {len(J)}, of which {rank} are independent; degrees of freedom: {model.nv - rank}")

# a small motion that obeys them opens the cuts only to second order
step = np.linalg.svd(J)[2][rank:].T @ np.ones(model.nv - rank)


def opening(h: float) -> float:
    poses = model.forward_kinematics(q + h * step)
    return max(np.abs(poses[C] - poses[R]).max() for C, R in cuts)


print(f"moved by 1e-3 and 1e-4 rad, the cuts open by {opening(1e-3):.1e} and {opening(1e-4):.1e}")

# checks: the sets that the paper prints, the sections in one place, three equations for each planar loop
printed = {0: (1, 15), 1: (2,), 2: (3, 14), 4: (5, 8, 10), 7: (17,), 13: (19,)}
assert all(chain.mu[link] == frames for link, frames in printed.items())
assert [(cut.parent, cut.child) for cut in spec.cuts.values()] == [("L2", "L7"), ("ground", "L9"), ("L8", "L13")]
assert gap < 1e-14
assert (model.nq, len(J), rank) == (13, 18, 9)
assert opening(1e-3) < 1e-5 and 50 < opening(1e-3) / opening(1e-4) < 200
