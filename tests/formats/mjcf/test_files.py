"""Files of a model: includes in place, and nothing from elsewhere."""

import os

import pytest

import gori
from gori.errors import FileError
from gori.formats.mjcf.files import asset_files, place, read_document

BODY = "<worldbody><body name='{}'><joint/><geom size='.1'/></body></worldbody>"


def test_includes_are_spliced_in_with_their_lines(mjcf):
    mjcf(BODY.format("b"), "parts/b.xml")
    mjcf("<include file='parts/b.xml'/>\n" + BODY.format("c"), "c.xml")
    path = mjcf("<include file='c.xml'/>\n" + BODY.format("a"))
    document = read_document(path, path.parent)
    found = {body.get("name"): place(body, path) for body in document.root.iter("body")}
    assert {name: (file.name, line) for name, (file, line) in found.items()} == {
        "b": ("b.xml", 2), "c": ("c.xml", 3), "a": ("model.xml", 3)}  # fmt: skip
    assert set(gori.load(path).bodies) == {"a", "b", "c"}


def test_a_mistake_in_an_included_file_is_told_there(mjcf):
    part = mjcf("\n<worldbody><replicate count='x'/></worldbody>", "part.xml")
    with pytest.raises(FileError, match="not a number") as caught:
        gori.load(mjcf("<include file='part.xml'/>"))
    assert (caught.value.file, caught.value.line) == (part, 3)


OUTSIDE = {
    "include": "<include file='../secret.xml'/>",
    "absolute": "<include file='/etc/passwd'/>",
    "mesh": "<asset><mesh file='../secret.stl'/></asset>",
    "folder of meshes": "<compiler meshdir='..'/><asset><mesh file='secret.stl'/></asset>",
    "folder of all assets": "<compiler assetdir='/etc'/><asset><hfield name='h' file='passwd' size='1 1 1 1'/></asset>",
    "texture": "<asset><texture type='2d' name='t' file='../secret.png'/></asset>",
    "one side of a cube": "<asset><texture type='cube' name='t' fileright='../secret.png'/></asset>",
    "skin": "<asset><skin file='../secret.skn'/></asset>",
    "model": "<asset><model name='m' file='../secret.xml'/></asset>",
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_files_elsewhere_are_refused(mjcf, tmp_path, name):
    (tmp_path / "secret.xml").write_text(f"<mujoco>{BODY.format('s')}</mujoco>")
    path = mjcf(OUTSIDE[name], "inner/model.xml")
    with pytest.raises(FileError, match=r"is outside of the folder .*inner: give within=FOLDER") as caught:
        gori.load(path)
    assert caught.value.line == 2


def test_a_link_that_leads_out_is_outside(mjcf, tmp_path):
    (tmp_path / "secret.xml").write_text(f"<mujoco>{BODY.format('s')}</mujoco>")
    path = mjcf("<include file='link.xml'/>", "inner/model.xml")
    (path.parent / "link.xml").symlink_to(tmp_path / "secret.xml")
    with pytest.raises(FileError, match="outside"):
        gori.load(path)
    assert list(gori.load(path, within=tmp_path).bodies) == ["s"]


def test_a_pipe_is_refused(mjcf, tmp_path):
    """MuJoCo would wait for it without end."""
    os.mkfifo(tmp_path / "pipe.stl")
    with pytest.raises(FileError, match=r"'pipe\.stl' is not a file"):
        gori.load(mjcf("<asset><mesh file='pipe.stl'/></asset>"))


CYCLES = {
    "twice": ("<include file='part.xml'/><include file='part.xml'/>", "<worldbody/>", "is included already"),
    "itself": ("<include file='part.xml'/>", "<include file='part.xml'/>", "is included already"),
    "the main file": ("<include file='part.xml'/>", "<include file='model.xml'/>", "is included already"),
    "none": ("<include file='other.xml'/>", "", "there is no file 'other.xml'"),
    "nameless": ("<include/>", "", "is not a file"),
}


@pytest.mark.parametrize("name", CYCLES)
def test_includes_that_cannot_be(mjcf, name):
    main, part, words = CYCLES[name]
    mjcf(part, "part.xml")
    with pytest.raises(FileError, match=words):
        gori.load(mjcf(main))


def test_models_that_attach_each_other(mjcf):
    mjcf("<asset><model name='m' file='model.xml'/></asset>", "part.xml")
    with pytest.raises(FileError, match="attaches itself, by way of other files"):
        gori.load(mjcf("<asset><model name='p' file='part.xml'/></asset>"))


def test_where_assets_are_looked_for(mjcf):
    path = mjcf("""<compiler meshdir='a' texturedir='b'/><asset><mesh file='m.stl'/><texture file='t.png'/>
      <model file='x.xml'/></asset>""")
    mjcf("", "x.xml")
    document = read_document(path, path.parent)
    assert [(element.tag, name, dirs) for element, name, dirs in asset_files(document.root)] == [
        ("mesh", "m.stl", ["a"]), ("texture", "t.png", ["b"]), ("model", "x.xml", [""])]  # fmt: skip


def test_what_is_not_mjcf(mjcf, tmp_path):
    path = tmp_path / "x.mjcf"
    path.write_text("<robot/>")
    with pytest.raises(FileError, match=r"root element is <robot>, not <mujoco>"):
        gori.load(path)
    path.write_text("<mujocoinclude/>")
    with pytest.raises(FileError, match="a part for other files to include"):
        gori.load(path)
