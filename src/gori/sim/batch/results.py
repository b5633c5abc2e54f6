"""What derivatives of steps of a batch come to."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

HostOrDevice: TypeAlias = Any
"""arrays of a batch on the CPU, or on a GPU, where tensors may be handed in too"""


@dataclass(frozen=True)
class StepJacobian:
    """Derivatives of the next step of each machine: of its (q', v') by (q, v), by its inputs and by its parameters.

    Small changes of q and q' are tangent vectors, as in `model.integrate` and `model.difference`. In loops they are
    those along the loops: what the columns say of others has no meaning.

    by_state        (machines, 2 nv, 2 nv)
    by_inputs       (machines, 2 nv, inputs), in the order of `batch.inputs`
    by_parameters   {path: (machines, 2 nv, ...)}, with the shape of the number or vector at the end

    It unpacks into the first two.
    """

    by_state: HostOrDevice
    by_inputs: HostOrDevice
    by_parameters: dict[str, HostOrDevice] = field(default_factory=dict)

    def __iter__(self) -> Iterator[HostOrDevice]:
        return iter((self.by_state, self.by_inputs))


@dataclass(frozen=True)
class Cotangents:
    """Derivatives of a number that depends on where machines arrive.

    of_start        by q and v at the start (machines, 2 nv), q in tangent coordinates
    of_inputs       by the inputs of each step (steps, machines, inputs)
    of_parameters   {path: (machines, ...)}: by parameters of each machine, with start and inputs as they are

    It unpacks into the first two.
    """

    of_start: HostOrDevice
    of_inputs: HostOrDevice
    of_parameters: dict[str, HostOrDevice] = field(default_factory=dict)

    def __iter__(self) -> Iterator[HostOrDevice]:
        return iter((self.of_start, self.of_inputs))
