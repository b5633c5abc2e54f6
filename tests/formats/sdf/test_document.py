"""Files of a description: versions, includes, and what is outside of the folder."""

import pytest

import gori
from gori.errors import FileError, FormatWarning, InputError
from gori.formats.left_out import LeftOut
from gori.formats.sdf import document
from gori.formats.sdf.document import Reader, SdfFiles, declared
from gori.formats.xml import tree_of

ARM = "<model name='arm'><link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link></model>"
INCLUDE = "<model name='m'><link name='l'/><include><uri>{}</uri>{}</include></model>"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("<robot/>", None, "is URDF"),
        ("<a/>", 1, "the root element is <a>, not <sdf>"),
        ("<sdf/>", 1, "is SDFormat of version '': Gori reads 1.4 to 1.12"),
        ("<sdf version='1.3'><model name='a'/></sdf>", 1, "is SDFormat of version '1.3'"),
        ("<sdf version='1.13'><model name='a'/></sdf>", 1, "is SDFormat of version '1.13'"),
        ("<sdf version='1.9'/>", 1, "<sdf> has no <model>"),
        ("<sdf version='1.9'>\n<world name='a'/>\n<world name='b'/></sdf>", 3, "more than one <world>"),
        ("<sdf version='1.9'><model name='m'>\n<link/></model></sdf>", 2, "a <link> has no name"),
        ("<sdf version='1.9'><model name='m'><link name='a'/>\n<link name='a'/></model></sdf>", 2, "given twice"),
        ("<sdf version='1.9'><model name='m'>\n<link name='world'/></model></sdf>", 2, "must not be called 'world'"),
        ("<!DOCTYPE a><sdf version='1.9'/>", 1, "DOCTYPE"),
    ],
)
def test_what_is_not_sdformat_is_refused(tmp_path, text, line, words):
    path = tmp_path / "a.sdf"
    path.write_text(text)
    with pytest.raises(FileError, match=words) as caught:
        gori.load(path)
    assert caught.value.line == line


def test_models_by_their_folders(sdf, tmp_path):
    """model.config names the file; of several, the newest that can be read."""
    for version, model in (("1.4", "<model name='old'/>"), ("1.8", ARM), ("1.99", "<model name='new'/>")):
        sdf(model, version, f"models/arm/{version}.sdf")
    config = "".join(f"<sdf version='{version}'>{version}.sdf</sdf>" for version in ("1.4", "1.8", "1.99"))
    (tmp_path / "models/arm/model.config").write_text(f"<model>{config}</model>")
    path = sdf(INCLUDE.format("model://arm", "<name>left</name><pose>0 1 0 0 0 0</pose>"), name="robot/machine.sdf")
    with pytest.raises(FileError, match=r"'model://arm' does not exist; searched for .*: give packages"):
        gori.load(path)
    spec = gori.load(path, packages=[tmp_path / "models"])
    assert [*spec.bodies] == ["l", "left.a", "left.b"]
    assert spec.joints["left.b.free"].q == (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0)
    with pytest.raises(InputError, match="is not a folder"):
        gori.load(path, packages=[tmp_path / "none"])
    (tmp_path / "models/arm/model.config").write_text("<model/>")
    with pytest.raises(FileError, match=r"names no <sdf> of a version from 1\.4 to 1\.12"):
        gori.load(path, packages=[tmp_path / "models"])


def test_paths_are_relative_to_the_file_that_says_them(sdf, tmp_path):
    sdf(ARM, name="parts/deep/arm.sdf")
    sdf(INCLUDE.format("deep/arm.sdf", ""), name="parts/hand.sdf")
    path = sdf(INCLUDE.format("parts/hand.sdf", "<name>h</name>"))
    assert [*gori.load(path).bodies] == ["l", "h.l", "h.arm.a", "h.arm.b"]


@pytest.mark.parametrize(
    "uri", ["../arm.sdf", "file:///etc/passwd", "/etc/passwd", "link.sdf", "model://..", "model://../x"]
)
def test_nothing_outside_is_read(sdf, tmp_path, uri):
    sdf(ARM, name="arm.sdf")
    path = sdf(INCLUDE.format(uri, ""), name="robot/machine.sdf")
    (tmp_path / "robot/link.sdf").symlink_to(tmp_path / "arm.sdf")
    with pytest.raises(FileError, match="is outside of the folder of the file"):
        gori.load(path)


def test_nothing_is_fetched(sdf):
    with pytest.raises(FileError, match="is not a file: give a path, or package://, model:// or file://"):
        gori.load(sdf(INCLUDE.format("https://fuel.gazebosim.org/1.0/arm", "")))


def test_overrides_of_an_include(sdf):
    sdf(ARM.replace("<link", "<pose>5 0 0 0 0 0</pose><static>true</static><link", 1), name="arm.sdf")
    spec = gori.load(sdf(INCLUDE.format("arm.sdf", "")))
    assert spec.joints["arm.a.fixed"].at == (5.0, 0.0, 0.0)
    spec = gori.load(sdf(INCLUDE.format("arm.sdf", "<static>false</static><pose>0 0 0 0 0 0</pose>")))
    assert spec.joints["arm.a.free"].q is None
    merged = INCLUDE.format("arm.sdf", "<static>false</static>").replace("<include>", "<include merge='true'>")
    assert [*gori.load(sdf(merged)).bodies] == ["l", "a", "b"]
    with pytest.raises(FileError, match="merge must be true or false"):
        gori.load(sdf(merged.replace("'true'", "'perhaps'")))


