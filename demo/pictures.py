"""The pictures of the README, made anew: `python -m demo.pictures [FOLDER]`. It needs a browser (docs/view.md)."""

import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

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


def truck(folder: Path) -> Path:
    """In the dunes, chased from behind and beside, with the ruts that it leaves."""
    simulation = in_the_dunes()
    rec = simulation.run(13.0, sample=0.02, progress=False)
    options = options_of(camera="chase") | {"bare": True, "dark": False}
    text = page_text(rec, 60.0, "truck", options, state=simulation.state)
    return _write(folder / "truck.png", text, 12.8, lambda browser, png: png, ("chase", "follow"))


def viewer(folder: Path) -> Path:
    """A Stewart platform with charts and the reactions in its joints."""
    example = next(example for example in SPATIAL if example.name == "stewart")
    rec = example.compute(example.values())
    channels = ["leg0.drive", "leg2.drive", "leg4.drive", "platform.z"]
    options = options_of(["platform"], [], channels) | {"dark": False}
    text = page_text(rec, 20.0, "Stewart platform", options)
    return _write(folder / "viewer.png", text, 1.45, lambda browser, png: browser.screenshot())


def _write(
    path: Path, text: str, at: float, shot: Callable[[Browser, bytes], bytes], cameras: Iterable[str] = ()
) -> Path:
    """One picture of a page at a time [s], with as many colours as its size allows; cameras one after the other."""
    with tempfile.TemporaryDirectory(prefix="gori-pictures-") as place, Browser(*SIZE) as browser:
        page = Path(place) / "page.html"
        page.write_text(text, encoding="utf-8")
        browser.prefer(False)
        shots = Shots(browser, page, None)
        for camera in cameras:
            shots.at(at)
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
