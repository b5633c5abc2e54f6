"""What an MJCF file would make MuJoCo build, counted before MuJoCo sees it.

A few letters can ask for more than any machine holds: replicas of replicas, a height field of 10^10 cells. MuJoCo's
compiler then hangs, or runs out of memory. Here the numbers are multiplied first, and too much is refused by name.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gori.door import DEEPEST, is_file
from gori.formats.mjcf.files import Document, asset_files

MOST_ELEMENTS = 100_000
MOST_CELLS = 20_000_000
"""of all height fields together"""
MOST_PIXELS = 200_000_000
"""of all textures together"""
MOST_FACES = 100_000
"""of a mesh that is generated from parameters"""
MOST_STEPS = 100_000
"""of the simulations from which MuJoCo takes the length ranges of muscles"""
MOST_NUMBERS = 1_000_000
"""of user data"""
MOST_EACH = 10_000
"""keyframes; for each element, numbers of user data and samples of a sensor"""


def check_sizes(document: Document) -> None:
    """Refuse a document that would become too large."""
    _count_elements(document)
    _count_assets(document)
    for attached in document.attached.values():
        check_sizes(attached)


# ---- elements


def _count_elements(document: Document) -> None:
    known: dict[int, int] = {}

    def weigh(top: Document, element: Any, users: tuple[str, ...]) -> int:
        """How many elements it becomes."""
        total, todo = 0, [(element, 1)]
        while todo:
            one, times = todo.pop()
            total += times
            factor = _copies(top, one)
            if one.tag == "attach" and one.getparent() is not None and _in_world(one):
                total += times * attached(top, one, users)
            if total > MOST_ELEMENTS or times * factor > MOST_ELEMENTS:
                raise top.refuse(
                    one,
                    f"<{one.tag}>: the model would have more than {MOST_ELEMENTS:,} elements, with all that is "
                    "replicated and attached",
                )
            todo += [(child, times * factor) for child in one if isinstance(child.tag, str)]
        return total

    def attached(top: Document, element: Any, users: tuple[str, ...]) -> int:
        """What an <attach> inserts: a body or frame of another model, or of this one."""
        source = top.attached.get(element.get("model") or "", top if element.get("model") is None else None)
        if source is None:
            return 0
        name = element.get("body") or element.get("frame") or ""
        key = f"{source.path} {name}"
        if key in users:
            raise top.refuse(element, f"<attach>: {name!r} attaches itself")
        if len(users) > DEEPEST:
            raise top.refuse(element, f"<attach>: bodies attach each other more than {DEEPEST} deep")
        wanted = next((one for one in source.root.iter("body", "frame") if name and one.get("name") == name), None)
        wanted = source.root if wanted is None else wanted
        if id(wanted) not in known:
            known[id(wanted)] = weigh(source, wanted, (*users, key))
            kept.append(wanted)  # so that no other element gets its id
        return known[id(wanted)]

    kept: list[Any] = []
    weigh(document, document.root, ())


def _in_world(element: Any) -> bool:
    return any(above.tag == "worldbody" for above in element.iterancestors())


def _copies(document: Document, element: Any) -> int:
    """How often what is inside an element stands in the model."""
    if element.tag == "replicate":
        return max(_integer(document, element, "count", 1), 1)
    if element.tag in ("composite", "flexcomp"):
        return max(math.prod(_integers(document, element, "count", "1")), 1)
    return 1


# ---- assets and sizes


def _count_assets(document: Document) -> None:
    root = document.root
    named = list(asset_files(root))  # kept: an element has its id only as long as somebody holds it
    sizes = {id(element): _size_of_file(document, element, name, dirs) for element, name, dirs in named}
    cells = pixels = 0
    for field in root.iter("hfield"):
        rows, columns = sizes.get(id(field)) or (_integer(document, field, "nrow"), _integer(document, field, "ncol"))
        cells += rows * columns
        if cells > MOST_CELLS:
            raise document.refuse(
                field, f"<hfield> {field.get('name', '')!r} of {rows} x {columns}: more than {MOST_CELLS:,} heights"
            )
    classes = [texture for default in root.iter("default") for texture in default.findall("texture")]
    most = {key: max((_integer(document, t, key) for t in classes), default=0) for key in ("width", "height")}
    for texture in [texture for texture in root.iter("texture") if texture.getparent().tag != "default"]:
        own = [_integer(document, texture, key, most[key]) for key in most]  # of its class, at most
        width, height = sizes.get(id(texture)) or own
        # faces of a cube are as high as it is wide
        pixels += width * max(height, width if texture.get("type") == "2d" else 6 * width)
        if pixels > MOST_PIXELS:
            raise document.refuse(
                texture,
                f"<texture> {texture.get('name', '')!r} of {width} x {height}: more than {MOST_PIXELS:,} pixels",
            )
    for element in root.iter("size", "numeric", "mesh", "flexcomp", "composite", "lengthrange"):
        _check_numbers(document, element)
    for element in root.iter():
        if element.get("nsample") is not None and _integer(document, element, "nsample") > MOST_EACH:
            raise _too_many(document, element, "nsample")


def _check_numbers(document: Document, element: Any) -> None:
    if element.tag == "size":
        for key in [key for key in element.attrib if key == "nkey" or key.startswith("nuser")]:
            if _integer(document, element, key) > (MOST_NUMBERS if key == "nuserdata" else MOST_EACH):
                raise _too_many(document, element, key)
    elif element.tag == "numeric" and _integer(document, element, "size") > MOST_NUMBERS:
        raise _too_many(document, element, "size")
    elif element.tag == "mesh":
        if _integer(document, element, "octree_maxdepth") > 12:
            raise document.refuse(element, "<mesh>: octree_maxdepth must be at most 12")
        asked = [max(number, 1.0) for number in _floats(document, element, "params")]
        if not math.prod(asked[:3]) <= MOST_FACES or any(number**2 > MOST_FACES for number in asked):
            raise _too_many(document, element, "params")
    elif element.tag == "lengthrange":
        total, step = (_floats(document, element, key) or [default] for key, default in _LENGTHRANGE)
        if not 0.0 <= total[0] / (step[0] or math.nan) <= MOST_STEPS:
            raise document.refuse(element, f"<lengthrange>: inttotal / timestep must be at most {MOST_STEPS:,}")
    elif math.prod(_integers(document, element, "count", "1")) > MOST_ELEMENTS:
        raise _too_many(document, element, "count")


_LENGTHRANGE = (("inttotal", 10.0), ("timestep", 0.01))


def _too_many(document: Document, element: Any, key: str) -> Exception:
    return document.refuse(element, f"<{element.tag}>: {key} is {element.get(key)}, more than is taken")


def _size_of_file(document: Document, element: Any, name: str, dirs: list[str]) -> tuple[int, int] | None:
    """Rows and columns of the image or height field in a file, by its first bytes; None if it is neither."""
    if element.tag not in ("hfield", "texture"):
        return None
    file = next((path for d in dirs if is_file(path := document.path.parent / d / name)), None)
    head = b"" if file is None else _head(file)
    if head[:8] == b"\x89PNG\r\n\x1a\n" and len(head) >= 24:
        return int.from_bytes(head[20:24], "big"), int.from_bytes(head[16:20], "big")
    if element.tag == "hfield" and len(head) >= 8:  # MuJoCo's own format: two numbers, then the heights
        return int.from_bytes(head[:4], "little"), int.from_bytes(head[4:8], "little")
    return None


def _head(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(24)


# ---- attributes


def _numbers(document: Document, element: Any, key: str, default: str, kind: Callable) -> list:
    try:
        return [kind(word) for word in element.get(key, default).split()]
    except ValueError:
        reason = f"<{element.tag}>: {key} is {element.get(key)!r}, which is not a number"
        raise document.refuse(element, reason) from None


def _integers(document: Document, element: Any, key: str, default: str = "") -> list[int]:
    """Whole numbers; what is written as 1e9 is one, too."""
    found = _numbers(document, element, key, default, float)
    if not all(math.isfinite(value) for value in found):
        raise document.refuse(element, f"<{element.tag}>: {key} must be finite, not {element.get(key)!r}")
    return [int(value) for value in found]


def _integer(document: Document, element: Any, key: str, default: int = 0) -> int:
    return (_integers(document, element, key) or [default])[0]


def _floats(document: Document, element: Any, key: str) -> list[float]:
    return _numbers(document, element, key, "", float)