def test_what_stands_beside_a_world_is_listed(sdf):
    with pytest.warns(FormatWarning, match="model beside the world: arm"):
        assert [*gori.load(sdf(f"<world name='w'>{ARM.replace('arm', 'leg')}</world>{ARM}")).bodies] == [
            "leg.a",
            "leg.b",
        ]


def test_a_placement_frame_needs_a_pose(sdf):
    sdf(ARM, name="arm.sdf")
    with pytest.raises(FileError, match="has a <placement_frame> and no <pose>"):
        gori.load(sdf(INCLUDE.format("arm.sdf", "<placement_frame>b</placement_frame>")))
    pose = "<pose>0 0 0 0 0 0</pose><placement_frame>b</placement_frame>"
    assert gori.load(sdf(INCLUDE.format("arm.sdf", pose))).joints["arm.a.free"].q[4:] == (0.0, 0.0, -1.0)


def test_includes_of_lights_are_listed_and_loops_refused(sdf):
    sdf("<light name='sun' type='directional'/>", name="sun.sdf")
    with pytest.warns(FormatWarning, match="light: sun"):
        assert [*gori.load(sdf(INCLUDE.format("sun.sdf", ""))).bodies] == ["l"]
    path = sdf(INCLUDE.format("machine.sdf", ""))
    with pytest.raises(FileError, match="includes itself, by way of other files"):
        gori.load(path)
    sdf("<model name='a'/>\n<model name='b'/>", name="two.sdf")
    with pytest.raises(FileError, match="has 2 models; it must have one"):
        gori.load(sdf(INCLUDE.format("two.sdf", "")))


def test_models_that_multiply_are_refused(sdf, monkeypatch):
    """Each file includes the next one twice."""
    for k in range(20):
        both = "".join(f"<include><uri>f{k + 1}.sdf</uri><name>n{i}</name></include>" for i in range(2))
        sdf(f"<model name='m'>{both}</model>", name=f"f{k}.sdf")
    sdf(ARM, name="f20.sdf")
    with pytest.raises(FileError, match="one file too many"):
        gori.load(sdf(INCLUDE.format("f0.sdf", "")))
    monkeypatch.setattr(document, "MOST_ELEMENTS", 100)
    with pytest.raises(FileError, match="more than 100 elements"):
        gori.load(sdf(INCLUDE.format("f0.sdf", "")))


def test_models_in_models_have_an_end(sdf):
    deep = "<model name='m'>" * 60 + "<link name='a'/>" + "</model>" * 60
    with pytest.raises(FileError, match="more than 32 models are within each other"):
        gori.load(sdf(deep))


def test_one_model_or_several(sdf):
    two = ARM + ARM.replace("'arm'", "'leg'")
    assert [*gori.load(sdf(ARM)).bodies] == ["a", "b"]
    assert [*gori.load(sdf(two)).bodies] == ["arm.a", "arm.b", "leg.a", "leg.b"]
    assert [*gori.load(sdf(f"<world name='w'>{ARM}</world>")).bodies] == ["arm.a", "arm.b"]
    with pytest.raises(FileError, match="model 'arm' is given twice"):
        gori.load(sdf(ARM + ARM))
    with pytest.warns(FormatWarning, match="a second model 'arm' is called 'arm_2'"):
        assert "arm_2.a" in gori.load(sdf(ARM + ARM, "1.6")).bodies


def test_the_link_world_of_old_files_is_the_world(sdf):
    old = ARM.replace("<link", "<link name='world'/><link", 1)
    with pytest.warns(FormatWarning, match="the link 'world' is the world itself"):
        assert [*gori.load(sdf(old, "1.6")).bodies] == ["a", "b"]


def test_prefixes_need_no_declaration():
    raw = b"<?xml version='1.0'?>\n<sdf version='1.9' xmlns:b='b'><!-- <c:d/> -->\n<a:x/><b:y/><a:z a:k='1'/></sdf>"
    root = tree_of(declared(raw), "a.sdf")
    assert [tag.prefix for tag in root] == ["a", "b", "a"] and root[0].sourceline == 3
    assert declared(b"<sdf><a/></sdf>") == b"<sdf><a/></sdf>"


def test_what_stands_before_the_document_is_left_out(sdf):
    path = sdf(ARM)
    path.write_text("\n<?xml version='1.0'?>" + path.read_text())
    assert [*gori.load(path).bodies] == ["a", "b"]


def test_files_are_looked_for_in_the_given_folders(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "there/arm").mkdir(parents=True)
    (tmp_path / "there/arm/a.stl").write_text("")
    root = tree_of(b"<mesh/>", tmp_path / "here/a.sdf")
    files = SdfFiles(tmp_path / "here/a.sdf", [tmp_path / "there"])
    assert files.at(root, "model://arm/a.stl", "mesh") == tmp_path / "there/arm/a.stl"
    assert Reader(tmp_path / "here/a.sdf", tmp_path / "there", LeftOut()).files.allowed == files.allowed
