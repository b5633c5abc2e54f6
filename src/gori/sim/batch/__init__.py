"""Many machines at once: `gori.batch`."""

from collections.abc import Iterable, Sequence
from typing import Any, overload

from gori.errors import InputError
from gori.integrate import Method
from gori.model import Model
from gori.record import Recording
from gori.sim.batch.batch import Batch
from gori.sim.batch.runs import run_all
from gori.sim.simulation import Simulation
from gori.spec import Spec

__all__ = ["Batch", "batch"]


@overload
def batch(what: Model | Spec, /, count: int, method: Method | dict | str | None = None, **options: Any) -> Batch: ...


@overload
def batch(what: Sequence[Simulation], /, duration: float, **options: Any) -> list[Recording]: ...


def batch(what: Model | Spec | Sequence[Simulation], /, *values: Any, **options: Any) -> Batch | list[Recording]:
    """Many machines of one Model at once, or many Simulations.

    batch(model, count, method, device="cuda", ...)   a `gori.sim.batch.Batch`: thousands of machines of a Model, or of
                                                      a Spec, on a CPU or a GPU
    batch(simulations, duration, sample=..., ...)     Simulations over threads; their Recordings (`run_all`)
    """
    if isinstance(what, Model | Spec):
        return Batch(what, *values, **options)
    if isinstance(what, str) or not isinstance(what, Iterable):
        raise InputError(
            f"batch takes a Model or a Spec and a number of machines, or a list of Simulations, not {what!r}"
        )
    return run_all(what, *values, **options)
