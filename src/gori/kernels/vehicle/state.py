"""State, outputs and work of vehicles: three kinds of records.

Kept: DRIVER, WHEEL_STATE, TRAIN_STATE, CONTACT, CELL, PLACE, CLOCK. Outputs: WHEEL_OUTPUT, TRAIN_OUTPUT; samples
record them with the states and the driver. Outputs are saved with a State as well: forces of soft soil at the end of a
step depend on the way there. Work: WHEEL_WORK, FOOTPRINT, PATCH, BLOW.
"""

from gori.kernels.layout import field, record

LIVE, REPLAY = 0, 1
"""modes: vehicles move on; forces are those that were recorded"""

SETTING = record(
    "VehicleSetting",
    field("mode", "", "LIVE or REPLAY", dtype="i8"),
    field("sub_step", "s", "largest step of angular velocities, slips and engines"),
)

CLOCK = record("VehicleClock", field("time", "s", "at which wheels and drive trains stand"))

DRIVER = record(
    "Driver",
    field("throttle", "", "0 to 1"),
    field("brake", "", "0 to 1"),
    field("selector", "", "REVERSE, NEUTRAL, a gear that is held, AUTOMATIC, AUTOMATIC + highest gear"),
    field("transfer", "", "TRANSFER_NEUTRAL, HIGH, LOW, HIGH_LOCKED"),
    field("steer", "", "-1 (right) to 1 (left)"),
)

WHEEL_STATE = record(
    "WheelState",
    field("angular_velocity", "rad/s", "about the axis"),
    field("transient_x", "m", "transient slip of the tyre, forward"),
    field("transient_y", "m", "transient slip of the tyre, to the left"),
    field("acceleration", "rad/s2", "mean over the last step, a forecast for the stages of the next"),
    field("rate_x", "m/s", "of transient_x, likewise"),
    field("rate_y", "m/s", "of transient_y, likewise"),
    field("deflection", "m", "of the tyre on soft soil"),
    field("depth", "m", "of the undeformed wheel in soft soil"),
    field("soil_load", "N", "of the last step, against the deflection"),
    field("rise_stiffness", "N/m", "of the soil under a tread that rises"),
    field("sink_stiffness", "N/m", "of the soil under a tread that sinks"),
    field("drive_torque", "N m", "on the wheel from its hub, mean over the last step"),
    field("shaft_torque", "N m", "of the half shaft before the hub, mean over the last step"),
    field("brake_torque", "N m", "on the wheel, mean over the last step"),
    field("work", "J", "of ground, drive and brakes on the carrier since the start"),
    field("angle", "rad", "by which it has turned against its carrier since the start"),
    field("touch_torque", "N m", "of bodies that touch it, about the axis, at the end of the last step"),
    field("touch_stiffness", "N m/rad", "slope of that by angle: bodies that stick to it"),
    field("touch_damping", "N m s/rad", "slope of that by angular velocity"),
)

WHEEL_OUTPUT = record(
    "WheelOutput",
    field("load", "N", "of the ground"),
    field("fx", "N", "forward force of the ground"),
    field("fy", "N", "force of the ground to the left"),
    field("mz", "N m", "moment of the ground about its normal"),
    field("slip", "", "longitudinal, > 0 driving"),
    field("slip_angle", "rad", ""),
    field("sinkage", "m", "of the tread in soft soil"),
    field("wall_load", "N", "of walls"),
    field("elastic", "J", "energy of the tyre's spring"),
    field("hub_force", "N", "on the carrier at the wheel's centre, world axes", shape=3),
    field("hub_moment", "N m", "on the carrier, world axes", shape=3),
)

