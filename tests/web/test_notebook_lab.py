"""A notebook in a real JupyterLab: a Recording as the last expression of a cell is drawn. Tried where jupyterlab is
installed (pip install 'gori[lab]'); with GORI_NEED_LAB=1 a missing one is a failure.
"""

import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from gori.web.browser import find_browser
from tests.web.browsers import require_browser
from tests.web.machines import four_bar

CELL = """import gori
gori.open_run("run.h5")"""
ROOT = Path(__file__).parents[2]
STARTING = 60.0
"""time for the server to start [s]"""


def require_lab() -> None:
    """Skip the test, or fail it, where there is no JupyterLab."""
    if find_spec("jupyterlab") is None:
        words = "not tried without JupyterLab: pip install 'gori[lab]'"
        (pytest.fail if os.environ.get("GORI_NEED_LAB") == "1" else pytest.skip)(words)


@contextmanager
def lab(folder):
    """The address of a JupyterLab of its own in a folder, with its token."""
    own = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    paths = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    env = {**os.environ, **own, "PYTHONPATH": paths, "IPYTHONDIR": str(folder / "ipython")}
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", f"--ServerApp.root_dir={folder}"]
    options += ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    command = [sys.executable, "-m", "jupyterlab", *options]
    with open(folder / "lab.log", "w+b") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=env, cwd=folder)
        try:
            yield _address(process, folder / "lab.log")
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()


def _address(process, log) -> str:
    end = time.monotonic() + STARTING
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:(\d+)/lab\?token=(\w+)", log.read_text(errors="replace")):
            return f"http://127.0.0.1:{found[1]}/lab/tree/run.ipynb?token={found[2]}"
        time.sleep(0.1)
    raise AssertionError(f"JupyterLab did not start: {log.read_text(errors='replace')[-2000:]}")


def test_a_recording_is_drawn_in_jupyterlab(tmp_path):
    require_lab()
    require_browser()
    sync = pytest.importorskip("playwright.sync_api")
    cell = {"cell_type": "code", "id": "one", "source": CELL, "metadata": {}, "outputs": [], "execution_count": None}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "run.ipynb").write_text(json.dumps(notebook))
    four_bar().save(tmp_path / "run.h5")
    with lab(tmp_path) as address, sync.sync_playwright() as play:
        options = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        browser = play.chromium.launch(executable_path=str(find_browser()), args=options)
        page = browser.new_page(viewport={"width": 1100, "height": 800})
        page.goto(address)
        cell = page.locator(".jp-Notebook .jp-CodeCell .cm-content").first
        # a slow start brings up a dialog, which a handler closes whenever it stands in the way
        page.add_locator_handler(page.locator(".jp-Dialog"), lambda: page.keyboard.press("Escape"))
        frame = page.locator(".jp-OutputArea iframe").first
        cell.wait_for(timeout=60_000)
        for _ in range(6):  # a cell that is run before its kernel is ready is forgotten
            cell.click()
            page.keyboard.press("Shift+Enter")
            with suppress(sync.TimeoutError):
                frame.wait_for(timeout=20_000)
                break
        page.screenshot(path=str(tmp_path / "lab.png"))
        frame.wait_for(timeout=1_000)
        inside = frame.element_handle().content_frame()
        inside.wait_for_function("() => window.gori && window.gori.page", timeout=60_000)
        inside.evaluate("() => window.gori.page.ready.then(() => true)")
        looks = [_pixels(inside, at) for at in (0.0, 0.25)]
        page.screenshot(path=str(tmp_path / "lab.png"))
        browser.close()
    ground = np.median(looks[0].reshape(-1, 3), axis=0)
    assert np.mean(np.abs(looks[0] - ground).max(axis=2) > 25) > 0.005, "nothing was drawn"
    assert np.mean(np.abs(looks[0] - looks[1]).max(axis=2) > 25) > 0.001, "nothing moves"


def _pixels(inside, at: float) -> np.ndarray:
    """Colours (rows, columns, 3) of the scene at a time [s]."""
    import base64
    import io

    from PIL import Image

    script = "async (at) => { gori.page.pause(); await gori.page.seek(at); return gori.page.picture(); }"
    data = base64.b64decode(inside.evaluate(script, at).partition(",")[2])
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), float)
