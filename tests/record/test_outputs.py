"""Columns that a recording names by itself."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.record.outputs import Columns, wrench_channel
from tests.sim.coupled import slider


def recording(info, width=8):
    model = slider(child_at=[0.0, 0.2, 0.0])
    outputs = np.arange(2.0 * width).reshape(2, width)
    states = np.zeros((2, model.nq)), np.zeros((2, model.nv))
    return gori.Recording(model, [0.0, 1.0], *states, extra={"outputs": outputs}, info=info)


def test_channels_by_their_names():
    rec = recording({"outputs": {"level": [0, 1, "m"], "flow": [7, 1, "l/s"]}})
    np.testing.assert_array_equal(rec["level"], [0.0, 8.0])
    np.testing.assert_array_equal(rec["flow"], [7.0, 15.0])
    assert rec.units("flow") == ("l/s",)
    assert "level" not in recording({})


def test_a_wrench_is_about_the_origin_of_its_body():
    """The slider's row stands 0.2 m beside the block's origin: M = M_row - r x F, r = -0.2 e_y."""
    name = wrench_channel("block", "pump")
    columns = {name: list(Columns(0, 6, "N m, N"))}
    rec = recording({"outputs": columns, "subsystems": {"pump": ["block"]}})
    assert rec.units(name) == ("N m",) * 3 + ("N",) * 3
    table = rec.extra["outputs"][:, :6]
    np.testing.assert_allclose(rec[name][:, 3:], table[:, 3:])
    np.testing.assert_allclose(rec[name][:, :3], table[:, :3] - np.cross([0.0, -0.2, 0.0], table[:, 3:]))
    np.testing.assert_array_equal(recording({"outputs": columns})[name], table)  # of nobody that is known


def test_columns_that_are_not_there():
    with pytest.raises(InputError, match="channel 'level' stands in column 8 of outputs, which have 8"):
        recording({"outputs": {"level": [8, 1, "m"]}})


def test_a_file_of_other_outputs_has_no_accelerations(tmp_path):
    """Forces of wheels and subsystems act again when accelerations are computed: in columns that are theirs."""
    recording({"outputs": {"level": [0, 1, "m"]}}).save(tmp_path / "old.h5")
    loaded = gori.open_run(tmp_path / "old.h5")
    np.testing.assert_array_equal(loaded["level"], [0.0, 8.0])
    with pytest.raises(InputError, match="other outputs of wheels, drive trains or particles"):
        loaded["rail.a"]