TRAIN_STATE = record(
    "TrainState",
    field("engine", "rad/s", "speed of the engine"),
    field("turbine", "rad/s", "speed of the turbine"),
    field("gear", "", "in force: -1, 0, 1, .."),
    field("target", "", "gear that it changes to"),
    field("shift_clock", "s", "time since the change began"),
    field("range", "", "position of the transfer case in force"),
    field("pedal", "", "throttle that has reached the engine, 0 to 1"),
    field("clutch_torque", "N m", "of the gearbox's clutch, mean over the last step"),
    field("engine_work", "J", "given since the start"),
    field("converter_loss", "J", "since the start"),
    field("clutch_loss", "J", "since the start"),
    field("gear_loss", "J", "since the start"),
    field("brake_work", "J", "taken since the start"),
    field("ground_work", "J", "given since the start"),
)
WORKS = ("engine_work", "converter_loss", "clutch_loss", "gear_loss", "brake_work", "ground_work")
"""fields of TRAIN_STATE that count from the start"""

TRAIN_OUTPUT = record(
    "TrainOutput",
    field("engine_torque", "N m", "mean over the last step"),
    field("pump_torque", "N m", "mean over the last step"),
    field("turbine_torque", "N m", "mean over the last step"),
    field("reaction", "N m", "moment of the half shafts on the chassis, world axes", shape=3),
)

CONTACT = record(
    "Contact",
    field("centre", "m", "of the wheel; all vectors in world axes", shape=3),
    field("velocity", "m/s", "of the centre", shape=3),
    field("axis", "", "of the wheel, to the left", shape=3),
    field("angular_velocity", "rad/s", "of the carrier", shape=3),
    field("load", "N", "of the ground"),
    field("forward", "m/s", "speed of the centre along the heading"),
    field("lateral", "m/s", "speed of the contact point to the left"),
    field("camber", "rad", "> 0: the top leans to the right"),
    field("friction", "", "coefficient of the ground"),
    field("rolling_radius", "m", "0 on soft soil"),
    field("depth", "m", "by which hard ground shortens the radius"),
    field("elastic", "J", "energy of the tyre's spring on the ground"),
    field("lean_force", "N", "of the ground beside the load along the normal: of a wheel that leans", shape=3),
    field("lean_moment", "N m", "likewise, beside that of the load at its arm", shape=3),
    field("walls", "", "that it touches"),
    field("wall_load", "N", "of walls"),
    field("wall_elastic", "J", "energy of the tyre's spring against walls"),
    field(
        "haste", "1/s", "speed over gap with which its rim comes near to the ground, to a wall; 0: it does not", shape=2
    ),
    field("gap", "m", "between its rim and them", shape=2),
    field("gap_normal", "", "out of the ground, then out of the wall", shape=6),
    field("gap_arm", "m", "where each would be met, from the centre", shape=6),
    field("wall_force", "N", "of walls on the wheel; 0 if it touches none", shape=3),
    field("wall_moment", "N m", "of walls on the wheel about its centre; 0 if it touches none", shape=3),
    field("arm", "m", "contact point on hard ground, from the centre", shape=3),
    field("normal", "", "of hard ground", shape=3),
    field("ahead", "", "heading along hard ground", shape=3),
    field("left", "", "across the heading along hard ground", shape=3),
    field("force", "N", "of the ground on the wheel", shape=3),
    field("moment", "N m", "of the ground on the wheel about its centre", shape=3),
    field("power", "W", "of hub force and moment on the carrier"),
)

CELL = record(
    "Cell",
    field("z_max", "m", "largest static sinkage"),
    field("p_max", "Pa", "pressure there"),
    field("z_dyn", "m", "slip sinkage"),
    field("j_max", "m", "longest slip path of a contact"),
    field("e_x", "m", "stretch along the tread in the contact now going on"),
    field("e_y", "m", "stretch along the axle in the contact now going on"),
    field("j", "m", "slip path of the contact now going on"),
    field("stamp", "s", "time of the last contact"),
)
NEVER = -1e300
"""stamp of a cell that nothing has touched"""

PLACE = record("Place", field("cell", "", "1 + index in the grid of the cell that stands here, 0: none", dtype="i8"))

