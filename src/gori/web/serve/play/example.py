"""What an example of the playground is: parameters with ranges, and a function that computes its motion."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gori.errors import InputError
from gori.record import Recording


@dataclass(frozen=True)
class Parameter:
    """A slider."""

    name: str
    label: str
    low: float
    high: float
    value: float
    unit: str = ""

    def entry(self, value: float) -> dict[str, Any]:
        """As a scene has it."""
        words = {"name": self.name, "label": self.label, "unit": self.unit}
        return {**words, "low": self.low, "high": self.high, "value": value}


@dataclass(frozen=True)
class Example:
    """A machine with parameters.

    compute    values by name -> the Recording of its motion
    channels   that charts show at first;  trails: bodies and frames whose paths are drawn
    slow       whether it takes seconds
    """

    name: str
    title: str
    about: str
    parameters: tuple[Parameter, ...]
    compute: Callable[[Mapping[str, float]], Recording]
    channels: tuple[str, ...]
    trails: tuple[str, ...] = ()
    slow: bool = False

    def values(self, given: Mapping[str, float] | None = None) -> dict[str, float]:
        """All values, those that are given within their ranges."""
        found = {parameter.name: parameter.value for parameter in self.parameters}
        for name, value in (given or {}).items():
            if name not in found:
                raise InputError(f"{self.title} has no parameter {name!r}; it has {', '.join(found)}")
            limits = next(parameter for parameter in self.parameters if parameter.name == name)
            found[name] = min(max(float(value), limits.low), limits.high)
        return found
