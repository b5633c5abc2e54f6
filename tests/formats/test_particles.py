"""Grains in YAML: the example of the format, files of places, lines of mistakes, changes on top of another file."""

import numpy as np
import pytest

from gori.errors import FileError
from gori.formats import load, read_yaml, save, write_yaml

SHAKER = """gori: 1                                   # particles in a box on a moving body
materials: {steel: {E: 2.1e11, nu: 0.3}, grain: {E: 1e8, nu: 0.25, density: 2500}}
contacts: {grain/grain: {restitution: 0.5, friction: 0.4}, grain/steel: {restitution: 0.5, friction: 0.3}}
bodies: {tray: {mass: 20, inertia: [1, 1, 1], shapes: {bin: {type: box, size: [0.5, 0.3, 0.3], hollow: true, material: steel}}}}
joints: {shaker: {type: prismatic, parent: ground, child: tray, axis: [1, 0, 0], stiffness: 2e4}}
forces: {push: {type: force, joint: shaker, value: "50*sin(12*t)"}}
particles: {load: {material: grain, radius: [0.008, 0.012], fill: {shape: tray.bin, count: 5000, packing: poured, seed: 1}}}
run:
  duration: 2
  method: {type: generalized_alpha, step: 1e-3}
  subsystems: {load: {step: auto, device: cpu}}
  record: [shaker.q, tray.wrench_from.load]
"""  # noqa: E501

MORE = """gori: 1
materials: {steel: {rigid: true}, grain: {E: 1e8, density: 2500}}
contacts:
  grain/grain: {restitution: 0.5, friction: 0.4, rolling_friction: 0.05}
  steel/grain: {restitution: 0.5, friction: 0.3}
bodies:
  ground:
    shapes:
      floor: {type: plane, material: steel}
      hopper: {type: cone, radius: 0.1, top_radius: 0.5, length: 1, axis: [0, 0, 1], hollow: true, open: [base, top], material: steel}
particles:
  one: {material: grain, radius: 0.01, fill: {shape: ground.hopper, count: 10, packing: regular, spacing: 0.03}, domain: none}
  two: {material: grain, radius: [[0.01, 1], [0.02, 3]], fill: {box: {at: [0, 0, 2], size: [1, 1, 1]}, count: 5}}
  three: {material: grain, radius: 0.01, positions: grains/places.csv, velocity: [0, 0, -1]}
  four: {material: grain, positions: [[0, 0, 5, 0.01]], domain: {size: [9, 9, 9]}}
inlets:
  feeder: {material: grain, radius: 0.01, box: {at: [0, 0, 3], size: [1, 1, 0.1]}, rate: 10, start: 0.5, stop: 2, count: 9, velocity: [0, 0, -1], seed: 3}
outlets:
  drain: {below: -1}
  hole: {box: {size: [1, 1, 1]}}
run: {duration: 1, subsystems: {one: {step: 1e-5, skin: 0.001, frames: 0.02, decimate: 10}}}
"""  # noqa: E501


def test_the_example_of_the_format():
    spec = read_yaml(None, SHAKER)
    assert spec.particles["load"].fill.count == 5000 and spec.run.subsystems["load"].step == "auto"
    assert spec.bodies["tray"].shapes["bin"].hollow
    assert read_yaml(None, write_yaml(spec)) == spec


def test_files_keep_all(tmp_path):
    (tmp_path / "grains").mkdir()
    np.savetxt(tmp_path / "grains" / "places.csv", np.zeros((2, 3)), delimiter=",")
    (tmp_path / "one.yaml").write_text(MORE)
    spec = load(tmp_path / "one.yaml")
    assert spec.particles["three"].positions == str(tmp_path / "grains" / "places.csv")
    assert spec.particles["one"].domain is None and "domain" in spec.particles["one"].model_fields_set
    save(spec, tmp_path / "two.yaml")
    assert "positions: grains/places.csv" in (tmp_path / "two.yaml").read_text()
    assert load(tmp_path / "two.yaml") == spec
    assert "domain" in load(tmp_path / "two.yaml").particles["one"].model_fields_set
    (tmp_path / "grains" / "places.csv").unlink()
    with pytest.raises(FileError, match=r"particles.three.positions: there is no file") as error:
        load(tmp_path / "one.yaml")
    assert error.value.line == 14


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("E: 1e8", "E: 1e14", 2, "materials.grain.E: must be at most 1e+13, is 1e+14"),
        ("grain/steel: {rest", "grain/wood: {rest", 3, "'wood' is not a material"),
        ("grain/grain", "steel/steel", 3, "particles of 'grain' can touch 'grain'"),
        ("hollow: true, ", "", 7, "particles.load.fill.shape: 'tray.bin' is solid"),
        ("count: 5000", "count: many", 7, "particles.load.fill.count: must be a positive integer, not 'many'"),
        ("device: cpu", "device: gpu", 11, "run.subsystems.load.device: 'gpu' is not one of"),
    ],
)
def test_refused_with_their_line(old, new, line, words):
    with pytest.raises(FileError) as error:
        read_yaml(None, SHAKER.replace(old, new))
    assert words in str(error.value) and error.value.line == line


def test_changes_of_a_used_file(tmp_path):
    """Who gives one of two fields that say the same takes the other away; another law makes another contact."""
    (tmp_path / "shaker.yaml").write_text(SHAKER)
    (tmp_path / "box.yaml").write_text(
        "gori: 1\nuse: shaker.yaml\n"
        "materials: {steel: {rigid: true}}\n"
        "contacts: {grain/grain: {friction: 0.1}}\n"
        "particles: {load: {fill: {box: {size: [0.1, 0.1, 0.1]}, count: 3}}}\n"
    )
    spec = load(tmp_path / "box.yaml")
    assert spec.materials["steel"].rigid and spec.materials["steel"].E is None
    assert spec.contacts["grain/grain"].friction == 0.1 and spec.contacts["grain/grain"].restitution == 0.5
    assert spec.particles["load"].fill.shape is None and spec.particles["load"].fill.packing == "poured"
    voigt = "{law: voigt, k_n: 1e6, c_n: 10, k_t: 1e5, c_t: 1, friction: 0.3}"
    (tmp_path / "voigt.yaml").write_text(
        f"gori: 1\nuse: shaker.yaml\ncontacts: {{grain/grain: {voigt}, grain/steel: {voigt}}}\n"
        "particles: {load: {positions: [[0, 0, 0]], radius: 0.01}}\n"
    )
    spec = load(tmp_path / "voigt.yaml")
    assert spec.contacts["grain/steel"].k_t == 1e5 and spec.particles["load"].fill is None
