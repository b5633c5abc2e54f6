"""Chains by Denavit-Hartenberg rows: index sets, files, and what is refused, where and in which words."""

import pytest

import gori
from gori.errors import FileError, SpecError, SpecWarning
from gori.formats import json_schema, load, read_dh, read_yaml, save, write_yaml

# the chain of Fig. 2 of Kim and Kim (1993): 13 links, 3 cuts. The paper prints mu of 0, 1, 2, 4, 7 and 13
FIGURE_2 = {0: (1, 15), 1: (2,), 2: (3, 14), 3: (4,), 4: (5, 8, 10), 5: (6,), 6: (7,), 7: (17,), 8: (9, 16), 9: (18,),
            10: (11,), 11: (12,), 12: (13, 20), 13: (19,)}  # fmt: skip


def figure_2(**options):
    return gori.dh("branched", [{"a": 0.1}] * 13, cuts=[{"C": {}, "R": {"a": 0.1}}] * 3, effectors=[{}], **options)


def test_index_sets_of_the_paper():
    chain = figure_2(mu=FIGURE_2)
    assert chain.mu == FIGURE_2
    assert [chain.names[n] for n in (0, 1, 13, 14, 16, 17, 19, 20)] == [
        "ground",
        "L1",
        "L13",
        "C1",
        "C3",
        "R1",
        "R3",
        "E1",
    ]
    spec = chain.spec()
    parents = ["ground", "L1", "L2", "L3", "L4", "L5", "L6", "L4", "L8", "L4", "L10", "L11", "L12"]
    assert [(name, joint.parent, joint.child) for name, joint in spec.joints.items()] == [
        (f"J{k}", parent, f"L{k}") for k, parent in enumerate(parents, 1)
    ]
    assert [(name, cut.type, cut.parent, cut.child) for name, cut in spec.cuts.items()] == [
        ("cut1", "fixed", "L2", "L7"), ("cut2", "fixed", "ground", "L9"), ("cut3", "fixed", "L8", "L13")
    ]  # fmt: skip
    assert spec.frames["E1"].body == "L12"


def test_index_sets_follow_from_rows():
    links = {"trunk": {}, "left": {}, "right": {"on": "trunk"}, "hand": {}}
    cuts = {"grip": {"C": {"on": "left"}, "R": {"on": "hand"}}, "foot": {"C": {"on": "ground"}, "R": {"on": "left"}}}
    chain = gori.dh("branched", links, cuts=cuts, effectors={"tool": {}, "eye": {"on": 0}})
    # 1 to 4 are links, 5 and 6 the sections C, 7 and 8 the sections R, then the tool and the eye
    assert chain.mu == {0: (1, 6, 10), 1: (2, 3), 2: (5, 8), 3: (4,), 4: (7, 9)}
    assert [chain.names[n] for n in range(5, 11)] == ["C_grip", "C_foot", "R_grip", "R_foot", "tool", "eye"]
    assert "branched, 4 links, 2 cuts, 2 effectors" in repr(chain)


def test_sets_and_rows_say_the_same():
    carriers = {number: link for link, numbers in FIGURE_2.items() for number in numbers}
    links = {number: {"a": 0.1, "on": carriers[number]} for number in range(13, 0, -1)}  # order does not matter
    cuts = [{"C": {"on": carriers[14 + j]}, "R": {"a": 0.1, "on": carriers[17 + j]}} for j in range(3)]
    chain = gori.dh("branched", links, cuts=cuts, effectors=[{"on": carriers[20]}])
    assert chain.mu == FIGURE_2
    assert chain.spec() == figure_2(mu=FIGURE_2).spec()


# ---- what is refused

