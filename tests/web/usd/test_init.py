"""`gori.web.to_usd`: all examples pass the validators of usd-core, and stand where Gori's kinematics says."""

import sys
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import FileError, InputError, MissingPackageError
from gori.sim.runfile import run_spec, with_run
from gori.web.usd import SUFFIXES, to_usd

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


def poses_in(stage, code):
    """World matrices of all bodies, by display name, at a time code."""
    from pxr import UsdGeom

    cache = UsdGeom.XformCache(code)
    prims = [prim for prim in stage.Traverse() if prim != stage.GetDefaultPrim()]
    # USD multiplies rows from the left
    return {
        prim.GetDisplayName() or prim.GetName(): np.array(cache.GetLocalToWorldTransform(prim)).T
        for prim in prims
        if prim.GetTypeName() == "Xform"
    }


@pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_valid_and_stand_where_they_do(path, tmp_path):
    from tests.web.usd.checks import findings, opened

    rec = run_spec(with_run(gori.load(path), 0.03), tmp_path / "run", plots=False)
    to_usd(rec, tmp_path / "run.usdc")
    stage = opened(tmp_path / "run.usdc")
    assert findings(stage) == []
    assert stage.GetEndTimeCode() == pytest.approx(0.03 * stage.GetTimeCodesPerSecond())
    for k in np.linspace(0, len(rec) - 1, 4).astype(int):
        found, true = (
            poses_in(stage, stage.GetTimeCodesPerSecond() * rec.time[k]),
            rec.model.forward_kinematics(rec.q[k]),
        )
        assert set(rec.model.body_names) <= set(found)
        for body in rec.model.body_names:
            np.testing.assert_allclose(found[body][:3, 3], true[body][:3, 3], rtol=1e-15, atol=1e-15)
            # USD turns quaternions into angles by acos, which leaves sqrt(eps) of an angle near 0
            np.testing.assert_allclose(found[body][:3, :3], true[body][:3, :3], atol=2e-8)

    to_usd(rec.model, tmp_path / "machine.usda")
    stage = opened(tmp_path / "machine.usda")
    assert findings(stage) == [] and not stage.HasAuthoredTimeCodeRange()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_all_suffixes(suffix, tmp_path):
    from tests.web.usd.checks import findings, machine, opened

    to_usd(machine(tmp_path), tmp_path / f"m{suffix}")
    stage = opened(tmp_path / f"m{suffix}")
    assert findings(stage) == [] and len(poses_in(stage, 0.0)) == 4
    assert (tmp_path / f"m{suffix}").read_bytes()[:4] == {".usda": b"#usd", ".usdz": b"PK\x03\x04"}.get(suffix, b"PXR-")
    assert {path.name for path in tmp_path.iterdir()} == {"m.yaml", f"m{suffix}"}


def test_what_cannot_be_written(tmp_path):
    from tests.web.usd.checks import machine

    model = machine(tmp_path)
    with pytest.raises(InputError, match=r"is written as \.usda or"):
        to_usd(model, tmp_path / "m.glb")
    with pytest.raises(InputError, match="made of a Model or a Recording"):
        to_usd("model", tmp_path / "m.usda")
    with pytest.raises(InputError, match="grains must be a whole number"):
        to_usd(model, tmp_path / "m.usda", grains=-1)
    for suffix in SUFFIXES:
        with pytest.raises(FileError, match=f"m{suffix}: cannot be written: there is no such folder"):
            to_usd(model, tmp_path / "none" / f"m{suffix}")


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("gori.web.usd.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pxr.Gf", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'gori\[usd\]'"):
        to_usd(None, tmp_path / "m.usda")
