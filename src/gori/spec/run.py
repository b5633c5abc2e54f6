"""How long to run, by which method, what to watch for and what to show."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import Named, Number, Part, Positive, ReadOnly
from gori.spec.expression import parse
from gori.spec.subsystem import SubsystemSettings


def _a_value(text: str) -> str:
    try:
        parse(text)
    except ValueError as error:
        raise PydanticCustomError("expression", "{words}", {"words": str(error)}) from None
    return text


def _or_text(schema: dict[str, Any]) -> None:
    whole = dict(schema)
    schema.clear()
    schema["anyOf"] = [{"type": "string"}, whole]


class RunEvent(Part):
    """A zero crossing to note, or to stop at. An expression alone stands for {value: expression}."""

    model_config = ConfigDict(json_schema_extra=_or_text)

    value: Annotated[str, AfterValidator(_a_value)] = Field(
        description="expression whose zero crossing is the event, such as A.q - 0.1"
    )
    when: Literal["falling", "rising", "both"] = "both"
    action: Literal["record", "stop"] = "record"

    @model_validator(mode="before")
    @classmethod
    def _expression_alone(cls, data: Any) -> Any:
        return {"value": data} if isinstance(data, str) else data


def _a_method(value: Any) -> Any:
    if not isinstance(value, dict):
        raise PydanticCustomError("method", "must be a mapping, such as {example}", {"example": _example(value)})
    if not isinstance(value.get("type"), str):
        raise PydanticCustomError("method", "'type' is missing: write {example}", {"example": _example("rk4")})
    return ReadOnly(value)


def _example(kind: Any) -> str:
    return f"{{type: {kind if isinstance(kind, str) else 'rk4'}}}"


def _texts(value: Any) -> Any:
    """One channel alone is a list of one."""
    if not isinstance(value, (str, list, tuple)):
        raise PydanticCustomError("channels", "must be a list of channels, not {value}", {"value": repr(value)})
    return [value] if isinstance(value, str) else value


def _lists(value: Any) -> Any:
    """One plot alone is a list of one; that is also how a single plot is written."""
    value = _texts(value)
    flat = isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(item, str) for item in value)
    return [value] if flat else value


def _a_speed(value: Any) -> Any:
    if not isinstance(value, (dict, int, float)) or isinstance(value, bool):
        raise PydanticCustomError("speed", "must be a number, or {example}", {"example": "{truck: 10, lead: 12}"})
    return value


_SPEEDS = {"anyOf": [{"type": "number"}, {"type": "object", "additionalProperties": {"type": "number"}}]}
_TEXTS = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_TYPED = {"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]}
_Method = Annotated[
    dict[str, Any],
    BeforeValidator(_a_method),
    AfterValidator(ReadOnly),
    WithJsonSchema(_TYPED),
]


def _a_solver(value: Any) -> Any:
    if isinstance(value, str):
        return ReadOnly(type=value)
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        example = {"example": "{type: partition}"}
        raise PydanticCustomError("loops", "must be a name, such as partition, or {example}", example)
    return ReadOnly(value)


_Solver = Annotated[
    dict[str, Any],
    BeforeValidator(_a_solver),
    AfterValidator(ReadOnly),
    WithJsonSchema({"anyOf": [{"type": "string"}, _TYPED]}),
]


def _some_impacts(value: Any) -> Any:
    if value is True:
        return ReadOnly()
    if not isinstance(value, dict):
        raise PydanticCustomError(
            "impacts", "must be true, or settings such as {{law: stronge}}, not {value}", {"value": repr(value)}
        )
    return ReadOnly(value)


_Impacts = Annotated[
    dict[str, Any],
    BeforeValidator(_some_impacts),
    AfterValidator(ReadOnly),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "object"}]}),
]
_Channels = Annotated[tuple[str, ...], BeforeValidator(_texts), WithJsonSchema(_TEXTS)]
_Plots = Annotated[tuple[_Channels, ...], BeforeValidator(_lists), WithJsonSchema({"type": "array", "items": _TEXTS})]


_Speed = Annotated[Number | Named[Number], BeforeValidator(_a_speed), WithJsonSchema(_SPEEDS)]


class Run(Part):
    """A run in time. Channels are those of a Recording, and may hold wildcards: `wheel_*.q`."""

    duration: Positive = Field(description="[s]")
    method: _Method = Field(
        default_factory=lambda: ReadOnly(type="rk4"),
        description="method of integration and its parameters: {type: rk4, step: 1e-3}",
    )
    loops: _Solver | None = Field(
        None,
        description="loop solver of explicit methods: multipliers, partition, frozen_explicit or real_time; "
        "{type: partition, independent: [A]}",
    )
    impacts: _Impacts | None = Field(
        None,
        description="rigid impacts at exact times instead of contact by forces: true, or settings such as "
        "{law: stronge, order: sequential}",
    )
    start: Literal["spec", "equilibrium"] = Field(
        "spec", description="spec: initial values of the joints; equilibrium: vehicles at rest on their wheels"
    )
    speed: _Speed | None = Field(
        None, description="with start: equilibrium, initial speed [m/s]; for all vehicles, or {truck: 10}"
    )
    subsystems: Named[SubsystemSettings] = Field(
        default_factory=ReadOnly, description="step and device of drive trains and particle groups, by name"
    )
    sample: Positive | None = Field(None, description="sample interval [s]; default: a thousandth of the duration")
    events: Named[RunEvent] = Field(default_factory=ReadOnly, description="events by name")
    record: _Channels = Field(("*.q",), description="channels for tables and plots; states are always recorded")
    plots: _Plots = Field((), description="channels of each plot; default: those of record")

    @model_validator(mode="after")
    def _rolls_from_rest(self):
        if self.speed is not None and self.start != "equilibrium":
            raise PydanticCustomError("run", "needs start: equilibrium", {"inside": "speed"})
        return self
