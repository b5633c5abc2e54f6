"""What is odd in a URDF, and still has one meaning: put right before the file is read, each with a note that says what
was assumed. Other readers take such files too, in silence; a strict reader refuses them at the note.
"""

import math
import re
from collections.abc import Callable
from typing import Any

from gori.spec import GROUND
from gori.spec.spec import closest

Note = Callable[[int, str], None]

SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")
_DECLARATION = re.compile(rb"<\?xml\b[^>]*\?>")
_VERSION = re.compile(rb"""version\s*=\s*["'](?!1\.0)[^"']*["']""")
_END = re.compile(rb"</robot\s*>")


def clean(raw: bytes, note: Note) -> bytes:
    """The bytes of a URDF without what stands around the document, and with a version of XML that exists."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16, in which zeros belong
        return raw
    if b"\0" in raw:
        note(raw[: raw.index(b"\0")].count(b"\n") + 1, "holds zeros (NUL): they are left out")
        raw = raw.replace(b"\0", b"")
    declaration = _DECLARATION.search(raw)
    start = declaration.start() if declaration else max(raw.find(b"<"), 0)
    if before := raw[:start].removeprefix(b"\xef\xbb\xbf").strip():
        what = "a comment" if before.startswith(b"<!--") else "text"
        note(1, f"has {what} before the document: it is left out")
    line_breaks, raw = b"\n" * raw[:start].count(b"\n"), raw[start:]
    declaration = _DECLARATION.match(raw)
    head = declaration.group() if declaration else b""
    if _VERSION.search(head):
        note(1, "declares a version of XML that does not exist: it is read as 1.0")
        head = _VERSION.sub(b'version="1.0"', head)
    raw = raw[declaration.end() :] if declaration else raw
    ends = list(_END.finditer(raw))
    if ends and raw[ends[-1].end() :].strip() and not raw[ends[-1].end() :].strip().startswith(b"<!--"):
        note(raw[: ends[-1].end()].count(b"\n") + 1, "has text behind the document: it is left out")
        raw = raw[: ends[-1].end()]
    return head + line_breaks + raw  # lines keep their numbers


def mend(root: Any, note: Note) -> None:
    """Put right what is odd in the elements of a robot."""
    _rename(root, note)
    for link in root.iterchildren("link"):
        _first_of(link, ("inertial",), note)
        _known_shapes(link, note)
    joints = {joint.get("name", ""): joint for joint in root.iterchildren("joint")}
    for joint in joints.values():
        _first_of(joint, ("origin", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"), note)
        if joint.get("type") in ("ball", "spherical"):
            note(joint.sourceline, f"joint {joint.get('name')!r}: type {joint.get('type')!r} is not one of URDF's own")
            joint.set("type", "spherical")
        _limits(joint, note)
        _friction(joint, note)
        _mimic(joint, joints, note)


def _who(element: Any) -> str:
    return f"{element.tag} {element.get('name')!r}"


def _first_of(element: Any, tags: tuple[str, ...], note: Note) -> None:
    """Of what may be there once, the first counts."""
    for tag in tags:
        for spare in element.findall(tag)[1:]:
            note(spare.sourceline, f"{_who(element)} has more than one <{tag}>: the first one counts")
            element.remove(spare)


def _known_shapes(link: Any, note: Note) -> None:
    for tag in ("collision", "visual"):
        for element in link.findall(tag):
            shapes = element.findall("geometry/*")
            if len(shapes) == 1 and shapes[0].tag not in SHAPES:
                words = f"<{shapes[0].tag}> is not one of {', '.join(SHAPES)}: this shape is left out"
                note(shapes[0].sourceline, f"{_who(link)}, {tag}: {words}")
                link.remove(element)


def _value(element: Any, key: str) -> float | None:
    """A number that can be judged; what is none is left to the checks."""
    try:
        return float(element.get(key))
    except (TypeError, ValueError):
        return None


def _drop(element: Any, keys: tuple[str, ...]) -> None:
    for key in keys:
        element.attrib.pop(key, None)


def _limits(joint: Any, note: Note) -> None:
    limit = joint.find("limit")
    if limit is None:
        return
    for key in ("velocity", "effort"):
        if (value := _value(limit, key)) is not None and value < 0.0:
            note(limit.sourceline, f"{_who(joint)}: {key} must not be negative, is {value:g}: it is left out")
            _drop(limit, (key,))
    if joint.get("type") not in ("revolute", "prismatic"):
        return
    lower, upper = (_value(limit, key) or 0.0 for key in ("lower", "upper"))
    if lower > upper:
        words = f"the lower limit {lower:g} is above the upper {upper:g}: both are left out"
    elif math.isinf(lower) != math.isinf(upper):
        words = "only one of its limits is infinite: both are left out"
    else:
        return
    note(limit.sourceline, f"{_who(joint)}: {words}")
    _drop(limit, ("lower", "upper"))


def _friction(joint: Any, note: Note) -> None:
    dynamics = joint.find("dynamics")
    if dynamics is None:
        return
    for key in ("damping", "friction"):
        if (value := _value(dynamics, key)) is not None and value < 0.0:
            note(dynamics.sourceline, f"{_who(joint)}: {key} must not be negative, is {value:g}: taken as 0")
            dynamics.set(key, "0")


def _mimic(joint: Any, joints: dict[str, Any], note: Note) -> None:
    mimic = joint.find("mimic")
    if mimic is not None and mimic.get("joint") not in joints:
        other = mimic.get("joint")
        words = f"mimics {other!r}, which is not a joint{closest(other or '', joints)}; it moves by itself"
        note(mimic.sourceline, f"{_who(joint)} {words}")
        joint.remove(mimic)


def note_roots(root: Any, note: Note) -> None:
    """URDF has one root; of several, each is carried by the ground."""
    carried = {child.get("link") for child in root.iterfind("joint/child")}
    first, *more = [link for link in root.iterchildren("link") if link.get("name") not in carried] or [None]
    if more:
        names = ", ".join(repr(link.get("name")) for link in (first, *more))
        note(more[0].sourceline, f"has several root links ({names}): the ground carries each of them")


def _rename(root: Any, note: Note) -> None:
    """Names with characters that stand for others in Gori, and the name of the ground, become others."""
    for tag in ("link", "joint"):
        elements = root.findall(tag)
        taken = {element.get("name") for element in elements}
        for element in elements:
            old = element.get("name")
            if not old or not (old == GROUND or any(c.isspace() or c in "*?" for c in old)):
                continue
            plain = re.sub(r"[\s*?]", "_", old.strip()) if old != GROUND else f"{GROUND}_{tag}"
            new = next(
                name for name in (plain, *(f"{plain}_{k}" for k in range(2, len(taken) + 3))) if name not in taken
            )
            taken.add(new)
            note(element.sourceline, f"{tag} {old!r} is called {new!r} here, as that name is not possible in Gori")
            element.set("name", new)
            _refer(root, tag, old, new)


def _refer(root: Any, tag: str, old: str, new: str) -> None:
    """What refers to a link or joint by its name."""
    for joint in root.iterchildren("joint"):
        places = (("parent", "link"), ("child", "link")) if tag == "link" else (("mimic", "joint"),)
        for inner, key in places:
            for element in joint.findall(inner):
                if element.get(key) == old:
                    element.set(key, new)
