import json
import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gori.errors import InputError
from gori.web.packet import DTYPES, finite, join, pack, split, unpack
from tests.web.twin import decoded

ARRAYS = {
    "one": np.arange(5, dtype=np.uint8),
    "two": np.array([[1.5, -2.5], [0.0, np.inf]], np.float32),
    "none": np.zeros((0, 3)),
    "shorts": np.array([-7, 7], np.int16),
    "cells": np.array([4_000_000_000], np.uint32),
}


def test_a_packet_comes_back_and_reads_the_same_by_its_twin():
    data = pack({"type": "film", "times": "one", "name": "Gelenkviereck, 4절 링크"}, ARRAYS)
    for head, arrays in (unpack(data), decoded(data)):
        assert head == {"type": "film", "times": "one", "name": "Gelenkviereck, 4절 링크"}
        assert list(arrays) == list(ARRAYS)
        for name, array in ARRAYS.items():
            assert arrays[name].dtype == array.dtype and np.array_equal(arrays[name], array)


@given(st.lists(st.tuples(st.sampled_from(sorted(DTYPES)), st.lists(st.integers(0, 4), max_size=3)), max_size=4))
def test_any_shapes_come_back(given_arrays):
    arrays = {
        str(k): np.arange(np.prod(shape)).reshape(shape).astype(dtype) for k, (dtype, shape) in enumerate(given_arrays)
    }
    head, found = unpack(pack({"type": "x"}, arrays))
    assert head == {"type": "x"}
    assert all(
        np.array_equal(found[name], array) and found[name].shape == array.shape for name, array in arrays.items()
    )


def test_json_knows_no_infinity():
    data = {"limits": [np.inf, np.float32(1.5)], "at": np.arange(2), "name": None}
    assert finite(data) == {"limits": [None, 1.5], "at": [0, 1], "name": None}
    with pytest.raises(InputError, match="plain data, not a set"):
        pack({"type": "x", "wrong": {1}})
    with pytest.raises(InputError, match="'a' of a packet is int64: choose one of u1"):
        pack({"type": "x"}, {"a": np.arange(3)})


@given(st.data())
def test_a_damaged_packet_is_an_input_error_and_nothing_else(data):
    whole = bytearray(pack({"type": "film", "times": "one"}, ARRAYS))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    with suppress(InputError):
        unpack(bytes(whole[:cut]))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"name": "a", "dtype": "f8", "shape": [10], "offset": 0}, "ends beyond it"),
        ({"name": "a", "dtype": "f8", "shape": [1], "offset": 4}, "ends beyond it"),
        ({"name": "a", "dtype": "f8", "shape": [-1], "offset": 0}, "shape"),
        ({"name": "a", "dtype": "O8", "shape": [1], "offset": 0}, "dtype 'O8'"),
        ({"name": "a", "dtype": "f8", "shape": [2**31, 2**31, 2**31], "offset": 0}, "ends beyond it"),
        ("no object", "not an object"),
    ],
)
def test_buffers_stay_inside(entry, words):
    text = json.dumps({"type": "x", "buffers": [entry]}).encode()
    text += b" " * (-(12 + len(text)) % 8)
    with pytest.raises(InputError, match=words):
        unpack(b"GORI" + struct.pack("<II", 1, len(text)) + text + bytes(8))


def test_what_is_no_packet_is_named():
    with pytest.raises(InputError, match="begin with GORI"):
        unpack(bytes(20))
    with pytest.raises(InputError, match="version 2 of the packet"):
        unpack(b"GORI" + struct.pack("<II", 2, 0) + bytes(8))
    with pytest.raises(InputError, match="shortest has 12"):
        unpack(b"GORI")


def test_packets_after_each_other():
    packets = [pack({"type": "a"}), pack({"type": "b"}, ARRAYS)]
    assert split(join(packets)) == packets and split(b"") == []
    with pytest.raises(InputError, match="ends beyond it"):
        split(join(packets)[:-1])
    with pytest.raises(InputError, match="within the length"):
        split(join(packets) + b"12")
