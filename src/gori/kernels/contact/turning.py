"""Shapes that turn with a wheel: cylinders of tyres that touch other bodies.

Such a shape stands on the body that carries the wheel, and is round about the axle, so that it looks the same however
far the wheel has turned. What turns is its surface: with the angular velocity of the wheel against its carrier on top
of that of the carrier, and with it the anchors of points that stick. Of the wrench of contact the carrier bears what a
hub can bear; the moment about the axle turns the wheel (`vehicle.py` of the vehicles, in its next step).
"""

import math

from gori.kernels.forces.elements import turn_back_rows
from gori.kernels.jit import part
from gori.kernels.tree.columns import OMEGA, P_WB, R_WB
from gori.kernels.tree.kinematics import cross, turn
from gori.kernels.vehicle.state import LIVE


@part
def axle_of(machine, data, shape):
    """Centre [m] and axis of the wheel of a shape, world axes."""
    wheel = machine.wheel[shape.wheel - 1]
    row, h, a = wheel.carrier, wheel.hub, wheel.axis
    hx, hy, hz = turn(data.body_w, row, h[0], h[1], h[2])
    ax, ay, az = turn(data.body_w, row, a[0], a[1], a[2])
    return (
        hx + data.body_w[row, P_WB], hy + data.body_w[row, P_WB + 1], hz + data.body_w[row, P_WB + 2], ax, ay, az,
    )  # fmt: skip


@part
def turned(machine, data, shape, t):
    """Angle [rad] and angular velocity [rad/s] of the wheel of a shape against its carrier, at the time t."""
    state, row = data.wheel[shape.wheel - 1], shape.row
    _, _, _, ax, ay, az = axle_of(machine, data, shape)
    since = 0.0
    if data.vehicle_setting[0].mode == LIVE:
        since = max(0.0, t - data.vehicle_clock[0].time)
    own = data.body_w[row, OMEGA] * ax + data.body_w[row, OMEGA + 1] * ay + data.body_w[row, OMEGA + 2] * az
    speed, gain = state.angular_velocity - own, since * state.acceleration
    return state.angle + since * (speed + 0.5 * gain), speed + gain


@part
def surface_speed(machine, data, shape, t, x, y, z):
    """What the turning of a wheel adds to the velocity of a point of the world on its shape [m/s]."""
    cx, cy, cz, ax, ay, az = axle_of(machine, data, shape)
    _, rate = turned(machine, data, shape, t)
    ux, uy, uz = cross(ax, ay, az, x - cx, y - cy, z - cz)
    return rate * ux, rate * uy, rate * uz


@part
def about(angle, ax, ay, az, x, y, z):
    """A vector turned about a unit axis (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    ux, uy, uz = cross(ax, ay, az, x, y, z)
    along = (1.0 - c) * (ax * x + ay * y + az * z)
    return c * x + s * ux + along * ax, c * y + s * uy + along * ay, c * z + s * uz + along * az


@part
def anchor_at(machine, data, shape, anchor, t):
    """Where an anchor on a shape is, from the origin of its row in world axes [m]; of a wheel, as far as it turned."""
    body_w, row = data.body_w, shape.row
    if shape.wheel == 0:
        return turn(body_w, row, anchor[0], anchor[1], anchor[2])
    wheel = machine.wheel[shape.wheel - 1]
    h, a = wheel.hub, wheel.axis
    angle, _ = turned(machine, data, shape, t)
    x, y, z = about(angle, a[0], a[1], a[2], anchor[0] - h[0], anchor[1] - h[1], anchor[2] - h[2])
    return turn(body_w, row, x + h[0], y + h[1], z + h[2])


@part
def put_anchor(machine, data, shape, anchor, t, x, y, z):
    """Put an anchor at a point of the world, in the frame of the shape's row; of a wheel, where that began to turn."""
    body_w, row = data.body_w, shape.row
    x, y, z = turn_back_rows(
        body_w[row, R_WB : R_WB + 9], x - body_w[row, P_WB], y - body_w[row, P_WB + 1], z - body_w[row, P_WB + 2]
    )
    if shape.wheel > 0:
        wheel = machine.wheel[shape.wheel - 1]
        h, a = wheel.hub, wheel.axis
        angle, _ = turned(machine, data, shape, t)
        x, y, z = about(-angle, a[0], a[1], a[2], x - h[0], y - h[1], z - h[2])
        x, y, z = x + h[0], y + h[1], z + h[2]
    anchor[0], anchor[1], anchor[2] = x, y, z


@part
def moment_about_axle(machine, data, shape, p, fx, fy, fz):
    """Moment of a force at a point of the world about the axle of the shape's wheel [N m], and that axis."""
    cx, cy, cz, ax, ay, az = axle_of(machine, data, shape)
    mx, my, mz = cross(p[0] - cx, p[1] - cy, p[2] - cz, fx, fy, fz)
    return mx * ax + my * ay + mz * az, ax, ay, az


@part
def forget_torques(machine, data):
    """Before the contacts at the end of a step are noted."""
    for w in range(machine.wheel.shape[0]):
        state = data.wheel[w]
        state.touch_torque, state.touch_stiffness, state.touch_damping = 0.0, 0.0, 0.0


@part
def note_torque(machine, data, shape, p, n, torque, stiffness, damping):
    """Add the moment of a contact about the axle to what turns the wheel in the next step.

    stiffness, damping   of the tangential spring [N/m, N s/m], 0 if the point slides
    """
    state = data.wheel[shape.wheel - 1]
    cx, cy, cz, ax, ay, az = axle_of(machine, data, shape)
    ux, uy, uz = cross(ax, ay, az, p[0] - cx, p[1] - cy, p[2] - cz)
    along = ux * n[0] + uy * n[1] + uz * n[2]
    square = ux * ux + uy * uy + uz * uz - along * along
    state.touch_torque += torque
    state.touch_stiffness += stiffness * square
    state.touch_damping += damping * square
