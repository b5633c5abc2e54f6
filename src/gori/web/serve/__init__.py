"""The server of the viewer: sessions, and who may watch and steer them. Imported when something is served."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gori.web.serve.app import Server, serve
    from gori.web.serve.live import LiveSession
    from gori.web.serve.machine import MachineSession
    from gori.web.serve.recorded import RecordedSession

_HOMES = {
    "Server": "app",
    "serve": "app",
    "LiveSession": "live",
    "MachineSession": "machine",
    "RecordedSession": "recorded",
}

__all__ = ["LiveSession", "MachineSession", "RecordedSession", "Server", "serve"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gori.web.serve' has no attribute {name!r}")
    return getattr(import_module(f"gori.web.serve.{_HOMES[name]}"), name)
