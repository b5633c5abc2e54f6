"""Malformed YAML: each file gives an error that says what is wrong."""

import pytest

import gori
from tests.formats.hostile import compiled, refused, strange_places, written

HEAD = "gori: 1\n"
BODY = "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {type: revolute, parent: ground, child: a}}\n"
MACHINE = HEAD + BODY
NUL, LONG = "\\0", "a" * 300

NO_TEXT = {
    "empty": (b"", "the file is empty: start with 'gori: 1'"),
    "only comments": (b"# one\n# two\n", "the file is empty"),
    "only spaces": (b"  \n\n", "the file is empty"),
    "only a mark": (b"\xef\xbb\xbf", "the file is empty"),
    "UTF-16": (MACHINE.encode("utf-16"), "line 1: is not text in UTF-8"),
    "UTF-32": (MACHINE.encode("utf-32"), "is not text in UTF-8"),
    "Latin-1": (b"gori: 1\n# \xe9\n", "line 2: is not text in UTF-8"),
    "NUL": (b"gori: 1\nbodies: {\0}", r"line 2: contains the character '\x00'"),
    "all bytes": (bytes(range(256)), "is not text in UTF-8"),
    "an archive": (b"PK\x03\x04" + bytes(100), r"contains the character '\x03'"),
    "a program": (b"\x7fELF" + bytes(60), r"contains the character '\x7f'"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(30), "is not text in UTF-8"),
    "URDF": (b"<robot/>", "must be a mapping at the top level, such as 'gori: 1'"),
    "null": (b"~", "must be a mapping at the top level"),
    "a word": (b"hello", "must be a mapping at the top level"),
    "a list": (b"- 1\n- 2\n", "must be a mapping at the top level"),
}
SYNTAX = {
    "a tab": ("gori: 1\nbodies:\n\ta: {}\n", "line 3: a tab where YAML allows only spaces"),
    "an open quote": ('gori: 1\na: "b', "unexpected end of stream"),
    "an open bracket": (HEAD + "bodies: {a: {mass: 1", "line 2: "),
    "two documents": (HEAD + "---\n" + HEAD, "contains more than one document: remove what follows the line '---'"),
    "an anchor": (HEAD + "bodies: {a: &x {mass: 1}}\n", "anchors (&) and aliases (*) are not supported"),
    "an alias": (HEAD + "bodies: {a: *x}\n", "anchors (&) and aliases (*) are not supported"),
    "many laughs": (HEAD + "a: &a [x, x]\nb: &b [*a, *a]\n", "line 2: anchors"),
    "a merge": (HEAD + "bodies: {a: {<<: {mass: 1}}}\n", "merge keys (<<) are not supported"),
    "a command": (HEAD + "a: !!python/object/apply:os.system ['true']\n", "tags are not supported: remove"),
    "bytes": (HEAD + "a: !!binary aGVsbG8=\n", "tags are not supported"),
    "another YAML": ("%YAML 9.9\n---\ngori: 1\n", "found incompatible YAML document"),
    "a list as key": (HEAD + "? [a, b]\n: 1\n", "a key must be text, not a list or a mapping"),
    "a number as key": (HEAD + "1: 2\n", "a key must be text; write '1' in quotes if it is a name"),
    "no key": (HEAD + "~: 2\n", "a key must be text"),
    "a body twice": (HEAD + "bodies:\n  a: {}\n  a: {}\n", "line 4: 'a' is given twice, first in line 3"),
    "the version twice": (HEAD + HEAD, "line 2: 'gori' is given twice, first in line 1"),
    "lists in lists": (HEAD + "a: " + "[" * 10_000 + "]" * 10_000, "is nested too deeply"),
    "mappings in mappings": (HEAD + "a: " + "{a: " * 10_000 + "}" * 10_000, "is nested too deeply"),
    "lines in lines": (HEAD + "".join(" " * k + "a:\n" for k in range(2000)), "is nested too deeply"),
    "100,000 brackets": (HEAD + "a: " + "[" * 100_000, "is nested too deeply"),
    "three million numbers": (HEAD + "a: [" + "1," * 3_000_000 + "1]\n", "line 1: has about 3,000,00"),
    "three million lists": (HEAD + "a:\n" + "- []\n" * 3_000_000, "put tables into .npy or .csv files"),
    "a long key": (HEAD + "a" * 100_000 + ": 1\n", "line 2: "),
}
VERSION = {
    "none": ("bodies: {}\n", "has no format version: start with 'gori: 1'"),
    "2": ("gori: 2\n", "version 2 of the format is unknown; this Gori reads 1"),
    "a word": ("gori: one\n", "version 'one' of the format is unknown"),
    "true": ("gori: true\n", "version True of the format is unknown"),
    "1.0": ("gori: 1.0\n", "version 1.0 of the format is unknown"),
}
KEYS = {
    "a section": (HEAD + "bodys: {}\n", "unknown key 'bodys'; did you mean 'bodies'?"),
    "a field": (HEAD + "bodies: {a: {mas: 1}}\n", "bodies.a.mas: unknown key 'mas'; did you mean 'mass'?"),
    "300 letters": (HEAD + f"bodies: {{{LONG}: {{mas: 1}}}}\n", "did you mean 'mass'?"),
    "sixty fields": (HEAD + f"bodies: {{a: {{{', '.join(f'x{k}: 1' for k in range(60))}}}}}\n", "and 48 more"),
    "bodies in a list": (HEAD + "bodies: [1, 2]\n", "bodies: must be a mapping, not [1, 2]"),
    "bodies in a word": (HEAD + "bodies: all\n", "bodies: must be a mapping, not 'all'"),
    "a body that is a number": (HEAD + "bodies: {a: 1}\n", "bodies.a: must be a mapping, not 1"),
    "no name": (HEAD + "bodies: {'': {mass: 1}}\n", "a name must not be empty"),
    "a name of two words": (HEAD + "bodies: {'a b': {mass: 1}}\n", "or contain spaces"),
    "a name with a star": (HEAD + "bodies: {'a*': {mass: 1}}\n", "or contain spaces, '*' or '?'"),
    "a mass of the ground": (HEAD + "bodies: {ground: {mass: 1}}\n", "'ground' is the fixed body"),
}


