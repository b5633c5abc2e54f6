"""A Spec as YAML: strict reading, with the line of each mistake, and writing."""

import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from gori.errors import FileError, SpecError
from gori.spec import Mesh, Part, Spec
from gori.spec.body import impossible_inertia
from gori.spec.explain import Problem, warn
from gori.spec.spec import GROUPS

VERSION = 1
_TAG = "tag:yaml.org,2002:"

# plain scalars that are not text, in the core schema of YAML 1.2 (section 10.3.2): 1e-3 is a number, `on` is text
_CORE = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
}
_RESOLVERS = [(_TAG + name, re.compile(f"(?:{pattern})\\Z")) for name, pattern in _CORE.items()]


class _Refused(Exception):
    """Something that the format does not take, and where it stands."""

    def __init__(self, reason: str, mark: yaml.Mark):
        self.reason, self.line = reason, mark.line + 1


class _Loader(yaml.SafeLoader):
    """Nodes with YAML 1.2 scalars, without anchors, aliases and tags."""

    yaml_implicit_resolvers = {None: _RESOLVERS}

    def compose_node(self, parent, index):
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise _Refused("anchors (&) and aliases (*) are not taken: write the value out", event.start_mark)
        if event.tag is not None:
            raise _Refused(f"tags are not taken: leave out {event.tag!r}", event.start_mark)
        return super().compose_node(parent, index)


class _Place:
    """Line of a value, and the places of what it holds."""

    def __init__(self, line: int):
        self.line, self.inside = line, {}

    def find(self, dotted: str) -> tuple[int, int]:
        """How much of a dotted place the file holds, and the line of that. Names may have dots of their own."""
        best = (0, self.line)
        for key, place in self.inside.items():
            if dotted == key:
                best = max(best, (len(key), place.line))
            elif dotted.startswith(key + "."):
                rest, line = place.find(dotted[len(key) + 1 :])
                best = max(best, (len(key) + 1 + rest, line))
        return best


def read_yaml(path: str | os.PathLike | None, text: str | None = None, strict: bool = False) -> Spec:
    """The Spec in a YAML file.

    text     what the file holds, if it is not to be read; then `path` only names it and says where its meshes are
    strict   refuse what is otherwise only warned of, and inertia that no body can have
    """
    text = _content(path) if text is None else text
    try:
        data, places = _parse(text)
    except _Refused as refused:
        raise FileError(refused.reason, path, refused.line) from None
    _check_version(data, path, places)
    _fill_empty(data)
    _anchor_meshes(data, Path(path or "").resolve().parent)
    try:
        spec = Spec.model_validate(data)
    except SpecError as error:
        raise _at_their_lines(error.problems, path, places) from None
    doubts = spec.doubts()
    if problems := _missing_meshes(spec) + (doubts + _unphysical(spec) if strict else []):
        raise _at_their_lines(problems, path, places)
    for place, words in doubts:
        warn(str(FileError(f"{place}: {words}", path, places.find(place)[1])))
    return spec


def _at_their_lines(problems: Iterable[Problem], path: Any, places: _Place) -> FileError:
    first, *rest = sorted((places.find(place)[1], f"{place}: {words}") for place, words in problems)
    reason = "\n".join([first[1], *(f"line {line}: {words}" for line, words in rest)])
    return FileError(reason, path, first[0])


def _missing_meshes(spec: Spec) -> list[Problem]:
    """Meshes that will be read for their volume, and are not there."""
    return [
        (f"bodies.{body}.shapes.{name}.file", f"there is no mesh {shape.file!r}")
        for body, part in spec.bodies.items()
        for name, shape in part.shapes.items()
        if isinstance(shape, Mesh) and shape.heavy and not Path(shape.file).is_file()
    ]


def _unphysical(spec: Spec) -> list[Problem]:
    words = "is refused when reading strictly"
    return [
        (f"bodies.{name}.unphysical", f"{words}: {impossible_inertia(*body.inertial()) or 'leave it out'}")
        for name, body in spec.bodies.items()
        if body.unphysical
    ]


def _content(path: str | os.PathLike | None) -> str:
    try:
        raw = Path(path or "").read_bytes()
    except FileNotFoundError:
        raise FileError("there is no such file", path) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}", path) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FileError("is not text in UTF-8", path, line) from None


def read_value(text: str) -> Any:
    """One value, by the rules of the files; ValueError in plain words for what is none."""
    try:
        return _parse(f"value: {text}")[0]["value"]
    except _Refused as refused:
        raise ValueError(refused.reason) from None


