"""Files that ask for too much are refused by name, in no time, before MuJoCo sees them."""

import struct
import time
import zlib

import pytest

import gori
from gori.errors import FileError
from gori.formats.mjcf.files import read_document
from gori.formats.mjcf.guards import MOST_ELEMENTS, check_sizes

GEOM = "<body><geom size='.1'/></body>"


def nested(depth, count):
    return f"<replicate count='{count}'>" * depth + GEOM + "</replicate>" * depth


TOO_LARGE = {
    "replicas": (f"<worldbody>{nested(1, 1000000000)}</worldbody>", "<replicate>.*100,000 elements"),
    "replicas of replicas": (f"<worldbody>{nested(5, 100)}</worldbody>", "<replicate>.*100,000 elements"),
    "replicas of nothing": ("<worldbody><replicate count='1e9'/></worldbody>", "<replicate>"),
    "a height field": ("<asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>", "<hfield> 'h'"),
    "many height fields": (
        "<asset>" + "<hfield name='h' nrow='4000' ncol='4000' size='1 1 1 1'/>" * 2 + "</asset>",
        "<hf",
    ),
    "a texture": ("<asset><texture name='t' type='2d' builtin='flat' width='100000' height='100000'/></asset>", "'t'"),
    "a cube": ("<asset><texture name='t' type='cube' builtin='flat' width='20000' height='20000'/></asset>", "pixels"),
    "a sphere": ("<asset><mesh name='m' builtin='supersphere' params='1e6 1 1'/></asset>", "params"),
    "an octree": ("<asset><mesh name='m' file='x.stl' octree_maxdepth='30'/></asset>", "octree_maxdepth"),
    "textures of a class": (
        "<default><texture width='9000' height='9000'/></default>"
        "<asset>" + "<texture name='t' type='2d' builtin='flat'/>" * 3 + "</asset>",
        "'t' of 9000 x 9000",
    ),
    "a plate": ("<asset><mesh name='m' builtin='plate' params='900 900'/></asset>", "params"),
    "ranges of muscles": ("<compiler><lengthrange inttotal='1e9' timestep='1e-9'/></compiler>", "<lengthrange>"),
    "ranges without an end": ("<compiler><lengthrange timestep='0'/></compiler>", "<lengthrange>"),
    "keyframes": ("<size nkey='1000000'/>", "nkey"),
    "user data": ("<size nuserdata='1000000000'/>", "nuserdata"),
    "data of bodies": ("<size nuser_body='1000000000'/>", "nuser_body"),
    "numbers": ("<custom><numeric name='n' size='1000000000'/></custom>", "<numeric>: size"),
    "a history": ("<sensor><clock nsample='1000000000'/></sensor>", "nsample"),
    "a cloth": ("<worldbody><flexcomp name='f' type='grid' count='10000 10000 1'/></worldbody>", "<flexcomp>"),
    "itself": ("<worldbody><body name='a'><attach body='a' prefix='p'/></body></worldbody>", "attaches itself"),
    "itself by way of another": (
        "<worldbody><body name='a'><attach body='b' prefix='p'/></body>"
        "<body name='b'><attach body='a' prefix='q'/></body></worldbody>",
        "attaches itself",
    ),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_too_large_is_refused_by_name(mjcf, name):
    inside, words = TOO_LARGE[name]
    path = mjcf(inside)
    start = time.perf_counter()
    with pytest.raises(FileError, match=words) as caught:
        gori.load(path)
    assert caught.value.line == 2 and caught.value.file == path
    assert time.perf_counter() - start < 2.0


def test_attachments_that_double_are_counted(mjcf):
    bodies = [f"<body name='b0'>{GEOM}</body>"]
    for k in range(1, 40):
        bodies.append(f"<body name='b{k}'>" + f"<attach body='b{k - 1}' prefix='p'/>" * 2 + "</body>")
    path = mjcf(f"<worldbody>{''.join(bodies)}</worldbody>")
    with pytest.raises(FileError, match="elements, with all that is replicated and attached"):
        check_sizes(read_document(path, path.parent))


def test_an_attached_model_counts_as_often_as_it_is_attached(mjcf):
    mjcf(f"<worldbody><body name='b'>{nested(1, 400)}</body></worldbody>", "part.xml")
    text = "<asset><model name='p' file='part.xml'/></asset><worldbody><replicate count='{}'><attach model='p' body='b'"
    text += " prefix='x'/></replicate></worldbody>"
    path = mjcf(text.format(3))
    check_sizes(read_document(path, path.parent))
    assert len(gori.load(path).bodies) == 3 * 401
    path = mjcf(text.format(MOST_ELEMENTS // 400))
    with pytest.raises(FileError, match="attach"):
        check_sizes(read_document(path, path.parent))


def test_an_image_that_unpacks_to_too_much(mjcf, tmp_path):
    head = struct.pack(">II5B", 100000, 100000, 8, 0, 0, 0, 0)
    chunk = struct.pack(">I", len(head)) + b"IHDR" + head + struct.pack(">I", zlib.crc32(b"IHDR" + head))
    (tmp_path / "big.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk)
    for inside in ("<texture name='t' type='2d' file='big.png'/>", "<hfield name='t' file='big.png' size='1 1 1 1'/>"):
        with pytest.raises(FileError, match="'t' of 100000 x 100000"):
            gori.load(mjcf(f"<asset>{inside}</asset>"))


def test_what_is_no_number_is_told(mjcf):
    for value in ("many", "inf"):
        with pytest.raises(FileError, match=f"count (is|must be finite, not) '{value}'"):
            gori.load(mjcf(f"<worldbody><replicate count='{value}'/></worldbody>"))


def test_a_usual_size_passes(mjcf):
    path = mjcf(f"""<asset><hfield name='h' nrow='200' ncol='200' size='1 1 1 1'/>
      <texture name='t' type='skybox' builtin='gradient' width='512' height='3072'/></asset>
      <worldbody>{nested(2, 10)}</worldbody>""")
    check_sizes(read_document(path, path.parent))
