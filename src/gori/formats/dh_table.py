"""A chain by Denavit-Hartenberg rows: which row sits on which link, and the numbers of all frames."""

from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from gori.formats.dh_rows import ChainBase, DHRow, Link, Sections
from gori.spec import GROUND, Part
from gori.spec.base import ReadOnly
from gori.spec.expression import closest


def is_number(name: str) -> bool:
    """Whether a link is numbered, not named."""
    return name.isascii() and name.isdigit()


def _by_name(value: Any) -> Any:
    """Rows by name. A list is numbered from 1, a number as a name becomes text, nothing becomes an empty row."""
    if isinstance(value, (list, tuple)):
        value = dict(enumerate(value, 1))
    if not isinstance(value, dict):
        return value
    rows: dict[str, Any] = {}
    for key, row in value.items():
        name = str(key)
        if name in rows:  # 1 and "1"
            raise PydanticCustomError("twice", "{name} is given twice", {"name": repr(name), "inside": name})
        rows[name] = {} if row is None else row
    return rows


def _or_list(schema: dict[str, Any]) -> None:
    whole = dict(schema)
    schema.clear()
    schema["anyOf"] = [whole, {"type": "array", "items": whole["additionalProperties"]}]


def _index_sets(value: Any) -> Any:
    if not isinstance(value, dict):
        raise PydanticCustomError("mu", "must give a list of frames for each link, such as {example}", {
            "example": "{0: [1], 1: [2, 3]}"})  # fmt: skip
    sets: dict[int, list[int]] = {}
    for link, frames in value.items():
        if (number := _whole(link)) in sets:
            raise PydanticCustomError("twice", "{link} is given twice", {"link": str(link), "inside": str(link)})
        sets[number] = [_whole(frame, link) for frame in _listed(frames)]
    return sets


def _listed(frames: Any) -> Any:
    return frames if isinstance(frames, (list, tuple, set)) else [frames]


def _whole(value: Any, link: Any = None) -> int:
    """A number of a link or frame; the keys of a file are text."""
    text = str(value)
    if isinstance(value, bool) or not is_number(text):
        inside = str(value if link is None else link)
        raise PydanticCustomError(
            "mu", "must hold numbers of frames, not {value}", {"value": repr(value), "inside": inside}
        )
    return int(text)


_T = TypeVar("_T")
_Rows = Annotated[dict[str, _T], BeforeValidator(_by_name), AfterValidator(ReadOnly)]
_NUMBERS = {"type": "array", "items": {"type": "integer", "minimum": 1}}
_IndexSets = Annotated[
    dict[int, tuple[int, ...]],
    BeforeValidator(_index_sets),
    AfterValidator(ReadOnly),
    WithJsonSchema({"type": "object", "additionalProperties": _NUMBERS}),
]


class Numbered(NamedTuple):
    """A frame of the chain: its place in the table, its name in the Spec, and its row."""

    place: str
    name: str
    row: DHRow


