import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.record import Recording
from gori.web.ghost import Ghost, names_of_both
from tests.web.machines import four_bar, truck
from tests.web.twin import decoded


def test_a_ghost_is_the_motion_of_the_other_run(tmp_path):
    rec = four_bar()
    rec.save(tmp_path / "slow.h5")
    ghost = Ghost(rec.model, tmp_path / "slow.h5")
    head, arrays = decoded(ghost.packet(("fast", "slow"), 50))
    assert head["ghost"] is True and head["names"] == ["fast", "slow"] and len(arrays["times"]) == 50
    np.testing.assert_allclose(arrays["poses"][-1, 1, :3], rec["crank.position"][-1], atol=1e-7)
    assert decoded(ghost.packet(("a", "b"), kind="ghost-film"))[0]["type"] == "ghost-film"


def test_only_runs_of_the_same_bodies_can_be_compared():
    rec = four_bar()
    for other, words in ((truck()[0], "same bodies"), (3, "not a int"), (rec.model, "not a Model")):
        with pytest.raises(InputError, match=words):
            Ghost(rec.model, other)
    empty = Recording(rec.model, [], np.zeros((0, rec.model.nq)), np.zeros((0, rec.model.nv)))
    with pytest.raises(InputError, match="no samples"):
        Ghost(rec.model, empty)


def test_both_have_names_that_tell_them_apart(tmp_path):
    rec = four_bar()
    for folder in ("dry/arm", "wet/arm"):
        (tmp_path / folder).mkdir(parents=True)
        rec.save(tmp_path / folder / "run.h5")
    ghost = Ghost(rec.model, tmp_path / "wet" / "arm")
    assert names_of_both("arm", tmp_path / "dry" / "arm" / "run.h5", ghost) == ("arm (dry)", "arm (wet)")
    assert names_of_both("leg", None, ghost) == ("leg", "arm")
    assert names_of_both("", None, Ghost(rec.model, rec)) == ("this run", "the other run")
    assert names_of_both("arm", None, ghost) == ("arm", "arm, compared")
    assert isinstance(gori.to_html(rec, tmp_path / "both.html", compare=tmp_path / "wet" / "arm"), type(tmp_path))
