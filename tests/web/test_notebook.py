import base64
import html
import json
import subprocess
import sys

import pytest

import gori
from gori.web import notebook, pages
from gori.web.browser import Browser
from gori.web.notebook import CellWatcher, bundle, frame, register
from gori.web.packet import pack
from tests.web.browsers import require_browser
from tests.web.machines import four_bar
from tests.web.twin import decoded, parts_of


def test_a_recording_is_a_page_in_a_frame_that_needs_no_kernel(stub):
    text = frame(four_bar())
    assert text.startswith('<iframe sandbox="allow-scripts')
    inside = html.unescape(text.partition('srcdoc="')[2].rpartition('"')[0])
    assert set(parts_of(inside)) >= {"scene", "film"}
    assert "text/html" in bundle(four_bar().model)


def test_a_simulation_is_shown_as_it_stands_and_not_moved(stub):
    simulation = gori.Simulation(four_bar().model, gori.RK4(1e-3), loops=gori.loops.Partition())
    simulation.run(0.01, progress=False)
    before = simulation.state.time
    assert "<iframe" in bundle(simulation)["text/html"] and simulation.state.time == before


def test_without_pages_there_are_words(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    shown = bundle(four_bar())
    assert list(shown) == ["text/plain"] and "not drawn: the pages of the viewer are not built" in shown["text/plain"]


def test_import_registers_by_name_and_imports_nothing_heavy():
    pytest.importorskip("IPython")
    code = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
import gori
assert not {"numpy", "numba", "anywidget"} & set(sys.modules), "heavy"
formatter = shell.display_formatter.mimebundle_formatter
assert ("gori.model.model", "Model") in formatter.deferred_printers
model = gori.compile(gori.Spec())
found, _ = shell.display_formatter.format(model)
print(sorted(found))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "text/plain" in done.stdout


def test_nothing_is_registered_without_ipython(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert register() is False


class Machine:
    """A session as the widget sees one."""

    number = 1

    def joined(self, watcher):
        return [pack({"type": "scene"})]

    def film(self):
        return None

    def frame(self, watcher):
        return self.number, pack({"type": "frame", "number": self.number})

    def act_at_once(self, watcher, message):
        return False

    def act(self, watcher, message):
        self.number += 1
        return None


def test_a_cell_gets_frames_as_it_shows_them():
    session, sent = Machine(), []
    watcher = CellWatcher(session, lambda packet: sent.append(decoded(packet)[0]))
    watcher.take({"do": "watch"})
    assert [head["type"] for head in sent] == ["frame"]
    for _ in range(5):
        session.number += 1
        session.changed()
    assert len(sent) == 2  # two frames ahead, never a queue
    watcher.take({"shown": 2})
    assert sent[-1]["number"] == 6
    watcher.take({"nonsense": 1})
    assert sent[-1]["type"] == "error"


def test_a_live_widget_of_a_machine(stub):
    pytest.importorskip("anywidget")
    live = gori.web.widget(four_bar().model)
    assert decoded(live.parts[0])[0]["type"] == "scene"
    live.close()
    with pytest.raises(gori.errors.InputError, match="not a int"):
        notebook.widget(3)


MODEL = """
(async () => {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const values = { parts: PARTS.map((text) => new DataView(bytes(text).buffer)), options: {}, height: 300 };
  const sent = [];
  const model = { get: (name) => values[name], send: (message) => sent.push(message), on: () => {} };
  const el = document.createElement("div");
  el.style.width = "400px";
  document.body.append(el);
  const url = URL.createObjectURL(new Blob([new TextDecoder().decode(bytes(SCRIPT))], { type: "text/javascript" }));
  (await import(url)).default.render({ model, el });
  for (let k = 0; k < 200 && !el.querySelector("canvas"); k++) await new Promise((next) => setTimeout(next, 50));
  return { sent: sent.length, canvas: !!el.querySelector("canvas"), text: el.textContent.slice(0, 200) };
})()
"""


def test_the_script_of_a_widget_draws_into_its_cell(tmp_path):
    require_browser()
    pytest.importorskip("anywidget")
    live = gori.web.widget(four_bar())
    script = base64.b64encode(live._esm.encode())
    parts = [base64.b64encode(packet).decode() for packet in live.parts]
    page = tmp_path / "cell.html"
    page.write_text("<!doctype html><meta charset=utf-8><body>")
    with Browser(500, 400) as tab:
        tab.open(page.as_uri())
        tab.wait_for("document.readyState == 'complete'", "the page")
        found = tab.run(MODEL.replace("PARTS", json.dumps(parts)).replace("SCRIPT", json.dumps(script.decode())))
        assert found["canvas"] and found["sent"] >= 1, (found, tab.errors)
        tab.wait_for("document.body.textContent.includes('0.3')", "the time of the film")
        assert tab.errors == []
    live.close()
