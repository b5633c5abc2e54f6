"""Demo of the viewer and of driving: an exported file holds the motion and is drawn; a drive holds real time."""

import base64
import gzip
import io
import re
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import gori
from demo.report import Case, Report
from gori.errors import MissingPackageError
from gori.web.browser import Browser, find_browser
from gori.web.packet import unpack
from gori.web.render import Shots
from gori.web.serve.drive.session import DriveSession
from gori.web.serve.drive.truck import DriveOptions
from gori.web.serve.messages import parse_message

FOUR_BAR = Path(__file__).parent.parent / "examples" / "four_bar.yaml"
STARTING, SETTLING, DRIVING = 90.0, 0.5, 2.0
"""time that the process of a drive may take to start, that it runs before it counts, and that it is driven [s]"""


def export(case: Case, report: Report) -> None:
    """A recording as one file that opens offline: gori.to_html(recording, "four_bar.html").

    A crank-rocker over two turns, with the curve of its coupler point. Positions of all bodies are read back out of
    the file and compared with the recording; a browser, where there is one, must draw it.
    """
    spec = gori.load(FOUR_BAR)
    rec = gori.Simulation(gori.compile(spec), gori.RK4(1e-3), loops="partition").run(2.0, sample=0.01, progress=False)
    still = gori.view.draw(rec.model, rec.q[20], color=None, view="xy").figure
    channels = ["A.q", "D.q", "P.x", "P.y"]
    report.film(case, "four_bar", rec, still, at=0.2, trails=["P"], channels=channels)
    path = report.folder / "four_bar.html"
    if not case.films:
        return
    (scene, _), (film, arrays) = (_packets(path.read_text(encoding="utf-8"), part)[0] for part in ("scene", "film"))
    poses, worst = arrays[film["poses"]], 0.0
    for k, body in enumerate(scene["bodies"]):
        if body["name"] in ("crank", "coupler", "rocker"):
            worst = max(worst, float(np.abs(poses[:, k, :3] - rec[f"{body['name']}.position"]).max()))
    case.check("frames missing in the file", float(len(rec) - len(poses)), 0.5)
    case.check("positions in the file against the recording", worst, 1e-6, " m")
    case.note("size of the file", f"{path.stat().st_size / 1e3:.0f} kB, with the viewer inside")
    try:
        find_browser()
    except MissingPackageError as error:
        case.note("drawn by a browser", f"not tried: {error}")
        return
    with Browser(640, 400) as browser:
        shots = Shots(browser, path, None)
        first, later = (plt.imread(io.BytesIO(shots.at(at)))[..., :3] for at in (0.0, 0.25))
        errors = browser.errors
    case.check("errors in the page", float(len(errors)), 0.5)
    ground = np.median(first.reshape(-1, 3), axis=0)
    drawn = float(np.mean(np.abs(first - ground).max(axis=2) > 0.1))
    moved = float(np.mean(np.abs(first - later).max(axis=2) > 0.1))
    case.check_above("pixels that are not ground", 100.0 * drawn, 0.5, " %")
    case.check_above("pixels that differ a quarter of a turn later", 100.0 * moved, 0.5, " %")


def _packets(text: str, part: str) -> list[tuple[dict, dict]]:
    """Heads and arrays of one part of an exported file."""
    found = re.search(rf'<script type="application/gori" data-part="{part}">([^<]*)</script>', text)
    assert found is not None
    data, packets = gzip.decompress(base64.b64decode(found[1])), []
    while data:
        length = int.from_bytes(data[:4], "little")
        packets.append(unpack(data[4 : 4 + length]))
        data = data[4 + length :]
    return packets


class _Driver:
    """A page that steers, as a session sees it."""

    id = 1

    def __init__(self):
        self.memory: dict = {}


def drive(case: Case, report: Report) -> None:
    """Driving at real time: gori drive.

    The truck stands on dry sand, in the process that the drive page talks to; then full throttle for two seconds. Of
    all moments, 10 ms apart, those in which simulated time is more than 50 ms behind the clock are counted.
    """
    session, driver = DriveSession(DriveOptions(course="flat", soil="dry_sand")), _Driver()
    rows: list[tuple[float, float, float, float]] = []
    began = time.perf_counter()
    session.start()
    try:
        session.joined(driver)  # type: ignore[arg-type]
        while session.latest is None:
            if session.failed or time.perf_counter() - began > STARTING:
                case.check(f"starts ({session.failed or 'not in time'})", 1.0, 0.5)
                return
            time.sleep(0.02)
        time.sleep(SETTLING)
        first, start = session.latest, time.perf_counter()
        pedals = parse_message('{"drive": {"throttle": 1.0, "smooth": true}, "sent": 1}')
        while (now := time.perf_counter() - start) < DRIVING:
            session.act_at_once(driver, pedals)  # type: ignore[arg-type]
            row = session.latest["row"]
            at, speed = session.size.joint_q, session.size.joint_v
            q, v = row[1:][at], row[1 + session.model.nq :][speed]
            rows.append((now, row[0] - first["row"][0], q[4], v[3]))
            time.sleep(0.02)
        last = session.latest
    finally:
        session.stop()
    clock, simulated, x, speed = np.array(rows).T
    looks, held = last["looks"] - first["looks"], last["held"] - first["held"]
    case.check("moments behind the clock", 100.0 * (1.0 - held / looks), 5.0, " %")
    case.check_above("way after two seconds", x[-1] - x[0], 1.0, " m")
    case.check_above("speed after two seconds", 3.6 * speed[-1], 5.0, " km/h")
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6))
    axes[0].plot(clock, simulated, label="simulated time")
    axes[0].plot(clock, clock, "k:", label="clock")
    axes[0].set(xlabel="clock [s]", title="simulated time [s]")
    axes[0].legend()
    axes[1].plot(clock, 3.6 * speed)
    axes[1].set(xlabel="clock [s]", title="speed [km/h]")
    report.picture(case, "drive.png", figure)


CASES = (export, drive)
