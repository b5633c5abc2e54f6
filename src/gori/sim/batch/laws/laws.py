"""Laws of forces that users write as functions, compiled into the steps of many machines.

    def magnet(t, q, v, tau, strength, height=0.1):
        tau[0] -= strength * math.sin(q[0]) / (height + ...)

adds to the generalised forces tau (nv,) in place. What stands after tau are its parameters: numbers, which then are
inputs of the batch by the name "magnet.strength", or what other forces of a Spec may be, tables over time and
expressions of t, q, v and of where bodies are. Their values stand among those of signals (`kernels/forces/signals.py`).
"""

import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numba
import numpy as np

from gori.errors import InputError
from gori.model import Model, State
from gori.model.variants import with_signals
from gori.sim.batch.laws.bounds import refuse_out_of_bounds
from gori.sim.batch.laws.own_functions import digest_of_function, python_of, refuse_raising, refuse_uncompilable
from gori.sim.batch.varied import INPUTS, Numbers
from gori.sim.stepper import Stepper
from gori.sim.user import SIGNATURE, UserForce
from gori.spec.expression import closest

STATE = ("t", "q", "v", "tau")
"""what every law is given first"""
SECTION = "forces."
"""where parameters of laws stand among those of the Spec"""


class Law(NamedTuple):
    """One function, and the names of its parameters; values: those that it has by default."""

    name: str
    function: Callable
    parameters: tuple[str, ...]
    values: Mapping[str, Any]