@pytest.mark.parametrize(("content", "words"), [*NO_TEXT.values(), *SYNTAX.values(), *VERSION.values(), *KEYS.values()],
                         ids=[*NO_TEXT, *SYNTAX, *(f"version {x}" for x in VERSION), *KEYS])  # fmt: skip
def test_files(tmp_path, content, words):
    path = written(tmp_path / "m.yaml", content)
    message = refused(gori.load, path)
    assert words in message and message.startswith(str(path))


def test_marks_and_ends_of_lines_do_no_harm(tmp_path):
    for content in (b"\xef\xbb\xbf" + MACHINE.encode(), MACHINE.replace("\n", "\r\n").encode()):
        assert compiled(written(tmp_path / "m.yaml", content)).nv == 1


BODIES = {
    "mass: -1": "mass: must not be negative, is -1",
    "mass: .nan": "mass: must be finite, not nan",
    "mass: .inf": "mass: must be finite, not inf",
    "mass: 1e400": "mass: must be finite, not inf",
    "mass: 9" + "9" * 5000: "mass: must be finite, not inf",
    "mass: 1 kg": "mass: must be a number, not '1 kg'",
    "mass: [1]": "mass: must be a number, not [1]",
    "mass: true": "mass: must be a number, not True",
    "mass: 1:30": "mass: must be a number, not '1:30'",
    "mass: 1_000": "mass: must be a number, not '1_000'",
    "mass: 0x": "mass: must be a number, not '0x'",
    "mass: '1,5'": "mass: must be a number, not '1,5'",
    "mass: ~, inertia: [1, 1, 1]": "inertia given without mass",
    "mass: 1e308, com: [1e308, 0, 0], inertia: [1, 1, 1]": "beyond the range of numbers",
    "mass: 1, inertia: [1, 1]": "must be a list of 3 (xx yy zz) or 6",
    "mass: 1, inertia: [-1, 1, 1]": "inertia is not positive definite: principal moments -1 1 1",
    "mass: 1, inertia: [1, 1, 3]": "inertia violates the triangle inequality",
    "mass: 1, com: [0, 0]": "com: needs 3 numbers, has 2",
    "shapes: {s: {type: sphere, radius: -1}}": "radius: must be positive, is -1",
    "shapes: {s: {type: sphere, radius: 1e200, density: 1}}": "a sphere of this size is beyond the range of numbers",
    "shapes: {s: {type: sphere, radius: 1e-200, density: 1}}": "beyond the range of numbers",
    "shapes: {s: {type: cone, radius: 1e-200, length: 1, density: 1}}": "beyond the range of numbers",
    "shapes: {s: {type: torus}}": "type 'torus' is not one of 'sphere', 'box'",
    "shapes: {s: {type: box, size: [1, 1]}}": "size: needs 3 numbers, has 2",
    "shapes: {s: {type: sphere, radius: 1, colour: red}}": "must be '#rrggbb' or '#rrggbbaa' in quotes",
    "shapes: {s: {type: gear, teeth: 1000000000, module: 1, width: 1, density: 1}}": "points around; at most 200000",
    "shapes: {s: {type: gear, teeth: 2, module: 1, width: 1, density: 1}}": "a gear of 2 teeth has no root circle",
    "shapes: {s: {type: gear, teeth: 9, module: 1, width: 1, flank_points: 1000000000}}": "points around",
    "shapes: {s: {type: mesh, file: none.stl, density: 1}}": "file: there is no mesh '/",
    "shapes: {s: {type: mesh, file: ., density: 1}}": "there is no mesh",
    "shapes: {s: {type: mesh, file: /dev/zero, density: 1}}": "there is no mesh '/dev/zero'",
    "shapes: {s: {type: mesh, file: 5, density: 1}}": "file: must be text, not 5",
    f"shapes: {{s: {{type: mesh, file: {LONG}.stl, density: 1}}}}": "there is no mesh",
    f'shapes: {{s: {{type: mesh, file: "a{NUL}.stl", density: 1}}}}': r"/a\x00.stl'",
}
JOINTS = {
    "type: hinge": "type: 'hinge' is not one of 'fixed', 'revolute'",
    "q: 1": "'type' is missing",
    "type: revolute, axis: [0, 0, 0]": "axis: must be a direction, not the zero vector",
    "type: revolute, axis: [1e308, 1e308, 0]": "axis: must be a direction, not a vector of length 1.41e+308",
    "type: revolute, axis: [.nan, 0, 0]": "axis.0: must be finite, not nan",
    "type: revolute, axis: x": "axis: must be a list of numbers, not 'x'",
    "type: revolute, quat: [1, 1, 1, 1]": "must be a unit quaternion w x y z; its length is 2",
    "type: revolute, quat: [1, 0, 0, 0], rpy_deg: [0, 0, 0]": "give rpy_deg or quat, not both",
    "type: revolute, limits: [1, -1]": "the lower limit 1.0 is above the upper -1.0",
    "type: revolute, q: [1, 2]": "q needs 1 number for a revolute joint, has 2",
    "type: free, q: [0, 0, 0, 0, 0, 0, 0]": "q must begin with a unit quaternion",
    "type: helical": "pitch is required for helical joints",
    "type: revolute, damping: -1": "damping.0: must not be negative, is -1",
    "type: revolute, mimic: {joint: j}": "must mimic another joint of one degree of freedom, not 'j'",
    "type: revolute, mimic: {joint: k}": "mimics 'k', which is not a joint",
}
FORCES = {
    "type: torque, joint: j, value: 'sin('": "'sin(' is not an expression",
    "type: torque, joint: j, value: k.q": "unknown name 'k.q'; did you mean 'j.q'?",
    "type: torque, joint: j, value: \"__import__('os')\"": "unknown function '__import__'",
    f"type: torque, joint: j, value: '{'(' * 900 + 't' + ')' * 900}'": "forces.f.value: ",
    f"type: torque, joint: j, value: '{'t+' * 20_000}t'": "has 40001 characters; the limit is 2000",
    "type: torque, joint: j, value: [[0, 1], [0, 2]]": "times must increase from row to row",
    "type: torque, joint: j, value: [[0, 1], [.nan, 2]]": "value.1.0: must be finite, not nan",
    "type: force, joint: j, value: 1": "joint 'j' is rotational (revolute): write type: torque",
    "type: torque, joint: k, value: 1": "'k' is not a joint",
    "type: torque, joint: j, value: 1, dof: 1000000000000000000000": "has no degree of freedom",
    "type: spring, parent: a, child: a, stiffness: 1": "parent and child are the same body",
}
PARTS = [
    *((HEAD + f"bodies: {{a: {{{fields}}}}}\njoints: {{j: {{type: revolute, parent: ground, child: a}}}}\n", words)
      for fields, words in BODIES.items()),
    *((HEAD + f"bodies: {{a: {{mass: 1}}}}\njoints: {{j: {{parent: ground, child: a, {fields}}}}}\n", words)
      for fields, words in JOINTS.items()),
    *((MACHINE + f"forces: {{f: {{{fields}}}}}\n", words) for fields, words in FORCES.items()),
]  # fmt: skip


