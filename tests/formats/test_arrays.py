"""Large arrays of a description: as text, and beside it."""

import time

import numpy as np
import pytest
import yaml

import gori
from gori.errors import FileError
from gori.formats.arrays import MANY, LargeArrays, as_text, numbers_of, with_arrays
from gori.formats.yaml import read_yaml, write_yaml


def ground(count):
    rng = np.random.default_rng(0)
    heights = rng.normal(size=(count, count)) * 10.0 ** rng.integers(-30, 30, (count, count))
    joint = {"type": "free", "parent": "ground", "child": "large-array"}
    field = {"cell": 0.1, "heights": heights.tolist()}
    return gori.Spec(bodies={"large-array": {"mass": 1.0}}, joints={"j": joint}, terrain={"field": field})


def test_what_counts_as_large():
    flat, rows = tuple(float(k) for k in range(MANY)), ((1.0, 2.0),) * MANY
    assert numbers_of(flat).shape == (MANY,) and numbers_of(rows).shape == (MANY, 2)
    assert numbers_of(tuple(range(MANY))).dtype.kind == "i"
    odd = ((1.0, 2.0),) * MANY + ((1.0,),)
    for value in ((), flat[:-1], odd, (*flat, "x"), (*flat, True), (*flat, 1), (10**30,) * MANY, (rows,)):
        assert numbers_of(value) is None


def test_numbers_are_written_as_the_yaml_library_writes_them():
    values = (0.1, -2.0, 1e-7, 1e22, 1.5e300, -0.0, float("inf"), float("-inf"), float("nan"))
    for array in (np.array(values), np.array([values, values]), np.arange(5)):
        plain = yaml.safe_dump(array.tolist(), default_flow_style=True, width=10**9).strip()
        assert as_text(0, array) == plain


def test_a_height_field_is_written_in_a_fraction_of_a_second_and_stands_beside_the_text():
    """300 x 300 heights took 2 s to write and 5 s to read as text. A body may be called like our mark."""
    spec, arrays = ground(300), []
    begun = time.process_time()
    text = write_yaml(spec, arrays=arrays)
    assert len(text) < 500 and "stored_array: 0" in text and arrays[0].shape == (300, 300)
    assert read_yaml(None, text, arrays=arrays) == spec
    assert time.process_time() - begun < 1.0
    begun = time.process_time()
    whole = write_yaml(spec)
    assert time.process_time() - begun < 1.0 and "stored_array" not in whole
    assert read_yaml(None, write_yaml(ground(20))) == ground(20)


def test_arrays_that_are_missing():
    with pytest.raises(FileError, match=r"run\.h5: is damaged: array 1 of its Spec is missing"):
        with_arrays({"a": [{"stored_array": 1}]}, [np.zeros(3)], "run.h5")
    assert with_arrays({"a": [{"stored_array": 0}, 5]}, [np.zeros(3)], "run.h5") == {"a": [[0.0, 0.0, 0.0], 5]}
    assert LargeArrays().put_back("large-array", as_text) is None