WHEEL_WORK = record(
    "WheelWork",
    field("speed", "rad/s", "angular velocity within the step"),
    field("ground_torque", "N m", "of the ground about the axis, with rolling resistance"),
    field("turned", "rad", "angle beyond that of the angular velocity at the start of the step"),
    field("transient_x", "m", "at the start of the step"),
    field("transient_y", "m", "at the start of the step"),
    field("load_before", "N", "at the start of the step"),
    field("forward_before", "m/s", "at the start of the step"),
    field("lateral_before", "m/s", "at the start of the step"),
    field("power_before", "W", "at the start of the step"),
    field("carrier_before", "rad/s", "angular velocity of the carrier about the axis, at the start of the step"),
    field("momentum", "N m s", "of wheel and half shaft with the ground's impulse"),
    field("brake_limit", "N m s", "largest impulse of the brake"),
    field("brake_impulse", "N m s", "on the wheel"),
    field("axle_impulse", "N m s", "that its axle is given; with the left wheel"),
    field("new_speed", "rad/s", "at the end of a sub-step"),
    field("drive", "N m", "torque on the wheel from its hub in a sub-step"),
    field("shaft", "N m", "torque of the half shaft in a sub-step"),
    field("brake", "N m", "torque of the brake in a sub-step"),
)

FOOTPRINT = record(
    "Footprint",
    field("flat", "", "1 - a_z^2, a the axis of the wheel"),
    field("level", "", "square root of that"),
    field("heading", "", "level direction ahead, x and y", shape=2),
    field("foot", "m", "place below the centre in the wheel's plane, x and y", shape=2),
    field("smooth", "", "1: the ground is a plane here", dtype="i8"),
    field("walled", "", "1: there may be walls within reach", dtype="i8"),
    field("height", "m", "of the untouched ground at the foot"),
    field("slope", "", "of the ground, dh/dx and dh/dy", shape=2),
    field("grade", "", "slope along the heading"),
    field("cosine", "", "of the ground's inclination"),
    field("up", "", "normal of the ground, turned into the wheel's plane", shape=3),
    field("above", "m", "height of the centre over the ground along `up`"),
    field("bump", "m", "by which ground beside the middle, or the edge of the tread, touches first"),
    field("depth", "m", "of the undeformed wheel"),
    field("before", "m", "depth of the undeformed wheel in this ground at the step before"),
    field("deflection", "m", "of the tyre"),
    field("sinkage", "m", "of the tread"),
    field("spring", "N", "force of the tyre's spring before the step"),
    field("stiffness", "N/m", "slope of that; 0: the deflection is held"),
    field("radius", "m", "of the flattened tread"),
    field("raised", "m", "centre of the flattened tread over that of the wheel, along `up`"),
    field("rolling_radius", "m", ""),
    field("spin", "rad/s", "of the wheel against its carrier, > 0 rolls forward"),
    field("centre", "m", "middle of the footprint, x and y", shape=2),
    field("ahead", "m", "half length of the footprint"),
    field("aside", "m", "half width of the footprint"),
)

PATCH = record(
    "Patch",
    field("force", "N", "of soft soil on the wheel, world axes", shape=3),
    field("moment", "N m", "about the wheel's centre, less the part about the axle", shape=3),
    field("torque", "N m", "about the axle"),
    field("load", "N", "against the deflection"),
    field("k_up", "N/m", "slope of the load when the tread rises"),
    field("k_down", "N/m", "slope of the load when the tread sinks"),
    field("k_spin", "N m/rad", "slope of -torque by angle"),
    field("sinkage", "m", "of the tread's lowest point below the untouched ground"),
    field("area", "m2", "of contact, seen from above"),
    field("deflection", "m", "of the tyre"),
)

BLOW = record(
    "Blow",
    field("struck", "", "1: there is one", dtype="i8"),
    field("least", "m/s, rad/s", "speed along its direction that it must leave"),
    field("impulse", "N s, N m s", "along its direction"),
    field("before", "m/s, rad/s", "speed before"),
)
