"""Many machines on a CPU: each in turn is put into the arrays of one run, moved, and put back.

What a machine keeps from step to step is one row of bytes. The compiled run of a method is called by its address.
"""

from typing import Annotated, Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gori.integrate.batch.given import given
from gori.integrate.clock import Watch, clock_type
from gori.integrate.rates import call_with_bodies
from gori.kernels.bundle import Bundle, BundleType
from gori.kernels.codes import OK
from gori.kernels.jit import call_at, kernel, part, present
from gori.kernels.machine import ADDRESS, F1, F2, I1, I2, STAND, Data, Machine, data_type, machine_type

_ANY = BundleType("AnyMemory", {})
"""of a method: bundles are addresses, whatever their members"""
_RUN = (machine_type, data_type, _ANY, clock_type, F1, F2, Watch.type)
FROM, BYTES, AT = 0, 1, 2
"""columns of the pieces of a row: address in the arrays of the run, so many bytes, place in the row"""


class InTurn(Bundle):
    """The arrays of one run, and the machines that take turns in it."""

    # addresses of the compiled run and of the memory of the method, and the other arguments of the run
    run: Annotated[int, ADDRESS]
    memory: Annotated[int, ADDRESS]
    machine: Annotated[Machine, Machine.type]
    data: Annotated[Data, Data.type]
    clock: Annotated[Any, clock_type]
    y: Annotated[Any, F1]
    samples: Annotated[Any, F2]
    watch: Annotated[Watch, Watch.type]
    # what is kept: (pieces, 3) of a row, the address of the first row, and bytes of each
    pieces: Annotated[Any, I2]
    rows: Annotated[int, types.int64]
    width: Annotated[int, types.int64]
    # addresses of numbers that differ from machine to machine, and their values (numbers, machines)
    numbers: Annotated[Any, I1]
    values: Annotated[Any, F2]
    codes: Annotated[Any, I1]  # (machines,) OK, or why a machine stands still


def _copy_bytes(typingctx, to, source, count):
    """Bytes from one address to another."""

    def codegen(context, builder, signature, args):
        to, source = (builder.inttoptr(x, cgutils.voidptr_t) for x in args[:2])
        cgutils.raw_memcpy(builder, to, source, args[2], 1)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64), codegen


copy_bytes: Any = intrinsic(_copy_bytes)


def _set_number(typingctx, address, value):
    """Put a float64 at an address."""

    def codegen(context, builder, signature, args):
        builder.store(args[1], builder.inttoptr(args[0], args[1].type.as_pointer()))
        return context.get_dummy_value()

    return types.none(types.int64, types.float64), codegen


set_number: Any = intrinsic(_set_number)


def _call_run(typingctx, run, memory, machine, data, clock, y, samples, watch):
    """Call the run of a method by its address. Returns its result code."""

    def codegen(context, builder, signature, args):
        run, memory, machine, data, *others = args
        values = [machine, data, builder.inttoptr(memory, cgutils.voidptr_t), *others]
        kind = context.call_conv.get_function_type(types.int64, _RUN)
        pointer = builder.inttoptr(run, kind.as_pointer())
        _, code = context.call_conv.call_function(builder, pointer, types.int64, _RUN, values)
        return code

    return types.int64(types.int64, types.int64, machine, data, clock, y, samples, watch), codegen


call_run: Any = intrinsic(_call_run)


@part
def load_row(pieces, row):
    """A row at this address into the arrays of the run."""
    for k in range(pieces.shape[0]):
        copy_bytes(pieces[k, FROM], row + pieces[k, AT], pieces[k, BYTES])


@part
def save_row(pieces, row):
    """The arrays of the run into a row at this address."""
    for k in range(pieces.shape[0]):
        copy_bytes(row + pieces[k, AT], pieces[k, FROM], pieces[k, BYTES])


@part
def take_turn(job, t):
    """Machine t into the arrays of the run: its numbers into the tables, and what it keeps."""
    for k in range(job.numbers.shape[0]):
        set_number(job.numbers[k], job.values[k, t])
    load_row(job.pieces, job.rows + t * job.width)


@kernel(types.int64(InTurn.type, types.int64, types.int64, types.int64))
def run_in_turn(job, steps, first, last):
    """So many steps of the machines first .. last - 1. Returns how many of them stand still."""
    failed = 0
    for t in range(first, last):
        if job.codes[t] == OK:
            take_turn(job, t)
            job.codes[t] = given(job.machine, job.data)
        if job.codes[t] == OK:
            if present(job.machine.penalty):
                call_with_bodies(job.machine, job.data, job.clock[0].time, job.y, STAND)
            job.clock[0].steps_to_do = steps
            job.codes[t] = call_run(
                job.run, job.memory, job.machine, job.data, job.clock, job.y, job.samples, job.watch
            )
            save_row(job.pieces, job.rows + t * job.width)
        failed += job.codes[t] != OK
    return failed


@kernel(types.int64(InTurn.type, types.int64, I1))
def start_in_turn(job, start, chosen):
    """Initialise vehicles of the chosen machines where they stand; start: address of `start_vehicles`."""
    for i in range(chosen.shape[0]):
        t = chosen[i]
        take_turn(job, t)
        job.codes[t] = call_at(start, job.machine, job.data, job.clock[0].time, job.y)
        save_row(job.pieces, job.rows + t * job.width)
    return OK
