import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.web.film import Film, even_rows
from tests.web.machines import four_bar, shaken, truck
from tests.web.twin import decoded


def test_the_film_shows_the_bodies_where_they_were():
    rec = four_bar()
    head, arrays = decoded(Film(rec).packet())
    np.testing.assert_array_equal(arrays["times"], rec.time)
    for k, name in enumerate(("crank", "coupler", "rocker"), 1):
        np.testing.assert_allclose(arrays["poses"][:, k, :3], rec[f"{name}.position"], atol=1e-7)
    assert head["thinned"] is None and [entry["name"] for entry in head["series"]] == ["A.q", "D.q", "P.x", "P.y"]
    np.testing.assert_allclose(arrays[head["series"][0]["values"]][:, 0], rec["A.q"], atol=1e-6)


def test_long_films_are_thinned_evenly_and_say_so():
    rec = four_bar()
    head, arrays = decoded(Film(rec, most_frames=50).packet())
    assert len(arrays["times"]) == 50 and arrays["times"][[0, -1]] == pytest.approx(rec.time[[0, -1]])
    assert head["thinned"] == "50 of 301 samples are shown"
    k = int(np.argmin(np.abs(rec.time - arrays["times"][20])))
    np.testing.assert_allclose(arrays["poses"][20, 1, :3], rec["crank.position"][k], atol=1e-7)
    times = np.concatenate([np.linspace(0, 1, 1000), np.linspace(1.01, 10, 1000)])
    assert np.diff(times[even_rows(times, 100)]).max() < 0.12  # even in time, not in samples


def test_wheels_turn_by_the_integral_of_their_speed():
    rec, _ = truck()
    spin = Film(rec).spin()
    expected = np.trapezoid(rec["truck.wheel_fl.speed"], rec.time)
    assert spin[-1, 0] == pytest.approx(expected, rel=1e-12) and spin[0].tolist() == [0.0] * 4
    assert expected > 5.0  # 0.4 s at 8 m/s


def test_grains_by_number(tmp_path):
    film = Film(shaken(tmp_path / "f.h5"))
    head, arrays = decoded(film.packet())
    np.testing.assert_allclose(arrays["grain_times"], 0.1 * np.arange(12))
    assert head["grains"]["count"] == 300
    grains, _ = decoded(film.grains(3, 100))
    assert (grains["frame"], grains["drawn"], grains["count"]) == (3, 100, 300)
    assert grains["time"] == pytest.approx(0.3)
    for k in (-1, 12):
        with pytest.raises(InputError, match=f"no frame {k} of particles: there are 12"):
            film.grains(k)


def test_a_run_that_is_written_is_read_again(tmp_path):
    model = gori.compile(gori.load(_pendulum(tmp_path)))
    path = tmp_path / "run.h5"
    simulation = gori.Simulation(model, gori.RK4(1e-3))
    simulation.run(0.05, 0.01, path, progress=False)
    film = Film(path)
    assert not film.growing and not film.refresh() and film.title == tmp_path.name
    first, kept = len(film.recording), film.model
    path.unlink()
    simulation.run(0.1, 0.01, path, progress=False)
    assert film.refresh() and len(film.recording) > first and film.model is kept
    assert "j.reaction" in film.recording and not film.refresh()
    _, arrays = decoded(film.packet())
    np.testing.assert_allclose(arrays["poses"][-1, 1, 3:], film.recording["bob.quaternion"][-1], atol=1e-6)


def _pendulum(folder):
    file = folder / "pendulum.yaml"
    file.write_text(
        "gori: 1\nbodies: {bob: {mass: 1.0, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {j: {type: revolute, parent: ground, child: bob, axis: [0, 1, 0]}}\n"
    )
    return file


def test_arrows_series_and_ruts_come_as_packets():
    rec, state = truck()
    film = Film(rec, state=state)
    assert decoded(film.arrows("contact"))[0]["names"][0] == "truck.wheel_fl"
    assert decoded(film.series("energy.total"))[0]["unit"] == "J"
    assert decoded(film.ruts())[0]["exact"] and Film(four_bar()).ruts() is None
    with pytest.raises(InputError, match="most_frames must be 2 or more"):
        Film(rec, most_frames=1)
