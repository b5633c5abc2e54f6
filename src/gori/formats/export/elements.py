"""XML elements with numbers in them, written so that they are read back to the last bit."""

import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gori.errors import FileError, InputError
from gori.formats.left_out import LeftOut
from gori.formats.plain import tidy, unit
from gori.spec import Spec
from gori.spec.base import quaternion
from gori.spec.explain import warn
from gori.text.arguments import path_of
from gori.text.whole import write_whole


def add(parent: ElementTree.Element, tag: str, **attributes: Any) -> ElementTree.Element:
    """A new element at the end; attributes that are None are not written, `class_` is `class`."""
    given = {key.rstrip("_"): text(value) for key, value in attributes.items() if value is not None}
    return ElementTree.SubElement(parent, tag, given)


def text(value: Any) -> str:
    """A number or several as text, or text itself."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return " ".join(_number(x) for x in np.ravel(np.asarray(value, float)).tolist())


def _number(x: float) -> str:
    return repr(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


def placed(at: Any) -> list[float] | None:
    """A position, or None if it is zero."""
    at = tidy(at)
    return at if any(at) else None


def posed(pose: tuple[np.ndarray, np.ndarray]) -> dict[str, Any]:
    """`pos` and `quat` of a rotation and a position; None where they are zero and none."""
    quat = unit(quaternion(pose[0]))
    return {"pos": placed(pose[1]), "quat": quat if any(quat[1:]) else None}


def finish(spec: Spec, root: ElementTree.Element, left: LeftOut, path: str | os.PathLike | None, lossy: bool) -> str:
    """The text of a document, also written to `path`.

    What is missing in it is refused, unless it is lossy; notes of `left` are warnings.
    """
    from gori.errors import FormatWarning

    kind = "URDF" if root.tag == "robot" else "MJCF"
    if message := left.message():
        if left.parts and not lossy:
            words = f"{kind} cannot say all of this machine, and lossy=True (--lossy) leaves out what it cannot; "
            raise FileError(words + message, path)
        warn(f"{kind}: {message}", FormatWarning)
    ElementTree.indent(root)
    document = ElementTree.tostring(root, encoding="unicode") + "\n"
    if path is not None:
        write_whole(path_of(path), '<?xml version="1.0"?>\n' + document)
    return document


def require_spec(spec: Any) -> None:
    """Refuse what is no Spec."""
    if not isinstance(spec, Spec):
        raise InputError(f"takes a Spec, not a {type(spec).__name__}: model.spec is the Spec of a Model")


def relative(file: str, path: str | os.PathLike | None) -> str:
    """The name of a mesh from the folder of the file that is written."""
    if path is None or not os.path.isabs(file):
        return file
    return Path(os.path.relpath(file, path_of(path).resolve().parent)).as_posix()
