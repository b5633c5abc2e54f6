"""All numbers of tables in one array."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.kernels.vehicle.tables import SOIL
from gori.model.machine import machine_of
from gori.model.varied.tables import LOOSE, StructureError, Words, among, compiled_tables, overlaid, place, walk
from tests.model.varied.machines import pair

ROW = np.dtype([("kind", "i8"), ("at", "f8", (3,)), ("mass", "f8")], align=True)


def tables():
    rows = np.zeros(2, ROW)
    rows["at"], rows["mass"], rows["kind"] = [[1, 2, 3], [4, 5, 6]], [7, 8], [9, 10]
    return {"index": np.arange(3), "plain": np.arange(4.0).reshape(2, 2), "rows": rows}


def test_real_numbers_alone():
    words = Words(tables())
    assert words.flat(tables()).tolist() == [0, 1, 2, 3, 1, 2, 3, 7, 4, 5, 6, 8]
    assert words.count == 12 and words.numbers("rows").tolist() == list(range(4, 12)) and not len(words.numbers("no"))
    assert words.name(3) == "plain[1, 1]" and words.name(9) == "rows[1].at[1]" and words.name(11) == "rows[1].mass"
    assert words.vector[4] == words.vector[6] != words.vector[7] and words.vector[0] != words.vector[1]


def test_columns_that_are_vectors():
    table = {"body_f": np.zeros((2, 24))}
    vector = Words(table).vector.reshape(2, 24)
    assert len(set(vector[1, :9])) == 1 and len(set(vector[1, 13:16])) == 1 and len(np.unique(vector)) == 2 * 7


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("index", np.array([0, 1, 5]), r"whole number index\[2\]"),
        ("plain", np.zeros((2, 3)), r"size of the table 'plain' changes from \(2, 2\) to \(2, 3\)"),
        ("rows", np.zeros(2, ROW), r"whole number rows\[0\].kind"),
        ("more", np.zeros(2), "other tables: more"),
    ],
)
def test_another_structure_is_refused(name, change, words):
    with pytest.raises(StructureError, match=words):
        Words(tables()).flat(tables() | {name: change})


def test_fields_of_other_sizes_are_refused():
    with pytest.raises(InputError, match="'small' of type int32"):
        Words({"rows": np.zeros(1, [("small", "i4"), ("other", "i4")])})


def test_numbers_are_laid_over():
    base = tables()
    words = Words(base)
    found = overlaid(base, [("rows", words.word[[9]], np.array([50.0]))])
    assert found["rows"]["at"][1].tolist() == [4, 50, 6] and base["rows"]["at"][1, 1] == 5
    assert place("rows", base["rows"], 5) == "rows[1].kind"


def test_among():
    found, at = among(np.array([2, 5, 9]), np.array([5, 6, 12, 2]))
    assert found.tolist() == [True, False, False, True] and at[found].tolist() == [1, 0]
    assert not among(np.zeros(0, np.int64), np.array([1, 2]))[0].any()


def test_tables_of_a_model():
    found = compiled_tables(gori.compile(pair()))
    assert np.allclose(found["start"], [0, 0.2, 0, 0, 0, 0, 0]) and found["element_i"].shape == (4, 7)
    closed = compiled_tables(gori.compile(gori.load("examples/four_bar.yaml")))
    assert len(closed["cut"]) == 2 and LOOSE.keys() <= closed.keys()


def test_walk_through_bundles():
    found = walk(machine_of(gori.compile(pair()))[0], "m.")
    assert {"m.body_f", "m.contact.law", "m.pattern.order"} <= found.keys() and found["m.soil"].dtype == SOIL.dtype