class Laws:
    """The laws of a batch.

    forces       a function, several, or {name: function}
    parameters   {path: values} of the batch, of which those of laws are taken: "forces.magnet.strength"
    """

    def __init__(self, forces: object, parameters: Mapping[str, Any]):
        self.laws = tuple(_law(name, function) for name, function in _named(forces))
        self._values: dict[str, Any] = {}
        given = {path.removeprefix(SECTION): x for path, x in parameters.items() if self._owns(path)}
        for law in self.laws:
            for parameter in law.parameters:
                path = f"{law.name}.{parameter}"
                if path in given:
                    self._values[path] = given[path]
                elif parameter in law.values:
                    self._values[path] = law.values[parameter]
                else:
                    raise InputError(
                        f"law {law.name!r} needs a value for {parameter!r}: give parameters="
                        f"{{'{SECTION}{path}': ...}}, or a default in its def"
                    )
        if unknown := [path for path in given if path not in self._values]:
            raise InputError(
                f"there is no parameter {unknown[0]!r} of a law{closest(unknown[0], tuple(self._values)) or ''}"
            )

    def _owns(self, path: str) -> bool:
        section, _, rest = path.partition(".")
        return f"{section}." == SECTION and rest.partition(".")[0] in {law.name for law in self.laws}

    def others(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters that are those of the Spec."""
        return {path: values for path, values in parameters.items() if not self._owns(path)}

    @cached_property
    def _signals(self) -> dict[str, Any]:
        """{parameter: value of its signal}: the first of many numbers."""
        made: dict[str, Any] = {}
        for path, value in self._values.items():
            if isinstance(value, str) or _is_table(value):
                made[path] = value
                continue
            try:
                numbers = np.asarray(value, float)
            except (TypeError, ValueError):
                numbers = np.zeros((0, 0))
            if numbers.ndim > 1 or not numbers.size or not np.isfinite(numbers).all():
                raise InputError(
                    f"parameter {path!r} of a law must be a finite number, one for each machine, an expression or a "
                    f"table [[t, x], ...], not {value!r:.100}"
                )
            made[path] = float(numbers.flat[0])
        return made

    def model(self, model: Model) -> Model:
        """The Model with signals for the parameters."""
        names = {law.name for law in self.laws}
        if taken := sorted(names & {*model.forces.names, *model.joint_names}):
            raise InputError(
                f"law {taken[0]!r} has the name of a force or a joint of the Spec: give {{name: function}}"
            )
        return with_signals(model, {f"{SECTION}{path}": value for path, value in self._signals.items()})

    def inputs(self, model: Model) -> dict[str, int]:
        """{parameter: its signal}, of those that are numbers."""
        names = model.forces.signal_names
        return {
            path: names.index(f"{SECTION}{path}") for path, value in self._signals.items() if isinstance(value, float)
        }

    def numbers(self, model: Model) -> list[Numbers]:
        """Parameters that have a value for each machine."""
        found = []
        for path, signal in self.inputs(model).items():
            if np.ndim(self._values[path]):
                values = np.asarray(self._values[path], float)
                found.append(Numbers(INPUTS, np.array([signal]), values[None]))
        return found

    @property
    def digest(self) -> str:
        """Of the functions; empty without laws."""
        return " ".join(f"{law.name} {digest_of_function(law.function)}" for law in self.laws)

    def force(self, model: Model, on_gpu: bool, states: Sequence[State] = ()) -> "LawForce | None":
        """All laws as what a Simulation calls; None without laws.

        states   where machines start, at which laws are tried out; none: where the Model does
        """
        if not self.laws:
            return None
        checked = []
        for law in self.laws:
            if on_gpu:
                refuse_raising(law.function)
            checked.append(refuse_uncompilable(law.function, law.name, len(law.parameters), on_gpu))
        names = model.forces.signal_names
        signals = [[names.index(f"{SECTION}{law.name}.{name}") for name in law.parameters] for law in self.laws]
        own = {law.name: (compiled, places) for law, compiled, places in zip(self.laws, checked, signals)}
        refuse_out_of_bounds(own, model, self.numbers(model), states)
        return LawForce(self.laws, signals, self.digest, model)


class LawForce(UserForce):
    """Laws, compiled once for all machines and threads.

    signals   of the parameters of each law
    """

    def __init__(self, laws: tuple[Law, ...], signals: list[list[int]], digest: str, model: Model):
        super().__init__([], model.nq, model.nv)
        self.functions = [law.function for law in laws]
        self._laws, self._signals, self._count = laws, signals, len(model.forces.signal_names)
        self._digest = digest
        self._stepper: Stepper | None = None
        self.address = self._compile_laws().address  # on a GPU `device_function` stands in its place

    def _total(self, **options: Any) -> Any:
        """f(t, q, v, tau, values), the laws one after the other."""
        calls = []
        for k, signals in enumerate(self._signals):
            parameters = "".join(f", values[{signal}]" for signal in signals)
            calls.append(f"    law_{k}(t, q, v, tau{parameters})\n")
        whose = hashlib.sha256(f"{self._digest} {self._signals}".encode()).hexdigest()[:24]
        name = f"laws_{whose}"  # the key of a program is made of it
        space = {
            f"law_{k}": numba.njit(error_model="numpy", **options)(python_of(law.function))
            for k, law in enumerate(self._laws)
        }
        exec(compile(f"def {name}(t, q, v, tau, values):\n{''.join(calls)}    return 0\n", f"<{name}>", "exec"), space)
        return numba.njit(error_model="numpy", **options)(space[name])

    @cached_property
    def device_function(self) -> Any:
        """The same for programs of a GPU, which have no memory for new arrays."""
        return self._total(_nrt=False)

    def _compile_laws(self) -> Any:
        nq, nv, ns, total = self.nq, self.nv, self._count, self._total()

        def call(t, q, v, tau, values):
            try:
                total(
                    t, numba.carray(q, (nq,)), numba.carray(v, (nv,)), numba.carray(tau, (nv,)),
                    numba.carray(values, (ns,)),
                )  # fmt: skip
            except Exception:
                return 1
            return 0

        self._keep = numba.cfunc(SIGNATURE, nopython=True)(call)
        return self._keep

    def stand(self, stepper: Stepper) -> None:
        """The machine that is explained next."""
        self._stepper = stepper

    def reproduce(self) -> BaseException:
        """The exception behind a USER_ERROR, as it comes where the machine stands."""
        if self._stepper is not None:
            try:
                self.values(self._stepper.time, self._stepper.q, self._stepper.v)
            except Exception as error:
                return error
        return RuntimeError("it failed within a step, and not when called again at the last good state")

    def values(self, t: float, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
        """What each law gives, by name, with the parameters of the machine that stands."""
        found, values = {}, np.zeros(self._count) if self._stepper is None else self._stepper.data.values
        for law, signals in zip(self._laws, self._signals):
            found[law.name] = tau = np.zeros(self.nv)
            python_of(law.function)(t, q.copy(), v.copy(), tau, *(values[signal] for signal in signals))
        return found


def _named(forces: object) -> Iterable[tuple[str, Callable]]:
    """Functions by name."""
    if forces is None:
        return []
    if isinstance(forces, Mapping):
        found = list(forces.items())
    else:
        several: list[Any] = list(forces) if isinstance(forces, Iterable) and not callable(forces) else [forces]
        found = [(getattr(function, "__name__", ""), function) for function in several]
    names = [name for name, _ in found]
    for name, function in found:
        if not callable(function):
            raise InputError(f"forces must be functions, not {function!r}")
        if not (isinstance(name, str) and name.isidentifier()):
            raise InputError(f"a law must have a name that Python would take, not {name!r}: give {{name: function}}")
        if names.count(name) > 1:
            raise InputError(f"two laws have the name {name!r}: give {{name: function}}")
    return found


def _law(name: str, function: Callable) -> Law:
    signature = inspect.signature(python_of(function))
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    names = tuple(signature.parameters)
    if len(names) < len(STATE) or not kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}:
        raise InputError(
            f"law {name!r} must be a function of t, q, v, tau and of parameters by name, not of {signature}: it "
            "adds to tau (nv,) in place"
        )
    defaults = {x.name: x.default for x in signature.parameters.values() if x.default is not inspect.Parameter.empty}
    if early := [own for own in names[: len(STATE)] if own in defaults]:
        raise InputError(f"law {name!r} is given {', '.join(STATE)} by the machine: {early[0]!r} has no default")
    return Law(name, function, names[len(STATE) :], defaults)


def _is_table(value: Any) -> bool:
    """Whether it is a list of pairs."""
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(isinstance(row, list | tuple) and len(row) == 2 for row in value)
    )
