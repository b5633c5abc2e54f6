"""The playground over the server: settings of each page, the latest of many."""

import numpy as np
import pytest

from gori.web.packet import unpack
from gori.web.serve.messages import MessageError
from gori.web.serve.play.session import EXAMPLES, PlaySession
from tests.web.serve.pages import hear, page, say, served


def test_sliders_change_the_mechanism_of_their_page_alone():
    with served(PlaySession()) as server, page(server) as one, page(server) as two:
        scene, _ = hear(one, "scene", timeout=60)
        assert scene["play"]["example"] == "four-bar" and len(scene["play"]["examples"]) == 7
        assert {entry["name"] for entry in scene["inputs"]} == set(EXAMPLES["four-bar"].values())
        film, before = hear(one, "film")
        assert film["series"] and hear(one, "arrows")[0]["kind"] == "reaction"
        for value in np.linspace(0.4, 0.45, 30):  # a slider that is dragged: not every value is computed
            say(one, set="parameter", name="coupler", value=float(value))
        count, scene = 0, None
        while scene is None or scene["play"]["values"]["coupler"] != pytest.approx(0.45):
            scene, _ = hear(one, "scene", timeout=60)
            _, after = hear(one, "film")
            count += 1
        assert count < 30 and np.abs(after["poses"] - before["poses"]).max() > 0.01
        assert hear(two, "scene", timeout=60)[0]["play"]["values"]["coupler"] == 0.5
        say(one, ask="series", name="B.q")
        assert hear(one, "series")[0]["name"] == "B.q"


def test_what_cannot_turn_round_says_so_and_shows_what_it_can():
    with served(PlaySession()) as server, page(server) as one:
        hear(one, "scene", timeout=60)
        say(one, set="parameter", name="crank", value=0.35)
        assert "all the way round" in hear(one, "notice", timeout=60)[0]["message"]
        for bad in ({"set": "parameter", "name": "no", "value": 1}, {"do": "example", "value": "no"}, {"do": "pause"}):
            say(one, **bad)
            assert hear(one, "error")[0]["message"]
        say(one, do="example", value="governor")
        scene, _ = hear(one, "scene", timeout=60)
        assert scene["play"]["example"] == "governor"


def test_refused():
    with pytest.raises(MessageError, match="four-bar"):
        PlaySession("perpetual motion")
    assert unpack(PlaySession("slider-crank").scene())[0]["title"] == "Slider-crank"