@pytest.mark.parametrize(("content", "words"), PARTS, ids=[name[:70] for name in (*BODIES, *JOINTS, *FORCES)])
def test_parts(tmp_path, content, words):
    assert words in refused(compiled, written(tmp_path / "m.yaml", content))


GRAINS = HEAD + (
    "materials: {m: {E: 1e7, density: 2000}}\ncontacts: {m/m: {friction: 0.5, restitution: 0.3}}\n"
    "particles: {g: {material: m, radius: 0.01, fill: {box: {size: [1, 1, 1]}, count: %s}}}\n"
)
TRUCK = HEAD + "parts: {t: {use: hmmwv}}\n"
MACHINES = {
    "a joint on itself": (HEAD + "bodies: {a: {}}\njoints: {j: {type: fixed, parent: a, child: a}}\n", "the same body"),
    "a ring": (HEAD + "bodies: {a: {mass: 1}, b: {mass: 1}}\njoints: {j: {type: revolute, parent: a, child: b}, "
               "k: {type: revolute, parent: b, child: a}}\n", "the bodies a, b form a cycle"),
    "a body alone": (HEAD + "bodies: {a: {mass: 1}}\n", "is not the child of any joint"),
    "a parent that is not": (HEAD + "bodies: {a: {}}\njoints: {j: {type: fixed, parent: x, child: a}}\n",
                             "parent 'x' is not a body"),
    "a frame like a body": (MACHINE + "frames: {a: {body: a}}\n", "frame 'a' has the name of a body"),
    "a frame on nothing": (MACHINE + "frames: {f: {body: b}}\n", "body 'b' is not a body"),
    "a cut like a joint": (MACHINE + "cuts: {j: {type: fixed, parent: ground, child: a}}\n", "has the name of a joint"),
    "a motion of nothing": (MACHINE + "motions: {m: {joint: k, speed: 1}}\n", "'k' is not a joint"),
    "gears of nothing": (MACHINE + "gears: {g: {type: gear, bodies: [a, b], teeth: [1, 1]}}\n", "'b' is not a body"),
    "no teeth": (MACHINE + "gears: {g: {type: gear, bodies: [a, ground], teeth: [0, 1]}}\n",
                 "must be a positive integer, not 0"),
    "gravity": (HEAD + "gravity: 9.81\n", "gravity: must be a list of numbers, not 9.81"),
    "gravity without end": (HEAD + "gravity: [0, 0, .inf]\n", "gravity.2: must be finite, not inf"),
    "a time backwards": (MACHINE + "run: {duration: -1}\n", "run.duration: must be positive, is -1"),
    "1e9 particles": (GRAINS % 1_000_000_000, "GB of memory"),
    "-1 particles": (GRAINS % -1, "must be a positive integer, not -1"),
    "particles of nothing": (HEAD + "particles: {g: {material: m, radius: 1, positions: [[0, 0, 0]]}}\n",
                             "'m' is not a material"),
    "nu": (HEAD + "materials: {m: {E: 1e7, nu: 0.7}}\n", "nu: must be at most 0.5, is 0.7"),
    "an unknown soil": (MACHINE + "terrain: {soft: {soil: moon, size: [1, 1]}}\n", "there is no soil 'moon'"),
    "1e15 cells of soil": (TRUCK + "terrain: {soft: {soil: lete_sand, size: [1e9, 1], cell: 0.001}}\n", "too large"),
    "cells of nothing": (TRUCK + "terrain: {soft: {soil: lete_sand, size: [9, 9], cell: 1e-320}}\n",
                         "a grid of 1e+18 x 1e+18 cells is too large"),
    "rows of two lengths": (MACHINE + "terrain: {field: {heights: [[0, 1], [2]], cell: 1}}\n",
                            "must be rows of numbers of equal length"),
    "one row": (MACHINE + "terrain: {field: {heights: [[0, 1]], cell: 1}}\n", "must have at least two rows"),
    "no height": (MACHINE + "terrain: {field: {heights: [[0, 1], [.nan, 1]], cell: 1}}\n", "must be finite"),
    "no file of heights": (MACHINE + "terrain: {field: {heights: none.csv, cell: 1}}\n", "there is no file 'none.csv'"),
    "heights in words": (MACHINE + "terrain: {field: {heights: m.yaml, cell: 1}}\n", "contains no rows of numbers"),
    "no file of a terrain": (MACHINE + "terrain: none.yaml\n", "there is no file 'none.yaml'"),
    "itself as a terrain": (MACHINE + "terrain: m.yaml\n", "unknown key 'bodies'"),
    "parts in a list": (HEAD + "parts: [1]\n", "parts: must be a mapping, not [1]"),
    "an unknown vehicle": (HEAD + "parts: {t: {use: lorry}}\n", "'lorry' is not a vehicle included in Gori"),
    "no vehicle": (HEAD + "parts: {t: }\n", "'use' is missing"),
    "a heavy chassis": (HEAD + "parts: {t: {use: hmmwv, set: {chassis.mass: heavy}}}\n",
                        "chassis.mass: must be a number, not 'heavy'"),
    "a part that is not": (HEAD + "parts: {t: {use: hmmwv, set: {none.mass: 1}}}\n", "unknown key 'none'"),
    "half a place": (HEAD + "parts: {t: {use: hmmwv, at: [1]}}\n", "parts.t.at: needs 2 numbers, has 1"),
    "a long name of a vehicle": (HEAD + f"parts: {{t: {{use: {LONG}.yaml}}}}\n", "there is no file"),
    "a long name of a tyre": (MACHINE + f"wheels: {{w: {{body: a, inertia: 1, tyre: {LONG}.tir}}}}\n", "too long"),
    "a drive train with NUL": (MACHINE + f'drivetrains: {{d: {{use: "a{NUL}"}}}}\n', "there is no drive train"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "words"), MACHINES.values(), ids=MACHINES)
