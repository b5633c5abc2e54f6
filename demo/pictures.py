"""The pictures of the README, made anew: `python -m demo.pictures [FOLDER]`. It needs a browser (docs/view.md)."""

import io
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import gori
from demo.vehicles import in_the_dunes
from gori.web.browser import Browser
from gori.web.export import options_of, page_text
from gori.web.render import Shots
from gori.web.serve.play.spatial import SPATIAL

FOLDER = Path(__file__).parent.parent / "docs" / "images"
SIZE = (1200, 675)
LARGEST = 250_000
"""of a picture [bytes]"""
COLOURS = (256, 192, 128, 96)
BEHIND = np.array([-7.6, 3.1, 2.6])
"""from the truck to the camera that chases it, in the truck's axes [m]"""


def truck(folder: Path) -> Path:
    """In the dunes, chased from behind and a little above, with the ruts that it leaves."""
    simulation = in_the_dunes()
    rec = simulation.run(9.2, sample=0.02, progress=False)
    at, R = rec["truck.chassis.position"][-1], rec["truck.chassis.rotation"][-1]
    ahead = np.array([R[0, 0], R[1, 0], 0.0]) / np.hypot(R[0, 0], R[1, 0])
    axes = np.column_stack([ahead, [-ahead[1], ahead[0], 0.0], [0.0, 0.0, 1.0]])
    camera = {"position": (at + axes @ BEHIND).tolist(), "target": (at + axes @ [0.6, 0.0, 0.3]).tolist()}
    text = page_text(rec, 60.0, "truck", options_of() | {"bare": True, "dark": False}, state=simulation.state)
    return _write(folder / "truck.png", text, float(rec.time[-1]), lambda browser, png: png, camera)


def viewer(folder: Path) -> Path:
    """A Stewart platform with charts and the reactions in its joints."""
    example = next(example for example in SPATIAL if example.name == "stewart")
    rec = example.compute(example.values())
    channels = ["leg0.drive", "leg2.drive", "leg4.drive", "platform.z"]
    options = options_of(["platform"], [], channels) | {"dark": False}
    text = page_text(rec, 20.0, "Stewart platform", options)
    return _write(folder / "viewer.png", text, 1.45, lambda browser, png: browser.screenshot())


def _write(path: Path, text: str, at: float, shot: Callable[[Browser, bytes], bytes], camera: Any = None) -> Path:
    """One picture of a page at a time [s], with as many colours as its size allows."""
    with tempfile.TemporaryDirectory(prefix="gori-pictures-") as place, Browser(*SIZE) as browser:
        page = Path(place) / "page.html"
        page.write_text(text, encoding="utf-8")
        browser.prefer(False)
        shots = Shots(browser, page, None)
        if camera is not None:
            browser.run(f"window.gori.page.camera({json.dumps(camera)})")
        image = Image.open(io.BytesIO(shot(browser, shots.at(at)))).convert("RGB")
    for colours in COLOURS:
        data = io.BytesIO()
        image.quantize(colours, dither=Image.Dither.NONE).save(data, "PNG", optimize=True)
        if data.tell() <= LARGEST:
            break
    else:
        raise gori.errors.InputError(f"{path.name}: {data.tell()} bytes, more than {LARGEST}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.getvalue())
    print(f"{path}: {data.tell() / 1e3:.0f} kB, {colours} colours")
    return path


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for make in (truck, viewer):
        make(folder)


if __name__ == "__main__":
    main()