RING = {"a": {"on": "c"}, "b": {"on": "a"}, "c": {"on": "b"}}
TWO = [{}, {}]
BAD = {
    "no such convention": (
        TWO,
        {"convention": "denavit"},
        "convention: 'denavit' is not one of 'standard', 'modified'",
    ),
    "links missing": (None, {}, "links: must be a mapping, not None"),
    "unknown link": ([{}, {"on": 3}], {}, "links.2.on: '3' is not a link; links are 1, 2, and 0 is the"),
    "unknown name": ({"arm": {}, "hand": {"on": "amr"}}, {}, "links.hand.on: 'amr' is not a link; did you"),
    "on itself": ({"arm": {"on": "arm"}}, {}, "links.arm.on: the links arm <- arm form a cycle"),
    "ring": (RING, {}, "the links a <- c <- b <- a form a cycle that is not connected to link 0"),
    "unknown key": ([{"alhpa": 1}], {}, "links.1.alhpa: unknown key 'alhpa'; did you mean 'alpha'?"),
    "text": ([{"a": "1"}], {}, "links.1.a: must be a number, not '1'"),
    "not a number": ([{}, {"d": float("nan")}], {}, "links.2.d: must be finite, not nan"),
    "angle not finite": (
        [{"theta": float("inf")}],
        {"convention": "branched"},
        "links.1.theta.0: must be finite, not inf",
    ),
    "radians and degrees": ([{"alpha": 1, "alpha_deg": 1}], {}, "links.1: give alpha or alpha_deg, not both"),
    "indicator 2": ([{"s": 2}], {}, "links.1.s: must be 0 (revolute) or 1 (prismatic), not 2"),
    "indicator true": ([{"s": True}], {}, "links.1.s: must be 0 (revolute) or 1 (prismatic), not True"),
    "indicator and joint": ([{"s": 1, "joint": "revolute"}], {}, "links.1.s: indicator 1 is a prismatic"),
    "no such joint": ([{"joint": "planar"}], {}, "links.1.joint: 'planar' is not one of 'fixed', 'revolute'"),
    "psi": ([{"psi": 0.0}], {"convention": "modified"}, "links.1.psi: psi is for convention branched, not modified"),
    "c of an effector": (TWO, {"effectors": [{"c": 1}]}, "effectors.1.c: c is for convention branched"),
    "too many angles": ([{"theta": (1, 2)}], {}, "links.1.theta: theta needs 1 number here, has 2"),
    "angles of a sphere": ([{"joint": "spherical", "theta": (1, 2)}], {}, "needs 1 or 3 numbers here, has 2"),
    "damping of two": ([{"joint": "universal", "damping": (1, 2, 3)}], {}, "links.1.damping: damping needs 1"),
    "limits of two": ([{"joint": "universal", "limits": (1, 2)}], {}, "links.1.limits: limits is for joints"),
    "offset of a slide": ([{"s": 1, "offset_deg": 1}], {}, "links.1.offset_deg: offset_deg is for rotational joints"),
    "impossible inertia": ([{"mass": 1, "inertia": (1, 1, 5)}], {}, "links.1: inertia violates the triangle"),
    "numbers and names": ({1: {}, "arm": {}}, {}, "links.arm: 'arm' is a name and 1 a number: number all"),
    "gap": ({1: {}, 3: {}}, {}, "links.3: numbers must run from 1 without gaps; 2 is missing, 3 is given"),
    "link 0": ({0: {}, 1: {}}, {}, "links.0: numbers must run from 1 without gaps; 1 is missing, 0 is given"),
    "ground": ({"ground": {}}, {}, "links.ground: 'ground' is the base, link 0: it is not listed among the links"),
    "same name": ({1: {}, "1": {}}, {}, "links.1: '1' is given twice"),
    "R without C": (TWO, {"cuts": [{"R": {"on": 1}}]}, "cuts.1.C: 'C' is missing"),
    "C without R": (TWO, {"cuts": {"rod": {"C": {"on": 1}}}}, "cuts.rod.R: 'R' is missing"),
    "section nowhere": (TWO, {"cuts": [{"C": {"on": 1}, "R": {}}]}, "cuts.1.R.on: 'on' is missing: give the link"),
    "section with mass": (TWO, {"cuts": [{"C": {"mass": 1}, "R": {}}]}, "cuts.1.C.mass: unknown key 'mass'"),
    "distance": (TWO, {"cuts": [{"C": {}, "R": {}, "type": "distance"}]}, "cuts.1.type: 'distance' is not"),
    "mu and on": ([{}, {"on": 1}], {"mu": {0: [1], 1: [2]}}, "links.2.on: give mu or on, not both"),
    "mu no mapping": (TWO, {"mu": [1, 2]}, "mu: must give a list of frames for each link, such as {0: [1]"),
    "mu of a name": (TWO, {"mu": {"arm": [1]}}, "mu.arm: must hold numbers of frames, not 'arm'"),
    "mu with a name": (TWO, {"mu": {0: ["arm"]}}, "mu.0: must hold numbers of frames, not 'arm'"),
    "mu negative": (TWO, {"mu": {0: [-1]}}, "mu.0: must hold numbers of frames, not -1"),
    "mu of no link": (TWO, {"mu": {0: [1, 2], 3: []}}, "mu.3: 3 is not a link: the links are 0 (the base) to 2"),
    "mu of no frame": (TWO, {"mu": {0: [1, 2, 3]}}, "mu.0: 3 is not a frame: the frames are 1 to 2, 2 links"),
    "mu twice": (TWO, {"mu": {0: [1], 1: [2], 2: [1]}}, "mu.2: frame 1 is already attached to link 0"),
    "mu key twice": (TWO, {"mu": {0: [1], "0": [2]}}, "mu.0: 0 is given twice"),
    "mu forgets": (TWO, {"mu": {0: [1]}}, "mu: frame 2 (links.2) is in no index set"),
    "mu ring": (TWO, {"mu": {2: [1], 1: [2]}}, "mu.2: the links 1 <- 2 <- 1 form a cycle"),
    "base": (TWO, {"base": {"at": (0, 0)}}, "base.at: needs 3 numbers, has 2"),
}


