import numpy as np
import pytest

from gori.errors import InputError
from gori.web.channels import channel_list, default_channels, envelope, series_packet
from tests.web.machines import four_bar, truck
from tests.web.twin import decoded


def test_a_series_holds_the_channel():
    rec = four_bar()
    head, arrays = decoded(series_packet(rec, "crank.position"))
    assert head["unit"] == "m" and head["columns"] == ["x", "y", "z"]
    np.testing.assert_allclose(arrays["values"], rec["crank.position"], atol=1e-7)
    np.testing.assert_array_equal(arrays["time"], rec.time)
    with pytest.raises(InputError, match=r"no channel 'crank\.positron'"):
        series_packet(rec, "crank.positron")


def test_thinned_series_keep_every_peak():
    time, values = np.arange(100_000.0), np.random.default_rng(2).normal(size=(100_000, 2))
    values[77_777, 1], values[5, 0] = 50.0, np.nan
    when, few = envelope(time, values, 4000)
    assert len(when) == len(few) == 4000 and (np.diff(when) >= 0.0).all()
    assert few[:, 1].max() == 50.0 and few[:, 1].min() == values[:, 1].min()
    assert np.nanmin(few[:, 0]) == np.nanmin(values[:, 0]) and np.isfinite(few).all()
    assert abs(when[few[:, 1].argmax()] - 77_777) < 100
    same, whole = envelope(time[:4000], values[:4000], 4000)
    assert same is not None and np.array_equal(whole, values[:4000], equal_nan=True)


def test_channels_are_listed_without_computing_them():
    rec, _ = truck()
    before = set(rec._values)
    listed = {entry["name"]: entry for entry in channel_list(rec)}
    assert set(rec._values) == before
    assert listed["truck.wheel_fl.load"] == {"name": "truck.wheel_fl.load", "unit": "N", "columns": [], "units": []}
    assert listed["truck.chassis.velocity"]["columns"][3:] == ["vx", "vy", "vz"]
    assert not any(name.endswith((".pose", ".rotation")) for name in listed)


def test_each_column_has_its_own_unit():
    rec = four_bar()
    (listed,) = (entry for entry in channel_list(rec) if entry["name"] == "A.reaction")
    head, _ = decoded(series_packet(rec, "A.reaction"))
    for entry in (listed, head):
        assert entry["units"] == ["N m"] * 3 + ["N"] * 3 and entry["unit"] == "N m, N"
        assert entry["columns"][2:4] == ["moment z", "force x"]
    assert decoded(series_packet(rec, "A.q"))[0]["units"] == []
    chassis, _ = decoded(series_packet(truck()[0], "truck.q"))
    assert chassis["columns"] == ["w", "i", "j", "k", "x", "y", "z"] and chassis["units"] == [""] * 4 + ["m"] * 3


def test_channels_of_a_ghost_go_with_them():
    rec = four_bar()
    half = rec.part(slice(0, 151))
    head, arrays = decoded(series_packet(rec, "P.x", ghost=half))
    np.testing.assert_array_equal(arrays["ghost_time"], rec.time[:151])
    np.testing.assert_array_equal(arrays["ghost_values"], arrays["values"][:151])
    assert head["ghost_values"] == "ghost_values"
    assert "ghost_time" not in decoded(series_packet(rec, "P.x"))[1]
    other = truck()[0]
    assert "ghost_time" not in decoded(series_packet(rec, "A.q", ghost=other))[1]  # it has no such channel


def test_what_is_shown_at_first_is_what_the_file_asks_for():
    assert default_channels(four_bar()) == ["A.q", "D.q", "P.x", "P.y"]
    assert default_channels(truck()[0])[0] == "truck.wheel_fl.load"
