"""First steps: load an arm, look where it is, hold it against gravity, and let it go.

Run it from anywhere: python examples/first_steps.py
"""

from pathlib import Path

import numpy as np

import gori

model = gori.compile(gori.load(Path(__file__).parent / "arm.yaml"))
print(model)
print("joints:", ", ".join(model.joint_names))

q, still = model.q0, np.zeros(model.nv)
tool = model.forward_kinematics(q)["tool"]
print("the tool is at", tool[:3, 3].round(3), "m")

hold = model.gravity_force(q)
print("torques that hold the arm [N m]:", hold.round(2))
released = model.forward_dynamics(q, still, still)
print("accelerations when it is let go [rad/s2]:", released.round(2))

# a push of 10 N sideways at the tool, as a wrench (moment; force)
pushed = model.forward_dynamics(q, still, hold, wrenches={"tool": [0, 0, 0, 0, 10, 0]})
print("accelerations under a sideways push:", pushed.round(2))

# checks: held still it stays; let go the tool falls; the push is what the Jacobian says it is
assert np.abs(model.forward_dynamics(q, still, hold)).max() < 1e-10
assert (model.jacobian(q, "tool") @ released)[5] < 0.0
as_torque = model.jacobian(q, "tool").T @ [0, 0, 0, 0, 10, 0]
assert np.allclose(pushed, model.forward_dynamics(q, still, hold + as_torque), atol=1e-9)
