"""The viewer in a real browser with software rendering: how soon a picture is there, how well a drive holds real time.

    python -m bench.web              about three minutes; the drive lasts 60 s
    python -m bench.web --long       the drive lasts ten minutes

Last line JSON:
    open_53k_s                    from the command to the first complete picture: 53,000 grains, 500 frames
    jump_53k_s                    from there to frame 400
    frames_per_s_53k              pictures a second while it plays, 1280x720, truck and terrain drawn too
    drawn_share_53k               share of its grains that are drawn then
    drive_realtime_held_percent   share of 10 ms in which simulated time is less than 50 ms behind the clock; truck on
                                  dry sand with ruts drawn, the page open on the same cores
    key_to_motion_ms_p50, _p99    from keydown to the first drawn picture in which the wheels steer, clock of the page;
                                  keys that come while the wheels still turn back are not counted (unsettled), keys
                                  that bring nothing count with the time until the next one (missed)
    open_1m_s                     from the address to the first complete picture: 1,000,000 grains, 5 frames
    drawn_1m                      grains of that picture: what the page takes upon itself where the processor draws
    all_1m_s                      from there to a picture with all of them, asked for on the page
    seek_1m_s                     to the next frame with all of them
    heap_1m_mb                    memory of the page's script then
    live_100k_frames_per_s        different moments of a live run of 100,000 grains that the page shows
    memory_growth_mb              of server, simulation and browser together over the drive, after a minute (or a fifth)
    bundle_kb                     JavaScript and CSS of the largest page, before gzip
    html_export_four_bar_kb       one file with the four-bar linkage
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import gori
from bench.timing import console
from gori import vehicle
from gori.record.frames import FrameFile
from gori.sim.particles.framing import frames_beside
from gori.web.browser import Browser
from gori.web.pages import STATIC
from gori.web.serve.app import Server
from gori.web.serve.drive.session import DriveSession
from gori.web.serve.drive.truck import DriveOptions
from gori.web.serve.live import LiveSession
from gori.web.serve.recorded import RecordedSession

SIZE = (1280, 720)
GRAINS, FRAMES, JUMP = 53_000, 500, 400
PRESSES = 215
HELD = 0.06
"""time that a key is held down [s]"""
KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "ArrowUp": 38, "Space": 32}


def key(browser: Browser, code: str, down: bool) -> None:
    """A key of the keyboard, as a person presses it."""
    name = " " if code == "Space" else code
    kind = "rawKeyDown" if down else "keyUp"
    browser._call("Input.dispatchKeyEvent", type=kind, code=code, key=name, windowsVirtualKeyCode=KEYS[code])


def state(browser: Browser) -> dict[str, Any]:
    return browser.run("window.gori.page.state()")


# ---- 53,000 grains


def recorded(folder: Path) -> Path:
    """A recording of the truck with 53,000 grains over 500 frames: made up, of the size of the real one."""
    path = folder / "run.h5"
    model = gori.compile(vehicle.spec("hmmwv", terrain={"features": {"bump": {"type": "trapezoid", "at": [8, 0]}}}))
    run = gori.Simulation(
        model, gori.Adams(step=1e-3, order=2), state=gori.at_rest(model, speed=3.0), loops="real_time"
    )
    recording = run.run(5.0, sample=0.01, path=path, progress=False)
    return _with_grains(path, recording)


def _with_grains(path: Path, recording: gori.Recording) -> Path:
    """Grains that slosh in the bed, written beside the recording as a run writes them."""
    rng = np.random.default_rng(1)
    local = rng.uniform([-2.2, -0.8, 0.75], [-0.4, 0.8, 1.6], (GRAINS, 3))
    times = np.linspace(0.0, recording.time[-1], FRAMES)
    rows = np.searchsorted(recording.time, times).clip(0, len(recording) - 1)
    rotation, position = recording["truck.chassis.rotation"][rows], recording["truck.chassis.position"][rows]
    ids, motion = np.arange(GRAINS), np.zeros((GRAINS, 8))
    motion[:, 3] = 1.0
    with FrameFile(frames_beside(path), materials=("stone",), groups=("load",), single=True, capacity=FRAMES) as file:
        for k, now in enumerate(times):
            sway = 0.03 * np.sin(4.0 * now + 3.0 * local[:, :1])
            at = (local + sway) @ rotation[k].T + position[k]
            motion[:, :3] = 0.12 * np.cos(4.0 * now + 3.0 * local[:, :1])
            file.append(float(now), ids, np.column_stack([at, np.full(GRAINS, 0.0225)]), motion)
    return path


def open_53k(path: Path) -> dict[str, float]:
    """From the command on: `gori view` in a process of its own."""
    command = [sys.executable, "-m", "gori.cli", "view", str(path), "--no-browser"]
    with Browser(*SIZE) as browser:
        began = time.perf_counter()
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            browser.open(server.stdout.readline().split()[0])
            ready = "window.gori && window.gori.page && window.gori.page.state().grains?.drawn > 0"
            browser.wait_for(ready, "the first picture")
            browser.run("window.gori.page.ready")
            opened = time.perf_counter() - began
            browser.run("window.gori.page.pause()")
            began = time.perf_counter()
            browser.run(f"window.gori.page.seek({5.0 * JUMP / (FRAMES - 1)})")
            browser.wait_for(f"window.gori.page.state().grains?.frame >= {JUMP - 1}", "the jump")
            jumped = time.perf_counter() - began
            browser.run("window.gori.page.seek(0)")
            browser.run("window.gori.page.play()")
            time.sleep(3.0)
            rates, shares = [], []
            for _ in range(20):
                time.sleep(0.25)
                now = state(browser)
                rates.append(now["fps"])
                if now["grains"]:
                    shares.append(now["grains"]["drawn"] / now["grains"]["count"])
        finally:
            server.terminate()
            server.wait(20)
    return {
        "open_53k_s": opened, "jump_53k_s": jumped, "frames_per_s_53k": float(np.median(rates)),
        "drawn_share_53k": float(np.median(shares)),
    }  # fmt: skip


# ---- a million grains


def million(folder: Path) -> Path:
    """A recording of a box of a million grains in five frames: made up."""
    path, rng = folder / "million.h5", np.random.default_rng(2)
    box = {"type": "box", "size": [2.0, 2.0, 1.0], "hollow": True, "open": ["z+"]}
    spec = gori.Spec(bodies={"ground": {"shapes": {"bin": box}}}, run={"duration": 1.0})
    gori.Recording(gori.compile(spec), np.linspace(0.0, 1.0, 5), np.zeros((5, 0)), np.zeros((5, 0))).save(path)
    count, motion = 1_000_000, np.zeros((1_000_000, 8))
    at = rng.uniform([-1.0, -1.0, -0.5], [1.0, 1.0, 0.5], (count, 3))
    with FrameFile(frames_beside(path), materials=("sand",), groups=("heap",), single=True, capacity=5) as file:
        for k in range(5):
            motion[:, 2] = 0.1 * np.sin(5.0 * at[:, 0] + k)
            spheres = np.column_stack([at + 0.01 * motion[:, :3], np.full(count, 0.006)])
            file.append(0.25 * k, np.arange(count), spheres, motion)
    return path


ALL = """(() => {
  [...document.querySelectorAll(".tab")].find((tab) => tab.textContent.includes("Display")).click();
  const choice = document.querySelector('select[aria-label="Grains drawn"]');
  choice.selectedIndex = choice.options.length - 1;
  choice.dispatchEvent(new Event("change"));
})()"""


def open_1m(path: Path) -> dict[str, float]:
    with Server(RecordedSession(path)) as server, Browser(*SIZE) as browser:
        began = time.perf_counter()
        browser.open(server.address)
        browser.wait_for("window.gori?.page?.state().grains?.drawn > 0", "the first picture", 120.0)
        browser.run("window.gori.page.ready")
        opened, drawn = time.perf_counter() - began, state(browser)["grains"]["drawn"]
        browser.run("window.gori.page.pause()")
        took = []
        for script in (ALL, "window.gori.page.seek(0.5)"):
            began = time.perf_counter()
            browser.run(script)
            browser.wait_for("window.gori.page.state().grains.drawn === 1000000", "all of them", 120.0)
            browser.run("window.gori.page.seek(window.gori.page.state().time)")
            took.append(time.perf_counter() - began)
        heap = browser.run("performance.memory.usedJSHeapSize") / 1e6
    return {"open_1m_s": opened, "drawn_1m": drawn, "all_1m_s": took[0], "seek_1m_s": took[1], "heap_1m_mb": heap}


# ---- the drive


def memory() -> float:
    """Resident memory of this process and all its children [MB]; pages that several share are divided among them."""
    total, parents = 0.0, {os.getpid()}
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    grown = True
    while grown:
        more = {child for child, parent in found.items() if parent in parents} - parents
        parents |= more
        grown = bool(more)
    for number in parents:
        try:
            rows = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
            total += sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) * 1024 / 1e6
        except OSError:
            continue
    return total


def drive(seconds: float) -> dict[str, float]:
    """Round and round on dry sand, with keys pressed all the time."""
    session = DriveSession(DriveOptions(course="flat", soil="dry_sand"))
    with Server(session) as server, Browser(*SIZE) as browser:
        browser.open(server.address)
        browser.wait_for("window.gori && window.gori.page && window.gori.page.state().frame > 0", "the drive")
        time.sleep(3.0)
        first = session.latest
        assert first is not None
        began, settled, marks = time.perf_counter(), min(60.0, seconds / 5.0), []
        period = max(0.32, (seconds - 2.0) / PRESSES)
        key(browser, "ArrowUp", True)
        k = 0
        while (passed := time.perf_counter() - began) < seconds or k < PRESSES:
            code = ("ArrowLeft", "ArrowRight", "ArrowLeft")[k % 3]  # round and round, not away
            key(browser, code, True)
            time.sleep(HELD)
            key(browser, code, False)
            time.sleep(period - HELD)  # the wheels come back and rest
            k += 1
            if k % 8 == 0:  # not too fast
                key(browser, "ArrowUp", k % 16 == 0)
            if k % 100 == 0:
                browser.run("window.gori.page.state()")
            if passed > settled and k % 25 == 0:
                marks.append(memory())
        last = session.latest
        assert last is not None
        latency = browser.run("window.gori.page.latency.summary()")
        fps = state(browser)["fps"]
    looks, held = last["looks"] - first["looks"], last["held"] - first["held"]
    growth = float(np.median(marks[-3:]) - np.median(marks[:3])) if marks else 0.0
    return {
        "drive_realtime_held_percent": 100.0 * held / max(1, looks), "drive_s": 0.01 * looks,
        "key_presses": latency["count"], "key_to_motion_ms_p50": latency["p50"], "key_to_motion_ms_p99": latency["p99"],
        "drive_frames_per_s": fps, "memory_growth_mb": growth, "key_presses_missed": latency["missed"],
        "key_presses_unsettled": latency["unsettled"],
    }  # fmt: skip


# ---- a live run of 100,000 grains


def live_100k(seconds: float = 10.0) -> dict[str, float]:
    """Frames that the page gets and draws while the grains fall."""
    count, radius = 100_000, 0.01
    tank = {"type": "box", "size": [1.2, 1.2, 1.2], "hollow": True, "open": ["z+"], "material": "steel"}
    spec = gori.Spec(
        materials={"steel": {"E": 1e8, "nu": 0.3}, "sand": {"E": 1e6, "nu": 0.25, "density": 2500}},
        contacts={pair: {"restitution": 0.3, "friction": 0.5} for pair in ("sand/sand", "sand/steel")},
        bodies={"tank": gori.spec.Body(mass=100, inertia=(1, 1, 1), shapes={"bin": tank})},
        joints={"hold": gori.spec.Joint(type="prismatic", parent="ground", child="tank", stiffness=1e7, damping=1e4)},
        particles={
            "heap": {
                "material": "sand", "radius": radius,
                "fill": {"shape": "tank.bin", "count": count, "packing": "poured", "seed": 1},
            }
        },
    )  # fmt: skip
    run = gori.Simulation(gori.compile(spec), gori.RK4(step=2e-4))
    with Server(LiveSession(run, speed=0.0)) as server, Browser(*SIZE) as browser:
        browser.open(server.address)
        browser.wait_for("window.gori?.page?.state().grains?.count > 0", "grains", 120.0)
        time.sleep(2.0)
        before, began = server.session.number, time.perf_counter()
        shown, last = 0, None
        while time.perf_counter() - began < seconds:
            now = state(browser)["time"]
            shown, last = shown + (now != last), now
            time.sleep(0.01)
        passed = time.perf_counter() - began
        made = (server.session.number - before) / passed
    return {"live_100k_frames_per_s": shown / passed, "live_100k_frames_made_per_s": made}


# ---- sizes


def sizes(folder: Path) -> dict[str, float]:
    pages = {
        page: sum(path.stat().st_size for path in STATIC.glob(f"{page}.*") if path.suffix in (".js", ".css"))
        for page in ("view", "drive", "play")
    }
    from gori.web.export import to_html

    rec = gori.Simulation(
        gori.compile(gori.load("examples/four_bar.yaml")), gori.RK4(step=1e-3), loops="partition"
    ).run(1.0, sample=0.01, progress=False)
    to_html(rec, folder / "four_bar.html")
    return {
        "bundle_kb": max(pages.values()) / 1e3,
        "html_export_four_bar_kb": (folder / "four_bar.html").stat().st_size / 1e3,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="drive for ten minutes")
    parser.add_argument("--only", default="open,million,drive,live,sizes", help="parts, separated by commas")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the drive")
    given = parser.parse_args()
    parts, found = given.only.split(","), dict[str, float]()
    with tempfile.TemporaryDirectory(prefix="gori-bench-") as name:
        folder = Path(name)
        if "sizes" in parts:
            found |= sizes(folder)
        if "open" in parts:
            found |= open_53k(recorded(folder))
        if "million" in parts:
            found |= open_1m(million(folder))
        if "drive" in parts:
            found |= drive(600.0 if given.long else given.seconds)
        if "live" in parts:
            found |= live_100k()
    load = os.getloadavg()[0]
    for key_name, value in found.items():
        console.print(f"{key_name:32s} {value:10.2f}")
    console.print(f"load of the machine {load:.1f} on {os.cpu_count()} cores, this program and its browser included")
    print(json.dumps({name: round(value, 3) for name, value in found.items()} | {"load": round(load, 2)}))


if __name__ == "__main__":
    main()
