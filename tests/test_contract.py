"""The data contract, as the sources keep it: one compiler, one State, arrays declared once, rooms that can be found."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import gori
from tests.mirror import ROOT, SOURCES, called, home, mirrored, modules

TESTS = Path(__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
MANY_ARGUMENTS = {
    "Simulation.__init__",  # keyword-only options, each with a default: the front door
    "run",  # options of `gori run`, which Typer reads from the signature
    "machine_of",  # options of a run; all but the Model have defaults
    "wheel_rig",  # options of `gori wheel-rig`, likewise
}
"""functions of twelve or more arguments, and why"""


def functions():
    """(file, qualified name, node) of all functions."""

    def walk(node, path, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                if not isinstance(child, ast.ClassDef):
                    yield path, name, child
                yield from walk(child, path, f"{name}.")
            else:
                yield from walk(child, path, prefix)

    for path, tree in SOURCES.items():
        yield from walk(tree, path, "")


def calls(tree, name):
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ((isinstance(node.func, ast.Name) and node.func.id == name)
             or (isinstance(node.func, ast.Attribute) and node.func.attr == name))
    ]  # fmt: skip


def test_compile_steps_are_called_by_compile_alone():
    steps = {name for path, name, _ in functions() if path.startswith("model/") and re.fullmatch(r"compile_\w+", name)}
    assert {"compile_forces", "compile_vehicle", "compile_particles"} <= steps
    for step in steps:
        assert [path for path, tree in SOURCES.items() if calls(tree, step)] == ["model/compile.py"], step


def test_sim_does_not_read_the_spec():
    """A Simulation stores its Model, which stores its Spec; what a run needs was compiled."""
    found = [
        f"{path}:{node.lineno}"
        for path, tree in SOURCES.items()
        if path.startswith("sim/") and path != "sim/particles/run.py"  # which stores it beside the frames
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "spec"
    ]
    assert found == []


def test_sim_is_typed():
    """`Any` stands for what users hand in: options, callbacks, plain data of a report; not for parts of Gori."""
    found = defaultdict(int)
    for path, _name, node in functions():
        if path.startswith("sim/"):
            for argument in (*node.args.args, *node.args.kwonlyargs):
                text = "" if argument.annotation is None else ast.unparse(argument.annotation)
                found[f"{path} {argument.arg}: {text}"] += text == "Any"
    untyped = {name for name, count in found.items() if count}
    allowed = re.compile(r"(options|value|values|signal|function|functions|which|position|radius|velocity|"
                         r"angular_velocity|subsystem|loops|tau|path|saved|dtype|key|stream): ")  # fmt: skip
    assert [name for name in sorted(untyped) if not allowed.match(name.split()[1] + " ")] == []


def test_functions_have_few_arguments():
    many = [
        name
        for _, name, node in functions()
        if len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs) >= 12
    ]
    assert set(many) <= MANY_ARGUMENTS and len(many) <= 5, sorted(set(many) - MANY_ARGUMENTS)


def test_no_class_name_twice():
    homes = defaultdict(list)
    for path, tree in SOURCES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_public_names_are_few():
    assert len(gori.__all__) <= 34


def test_no_folder_is_a_drawer():
    for folder in {file.parent for file in FILES}:
        assert len(list(folder.glob("*.py"))) < 30, folder


def test_no_constant_has_two_values():
    """A name in capitals that stands for a number in kernels means one thing there."""
    values = defaultdict(set)
    for path, tree in SOURCES.items():
        if path.startswith("kernels/"):
            for node in tree.body:
                for name, value in constants(node):
                    values[name].add((path, value))
    twice = {name: found for name, found in values.items() if len({value for _, value in found}) > 1}
    shared = {name: found for name, found in twice.items() if len({path.split("/")[1] for path, _ in found}) == 1}
    assert shared == {}


def constants(node):
    """(name, number) of an assignment of constants."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        numbers = value.elts if isinstance(value, ast.Tuple) else [value]
        for name, number in zip(names, numbers):
            if isinstance(name, ast.Name) and isinstance(number, ast.Constant) and name.id.isupper():
                yield name.id, number.value


def test_modules_have_their_tests_at_the_same_place():
    """And these tests call the module."""
    assert [path for path in modules() if not mirrored(path)] == []


def test_what_a_test_calls_is_found():
    """By imports, through packages and modules, by methods that one class has, by words of a command line."""
    assert home("gori", ("RK4",)) == "integrate/rk4.py" and home("gori.formats", ("dh",)) == "formats/dh.py"
    assert home("gori.model", ("compile",)) == "model/compile.py" and home("gori", ("nothing",)) is None
    text = """
import gori
from gori.kernels.tree import aba as a
from gori.sim import nothing
from gori.errors import InputError

def test_it(run):
    a.aba_one(1)
    gori.compile(gori.spec.Body()).center_of_mass(run("wheel-rig"))
"""
    expected = {"kernels/tree/aba.py", "model/compile.py", "spec/body.py", "model/kinematics.py", "cli/wheel_rig.py"}
    assert called(text) == expected  # not what is imported alone


@pytest.mark.parametrize("folder", ["spec", "model", "kernels", "sim"])
def test_rooms_by_domain(folder):
    assert {"loops", "vehicle", "particles"} <= {path.name for path in (ROOT / folder).iterdir() if path.is_dir()}


def test_the_architecture_page_names_files_that_are_there():
    text = (TESTS.parent / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"[`(\s]((?:[a-z_]+/)+[a-z_]+\.(?:py|md))", text))
    assert len(named) > 30
    folders = (ROOT, ROOT.parent, TESTS.parent)
    assert sorted(name for name in named if not any((folder / name).exists() for folder in folders)) == []