def test_machines(tmp_path, content, words):
    assert words in refused(compiled, written(tmp_path / "m.yaml", content))


USED = {
    "m.yaml": "files use each other in a cycle: m.yaml -> m.yaml",
    "none.yaml": "there is no such file",
    "5": "use: must be the name of a file, not 5",
    "[a.yaml]": "use: must be the name of a file",
    "''": "use: must be the name of a file, not ''",
    "folder.yaml": "it is a folder",
    "pipe.yaml": "it is a pipe or a device",
    "zero.yaml": "it is a pipe or a device",
    "ring.yaml": "Too many levels of symbolic links",
    "dangling.yaml": "there is no such file",
    "a.txt": ".txt is not one of the formats",
    f"{LONG}.yaml": "is too long for the name of a file",
    f'"a{NUL}.yaml"': "must be text without zeros",
    "m.yaml/m.yaml": "cannot be read",
}


@pytest.mark.parametrize(("name", "words"), USED.items(), ids=[name[:30] for name in USED])
def test_files_that_cannot_be_used(tmp_path, name, words):
    strange_places(tmp_path, ".yaml")
    path = written(tmp_path / "m.yaml", HEAD + f"use: {name}\n")
    message = refused(gori.load, path)
    assert words in message and message.startswith(f"{path}, line 2: use: ")
