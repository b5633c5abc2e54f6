"""Values in SDFormat: elements hold text, and a pose has several spellings."""

from typing import Any

import numpy as np

from gori.formats.xml import ElementError, numbers_of
from gori.spec.base import rotation

NO_LIMIT = 1e16
"""SDFormat's own number for a limit that is none; later versions have inf"""
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def who(element: Any) -> str:
    """What to call an element in a message: <link> 'hand'."""
    name = element.get("name")
    return f"<{element.tag}> {name!r}" if name else f"<{element.tag}>"


def name_of(element: Any) -> str:
    """The name of an element, which must have one."""
    if not (name := element.get("name")):
        raise ElementError(element, f"a <{element.tag}> has no name")
    return name


def child(element: Any, tag: str) -> Any:
    """The one child of that tag, or None."""
    found = element.findall(tag)
    if len(found) > 1:
        raise ElementError(found[1], f"{who(element)} has more than one <{tag}>")
    return found[0] if found else None


def text(element: Any, tag: str) -> str:
    """The text of a child; empty if there is none."""
    found = child(element, tag)
    return "" if found is None else (found.text or "").strip()


def needed(element: Any, tag: str) -> str:
    """The text of a child that must be there."""
    if not (found := text(element, tag)):
        raise ElementError(element, f"{who(element)} does not give <{tag}>")
    return found


def numbers(element: Any, tag: str, count: int) -> np.ndarray | None:
    """The numbers in a child, or None if it is not there."""
    if (found := child(element, tag)) is None:
        return None
    return np.array(numbers_of(found, f"{who(element)}: {tag}", found.text or "", count))


def number(element: Any, tag: str, default: float, low: float | None = None, infinite: bool = False) -> float:
    """The number in a child, or the default."""
    if (found := child(element, tag)) is None:
        return default
    value = numbers_of(found, f"{who(element)}: {tag}", found.text or "", 1, infinite)[0]
    if low is not None and value < low:
        raise ElementError(found, f"{who(element)}: {tag} must be at least {low:g}, is {value:g}")
    return value


def flag(element: Any, tag: str, default: bool = False) -> bool:
    """Whether a child says true."""
    if child(element, tag) is None:
        return default
    return truth(element, tag, text(element, tag))


def truth(element: Any, name: str, word: str) -> bool:
    """The value of true, 1, false or 0."""
    if (value := _FLAGS.get(word.lower())) is None:
        raise ElementError(element, f"{who(element)}: {name} must be true or false, not {word!r}")
    return value


def pose(element: Any) -> tuple[np.ndarray, str]:
    """The <pose> of an element as a homogeneous matrix (4, 4), and the frame that it is relative to; empty: its own."""
    found = child(element, "pose")
    if found is None:
        return np.eye(4), ""
    where, relative_to = f"{who(element)}: pose", found.get("relative_to", "")
    words = found.text or ""
    if not words.strip():
        return np.eye(4), relative_to
    if found.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, *quat = numbers_of(found, where, words, 7)
        if not any(quat):
            raise ElementError(found, f"{where}: the quaternion is zero")
        return transform(rotation(None, (quat[3], *quat[:3])), (x, y, z)), relative_to
    x, y, z, *rpy = numbers_of(found, where, words, 6)
    degrees = truth(found, "degrees", found.get("degrees", "false"))
    return transform(rotation(tuple(rpy if degrees else np.degrees(rpy)), None), (x, y, z)), relative_to


def transform(R: np.ndarray, p: Any) -> np.ndarray:
    """Homogeneous matrix (4, 4) of a rotation and a position."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def inverse(X: np.ndarray) -> np.ndarray:
    """The inverse of a homogeneous matrix."""
    return transform(X[:3, :3].T, -X[:3, :3].T @ X[:3, 3])