class DHTable(Part):
    """A chain by Denavit-Hartenberg rows."""

    convention: Literal["standard", "modified", "branched"] = Field(
        description="standard: Screw(z, theta, d) Screw(x, alpha, a), the joint axis is z of the previous frame; "
        "modified (Craig): Screw(x, alpha, a) Screw(z, theta, d); branched: Screw(z, psi, c) before the modified two"
    )
    base: ChainBase = Field(ChainBase.model_validate({}), description="frame of link 0; default: the ground")
    links: _Rows[Link] = Field(
        description="links 1, 2, ... or by name; by default each is attached to the previous one",
        json_schema_extra=_or_list,
    )
    cuts: _Rows[Sections] = Field(
        default_factory=ReadOnly, description="cut sections, C and R each on a link", json_schema_extra=_or_list
    )
    effectors: _Rows[DHRow] = Field(
        default_factory=ReadOnly,
        description="end effectors; by default each is attached to the last link",
        json_schema_extra=_or_list,
    )
    mu: _IndexSets | None = Field(
        None,
        description="index sets, instead of `on`: for each link the numbers of the frames on it. Links are 1, 2, ...; "
        "then come all C, all R, and the end effectors",
    )

    @model_validator(mode="after")
    def _consistent(self):
        for group in ("links", "cuts", "effectors"):
            _check_numbers(group, getattr(self, group))
        if GROUND in self.links:
            _refuse(f"links.{GROUND}", f"{GROUND!r} is the base, link 0: it is not listed among the links")
        if self.convention != "branched":
            for frame in self.frames():
                for name in ("psi", "psi_deg", "c"):
                    if getattr(frame.row, name) is not None:
                        _refuse(f"{frame.place}.{name}", f"{name} is for convention branched, not {self.convention}")
        self._check_rings(self.carriers())
        return self

    def frames(self) -> list[Numbered]:
        """All frames in the order of their numbers, frame 1 first: links, sections C, sections R, end effectors."""
        links, cuts, effectors = (_ordered(group) for group in (self.links, self.cuts, self.effectors))
        found = [Numbered(f"links.{key}", f"L{key}" if is_number(key) else key, self.links[key]) for key in links]
        for side in ("C", "R"):
            found += [Numbered(f"cuts.{key}.{side}", lettered(side, key), getattr(self.cuts[key], side))
                      for key in cuts]  # fmt: skip
        found += [Numbered(f"effectors.{key}", f"E{key}" if is_number(key) else key, self.effectors[key])
                  for key in effectors]  # fmt: skip
        return found

    def carriers(self) -> list[int]:
        """Number of the link that each frame sits on, in the order of `frames`; 0 is the base."""
        frames = self.frames()
        return self._by_rows(frames) if self.mu is None else self._by_sets(frames, self.mu)

    def _by_rows(self, frames: list[Numbered]) -> list[int]:
        last = len(self.links)
        number = {"0": 0, GROUND: 0} | {key: k for k, key in enumerate(_ordered(self.links), 1)}
        found = []
        for k, frame in enumerate(frames):
            on = frame.row.on
            if on is not None and on not in number:
                hint = closest(on, number) or f"; links are {_few(list(number)[2:])}, and 0 is the base"
                _refuse(f"{frame.place}.on", f"{on!r} is not a link{hint}")
            if on is None and last <= k < last + 2 * len(self.cuts):
                _refuse(f"{frame.place}.on", "'on' is missing: give the link of the section")
            found.append(number[on] if on is not None else min(k, last))
        return found

    def _by_sets(self, frames: list[Numbered], mu: dict[int, tuple[int, ...]]) -> list[int]:
        last, total = len(self.links), len(frames)
        found: dict[int, int] = {}
        for link, numbers in mu.items():
            if link > last:
                _refuse(f"mu.{link}", f"{link} is not a link: the links are 0 (the base) to {last}")
            for number in numbers:
                if not 1 <= number <= total:
                    _refuse(f"mu.{link}", f"{number} is not a frame: the frames are 1 to {total}, {self._counts()}")
                if number in found:
                    _refuse(f"mu.{link}", f"frame {number} is already attached to link {found[number]}")
                found[number] = link
        for number, frame in enumerate(frames, 1):
            if frame.row.on is not None:
                _refuse(f"{frame.place}.on", "give mu or on, not both")
            if number not in found:
                _refuse("mu", f"frame {number} ({frame.place}) is in no index set")
        return [found[number] for number in range(1, total + 1)]

    def _counts(self) -> str:
        return f"{len(self.links)} links, {len(self.cuts)} C, {len(self.cuts)} R, {len(self.effectors)} effectors"

    def _check_rings(self, carriers: list[int]) -> None:
        names = ["0", *_ordered(self.links)]
        settled = {0}
        for link in range(1, len(names)):
            path: list[int] = []
            while link not in settled:
                if link in path:
                    ring = " <- ".join(names[k] for k in [*path[path.index(link) :], link])
                    place = f"links.{names[link]}.on" if self.mu is None else f"mu.{carriers[link - 1]}"
                    _refuse(place, f"the links {ring} form a cycle that is not connected to link 0: cut one")
                path.append(link)
                link = carriers[link - 1]
            settled.update(path)


def lettered(letter: str, key: str) -> str:
    """A name in the Spec: J3 of 3, J_arm of arm."""
    return f"{letter}{key}" if is_number(key) else f"{letter}_{key}"


def _refuse(at: str, message: str) -> None:
    raise PydanticCustomError("spec", "{message}", {"message": message, "at": at})


def _ordered(rows: dict[str, Any]) -> list[str]:
    """Keys in the order of their numbers, or as they stand."""
    return sorted(rows, key=int) if all(is_number(key) for key in rows) else list(rows)


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) < 8 else f"{names[0]} to {names[-1]}"


def _check_numbers(group: str, rows: dict[str, Any]) -> None:
    numbers = [key for key in rows if is_number(key)]
    if not numbers:
        return
    for key in rows:
        if not is_number(key):
            _refuse(f"{group}.{key}", f"{key!r} is a name and {numbers[0]} a number: number all of them, or none")
    for expected, key in enumerate(sorted(numbers, key=int), 1):
        if key != str(expected):
            _refuse(f"{group}.{key}", f"numbers must run from 1 without gaps; {expected} is missing, {key} is given")
