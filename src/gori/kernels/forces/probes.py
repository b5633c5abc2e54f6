"""Probes: bodies and frames whose position and velocity signals read, as `hand.x` or `hand.vz`.

They are read before the signals are evaluated; those of the forces stand in the Machine, those of events in the Watch.
"""

from gori.kernels.jit import part
from gori.kernels.layout import field, record
from gori.kernels.tree.columns import OMEGA, P_WB, VEL
from gori.kernels.tree.kinematics import cross, turn

PROBE = record(
    "Probe",
    field("row", "", "that carries the frame", dtype="i8"),
    field("point", "m", "its origin in the frame of the row", shape=3),
)

READINGS = ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")
"""what is read of each, called as channels are: position [m], velocity [m/s], angular velocity [rad/s], world axes"""
N_READINGS = len(READINGS)
NO_PROBES = PROBE.zeros(0)


@part
def read_probes(probe, body_w, out):
    """out (probes * N_READINGS,), after `positions` and `velocities`."""
    for k in range(probe.shape[0]):
        row, point, at = probe[k].row, probe[k].point, k * N_READINGS
        rx, ry, rz = turn(body_w, row, point[0], point[1], point[2])
        wx, wy, wz = body_w[row, OMEGA], body_w[row, OMEGA + 1], body_w[row, OMEGA + 2]
        ux, uy, uz = cross(wx, wy, wz, rx, ry, rz)
        out[at] = body_w[row, P_WB] + rx
        out[at + 1] = body_w[row, P_WB + 1] + ry
        out[at + 2] = body_w[row, P_WB + 2] + rz
        out[at + 3] = body_w[row, VEL] + ux
        out[at + 4] = body_w[row, VEL + 1] + uy
        out[at + 5] = body_w[row, VEL + 2] + uz
        out[at + 6], out[at + 7], out[at + 8] = wx, wy, wz