def _parse(text: str) -> tuple[dict[str, Any], _Place]:
    """Plain data of the only document, and where each part of it stands."""
    top = yaml.Mark("", 0, 0, 0, None, 0)
    try:
        root = _Loader(text).get_single_node()
        if root is None:
            raise _Refused("the file is empty: begin with 'gori: 1'", top)
        if not isinstance(root, yaml.MappingNode):
            raise _Refused("must hold keys and values at the top, such as 'gori: 1'", root.start_mark)
        places = _Place(root.start_mark.line + 1)
        return _value(root, places), places
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position)
        raise _Refused(f"holds the character {chr(error.character)!r}", yaml.Mark("", 0, line, 0, None, 0)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark or top
        words = " ".join(filter(None, (error.context, error.problem)))
        if "single document" in words:
            words = "holds more than one document: remove what follows the line '---'"
        elif "'\\t'" in words:
            words = "a tab where YAML takes only spaces"
        raise _Refused(words, mark) from None
    except RecursionError:
        raise _Refused("is nested too deeply", top) from None


def _value(node: yaml.Node, place: _Place) -> Any:
    """Plain data of a node; its parts are entered into its place."""
    if isinstance(node, yaml.MappingNode):
        result = {}
        for key_node, value_node in node.value:
            key = _key(key_node)
            line = key_node.start_mark.line + 1
            if key in result:
                raise _Refused(f"{key!r} is given twice, first in line {place.inside[key].line}", key_node.start_mark)
            place.inside[key] = _Place(line)
            result[key] = _value(value_node, place.inside[key])
        return result
    if isinstance(node, yaml.SequenceNode):
        place.inside = {str(i): _Place(item.start_mark.line + 1) for i, item in enumerate(node.value)}
        return [_value(item, place.inside[str(i)]) for i, item in enumerate(node.value)]
    return _scalar(node)


def _key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _Refused("a key must be text, not a list or a mapping", node.start_mark)
    if node.value == "<<" and node.style is None:
        raise _Refused("merge keys (<<) are not taken: write the values out", node.start_mark)
    if node.tag != _TAG + "str":
        raise _Refused(f"a key must be text; write {node.value!r} in quotes if it is a name", node.start_mark)
    return node.value


def _scalar(node: yaml.Node) -> Any:
    text, kind = node.value, node.tag.removeprefix(_TAG)
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if text[:2] in ("0o", "0x") and kind == "int":
        return int(text, 0)
    if kind == "int" and len(text) < 400:
        return int(text)
    if kind in ("int", "float"):  # Python makes no int of thousands of digits: such a number is infinite
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text


def _check_version(data: dict[str, Any], path: Any, places: _Place) -> None:
    if "gori" not in data:
        raise FileError(f"does not say its version of the format: begin with 'gori: {VERSION}'", path, places.line)
    given = data["gori"]
    if type(given) is not int or given != VERSION:
        line = places.find("gori")[1]
        raise FileError(f"gori: version {given!r} of the format is not known; this Gori reads {VERSION}", path, line)


def _meshes(data: Any):
    """All mesh shapes of a description that may still be malformed."""
    for body in _values(_get(data, "bodies")):
        for shape in _values(_get(body, "shapes")):
            if _get(shape, "type") == "mesh" and isinstance(_get(shape, "file"), str):
                yield shape


def _get(data: Any, key: str) -> Any:
    return data.get(key) if isinstance(data, dict) else None


def _values(data: Any) -> list:
    return list(data.values()) if isinstance(data, dict) else []


def _fill_empty(data: dict[str, Any]) -> None:
    """A section or a part with nothing under it is empty."""
    _fill(data, GROUPS)
    for group in GROUPS:
        _fill(data.get(group))
    for body in _values(data.get("bodies")):
        _fill(body, ("shapes",))
        _fill(_get(body, "shapes"))


def _fill(data: Any, keys: Iterable[str] | None = None) -> None:
    """{} for null under these keys, or under all."""
    if isinstance(data, dict):
        data |= {key: {} for key in (data if keys is None else keys) if key in data and data[key] is None}


def _anchor_meshes(data: dict[str, Any], folder: Path) -> None:
    for shape in _meshes(data):
        shape["file"] = os.path.normpath(folder / shape["file"])


class _Dumper(yaml.SafeDumper):
    """Quotes what either YAML 1.1 or 1.2 would not read as text, so that both read the file alike."""

    yaml_implicit_resolvers = yaml.SafeDumper.yaml_implicit_resolvers | {None: _RESOLVERS}

    def ignore_aliases(self, data):
        return True


_Dumper.add_representer(tuple, lambda dumper, value: dumper.represent_sequence(_TAG + "seq", value, flow_style=True))


def write_yaml(spec: Spec, path: str | os.PathLike | None = None) -> str:
    """The Spec as YAML text, only what was set in it; also written to `path`, with meshes relative to its folder."""
    data = {"gori": VERSION} | _plain(spec)
    if path is not None:
        folder = Path(path).resolve().parent
        for shape in _meshes(data):
            if os.path.isabs(shape["file"]) and os.path.splitdrive(shape["file"])[0] == folder.drive:
                shape["file"] = Path(os.path.relpath(shape["file"], folder)).as_posix()
    text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=math.inf)
    if path is not None:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror}", path) from None
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        names = [name for name in type(value).model_fields if name in value.model_fields_set]
        lead = ("type", "body", "parent", "child")
        names.sort(key=lambda name: lead.index(name) if name in lead else len(lead))
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple) and len(value) == 1:  # one number for all coordinates
        return value[0]
    return value
