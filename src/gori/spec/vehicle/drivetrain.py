"""A drive train: engine, converter, automatic gearbox, transfer case, differentials and hubs.

Speeds of engine and gearbox are in revolutions a minute, as data sheets give them, in fields that end in `_rpm`.
"""

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import NonNegative, Number, Part, Positive, a_sequence


def _refuse(words: str, inside: str | None = None) -> PydanticCustomError:
    context: dict[str, Any] = {"words": words.replace("{", "(").replace("}", ")")}
    return PydanticCustomError("drivetrain", "{words}", context | ({} if inside is None else {"inside": inside}))


def _rising(values: tuple[float, ...]) -> tuple[float, ...]:
    if len(values) < 2:
        raise _refuse(f"needs at least 2 numbers, has {len(values)}")
    for k in range(1, len(values)):
        if values[k] <= values[k - 1]:
            raise _refuse(f"must increase: {values[k]:g} follows {values[k - 1]:g}", str(k))
    return values


def _schedule(rows: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    _rising(tuple(row[0] for row in rows))
    for k, (throttle, speed) in enumerate(rows):
        if not 0.0 <= throttle <= 1.0:
            raise _refuse(f"throttle must be from 0 to 1, is {throttle:g}", str(k))
        if speed <= 0.0:
            raise _refuse(f"speed must be positive, is {speed:g}", str(k))
    return rows


def _an_efficiency(value: float) -> float:
    if not 0.5 <= value <= 1.0:
        raise _refuse(f"must be from 0.5 to 1, is {value:g}")
    return value


Numbers = Annotated[tuple[Number, ...], BeforeValidator(a_sequence)]
Rising = Annotated[tuple[Number, ...], BeforeValidator(a_sequence), AfterValidator(_rising)]
Schedule = Annotated[tuple[tuple[Number, Number], ...], BeforeValidator(a_sequence), AfterValidator(_schedule)]
Efficiency = Annotated[Number, AfterValidator(_an_efficiency)]
Lock = Literal["open", "locked"]


class Engine(Part):
    """Torque over speed and throttle, linear between the points; two governors move the throttle."""

    speed_rpm: Rising = Field(description="speeds of the map [rev/min]")
    throttle: Rising = Field(description="throttles of the map, from 0 to 1")
    torque: Annotated[tuple[Numbers, ...], BeforeValidator(a_sequence)] = Field(
        description="a row for each throttle, a number for each speed [N m]; at throttle 0 the engine is motored"
    )
    inertia: Positive = Field(description="of crankshaft, flywheel and pump [kg m2]")
    idle_rpm: Positive = Field(description="set speed of the idle governor [rev/min]")
    idle_band_rpm: Positive = Field(100.0, description="band of the idle governor [rev/min]")
    lowest_rpm: Positive | None = Field(
        None, description="lower limit of the engine speed [rev/min]; default: 0.8 of idle"
    )
    governed_rpm: Positive = Field(description="speed up to which full throttle is available [rev/min]")
    cutoff_rpm: Positive = Field(description="fuel cut-off speed [rev/min]")
    lag: NonNegative = Field(0.0, description="throttle time constant [s]")

    @model_validator(mode="after")
    def _whole_map(self):
        n, m = len(self.speed_rpm), len(self.throttle)
        if self.throttle[0] != 0.0 or self.throttle[-1] != 1.0:
            raise _refuse(f"goes from {self.throttle[0]:g} to {self.throttle[-1]:g}, must be 0 to 1", "throttle")
        if len(self.torque) != m:
            raise _refuse(f"needs a row for each of the {m} throttles, has {len(self.torque)}", "torque")
        for j, row in enumerate(self.torque):
            if len(row) != n:
                raise _refuse(f"needs a number for each of the {n} speeds, has {len(row)}", f"torque.{j}")
            if j and any(now < before for now, before in zip(row, self.torque[j - 1])):
                raise _refuse("torque falls with more throttle", f"torque.{j}")
        if max(self.torque[0]) > 0.0:
            raise _refuse("torque at zero throttle must not be positive", "torque.0")
        if not self.slowest_rpm < self.idle_rpm < self.governed_rpm < self.cutoff_rpm:
            raise _refuse("must be lowest_rpm < idle_rpm < governed_rpm < cutoff_rpm")
        if self.speed_rpm[0] > self.slowest_rpm or self.speed_rpm[-1] < self.cutoff_rpm:
            first, last = self.speed_rpm[0], self.speed_rpm[-1]
            words = f"the map holds {first:g} to {last:g}, the engine runs from {self.slowest_rpm:g}"
            raise _refuse(f"{words} to {self.cutoff_rpm:g}", "speed_rpm")
        return self

    @property
    def slowest_rpm(self) -> float:
        """Never slower than this [rev/min]."""
        return 0.8 * self.idle_rpm if self.lowest_rpm is None else self.lowest_rpm


class Converter(Part):
    """A torque converter: T_in = (pump speed / K)^2, T_out = TR T_in. At sr = 1 it passes nothing on."""

    speed_ratio: Rising = Field(description="turbine speed / pump speed, from 0 to below 1")
    torque_ratio: Numbers = Field(description="turbine torque / pump torque, for each speed ratio")
    capacity: Numbers = Field(description="K [(rad/s)/sqrt(N m)], for each speed ratio")
    inertia: Positive = Field(description="of turbine and input of the gearbox [kg m2]")

    @model_validator(mode="after")
    def _passive(self):
        sr = self.speed_ratio
        if sr[0] != 0.0 or sr[-1] >= 1.0:
            raise _refuse(f"goes from {sr[0]:g} to {sr[-1]:g}, must be 0 to below 1", "speed_ratio")
        for name in ("torque_ratio", "capacity"):
            values = getattr(self, name)
            if len(values) != len(sr):
                raise _refuse(f"needs a number for each of the {len(sr)} speed ratios, has {len(values)}", name)
            if min(values) <= 0.0:
                raise _refuse(f"must be positive, is {min(values):g}", name)
        for k, (ratio, TR) in enumerate(zip(sr, self.torque_ratio)):
            if ratio * TR > 1.0:
                raise _refuse(f"{TR:g} at speed ratio {ratio:g} implies an efficiency above 1", f"torque_ratio.{k}")
        return self


class Gearbox(Part):
    """An automatic gearbox. Its schedule gives the turbine's speed at which it shifts, over the throttle."""

    ratios: Numbers = Field(description="of the forward gears, input speed / output speed, from the lowest gear on")
    reverse: Number = Field(description="of reverse; negative")
    efficiency: Efficiency = 1.0
    up: Schedule = Field(description="[[throttle, turbine speed in rev/min], ...]: upshift line")
    down: Schedule = Field(description="downshift line, likewise")
    shift_time: Positive = Field(description="from release to fully engaged [s]")
    release: Positive = Field(description="release phase [s]")
    dwell: NonNegative = Field(description="minimum time between automatic shifts [s]")
    clutch: Positive = Field(description="clutch capacity, at the turbine [N m]")

    @model_validator(mode="after")
    def _in_order(self):
        if not self.ratios:
            raise _refuse("needs at least one gear", "ratios")
        if len(self.ratios) > 9:
            raise _refuse(f"at most 9 gears, not {len(self.ratios)}", "ratios")
        for k, ratio in enumerate(self.ratios):
            if ratio <= 0.0 or (k and ratio >= self.ratios[k - 1]):
                raise _refuse("must be positive and fall from gear to gear", f"ratios.{k}")
        if self.reverse >= 0.0:
            raise _refuse(f"must be negative, is {self.reverse:g}", "reverse")
        if self.release >= self.shift_time:
            raise _refuse(f"must be shorter than shift_time, {self.shift_time:g} s", "release")
        self._refuse_hunting()
        return self

    def _refuse_hunting(self) -> None:
        """After a shift up the turbine is slower: that must not be slow enough to shift down again."""
        drop = min((after / before for before, after in pairwise(self.ratios)), default=1.0)
        for throttle in sorted({row[0] for row in (*self.up, *self.down)}):
            up, down = _at(self.up, throttle), _at(self.down, throttle)
            if len(self.ratios) > 1 and down >= drop * up:
                raise _refuse(
                    f"at throttle {throttle:g} it shifts up at {up:g} rev/min, which leaves {drop * up:.0f}, "
                    f"and down below {down:g}: it would hunt",
                    "down",
                )


def _at(rows: tuple[tuple[float, float], ...], x: float) -> float:
    """A table at x; ends held."""
    if x <= rows[0][0]:
        return rows[0][1]
    for (x0, y0), (x1, y1) in pairwise(rows):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return rows[-1][1]


class Transfer(Part):
    """A transfer case with two ranges. It changes range in neutral and at low speed only."""

    high: Positive = Field(description="ratio, input speed / output speed")
    low: Positive = Field(description="ratio")
    efficiency: Efficiency = 1.0
    centre: Lock = Field("open", description="differential between the axles, in high")
    centre_in_low: Lock = Field("locked", description="likewise in low")
    change_speed: Positive = Field(1.0, description="largest wheel speed for changes of range and direction [rad/s]")
    inertia: NonNegative = Field(0.0, description="of all shafts to the axle differentials, at their speed [kg m2]")


class Axle(Part):
    """Differential, half shafts and geared hubs of one axle."""

    share: NonNegative = Field(description="share of the torque of an open centre differential; 0: not driven")
    differential: Lock = "open"


class DriveTrain(Part):
    """From the throttle to the wheels."""

    engine: Engine
    converter: Converter
    gearbox: Gearbox
    transfer: Transfer
    axles: Annotated[tuple[Axle, ...], BeforeValidator(a_sequence)] = Field(description="from the front")
    final_ratio: Positive = Field(description="of the axle differentials")
    final_efficiency: Efficiency = 1.0
    hub_ratio: Positive = Field(1.0, description="of the geared hubs")
    hub_efficiency: Efficiency = 1.0
    half_shaft_inertia: NonNegative = Field(0.0, description="of each half shaft, before the hub [kg m2]")
    wheels: tuple[str, ...] = Field((), description="names of the wheels: left and right of each axle, from the front")
    chassis: str | None = Field(None, description="body that engine and gearbox are mounted on")
    source: str = Field("", description="source of the data, and which values are assumptions")

    @model_validator(mode="after")
    def _fits(self):
        if not self.axles:
            raise _refuse("needs at least one axle", "axles")
        total = sum(axle.share for axle in self.axles)
        if abs(total - 1.0) > 1e-9:
            raise _refuse(f"the shares of the axles must sum up to 1, not {total:g}", "axles")
        if self.wheels and len(self.wheels) != 2 * len(self.axles):
            words = f"needs left and right wheel of each of the {len(self.axles)} axles"
            raise _refuse(f"{words}: {2 * len(self.axles)} names, has {len(self.wheels)}", "wheels")
        return self

    def overall_ratio(self, gear: int, low: bool = False) -> float:
        """Turbine speed over mean wheel speed in a gear (-1, 1, 2, ..)."""
        ratio = self.gearbox.reverse if gear < 0 else self.gearbox.ratios[gear - 1]
        return ratio * (self.transfer.low if low else self.transfer.high) * self.final_ratio * self.hub_ratio
