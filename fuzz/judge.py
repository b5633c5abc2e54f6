"""What came of a file: a Model of finite arrays, an error of Gori, or something that must not be."""

import re
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gori
from gori.errors import GoriError

SECONDS = 1.0
"""of the processor that a file may take"""
LONGEST = 6000
"""characters of an error"""
ENDLESS = (
    "start.lower", "start.upper", "start.velocity_limit", "start.effort_limit", "forces.element_f", "particles.until",
)  # fmt: skip
"""limits, which may be infinite"""
_RAW = re.compile(r"Traceback|object at 0x|Unable to allocate|MemoryError|bad_alloc")


class Verdict(NamedTuple):
    """what: loaded, refused, or what must not be: foreign, memory, slow, not finite, message."""

    what: str
    words: str = ""


def judged(read: Callable[[Path], Any], path: Path) -> Verdict:
    """Read a file. What is slow is read once more, since kernels may have been loaded at first."""
    verdict, took = _timed(read, path)
    if took > SECONDS:
        verdict, took = _timed(read, path)
    if took > SECONDS and verdict.what in GOOD:
        return Verdict("slow", f"{took:.1f} s: {verdict.what} {verdict.words}")
    return verdict


GOOD = ("loaded", "refused")


def _timed(read: Callable[[Path], Any], path: Path) -> tuple[Verdict, float]:
    began = time.process_time()
    return _judged(read, path), time.process_time() - began


def _judged(read: Callable[[Path], Any], path: Path) -> Verdict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = read(path)
            if isinstance(found, gori.Model):
                if wrong := next(not_finite(found), ""):
                    return Verdict("not finite", wrong)
                return _accelerations(found)
            return Verdict("loaded")
        except GoriError as error:
            return _refusal(error)
        except MemoryError as error:
            return Verdict("memory", _where(error))
        except Exception as error:
            return Verdict("foreign", _where(error))


def _refusal(error: GoriError) -> Verdict:
    """Whether an error is one that helps."""
    words: str = str(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError):
            return Verdict("memory", words)
        cause = cause.__cause__ or cause.__context__
    if not words.strip() or len(words) > LONGEST or _RAW.search(words):
        return Verdict("message", f"{type(error).__name__} of {len(words)} characters: {words[:300]}")
    return Verdict("refused", words)


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/gori/" in frame.filename] or frames
    last = own[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno} ({last.name}): {error!s:.300}"


def _accelerations(model: gori.Model) -> Verdict:
    """Of a Model at its start: finite, or an error of Gori, as where the loops are open or a mass is missing."""
    try:
        a = model.forward_dynamics(model.q0, np.zeros(model.nv), np.zeros(model.nv))
    except GoriError as error:
        verdict = _refusal(error)
        return Verdict("loaded") if verdict.what == "refused" else verdict
    return Verdict("loaded") if np.isfinite(a).all() else Verdict("not finite", "accelerations")


# ---- arrays


def not_finite(model: gori.Model) -> Iterator[str]:
    """Arrays of a Model with NaN in them, or infinity where it has no meaning, by name."""
    parts = {
        "tables": model._t, "start": model._start, "forces": model.forces, "vehicle": model.vehicle,
        "particles": model.particles, "contact": model.contact,
    }  # fmt: skip
    for name, array in arrays(parts, "", set()):
        if array.dtype.kind not in "fc":
            continue
        bad = np.isnan(array) if name in ENDLESS else ~np.isfinite(array)
        if bad.any():
            yield f"{name}: {array[bad][:3]}"


def arrays(part: Any, name: str, seen: set[int]) -> Iterator[tuple[str, np.ndarray]]:
    """All arrays in an object of Gori, by name; fields of records one by one."""
    if id(part) in seen:
        return
    seen.add(id(part))
    if isinstance(part, np.ndarray):
        if part.dtype.names:
            for field in part.dtype.names:
                yield from arrays(np.asarray(part[field]), f"{name}.{field}", seen)
        else:
            yield name, part
    elif isinstance(part, dict):
        for key, value in part.items():
            yield from arrays(value, f"{name}.{key}".lstrip("."), seen)
    elif isinstance(part, tuple) and (fields := getattr(part, "_fields", ())):
        for key in fields:
            yield from arrays(getattr(part, key), f"{name}.{key}".lstrip("."), seen)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from arrays(value, name, seen)
    elif type(part).__module__.startswith("gori.") and not isinstance(part, (gori.Model, gori.Spec)):
        for key, value in vars(part).items() if hasattr(part, "__dict__") else ():
            yield from arrays(value, f"{name}.{key}".lstrip("."), seen)
