"""A Spec as YAML: reading with the line of each mistake, and writing."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import yaml

from gori.door import DEEPEST, is_file, resolved
from gori.errors import FileError, InputError, SpecError
from gori.formats.arrays import LargeArrays, as_reference, as_text, numbers_of, with_arrays
from gori.formats.dh import Chain, DHTable, Origins, merge
from gori.formats.library import fetch
from gori.formats.parts import TEMPLATE, expanded, merged, set_in_parts
from gori.formats.use import changed, holds
from gori.spec import Joint, Mesh, Part, Run, Spec
from gori.spec.body import impossible_inertia
from gori.spec.explain import Problem, warn
from gori.spec.spec import GROUPS
from gori.spec.vehicle.tyre import TYRES
from gori.text.arguments import is_one_of, path_of
from gori.text.whole import write_whole
from gori.text.yaml import RESOLVERS, TAG, VERSION, Place, parse, read_text
from gori.vehicle import terrain_of

SUFFIXES = (".yaml", ".yml")


def read_yaml(
    path: str | os.PathLike | None,
    text: str | None = None,
    strict: bool = False,
    set: Mapping[str, Any] | None = None,
    arrays: Sequence[np.ndarray] | None = None,
) -> Spec:
    """The Spec in a YAML file, and in the file that it uses.

    text     what the file holds, if it is not to be read; then `path` only names it and says where other files are
    strict   refuse what is otherwise only warned of, and inertia that no body can have
    set      {dotted name: value}: as `Spec.set`, and values in the templates of parts: {"truck.payload.mass": 600}
    arrays   that the text refers to (`write_yaml`)
    """
    changes = dict(set or {})
    spec = _read(path, text, strict, (), changes, arrays)
    return spec.set(changes) if changes else spec


def _read(
    path: str | os.PathLike | None,
    text: str | None,
    strict: bool,
    users: tuple[Path, ...],
    changes: dict[str, Any],
    arrays: Sequence[np.ndarray] | None = None,
) -> Spec:
    """`users` are the files that use this one. What of the changes belongs to parts is done, and taken out."""
    data, places = parse(read_text(path) if text is None else text, path)
    if arrays is not None:
        data = with_arrays(data, arrays, path)
    _refuse_part(data, path)
    used = _used(data, path, places, strict, users)
    before, known = used.model_dump(exclude_unset=True), used.warnings()
    _fill_empty(data)
    origins, parts = Origins(), {}
    try:
        fetch(data, path, _folder(path), places)
        for name in [name for name in changes if set_in_parts(data.get("parts"), name, changes[name])]:
            del changes[name]
        parts = _parts(data, before, path, places)
        before = changed(before, merged(parts))
        if "dh" in data:
            data, origins = merge(_chain(data.pop("dh"), places), data, before)
        data = changed(before, data)
        _anchor_files(data, _folder(path))
        spec = Spec.model_validate(data)
    except FileError:
        raise
    except SpecError as error:
        raise _at_their_lines(origins.traced(error.problems), path, places, before, parts) from None
    warnings = [warning for warning in spec.warnings() if warning not in known]
    if problems := _missing_files(spec) + (warnings + _unphysical(spec) if strict else []):
        raise _at_their_lines(origins.traced(problems), path, places, before, parts)
    for at, message in origins.traced(warnings):
        warn(str(FileError(f"{at}: {message}", path, places.find(at)[1])))
    return spec


def _folder(path: str | os.PathLike | None) -> Path:
    """What the names of other files in this one are relative to."""
    return Path.cwd() if path is None else resolved(path).parent


def _used(data: dict[str, Any], path: Any, places: Place, strict: bool, users: tuple[Path, ...]) -> Spec:
    """Takes `use` out of the data: the Spec of the file that it names, or an empty one."""
    if "use" not in data:
        return Spec()
    name, line = data.pop("use"), places.find("use")[1]
    if not isinstance(name, str) or not name:
        raise FileError(f"use: must be the name of a file, not {name!r}", path, line)
    try:
        file = Path(os.path.normpath(_folder(path) / path_of(name)))
    except InputError as error:
        raise FileError(f"use: {error}", path, line) from None
    users = users if path is None else (*users, resolved(path))
    if (ring := resolved(file)) in users:
        names = " -> ".join(user.name for user in (*users[users.index(ring) :], ring))
        raise FileError(f"use: files use each other in a cycle: {names}", path, line)
    if len(users) > DEEPEST:
        raise FileError(f"use: files use each other more than {DEEPEST} deep", path, line)
    from gori.formats import load  # here, since it knows this reader

    try:
        return _read(file, None, strict, users, {}) if file.suffix.lower() in SUFFIXES else load(file, strict=strict)
    except FileError as error:
        if error.line is None:  # there is none, or not one that can be read: the mistake is here
            raise FileError(f"use: {error}", path, line) from None
        raise


def read_dh(path: str | os.PathLike) -> Chain:
    """The chain in the `dh` section of a YAML file, with its index sets; `load` gives the Spec that it makes."""
    data, places = parse(read_text(path), path)
    if "dh" not in data:
        raise FileError("contains no Denavit-Hartenberg chain: it has no key 'dh'", path)
    try:
        return _chain(data["dh"], places)
    except SpecError as error:
        raise _at_their_lines(error.problems, path, places, {}) from None


def _chain(rows: Any, places: Place) -> Chain:
    """The chain of a `dh` section. Its lists are numbered from 1, and so are their places."""
    for group in ("links", "cuts", "effectors"):
        if isinstance(_get(rows, group), list):
            lines = places.inside["dh"].inside[group]
            lines.inside = {str(k): place for k, place in enumerate(lines.inside.values(), 1)}
    try:
        return Chain(DHTable.model_validate(rows))
    except SpecError as error:
        error.problems = tuple((f"dh.{at}".rstrip("."), message) for at, message in error.problems)
        raise


def _parts(data: dict[str, Any], before: dict[str, Any], path: Any, places: Place) -> dict[str, dict[str, Any]]:
    """Takes `parts` out of the data: {part: plain data}. They start on the terrain, a level plane if there is none."""
    if (parts := data.pop("parts", None)) is None:
        return {}
    if not data.get("terrain"):
        data["terrain"] = before.get("terrain") or {}
    made = expanded(parts, terrain_of(data["terrain"]), path, _folder(path), places)
    for part in made.values():  # a hull that touches the ground gives it a material, if it has none
        if (ground := part.pop("terrain", None)) is not None:
            data["terrain"] = dict(data["terrain"]) | ground
    return made


def _refuse_part(data: dict[str, Any], path: Any) -> None:
    """A file that holds something which a description can only use."""
    if len(found := [name for name in TEMPLATE if name in data and name not in GROUPS]) >= 2:
        what, cure = f"the template of a vehicle ({', '.join(found)})", "parts: {truck: {use: NAME}}"
    elif "lower_arm" in data:
        what, cure = "an axle of a vehicle", "parts: {truck: {use: hmmwv, set: {front: NAME}}}"
    elif is_one_of(data.get("type"), TYRES):
        what, cure = "a tyre", "parts: {truck: {use: hmmwv, set: {wheel.tyre: NAME}}}"
    elif data.get("type") in ("exponential", "bekker"):
        what, cure = "a soil", "terrain: {soft: {soil: NAME, size: [60, 6]}}"
    elif "engine" in data and "gearbox" in data:
        what, cure = "a drive train", "parts: {truck: {use: hmmwv, set: {drivetrain: NAME}}}"
    else:
        return
    name = "it.yaml" if path is None else Path(path).name
    raise FileError(f"holds {what}, not a machine: write '{cure.replace('NAME', name)}' in one", path)


def _at_their_lines(
    problems: Iterable[Problem],
    path: Any,
    places: Place,
    before: dict[str, Any],
    parts: Mapping[str, dict[str, Any]] = MappingProxyType({}),
) -> FileError:
    found = []
    for at, message in problems:
        known, line = places.find(at)
        line = line if known else places.find("use")[1]
        owner = next((name for name, part in parts.items() if holds(part, at)), None)
        if known < len(at) and owner is not None:
            message += f" (in the part {owner!r})"
            line = line if "." in at[:known] else places.find(f"parts.{owner}")[1]
        elif known < len(at) and holds(before, at):
            message += " (from the used file)"
        found.append((line, f"{at}: {message}"))
    first, *rest = sorted(found)
    reason = "\n".join([first[1], *(f"line {line}: {message}" for line, message in rest)])
    return FileError(reason, path, first[0])


def _missing_files(spec: Spec) -> list[Problem]:
    """Meshes that will be read for their volume or as walls, and places of particles, that are not there."""
    meshes = [
        (f"bodies.{body}.shapes.{name}.file", f"there is no mesh {shape.file!r}")
        for body, part in spec.bodies.items()
        for name, shape in part.shapes.items()
        if isinstance(shape, Mesh) and (shape.heavy or shape.material) and not is_file(shape.file)
    ]
    return meshes + [
        (f"particles.{name}.positions", f"there is no file {part.positions!r}")
        for name, part in spec.particles.items()
        if isinstance(part.positions, str) and not is_file(part.positions)
    ]


def _unphysical(spec: Spec) -> list[Problem]:
    words = "is rejected in strict mode"
    return [
        (f"bodies.{name}.unphysical", f"{words}: {impossible_inertia(*body.inertial()) or 'omit it'}")
        for name, body in spec.bodies.items()
        if body.unphysical
    ]


def _files(data: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """All that names a file in a description that may still be malformed, with the key: meshes, places of particles."""
    for body in _values(_get(data, "bodies")):
        for shape in _values(_get(body, "shapes")):
            if _get(shape, "type") == "mesh" and isinstance(_get(shape, "file"), str):
                yield shape, "file"
    for particles in _values(_get(data, "particles")):
        if isinstance(_get(particles, "positions"), str):
            yield particles, "positions"


def _get(data: Any, key: str) -> Any:
    return data.get(key) if isinstance(data, dict) else None


def _values(data: Any) -> list:
    return list(data.values()) if isinstance(data, dict) else []


def _fill_empty(data: dict[str, Any]) -> None:
    """A section or a part with nothing under it is empty."""
    _fill(data, (*GROUPS, "parts", "terrain"))
    for group in GROUPS:
        _fill(data.get(group))
    for body in _values(data.get("bodies")):
        _fill(body, ("shapes",))
        _fill(_get(body, "shapes"))


def _fill(data: Any, keys: Iterable[str] | None = None) -> None:
    """{} for null under these keys, or under all."""
    if isinstance(data, dict):
        data |= {key: {} for key in (data if keys is None else keys) if key in data and data[key] is None}


def _anchor_files(data: dict[str, Any], folder: Path) -> None:
    for part, key in _files(data):
        part[key] = os.path.normpath(folder / part[key])


class _Dumper(yaml.SafeDumper):
    """Quotes what either YAML 1.1 or 1.2 would not read as text, so that both read the file alike."""

    yaml_implicit_resolvers = yaml.SafeDumper.yaml_implicit_resolvers | {None: RESOLVERS}

    def ignore_aliases(self, data):
        return True


_Dumper.add_representer(tuple, lambda dumper, value: dumper.represent_sequence(TAG + "seq", value, flow_style=True))


def write_yaml(spec: Spec, path: str | os.PathLike | None = None, arrays: list[np.ndarray] | None = None) -> str:
    """The Spec as YAML text, only what was set in it; also written to `path`, with files relative to its folder.

    arrays   large arrays are added to this list, and the text refers to them; default: they are part of the text
    """
    large, text = LargeArrays(), None
    while text is None:
        data = {"gori": VERSION} | _plain(spec, large)
        if path is not None:
            folder = path_of(path).resolve().parent
            for part, key in _files(data):
                if os.path.isabs(part[key]) and os.path.splitdrive(part[key])[0] == folder.drive:
                    part[key] = Path(os.path.relpath(part[key], folder)).as_posix()
        marked = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=math.inf)
        text = large.put_back(marked, as_text if arrays is None else as_reference)
        if text is None:
            large = large.again()
    if arrays is not None:
        arrays += large.found
    if path is not None:
        write_whole(path, text)
    return text


def _plain(value: Any, large: LargeArrays, alone: bool = False) -> Any:
    """Plain data of a part, less large arrays; alone: a list of one stands for what it holds."""
    if isinstance(value, Part):
        alone = isinstance(value, (Joint, Run))
        names = [name for name in type(value).model_fields if name in value.model_fields_set]
        lead = ("type", "body", "parent", "child")
        names.sort(key=lambda name: lead.index(name) if name in lead else len(lead))
        return {name: _plain(getattr(value, name), large, alone) for name in names}
    if isinstance(value, dict):
        return {name: _plain(part, large) for name, part in value.items()}
    if isinstance(value, tuple) and len(value) == 1 and alone:  # one number for all coordinates
        return value[0]
    if isinstance(value, tuple):
        array = numbers_of(value)
        return tuple(_plain(item, large) for item in value) if array is None else large.take(array)
    return value
