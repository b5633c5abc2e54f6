"""Files that are right in each part and wrong in their number: chains of files and of joints, names by the thousand."""

import time

import pytest

import gori
from gori.door import DEEPEST
from gori.errors import FormatWarning
from tests.formats.hostile import compiled, refused, written

BALL = "<geom size='.1'/>"


def chain(folder, suffix, count, link, last):
    """Files in a row, each of which names the next."""
    for k in range(count):
        written(folder / f"f{k}{suffix}", link.format(f"f{k + 1}{suffix}"))
    written(folder / f"f{count}{suffix}", last)
    return folder / f"f0{suffix}"


def test_files_that_use_each_other_in_a_row(tmp_path):
    """A row of 500 ended in a RecursionError, or in words on a nesting that no file had."""
    machine = "gori: 1\nbodies: {a: {mass: 1}}\njoints: {j: {type: free, parent: ground, child: a}}\n"
    link = "gori: 1\nuse: {}\n"
    assert len(gori.load(chain(tmp_path, ".yaml", DEEPEST - 1, link, machine)).bodies) == 1
    assert f"more than {DEEPEST} deep" in refused(gori.load, chain(tmp_path, ".yaml", 600, link, machine))
    chain(tmp_path, ".yaml", 600, link, "gori: 1\nuse: hmmwv.yaml\n")
    truck = written(tmp_path / "truck.yaml", "gori: 1\nparts: {t: {use: f0.yaml}}\n")
    assert f"more than {DEEPEST} deep" in refused(gori.load, truck)


def test_models_that_attach_each_other_in_a_row(tmp_path):
    pytest.importorskip("mujoco")
    link = "<mujoco><asset><model name='m' file='{}'/></asset></mujoco>"
    assert f"more than {DEEPEST} deep" in refused(gori.load, chain(tmp_path, ".xml", 600, link, "<mujoco/>"))
    bodies = "".join(f"<body name='b{k}'><attach body='b{k - 1}' prefix='p'/></body>" for k in range(1, 600))
    text = f"<mujoco><worldbody><body name='b0'>{BALL}</body>{bodies}</worldbody></mujoco>"
    assert f"more than {DEEPEST} deep" in refused(gori.load, written(tmp_path / "m.xml", text))


def test_joints_that_mimic_each_other_in_a_row(tmp_path):
    """3000 of them took two minutes."""
    count = 1500
    bodies = "".join(f"  b{k}: {{mass: 1, inertia: [1, 1, 1]}}\n" for k in range(count))
    joint = "  j{0}: {{type: revolute, parent: ground, child: b{0}, mimic: {{joint: j{1}}}}}\n"
    rows = [joint.format(k, k + 1) for k in range(count - 1)]
    head = f"gori: 1\nbodies:\n{bodies}joints:\n"
    last = f"  j{count - 1}: {{type: revolute, parent: ground, child: b{count - 1}}}\n"
    path = written(tmp_path / "m.yaml", head + "".join(rows) + last)
    began = time.process_time()
    assert len(gori.load(path).joints) == count
    assert time.process_time() - began < 5.0
    ring = written(tmp_path / "ring.yaml", head + "".join(rows) + joint.format(count - 1, 0))
    assert "mimic each other in a cycle" in refused(gori.load, ring)


def test_geoms_of_many_kinds(tmp_path):
    """Each two kinds are a contact of the Spec: of 3000 there would be four million."""
    pytest.importorskip("mujoco")
    geoms = "".join(
        f"<body pos='{k} 0 0'><joint/><geom size='.1' friction='{1 + k / 1000}'/></body>" for k in range(400)
    )
    path = written(tmp_path / "m.xml", f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
    assert "has 400 kinds of geoms" in refused(compiled, path, collide="m")
    assert compiled(path).nv == 400


def test_names_that_become_the_same(tmp_path):
    """9000 names of spaces, stars and question marks, which all become underscores."""
    pytest.importorskip("mujoco")
    marks = ["".join("*?_"[k // 3**p % 3] for p in range(9)) for k in range(9000)]
    bodies = "".join(f"<site name='{mark}'/>" for mark in marks)
    text = f"<mujoco><worldbody><body><joint/>{BALL}{bodies}</body></worldbody></mujoco>"
    began = time.process_time()
    with pytest.warns(FormatWarning, match="and 8980 more") as caught:
        assert len(gori.load(written(tmp_path / "m.xml", text)).frames) == 9000
    assert time.process_time() - began < 5.0 and len(str(caught[0].message)) < 4000