@pytest.mark.parametrize("links, options, words", BAD.values(), ids=BAD)
def test_bad_tables_are_refused(links, options, words):
    with pytest.raises(SpecError) as caught:
        gori.dh(**{"convention": "standard", "links": links, **options})
    assert words in str(caught.value)


LATE = {
    "limits": ([{"limits": (1, 0)}], {}, {}, "dh.links.1.limits: the lower limit 1.0 is above the upper 0.0"),
    "fixed": ([{"joint": "fixed", "damping": 1}], {}, {}, "dh.links.1.damping: a fixed joint has no"),
    "name": ({"my arm": {}}, {}, {}, "dh.links.my arm: a name must not be empty or contain spaces"),
    "base": (TWO, {"base": {"body": "truk"}}, {}, "dh.base.body: joint 'J1': parent 'truk' is not a body"),
    "cut": (TWO, {"cuts": [{"C": {"on": 1}, "R": {"on": 1}}]}, {}, "dh.cuts.1: parent and child are the same body"),
    "frame": ({"arm": {}}, {"effectors": {"arm": {}}}, {}, "dh.effectors.arm: frame 'arm' has the name of a body"),
    "clash": (TWO, {}, {"bodies": {"L1": {}}}, "bodies.L1: 'L1' is also made by dh.links.1: choose another name"),
    "inside": ({"a": {"joint": "universal"}, "a_1": {}}, {}, {}, "dh.links.a_1: dh.links.a makes a part of that name"),
}


@pytest.mark.parametrize("links, options, others, words", LATE.values(), ids=LATE)
def test_what_only_the_spec_can_see_is_told_in_the_words_of_the_table(links, options, others, words):
    chain = gori.dh("standard", links, **options)
    with pytest.raises(SpecError) as caught:
        chain.spec(**others)
    assert words in str(caught.value)


def test_start_outside_the_limits_is_warned_of():
    with pytest.warns(SpecWarning, match=r"dh\.links\.1\.theta: q lies outside its limits: 90 is not within -1 and 1"):
        gori.dh("standard", [{"theta": 90, "limits": (-1, 1)}]).spec()


# ---- files

TEXT = """gori: 1
gravity: [0, -9.81, 0]
dh:
  convention: branched
  links:
    1: {a: 0.0, theta_deg: 30, mass: 1, com: [0.5, 0, 0]}
    2:
      a: 1.0
      s: 0
      limits_deg: [-90, 90]
    3: {a: 0.2, s: 1}
  cuts:
    1:
      C: {psi_deg: 20, a: 1}
      R: {d: 0.1}
  effectors:
    tip: {a: 0.1}
  mu: {0: [1, 4], 1: [2],
       2: [3, 5, 6]}
forces:
  push: {type: torque, joint: J1, value: 3}
frames:
  mark: {body: L2, at: [0, 0, 1]}
"""


def test_file_is_the_call_in_python(tmp_path):
    file = tmp_path / "chain.yaml"
    file.write_text(TEXT)
    links = [{"a": 0.0, "theta_deg": 30, "mass": 1, "com": (0.5, 0, 0)}, {"a": 1.0, "s": 0, "limits_deg": (-90, 90)},
             {"a": 0.2, "s": 1}]  # fmt: skip
    cuts, mu = [{"C": {"psi_deg": 20, "a": 1}, "R": {"d": 0.1}}], {0: [1, 4], 1: [2], 2: [3, 5, 6]}
    chain = gori.dh("branched", links, cuts=cuts, effectors={"tip": {"a": 0.1}}, mu=mu)
    others = {"push": {"type": "torque", "joint": "J1", "value": 3}}
    spec = load(file)
    assert spec == chain.spec(gravity=(0, -9.81, 0), forces=others, frames={"mark": {"body": "L2", "at": (0, 0, 1)}})
    assert read_dh(file).mu == chain.mu == {0: (1, 4), 1: (2,), 2: (3, 5, 6), 3: ()}
    assert list(spec.frames) == ["C1", "R1", "tip", "mark"]

    # what is saved is plain, and the same
    save(spec, tmp_path / "plain.yaml")
    assert load(tmp_path / "plain.yaml") == spec
    assert "dh" not in write_yaml(spec)
    with pytest.raises(FileError, match="it has no key 'dh'"):
        read_dh(tmp_path / "plain.yaml")


