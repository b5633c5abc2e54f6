"""Jupyter: a Model, a Recording and a Simulation show themselves.

Models and recordings are shown by the exported page in a frame: it needs no kernel and is still there in a saved
notebook. `widget(...)` is live: sliders move a machine, and a simulation is watched while it runs. `register` is called
by `import gori` where IPython is loaded, so nothing heavy is imported here.
"""

import html
import sys
from typing import TYPE_CHECKING, Any

from gori.errors import GoriError, MissingPackageError

if TYPE_CHECKING:
    from gori.web.serve.session import Session

SHOWN = {"gori.model.model": "Model", "gori.record.recording": "Recording", "gori.sim.simulation": "Simulation"}
"""classes that show themselves, by the modules that they live in"""
HEIGHT = 480
"""of a picture [pixels]"""
LIMIT_MB = 3.0
"""of one picture in a notebook"""
_RENDER = """
export default {
  render({ model, el }) {
    el.style.height = model.get("height") + "px";
    const wire = {
      send: (message) => model.send(message),
      listen: (receive) =>
        model.on("msg:custom", (_, buffers) => {
          for (const buffer of buffers) receive(buffer);
        }),
    };
    const view = globalThis.goriView(el, { parts: model.get("parts"), options: model.get("options"), ...wire });
    model.send({ do: "watch" });
    return () => view?.close?.();
  },
};
"""


def register() -> bool:
    """Let the running IPython show machines and runs; False where none runs. Their classes are not imported for it."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    formatter = getattr(shell, "display_formatter", None)
    if formatter is None:
        return False
    for module, name in SHOWN.items():
        formatter.mimebundle_formatter.for_type_by_name(module, name, bundle)
    return True


def bundle(shown: Any) -> dict[str, Any]:
    """What a notebook gets of a Model, Recording or Simulation; only words where the page cannot be made."""
    try:
        return {"text/html": frame(shown), "text/plain": repr(shown)}
    except GoriError as error:
        return {"text/plain": f"{shown!r}\n(not drawn: {error})"}


def frame(shown: Any, height: int = HEIGHT, limit_mb: float = LIMIT_MB) -> str:
    """HTML of a frame with the exported page inside."""
    from gori.web.export import page_text

    text = page_text(_still(shown), limit_mb, type(shown).__name__)
    style = f"width:100%;height:{int(height)}px;border:0"
    # allow-scripts alone: what is inside cannot reach the notebook
    return f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{html.escape(text)}"></iframe>'


def _still(shown: Any) -> Any:
    """A Model or Recording; of a Simulation its present state."""
    from gori.record import Recording
    from gori.sim import Simulation

    if not isinstance(shown, Simulation):
        return shown
    time, q, v, z = (getattr(shown.state, name) for name in ("time", "q", "v", "z"))
    return Recording(shown.model, [time], q[None], v[None], z[None])


def widget(shown: Any, height: int = HEIGHT) -> Any:
    """A live view of a Model (sliders for its coordinates), a Recording, or a Simulation that runs; an anywidget."""
    session, page = _session(shown), _script()
    return widget_class(*page)(session, height)


def _script() -> tuple[str, str]:
    from gori.web.pages import built

    page = built("view")
    return page.script + _RENDER, page.style


def _session(shown: Any) -> "Session":
    from gori.model import Model
    from gori.record import Recording
    from gori.sim import Simulation
    from gori.web.serve import LiveSession, MachineSession, RecordedSession

    if isinstance(shown, Simulation):
        return LiveSession(shown)
    if isinstance(shown, Model):
        return MachineSession(shown)
    if isinstance(shown, Recording):
        return RecordedSession(shown)
    from gori.errors import InputError

    raise InputError(f"a widget shows a Model, a Recording or a Simulation, not a {type(shown).__name__}")


class CellWatcher:
    """The page in a cell, as a session sees it: it gets the latest frame when it has shown those before."""

    def __init__(self, session: "Session", send: Any):
        self.session, self._send = session, send
        self.id, self.most, self.last = 0, 60_000, 0
        self.memory: dict[str, Any] = {}
        self._ahead: list[int] = []
        session.changed, session.say = self.wake, send

    def begin(self) -> None:
        """The page is there. Its scene is part of the widget, so that it is in a saved notebook, too."""
        from gori.web.packet import unpack

        for packet in self.session.joined(self):  # pyright: ignore[reportArgumentType]
            if unpack(packet)[0]["type"] != "scene":
                self._send(packet)
        self.last, self._ahead = 0, []
        self.wake()

    def wake(self) -> None:
        """There may be a new frame; from any thread."""
        if len(self._ahead) < 2 and self.session.number > self.last:
            found = self.session.frame(self)  # pyright: ignore[reportArgumentType]
            if found is not None:
                self.last, packet = found
                self._ahead.append(self.last)
                self._send(packet)

    def take(self, content: Any) -> None:
        """A message of the page, checked as those of a websocket are."""
        import json

        from gori.web.serve.messages import MessageError, parse_message
        from gori.web.serve.session import error_packet

        if content == {"do": "watch"}:
            self.begin()
            return
        try:
            message = parse_message(json.dumps(content))
            if message.kind == "shown":
                self._ahead = [number for number in self._ahead if number > message.fields["number"]]
                self.wake()
            elif not self.session.act_at_once(self, message):  # pyright: ignore[reportArgumentType]
                answer = self.session.act(self, message)  # pyright: ignore[reportArgumentType]
                if answer is not None:
                    self._send(answer)
                self.wake()
        except (MessageError, GoriError, TypeError) as error:
            self._send(error_packet(str(error)))


def widget_class(script: str, style: str) -> Any:
    """The anywidget of a page; made when it is first wanted, as its package is optional."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise MissingPackageError("live views in a notebook need anywidget: pip install 'gori[notebook]'") from None

    class Live(anywidget.AnyWidget):
        _esm, _css = script, style
        parts = traitlets.List([]).tag(sync=True)
        options = traitlets.Dict({}).tag(sync=True)
        height = traitlets.Int(HEIGHT).tag(sync=True)

        def __init__(self, session: "Session", height: int):
            given = [packet for packet in (session.scene(), session.film()) if packet is not None]
            super().__init__(height=height, parts=given)
            self.session = session
            self.watcher = CellWatcher(session, lambda packet: self.send({}, buffers=[packet]))
            self.on_msg(lambda _, content, buffers: self.watcher.take(content))
            session.start()

        def close(self) -> None:
            self.session.stop()
            super().close()

    return Live
