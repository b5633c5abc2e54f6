"""All forces of a machine at a state: those of its elements, of vehicles, and of the user."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from gori.kernels.codes import OK, USER_ERROR
from gori.kernels.forces import elements
from gori.kernels.forces.elements import add_wrench, apply_elements
from gori.kernels.forces.signals import evaluate_signals
from gori.kernels.jit import call_at, part, present
from gori.kernels.machine import ADD_WRENCHES, ADVANCE
from gori.kernels.tree.kinematics import positions, velocities


@intrinsic
def call_user(typingctx, address, t, q, v, tau):
    """Call int64 f(double t, double *q, double *v, double *tau) by its address; 0 means that all went well."""

    def codegen(context, builder, signature, args):
        if isinstance(signature.args[0], types.NoneType):
            return context.get_constant(types.int64, 0)
        number, pointer = ir.DoubleType(), ir.DoubleType().as_pointer()
        function = ir.FunctionType(ir.IntType(64), [number, pointer, pointer, pointer])
        pointers = [context.make_array(ty)(context, builder, x).data for ty, x in zip(signature.args[2:], args[2:])]
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), [args[1], *pointers])

    return types.int64(address, types.float64, q, v, tau), codegen


@part
def acts_on_bodies(machine):
    """Whether any force acts on a body, and not along an axis of a joint alone."""
    return present(machine.vehicle) or machine.coupled.shape[0] > 0 or elements.acts_on_bodies(machine.element_i)


@part
def advance_vehicle(machine, data, t, q, v):
    """Bring vehicles to t, where the bodies have arrived; after `place`. Returns a result code."""
    if not present(machine.vehicle):
        return OK
    positions(machine.body_i, data.body_w)
    velocities(machine.body_i, v, data.body_w, data.dof_w)
    return call_at(machine.vehicle, machine, data, t, q, v, ADVANCE)


@part
def apply_forces(machine, data, t, q, v, z, zdot):
    """tau (nv,) recomputed, and what is added to the bodies' FORCE; after `place`. Returns a result code.

    zdot   rates of the states z
    """
    tau, body_w = data.tau, data.body_w
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    if machine.signal_i.shape[0] > 0:
        evaluate_signals(machine.signal_i, machine.signal_f, t, q, v, data.values, data.stack)
    if acts_on_bodies(machine):
        positions(machine.body_i, body_w)
        velocities(machine.body_i, v, body_w, data.dof_w)
    if machine.element_i.shape[0] > 0:
        apply_elements(machine.element_i, machine.element_f, q, v, z, data.values, tau, zdot, body_w)
    for k in range(machine.coupled.shape[0]):
        w = data.wrench[k]
        add_wrench(machine.coupled[k], 0.0, 0.0, 0.0, w[0], w[1], w[2], w[3], w[4], w[5], body_w)
    if present(machine.vehicle):
        code = call_at(machine.vehicle, machine, data, t, q, v, ADD_WRENCHES)
        if code != OK:
            return code
    if present(machine.user) and call_user(machine.user, t, q, v, tau) != 0:
        return USER_ERROR
    return OK