LIST = "dh:\n  convention: standard\n  links:\n    - {}\n"
NAMED = "dh:\n  convention: standard\n  links:\n    1: {}\n"
MALFORMED = {
    "nothing": ("dh:\n", 1, "dh: must be a mapping, not None"),
    "no convention": ("dh:\n  links: [{}]\n", 1, "dh.convention: 'convention' is missing"),
    "row of a list": (LIST + "    - {a: 1}\n    - a: .nan\n", 6, "dh.links.3.a: must"),
    "last row of a list": (LIST + "    - {on: 7}\n", 5, "dh.links.2.on: '7' is"),
    "key twice": (NAMED + "    '1': {}\n", 5, "'1' is given twice, first in"),
    "key of a fraction": (NAMED + "    1.5: {}\n", 5, "a key must be text; write '1.5'"),
    "index set": (TEXT[8:].replace("3, 5, 6", "3, 5, 5"), 18, "dh.mu.2: frame 5 is already attached to link 2"),
    "section": (TEXT[8:].replace("R: {d: 0.1}", "Q: {}"), 12, "dh.cuts.1.R: 'R' is missing"),
    "limits": (TEXT[8:].replace("[-90, 90]", "[90, -90]"), 9, "dh.links.2.limits_deg: the lower limit 90.0 is above"),
    "clash": (TEXT[8:] + "bodies:\n  L3: {}\n", 24, "bodies.L3: 'L3' is also made by dh.links.3: choose another name"),
    "force": (TEXT[8:].replace("joint: J1", "joint: J7"), 20, "forces.push.joint: 'J7' is not a joint"),
    "bodies are no mapping": (TEXT[8:] + "bodies: [1]\n", 23, "bodies: must be a mapping, not [1]"),
    "number elsewhere": (TEXT[8:] + "bodies:\n  1: {}\n", 24, "a key must be text; write '1' in quotes"),
}  # fmt: skip


@pytest.mark.parametrize("text, line, words", MALFORMED.values(), ids=MALFORMED)
def test_malformed_section_is_refused_with_its_line(text, line, words):
    with pytest.raises(FileError) as caught:
        read_yaml("m.yaml", "gori: 1\n" + text)
    assert words in str(caught.value)
    assert caught.value.line == line + 1


def test_all_problems_are_told_and_meshes_are_found(tmp_path):
    head = "gori: 1\ndh:\n  convention: standard\n  links:\n"
    with pytest.raises(FileError) as caught:
        read_yaml("m.yaml", head + "    1: {s: 2}\n    2: {a: .nan}\n")
    assert str(caught.value).splitlines() == [
        "m.yaml, line 5: dh.links.1.s: must be 0 (revolute) or 1 (prismatic), not 2",
        "line 6: dh.links.2.a: must be finite, not nan",
    ]
    shape = "    arm:\n      shapes:\n        hull:\n          {type: mesh, mass: 1, file: hull.stl}\n"
    with pytest.raises(FileError, match=r"dh\.links\.arm\.shapes\.hull\.file: there is no mesh") as caught:
        read_yaml(tmp_path / "m.yaml", head + shape)
    assert caught.value.line == 8
    (tmp_path / "hull.stl").touch()
    spec = read_yaml(tmp_path / "m.yaml", head + shape)
    assert spec.bodies["arm"].shapes["hull"].file == str(tmp_path / "hull.stl")


def test_start_outside_the_limits_is_warned_of_with_its_line():
    text = TEXT.replace("[-90, 90]", "[-90, 90]\n      theta_deg: 100")
    with pytest.warns(SpecWarning, match=r"m\.yaml, line 11: dh\.links\.2\.theta_deg: q lies outside its limits"):
        read_yaml("m.yaml", text)
    with pytest.raises(FileError, match="q lies outside its limits"):
        read_yaml("m.yaml", text, strict=True)


def test_schema_knows_the_section():
    schema = json_schema()
    assert set(schema["$defs"]["DHTable"]["properties"]) == {"convention", "base", "links", "cuts", "effectors", "mu"}
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(schema)
    good = {"convention": "branched", "links": {"1": {"on": 0, "s": 1, "theta_deg": 3}}, "mu": {"0": [1]}}
    assert check.is_valid({"gori": 1, "dh": good})
    assert check.is_valid({"gori": 1, "dh": good | {"links": [{"on": "ground"}]}})
    for wrong in ({"links": [{"s": 2}]}, {"convention": "craig"}, {"mu": {"0": ["a"]}}, {"rows": []}):
        assert not check.is_valid({"gori": 1, "dh": good | wrong})
