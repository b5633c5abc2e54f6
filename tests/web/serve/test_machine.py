"""A machine by sliders: loops stay closed."""

from pathlib import Path

import numpy as np
import pytest

import gori
from gori.web.drawings import Drawings
from gori.web.packet import unpack
from gori.web.serve.machine import MachineSession, closed_towards, without_motions
from gori.web.serve.messages import MessageError, parse_message
from tests.web.serve.pages import hear, page, say, served

FOUR_BAR = Path("examples/four_bar.yaml")


@pytest.fixture(scope="module")
def model():
    return gori.compile(gori.load(FOUR_BAR))


def test_a_slider_moves_the_mechanism_and_loops_stay_closed(model):
    session = MachineSession(model, "four-bar")
    head, _ = unpack(session.scene())
    assert head["mode"] == "machine" and {entry["name"] for entry in head["inputs"]} >= {"A"}
    tip = lambda q: session.model.forward_kinematics(q)["coupler"] @ [0.5, 0, 0, 1]  # noqa: E731
    for angle in np.linspace(1.0, 7.0, 20):
        session.act(None, parse_message(f'{{"set": "q", "joint": "A", "value": [{angle}]}}'))
        assert session.q[session.model.joint("A").q][0] == pytest.approx(angle)
        # C of the coupler is 0.4 m from D, the pivot of the rocker
        assert np.hypot(*(tip(session.q)[:2] - [0.6, 0.0])) == pytest.approx(0.4, abs=1e-9)


def test_what_cannot_be_closed_is_said_and_stays_closed(model):
    session = MachineSession(model)
    joint = "D" if "D" in session.model.joint_names else "C"
    before = session.number
    with pytest.raises(MessageError, match="cannot be closed"):
        session.act(None, parse_message(f'{{"set": "q", "joint": "{joint}", "value": [-3.0]}}'))
    assert session.number == before + 1 and np.isfinite(session.q).all()
    again, reached = closed_towards(session.model, session.q, "A", session.q[session.model.joint("A").q], 6.28)
    assert reached and np.allclose(again, session.q, atol=1e-8)


@pytest.mark.parametrize(
    "text",
    [
        '{"set": "q", "joint": "no", "value": [1]}',
        '{"set": "q", "joint": "A", "value": [1, 2]}',
        '{"set": "input", "name": "A", "value": 1}',
        '{"do": "pause"}',
    ],
)
def test_refused(model, text):
    with pytest.raises(MessageError):
        MachineSession(model).act(None, parse_message(text))


def test_over_the_socket(model):
    drawings = Drawings()
    with served(MachineSession(model, drawings=drawings)) as server, page(server) as socket:
        scene, _ = hear(socket, "scene")
        assert scene["mode"] == "machine"
        first, start = hear(socket, "frame")
        say(socket, shown=first["number"])
        say(socket, set="q", joint="A", value=[2.0])
        moved, poses = hear(socket, "frame")
        assert moved["values"]["A"] == pytest.approx(2.0)
        assert np.abs(poses["poses"] - start["poses"]).max() > 0.05
        say(socket, shown=moved["number"])
        say(socket, do="reset")
        _, poses = hear(socket, "frame")
        assert np.allclose(poses["poses"], start["poses"])
        drawings.text("note", "hello", [0, 0, 0])
        assert hear(socket, "drawings")[0]["type"] == "drawings"


def test_motions_do_not_hold_what_one_moves_by_hand(model):
    assert model.spec.motions and not without_motions(model).spec.motions
    plain = without_motions(model)
    assert without_motions(plain) is plain
