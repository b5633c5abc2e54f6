"""All forces of a machine at a state: those of its elements, of vehicles, of contact, and of the user."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from gori.kernels.codes import OK, USER_ERROR
from gori.kernels.forces import elements
from gori.kernels.forces.elements import add_wrench, apply_elements
from gori.kernels.forces.probes import read_probes
from gori.kernels.forces.signals import evaluate_signals
from gori.kernels.jit import call_at, part, present
from gori.kernels.machine import ADD_WRENCHES, ADVANCE
from gori.kernels.tree.columns import FORCE, OMEGA, VEL
from gori.kernels.tree.kinematics import positions, velocities


@intrinsic
def call_user(typingctx, address, t, q, v, tau, values):
    """Call int64 f(double t, double *q, double *v, double *tau, double *values) by its address; 0: all went well.

    On a GPU f(t, q, v, tau, values) itself stands in its place, or None.
    """
    signature = types.int64(address, types.float64, q, v, tau, values)
    called = None
    if not isinstance(address, types.Integer | types.NoneType):
        called = typingctx.resolve_function_type(address, signature.args[1:], {})

    def codegen(context, builder, signature, args):
        if isinstance(signature.args[0], types.NoneType):
            return context.get_constant(types.int64, 0)
        if called is not None:
            code = context.get_function(address, called)(builder, args[1:])
            return context.cast(builder, code, called.return_type, types.int64)
        number, pointer = ir.DoubleType(), ir.DoubleType().as_pointer()
        function = ir.FunctionType(ir.IntType(64), [number, pointer, pointer, pointer, pointer])
        pointers = [context.make_array(ty)(context, builder, x).data for ty, x in zip(signature.args[2:], args[2:])]
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), [args[1], *pointers])

    return signature, codegen


@part
def advances(machine):
    """Whether anything besides the bodies is advanced at the end of a step: vehicles, points of contact."""
    return present(machine.vehicle) or present(machine.penalty)


@part
def acts_on_bodies(machine):
    """Whether any force acts on a body, and not along an axis of a joint alone, or depends on where a body is."""
    if advances(machine) or machine.coupled.shape[0] > 0 or machine.probe.shape[0] > 0:
        return True
    return elements.acts_on_bodies(machine.element_i)


@part
def advance_subsystems(machine, data, t, q, v):
    """Bring vehicles and contact points to t, where the bodies have arrived; after `place`. Returns a result code."""
    if not advances(machine):
        return OK
    positions(machine.body_i, data.body_w)
    velocities(machine.body_i, v, data.body_w, data.dof_w)
    code = OK
    if present(machine.vehicle):
        code = call_at(machine.vehicle, machine, data, t, q, v, ADVANCE)
    if code == OK and present(machine.penalty):
        code = call_at(machine.penalty, machine, data, t, q, v, ADVANCE)
    return code


@part
def joint_power(tau, v):
    """Power of forces on axes [W]."""
    power = 0.0
    for k in range(v.shape[0]):
        power += tau[k] * v[k]
    return power


@part
def body_power(body_w):
    """Power of all that stands in FORCE, as if it acted on the bodies [W]; after `velocities`."""
    power = 0.0
    for i in range(1, body_w.shape[0]):
        for k in range(3):
            power -= body_w[i, FORCE + k] * body_w[i, OMEGA + k] + body_w[i, FORCE + 3 + k] * body_w[i, VEL + k]
    return power


@part
def apply_forces(machine, data, t, q, v, z, zdot):
    """tau (nv,) recomputed, and what is added to the bodies' FORCE; after `place`. Returns a result code.

    zdot   rates of the states z

    `data.power` is then the power of all that has no potential. Of vehicles and of the user it is a difference: they
    add to tau and FORCE, in which other forces stand.
    """
    tau, body_w, power = data.tau, data.body_w, 0.0
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    if acts_on_bodies(machine):
        positions(machine.body_i, body_w)
        velocities(machine.body_i, v, body_w, data.dof_w)
    if machine.signal_i.shape[0] > 0:
        read_probes(machine.probe, body_w, data.readings)
        evaluate_signals(machine.signal_i, machine.signal_f, t, q, v, data.readings, data.values, data.stack)
    if machine.element_i.shape[0] > 0:
        power = apply_elements(machine.element_i, machine.element_f, q, v, z, data.values, tau, zdot, body_w)
    for k in range(machine.coupled.shape[0]):
        row, w = machine.coupled[k], data.wrench[k]
        add_wrench(row, 0.0, 0.0, 0.0, w[0], w[1], w[2], w[3], w[4], w[5], body_w)
        if row > 0:  # what moves the ground is not in the energy of the bodies
            for j in range(3):
                power += w[j] * body_w[row, OMEGA + j] + w[3 + j] * body_w[row, VEL + j]
    if advances(machine):
        power -= body_power(body_w) + joint_power(tau, v)
        if present(machine.vehicle):
            code = call_at(machine.vehicle, machine, data, t, q, v, ADD_WRENCHES)
            if code != OK:
                return code
        if present(machine.penalty):
            code = call_at(machine.penalty, machine, data, t, q, v, ADD_WRENCHES)
            if code != OK:
                return code
        power += body_power(body_w) + joint_power(tau, v)
    if present(machine.user):
        power -= joint_power(tau, v)
        if call_user(machine.user, t, q, v, tau, data.values) != 0:
            return USER_ERROR
        power += joint_power(tau, v)
    data.power[0] = power
    return OK
