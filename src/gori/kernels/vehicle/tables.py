"""The tables of wheels, drive trains, steering and drag, what they keep among the states z, and their memory."""

from gori.kernels.jit import part

# outside_i (int64): the head, then the rows of wheels, trains, steering and drag, and the terrain's and trains' own
WHEELS, TRAINS, STEERS, DRAGS = 0, 1, 2, 3
"""how many there are"""
WHEEL_I, TRAIN_I, STEER_I, DRAG_I, TERRAIN_I = 4, 5, 6, 7, 8
"""first places in outside_i"""
WHEEL_F, TRAIN_F, STEER_F, DRAG_F, TERRAIN_F, SOIL_F = 9, 10, 11, 12, 13, 14
"""first places in outside_f; SOIL_F is -1 on hard ground"""
Z_FIRST, BRAKE_CAPS = 15, 16
"""first state in z; first place of the brakes' largest torques in outside_f, wheel by wheel"""
N_HEAD_I = 17
SUB_STEP = 0
"""outside_f: largest step of the fast part [s]"""
N_HEAD_F = 1

CARRIER, TYRE, WHEEL_TRAIN, N_WHEEL_I = 0, 1, 2, 3
"""row of the body that carries the wheel, first place of its tyre in outside_f, its drive train or -1"""
HUB, AXIS, SPIN_J, N_WHEEL_F = 0, 3, 6, 7
"""centre (3) [m] and axis (3, to the left) in the carrier's row, inertia of the spin [kg m2]"""

FIRST_WHEEL, WHEEL_COUNT, CHASSIS, TI, TF, N_TRAIN_ROW = 0, 1, 2, 3, 4, 5
"""its wheels stand together; row of the chassis; first places of its own tables in outside_i and outside_f"""
N_TRAIN_ROW_F = 0

RACK_DOF, RACK_Q, N_STEER_I = 0, 1, 2
TRAVEL, STIFFNESS, DAMPING, N_STEER_F = 0, 1, 2, 3
"""of the rack: way for a full turn of the wheel [m], and the spring and damper that lead it [N/m, N s/m]"""

DRAG_ROW, N_DRAG_I = 0, 1
DRAG_AT, DRAG_FACTOR, N_DRAG_F = 0, 3, 4
"""point (3) [m] in the row, half of density times area times coefficient [kg/m]"""

# z of a wheel
OMEGA, U, W, SOFT = 0, 1, 2, 3
"""spin [rad/s], transient slip of the tyre (2) [m], what it keeps on soft soil (`patch.py`), its deflection first"""
LOAD, FX, FY, MZ, SINKAGE, DRIVE_TORQUE, SHAFT_TORQUE, BRAKE_TORQUE = 8, 9, 10, 11, 12, 13, 14, 15
"""of the ground in the contact's axes [N, N m], [m], and torques of the last step [N m]"""
SLIP, SLIP_ANGLE, HUB_WORK = 16, 17, 18
"""longitudinal slip, > 0 driving; slip angle [rad]; work of the ground, drive and brakes on the carrier [J]"""
HUB_FORCE, HUB_MOMENT, N_Z_WHEEL = 19, 22, 25
"""on the carrier, at the wheel's centre, world axes [N, N m]"""
FORECAST = 3
"""columns before this one go on smoothly, and stages of a step may take them further"""

# z of a train: its states (`drivetrain.py`), then
REACTION, THROTTLE_IN, BRAKE_IN, SELECTOR_IN, TRANSFER_IN = 17, 20, 21, 22, 23
"""moment of the half shafts on the chassis (3) [N m], pedals and levers"""
N_Z_TRAIN = 24

# z of a steering: what the driver asks for, -1 to 1
N_Z_STEER = 1

# memory (float64)
MODE, TIME = 0, 1
"""LIVE or REPLAY; the time at which z stands"""
N_HEAD_M = 2
LIVE, REPLAY = 0.0, 1.0
"""REPLAY: forces are those that z tells, for motion that was recorded"""
THROTTLE, BRAKE, SELECTOR, TRANSFER, N_TRAIN_PORTS = 0, 1, 2, 3, 4

# record of a wheel's contact, for interpolation
R_LOAD, R_FORWARD, R_LATERAL, R_GAMMA, R_MU, R_RADIUS, R_POWER = 0, 1, 2, 3, 4, 5, 6
R_PLACE = 7
"""centre, velocity and axis of the wheel (9): where the record was taken"""
R_TURN, R_ARM, R_NORMAL, R_AHEAD, R_LEFT, N_RECORD = 16, 19, 22, 25, 28, 31
"""angular velocity of the carrier, contact point from the centre, and the axes of the contact (3 each)"""


@part
def ports_at(outside_i):
    """First places in the memory: ports of the trains, of the steering, records before and now, kept z, forecast."""
    nw, nt, ns = outside_i[WHEELS], outside_i[TRAINS], outside_i[STEERS]
    trains = N_HEAD_M
    steers = trains + N_TRAIN_PORTS * nt
    before = steers + ns
    now = before + N_RECORD * nw
    kept = now + N_RECORD * nw
    nz = N_Z_WHEEL * nw + N_Z_TRAIN * nt + N_Z_STEER * ns
    forecast = kept + nz
    room = forecast + nz
    return trains, steers, before, now, kept, forecast, room


def memory_size(wheels: int, trains: int, steers: int) -> int:
    """Numbers of the memory; the room at its end is for spins, torques and turns of the wheels and for one patch."""
    nz = N_Z_WHEEL * wheels + N_Z_TRAIN * trains + N_Z_STEER * steers
    return N_HEAD_M + N_TRAIN_PORTS * trains + steers + 2 * N_RECORD * wheels + 2 * nz + 9 * wheels + 16
