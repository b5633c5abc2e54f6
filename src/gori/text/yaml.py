"""Strict YAML: plain data of a file, and the line of each part of it."""

import os
import re
from typing import Any

import yaml
from yaml.composer import Composer

from gori.door import contents
from gori.errors import FileError
from gori.text.arguments import path_of

VERSION = 1
TAG = "tag:yaml.org,2002:"

# plain scalars that are not text, in the core schema of YAML 1.2 (section 10.3.2): 1e-3 is a number, `on` is text
_CORE = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
}
RESOLVERS = [(TAG + name, re.compile(f"(?:{pattern})\\Z")) for name, pattern in _CORE.items()]


class _Refused(Exception):
    """Something that the format does not take, and where it stands."""

    def __init__(self, reason: str, mark: yaml.Mark):
        self.reason, self.line = reason, mark.line + 1


class _Composer(Composer):
    """Nodes without anchors, aliases and tags."""

    def compose_node(self, parent, index):
        event = self.peek_event()  # type: ignore[attr-defined]
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise _Refused("anchors (&) and aliases (*) are not supported: write the value out", event.start_mark)
        if event.tag is not None:
            raise _Refused(f"tags are not supported: remove {event.tag!r}", event.start_mark)
        return super().compose_node(parent, index)


class _Loader(_Composer, yaml.SafeLoader):
    """Nodes with YAML 1.2 scalars."""

    yaml_implicit_resolvers = {None: RESOLVERS}


def _fast_loader() -> Any:
    """The same, with the parser in C of PyYAML, which is several times faster; None where it was built without."""
    if not yaml.__with_libyaml__:
        return None
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class Fast(_Composer, CParser, yaml.resolver.Resolver):
        yaml_implicit_resolvers = {None: RESOLVERS}

        def __init__(self, text: str):
            CParser.__init__(self, text)
            _Composer.__init__(self)
            yaml.resolver.Resolver.__init__(self)

    return Fast


FAST = _fast_loader()
MOST_VALUES = 2_000_000
"""keys and values of a file, which the parser keeps in about 500 bytes each"""
LONG = 1 << 14
"""characters from which on a text is worth two attempts"""


class Place:
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


def read_text(path: str | os.PathLike | None) -> str:
    """What a file holds, in UTF-8."""
    raw = contents(path_of("" if path is None else path))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FileError("is not text in UTF-8", path, line) from None


def read_value(text: str) -> Any:
    """One value, by the rules of the files; ValueError if the text is none."""
    try:
        return _document(f"value: {text}")[0]["value"]
    except _Refused as refused:
        raise ValueError(refused.reason) from None


def parse(text: str, path: Any) -> tuple[dict[str, Any], Place]:
    """Plain data of a file of the right version, and where each part of it stands."""
    try:
        data, places = _document(text)
    except _Refused as refused:
        raise FileError(refused.reason, path, refused.line) from None
    _check_version(data, path, places)
    return data, places


def _check_version(data: dict[str, Any], path: Any, places: Place) -> None:
    if "gori" not in data:
        raise FileError(f"has no format version: start with 'gori: {VERSION}'", path, places.line)
    given = data["gori"]
    if type(given) is not int or given != VERSION:
        line = places.find("gori")[1]
        raise FileError(f"gori: version {given!r} of the format is unknown; this Gori reads {VERSION}", path, line)


def _document(text: str) -> tuple[dict[str, Any], Place]:
    """Plain data of the only document, and where each part of it stands."""
    top = yaml.Mark("", 0, 0, 0, None, 0)
    if (count := sum(text.count(mark) for mark in ",:[{\n")) > MOST_VALUES:  # behind or before each of them
        words = f"has about {count:,} values, and {MOST_VALUES:,} are possible: put tables into .npy or .csv files"
        raise _Refused(words, top)
    try:
        root = _root(text)
        if root is None:
            raise _Refused("the file is empty: start with 'gori: 1'", top)
        if not isinstance(root, yaml.MappingNode):
            raise _Refused("must be a mapping at the top level, such as 'gori: 1'", root.start_mark)
        places = Place(root.start_mark.line + 1)
        return _value(root, places), places
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position)
        raise _Refused(f"contains the character {chr(error.character)!r}", yaml.Mark("", 0, line, 0, None, 0)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark or top
        words = " ".join(filter(None, (error.context, error.problem)))
        if "single document" in words:
            words = "contains more than one document: remove what follows the line '---'"
        elif "'\\t'" in words:
            words = "a tab where YAML allows only spaces"
        raise _Refused(words, mark) from None
    except RecursionError:
        raise _Refused("is nested too deeply", top) from None


def _root(text: str) -> Any:
    """The node of the only document. Where something is wrong, the parser in Python finds words for it."""
    if FAST is not None and len(text) > LONG:
        try:
            return FAST(text).get_single_node()
        except (yaml.YAMLError, _Refused, ValueError):
            pass
    return _Loader(text).get_single_node()


def _value(node: yaml.Node, place: Place, numbered: bool = False) -> Any:
    """Plain data of a node; its parts are entered into its place. Links of a chain may have numbers for names."""
    if isinstance(node, yaml.MappingNode):
        result = {}
        for key_node, value_node in node.value:
            key = _key(key_node, numbered)
            line = key_node.start_mark.line + 1
            if key in result:
                raise _Refused(f"{key!r} is given twice, first in line {place.inside[key].line}", key_node.start_mark)
            place.inside[key] = Place(line)
            result[key] = _value(value_node, place.inside[key], numbered or key == "dh")
        return result
    if isinstance(node, yaml.SequenceNode):
        place.inside = {str(i): Place(item.start_mark.line + 1) for i, item in enumerate(node.value)}
        return [_value(item, place.inside[str(i)], numbered) for i, item in enumerate(node.value)]
    return _scalar(node)


def _key(node: yaml.Node, numbered: bool) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _Refused("a key must be text, not a list or a mapping", node.start_mark)
    if node.value == "<<" and node.style is None:
        raise _Refused("merge keys (<<) are not supported: write the values out", node.start_mark)
    if numbered and node.tag == TAG + "int":
        return str(_scalar(node))
    if node.tag != TAG + "str":
        raise _Refused(f"a key must be text; write {node.value!r} in quotes if it is a name", node.start_mark)
    return node.value


def _scalar(node: yaml.Node) -> Any:
    text, kind = node.value, node.tag.removeprefix(TAG)
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
