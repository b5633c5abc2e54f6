"""What a run had besides its file: functions, events and drivers of the user, and the programs that computed it.

None of it can be stored, but what it was can: names, and hashes of code. A run that is taken up must be given the same,
or an explicit word that it differs.
"""

import functools
import hashlib
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.sim.events import Event
from gori.sim.looked_up import values_of
from gori.version import VERSION

SAME = ("gori", "numba", "python", "cpu")
"""of what made a file: where one of these differs, the last bits may"""


def made_by() -> dict[str, str]:
    """What computes a run here."""
    import numba
    from llvmlite.binding import get_host_cpu_name

    when = datetime.now(UTC).isoformat(timespec="seconds")
    python = platform.python_version()
    return {"gori": VERSION, "numba": numba.__version__, "python": python, "cpu": get_host_cpu_name(), "date": when}


def programs_of(
    forces: Sequence[Callable], events: Mapping[str, Event], driver: Callable | None, subsystems: Sequence[Any]
) -> dict[str, dict[str, str]]:
    """Name and hash of each program of the user, by its kind; an empty hash where none can be had. Hashes of values
    that it looks up follow: `c0de gain=51ab`.
    """
    found = {
        "forces": {f"{k + 1}: {_name(force)}": _with_values(code_hash(force), force) for k, force in enumerate(forces)},
        "events": {name: _with_values(_event_hash(event), event.action) for name, event in events.items()},
        "driver": {} if driver is None else {_name(driver): _with_values(code_hash(driver), driver)},
        "subsystems": {part.name: code_hash(type(part)) for part in subsystems},
    }
    return {kind: programs for kind, programs in found.items() if programs}


def require_same(path: object, before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]) -> None:
    """Raise InputError if a run is taken up with other programs than it had."""
    problems = []
    for kind in dict.fromkeys((*before, *now)):
        had, has = before.get(kind, {}), now.get(kind, {})
        missing, more = [name for name in had if name not in has], [name for name in has if name not in had]
        both = [(name, *_parts(had[name]), *_parts(has[name])) for name in had if name in has]
        changed = [name for name, code, _, now_code, _ in both if code and now_code and code != now_code]
        values = [
            f"{key} (of {kind} {name})"
            for name, _, old, _, new in both
            for key in old
            if new.get(key, old[key]) != old[key]
        ]
        problems += [f"{kind} {', '.join(missing)} not given"] if missing else []
        problems += [f"{kind} {', '.join(more)} given, but not there before"] if more else []
        problems += [f"the code or the arguments of {kind} {', '.join(changed)} have changed"] if changed else []
        problems += [f"the value of {', '.join(values)} has changed"] if values else []
    if problems:
        words = "; ".join(problems)
        raise InputError(
            f"{path} was recorded with other programs: {words}. Give those of that run; to go on with others "
            "all the same, pass changed=True"
        )


def differences(before: Mapping[str, str]) -> str:
    """In words, what of the programs that made a file is another one here."""
    now = made_by()
    others = [name for name in SAME if before.get(name, now[name]) != now[name]]
    return ", ".join(f"{name} {before[name]} (here {now[name]})" for name in others)


def _name(function: Any) -> str:
    function = getattr(function, "py_func", function)  # compiled by Numba
    return getattr(function, "__qualname__", None) or type(function).__qualname__


def _with_values(code: str, function: Any) -> str:
    """A hash of code, and those of values that the function looks up."""
    return " ".join([code, *(f"{name}={value}" for name, value in values_of(function).items())]) if code else ""


def _parts(text: str) -> tuple[str, dict[str, str]]:
    """Hash of the code, and of values by name."""
    code, *values = text.split(" ")
    return code, dict(value.split("=", 1) for value in values if "=" in value)


def _event_hash(event: Event) -> str:
    action = code_hash(event.action) if callable(event.action) else str(event.action)
    return _short(f"{event.value} {event.when} {action}")


def code_hash(function: Any) -> str:
    """Of the code of a function, an object that can be called, or a class; empty where there is none to see.

    Plain default values and arguments of a partial count. For what a function closes over or looks up see
    `looked_up.py`.
    """
    digest = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    return digest.hexdigest()[:16] if _add(digest, getattr(function, "py_func", function), 0) else ""


def _add(digest: "hashlib._Hash", function: Any, depth: int) -> bool:
    if depth > 8:
        return False
    if isinstance(function, functools.partial):
        return _add(digest, function.func, depth + 1) and _add_values(digest, (function.args, function.keywords))
    if isinstance(function, MethodType):
        function = function.__func__
    if isinstance(function, FunctionType):
        _add_code(digest, function.__code__)
        _add_values(digest, (function.__defaults__, function.__kwdefaults__))
        return True
    members = vars(function if isinstance(function, type) else type(function))
    functions = [members[name] for name in sorted(members) if isinstance(members[name], FunctionType)]
    for member in functions:
        _add_code(digest, member.__code__)
    return bool(functions)


def _add_code(digest: "hashlib._Hash", code: CodeType) -> None:
    digest.update(code.co_code)
    digest.update(repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(digest, constant)
        else:
            plain = sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant
            digest.update(repr(plain).encode())


def _add_values(digest: "hashlib._Hash", value: Any) -> bool:
    """Plain values; others are passed over, as they may change while a run lasts."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest.update(str((value.shape, value.dtype)).encode() + value.tobytes())
    elif isinstance(value, (list, tuple)):
        for one in value:
            _add_values(digest, one)
    elif isinstance(value, dict):
        for name, one in value.items():
            digest.update(repr(name).encode())
            _add_values(digest, one)
    elif isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        digest.update(repr(value).encode())
    return True


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
