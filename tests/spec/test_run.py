"""The section `run` of a Spec: what it takes, what it refuses, and that files keep it."""

import pytest

import gori
from gori.formats import json_schema, read_yaml, write_yaml
from gori.spec import Run

BODY = "gori: 1\nbodies: {b: {mass: 1}}\njoints: {A: {type: revolute, parent: ground, child: b}}\n"


def spec(run: str) -> gori.Spec:
    return read_yaml(None, BODY + f"run: {run}\n")


def test_defaults():
    run = spec("{duration: 5}").run
    assert (run.duration, run.sample, run.record, run.plots) == (5.0, None, ("*.q",), ())
    assert dict(run.method) == {"type": "rk4"} and dict(run.events) == {}
    assert read_yaml(None, BODY).run is None and read_yaml(None, BODY + "run:\n").run is None


def test_an_expression_alone_is_an_event():
    events = spec("{duration: 5, events: {a: A.q, b: {value: A.v - 1, when: rising, action: stop}}}").run.events
    assert (events["a"].value, events["a"].when, events["a"].action) == ("A.q", "both", "record")
    assert (events["b"].value, events["b"].when, events["b"].action) == ("A.v - 1", "rising", "stop")


def test_method_is_kept_as_given_and_does_not_change():
    run = spec("{duration: 5, method: {type: whatever, step: 1e-3, name: x}}").run
    assert dict(run.method) == {"type": "whatever", "step": 1e-3, "name": "x"}
    with pytest.raises(gori.errors.SpecError, match="is immutable"):
        run.method["step"] = 2


@pytest.mark.parametrize(
    ("given", "plots"),
    [
        ("A.q", (("A.q",),)),
        ("[A.q, A.v]", (("A.q", "A.v"),)),
        ("[[A.q, A.v]]", (("A.q", "A.v"),)),
        ("[[A.q], [A.v]]", (("A.q",), ("A.v",))),
        ("[A.q, [A.v, b.z]]", (("A.q",), ("A.v", "b.z"))),
        ("[]", ()),
    ],
)
def test_plots(given, plots):
    one = spec(f"{{duration: 1, plots: {given}}}")
    assert one.run.plots == plots
    assert read_yaml(None, write_yaml(one)) == one


@pytest.mark.parametrize(
    "run",
    [
        "{duration: 5}",
        "{duration: 5, record: A.q, sample: 0.1}",
        "{duration: 5, record: [A.q, b.*], plots: [[A.q]], method: {type: dopri5, rtol: 1e-8}}",
        "{duration: 5, events: {a: A.q, b: {value: t - 1, action: stop}}}",
    ],
)
def test_files_keep_it(run):
    one = spec(run)
    assert read_yaml(None, write_yaml(one)) == one
    assert gori.Spec(**one.model_dump(exclude_unset=True)) == one


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("{}", "run.duration: 'duration' is missing"),
        ("{duration: -1}", "run.duration: must be positive"),
        ("{duration: .inf}", "run.duration: must be finite"),
        ("{duration: 1, sample: 0}", "run.sample: must be positive"),
        ("{duration: 1, method: rk4}", "run.method: must be a mapping, such as {type: rk4}"),
        ("{duration: 1, method: {step: 1}}", "run.method: 'type' is missing"),
        ("{duration: 1, method: {type: 3}}", "run.method: 'type' is missing"),
        ("{duration: 1, events: {a: A.q +}}", "run.events.a.value: 'A.q +' is not an expression"),
        ("{duration: 1, events: {a: 3}}", "run.events.a: must be a mapping, not 3"),
        ("{duration: 1, events: {a: {value: t, when: never}}}", "run.events.a.when: 'never' is not one of"),
        ("{duration: 1, events: {a: {value: t, action: go}}}", "run.events.a.action: 'go' is not one of"),
        ("{duration: 1, record: 3}", "run.record: must be a list of channels, not 3"),
        ("{duration: 1, record: [3]}", "run.record.0: must be text, not 3"),
        ("{duration: 1, pace: 4}", "run.pace: unknown key 'pace'"),
        ("{duration: 1, plots: 4}", "run.plots: must be a list of channels, not 4"),
        ("{duration: 1, speed: 4}", "run.speed: needs start: equilibrium"),
    ],
)
def test_refused_with_place_and_line(run, words):
    with pytest.raises(gori.errors.FileError) as error:
        spec(run)
    assert words in str(error.value) and error.value.line == 4


def test_set():
    one = spec("{duration: 5, method: {type: rk4, step: 1e-3}}")
    assert one.set("run.duration", 2).run.duration == 2.0
    assert one.set("run.method.step", 0.5).run.method["step"] == 0.5
    assert one.set("run", None).run is None


def test_schema():
    jsonschema = pytest.importorskip("jsonschema")
    good = {"gori": 1, "run": {"duration": 1, "events": {"a": "t", "b": {"value": "t"}}, "record": "A.q",
                               "plots": [["A.q"], "A.v"], "method": {"type": "rk4", "step": 1}}}  # fmt: skip
    jsonschema.validate(good, json_schema())
    for bad in ({"events": {"a": 3}}, {"method": {}}, {"record": 3}, {"plots": [3]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"gori": 1, "run": {"duration": 1} | bad}, json_schema())


def test_in_python():
    assert Run(duration=1, events={"a": "t - 0.5"}).events["a"].value == "t - 0.5"
