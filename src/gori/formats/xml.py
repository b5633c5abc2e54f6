"""XML files as trees of elements that know their lines: strict, without entities and without network."""

import math
import re
from pathlib import Path
from typing import Any

from gori.errors import FileError, MissingPackageError

MOST_TAGS = 1_000_000
"""of a document; the parser keeps an element in about 200 bytes"""
_LONGEST_NAME = 100
_ADVICE = re.compile(r",? (use|try) XML_PARSE_HUGE( option)?")
"""of the parser to programs that call it"""


class ElementError(Exception):
    """An element that makes no sense, and why; `file` is the one that it stands in."""

    def __init__(self, element: Any, reason: str):
        self.line, self.reason, self.file = element.sourceline, reason, file_of(element)


def file_of(element: Any) -> str:
    """The file that an element was read from."""
    return element.getroottree().docinfo.URL


def numbers_of(element: Any, who: str, text: str, count: int, infinite: bool = False) -> list[float]:
    """The numbers in a text of an element."""
    try:
        values = [float(word) for word in text.replace("_", "?").split()]
    except ValueError:
        hint = ": run xacro on the file first" if "$" in text else ""
        raise ElementError(element, f"{who} is {text!r}, which is not a number{hint}") from None
    if len(values) != count:
        raise ElementError(element, f"{who} needs {count} number{'s' * (count > 1)}, and {text!r} has {len(values)}")
    if any(math.isnan(value) or (math.isinf(value) and not infinite) for value in values):
        raise ElementError(element, f"{who} must be finite, not {text!r}")
    return values


def tree_of(raw: bytes, path: Path, extra: str = "formats") -> Any:
    """The root element of the bytes of a file: no repairs, no entities, no network.

    extra   the extra of Gori that brings lxml
    """
    try:
        from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]
    except ImportError as error:
        raise MissingPackageError(f"XML files need lxml: pip install 'gori[{extra}]'") from error
    if (count := raw.count(b"<")) > MOST_TAGS:
        raise FileError(f"has {count:,} tags, and {MOST_TAGS:,} are possible", path)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(raw, parser, base_url=str(path))
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        hint = ": run xacro on it first" if b"xacro" in raw and "prefix" in str(error) else ""
        words = _ADVICE.sub("", " ".join(str(getattr(error, "msg", error)).split()))
        raise FileError(f"is not valid XML: {words}{hint}", path, line) from None
    if root.getroottree().docinfo.internalDTD is not None:
        line = raw[: max(raw.find(b"<!DOCTYPE"), 0)].count(b"\n") + 1
        raise FileError("has a DOCTYPE, which may include other files: remove it", path, line)
    return root


def root_tag(raw: bytes) -> str:
    """The name of the root element, without reading the rest; empty if there is none."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raw = raw.decode("utf-16", "replace").encode()
    at = 0
    while (at := raw.find(b"<", at)) >= 0:
        end = next((close for start, close in _NOT_ELEMENTS if raw.startswith(start, at)), None)
        if end is None:
            name = raw[at + 1 : at + 1 + _LONGEST_NAME].decode("utf-8", "replace")
            words = name.partition(">")[0].rstrip("/").split(None, 1)
            return words[0] if words else ""
        at = raw.find(end, at)
        if at < 0:
            return ""
    return ""


_NOT_ELEMENTS = ((b"<!--", b"-->"), (b"<?", b"?>"), (b"<!", b">"))


def without_comments(raw: bytes) -> bytes:
    """The bytes less all comments, also those with "--" in them, which XML forbids; lines keep their numbers."""
    parts, at = [], 0
    while (start := raw.find(b"<!--", at)) >= 0 and (end := raw.find(b"-->", start)) >= 0:
        parts += [raw[at:start], b"\n" * raw.count(b"\n", start, end)]
        at = end + 3
    return b"".join([*parts, raw[at:]])
