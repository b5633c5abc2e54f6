"""What goes wrong with grains, and what people are told: by words that name the culprit and the cure."""

import re

import numpy as np
import pytest
import trimesh

import gori
from gori.errors import GoriError, InputError, SimulationError, SpecError, UnsupportedError
from gori.model.particles.packing import near_pairs
from validation.particles_scenes import FLOOR, filled, scene, simulation, tube

ONE = [[0.0, 0.0, 0.05, 0.01]]


def refusal(match, kind=InputError, **parts):
    with pytest.raises(kind, match=match) as told:
        simulation(scene(**parts), 1e-3)
    return told.value


def failure(spec, steps=2000, step=1e-3):
    """The SimulationError of a run, with what was recorded until then."""
    sim = simulation(spec, step)
    with pytest.raises(SimulationError) as told:
        sim.run(steps * step, sample=step, frames=5 * step, progress=False)
    error = told.value
    assert error.recording is not None and 1 <= len(error.recording) <= steps
    assert error.time == pytest.approx(sim.time, abs=1.5 * step)
    return error


def test_grains_that_start_inside_each_other():
    rows = [[0.0, 0.0, 0.01, 0.01], [1.0, 0.0, 0.01, 0.01], [1.015, 0.0, 0.01, 0.01]]
    told = refusal("overlap", positions=rows, shapes=FLOOR)
    assert "1" in str(told) and "2" in str(told)  # who


def test_grains_that_start_inside_a_wall():
    told = refusal("particle 1 .* overlaps the wall", positions=[*ONE, [0.1, 0.0, 0.004, 0.01]], shapes=FLOOR)
    assert "floor" in str(told) and "it would be ejected" in str(told)
    refusal("overlaps the wall", positions=[[0.1, 0.0, -0.05, 0.01]], shapes=FLOOR)  # behind a plane nothing can be
    box = {"box": {"type": "box", "size": [0.2, 0.2, 0.2], "material": "wall"}}
    refusal("overlaps the wall", positions=[[0.095, 0.0, 0.0, 0.01]], shapes=box)
    simulation(scene([[0.0905, 0.0, 0.0, 0.01]], box), 1e-3)  # walls are shells: inside is as good as outside


def test_a_bed_that_has_settled_here_is_accepted():
    """Soft particles under load overlap by more than a tenth of a radius; as `positions` they stay where they are."""
    shapes = {"tube": tube(0.05, 1.0, ends=("top",))}
    soft = {"E": 1e6, "restitution": 0.2, "shapes": shapes}
    sim = simulation(scene(**soft, particles=filled("ground.tube", 220, 0.01, "poured")), 1e-3)
    sim.advance(900)
    x, r = sim.particles.position, sim.particles.radius
    i, j = near_pairs(x, r)
    assert 0.06 < ((r[i] + r[j] - np.linalg.norm(x[i] - x[j], axis=1)) / 0.01).max() < 0.2
    again = simulation(scene(np.column_stack([x, r]), **soft), 1e-3)
    again.advance(50)
    assert np.abs(again.particles.position - x).max() < 0.002
    rows = [[0.0, 0.0, 0.02, 0.01], [0.0, 0.0, 0.033, 0.01]]
    refusal(r"which is 70% .* raise `max_overlap` \(here 0.2\)", positions=rows, shapes=FLOOR)
    for share, fits in ((0.3, False), (0.45, True)):
        load = {"load": {"material": "grain", "positions": [[0, 0, 0.006, 0.01]], "max_overlap": share}}
        if fits:
            simulation(scene(shapes=FLOOR, particles=load), 1e-3)
        else:
            refusal("by more than 30% of its radius", shapes=FLOOR, particles=load)


def test_absurd_stiffness():
    refusal(r"materials.grain.E", SpecError, positions=ONE, shapes=FLOOR, E=1e15)
    refusal(r"materials.grain.E", SpecError, positions=ONE, shapes=FLOOR, E=0.0)
    refusal(r"materials.grain.nu", SpecError, positions=ONE, shapes=FLOOR, nu=0.7)


def test_material_that_is_far_too_soft():
    rows = [[0.0, 0.0, 0.01 + 0.0199 * k, 0.01] for k in range(10)]
    error = failure(scene(rows, FLOOR, E=2e3, friction=1.0, rolling=1.0))
    assert "the material is too soft for the load" in str(error)
    assert re.search(r"particle \d at \(.*\) m, moving with .* m/s, (and particle \d at|overlaps the wall)", str(error))
    assert "the step" not in str(error)  # which is as suggested


def test_step_that_is_too_large():
    told = refusal("a step of 0.01 s is too large for these particles", positions=ONE, shapes=FLOOR, step=0.01)
    assert "step: auto" in str(told) and "soften" in str(told)


def test_grain_that_is_far_too_fast():
    error = failure(scene([[0.0, 0.0, 0.05, 0.01, 0.0, 0.0, -200.0]], FLOOR))
    assert "particle 0 at (0, 0, " in str(error) and "moves more than a quarter of its radius in one step" in str(error)


def test_grain_that_falls_through_a_hole_of_a_mesh(tmp_path):
    """A floor of four triangles of which one is missing."""
    points = [[0, 0, 0], [0.1, 0.1, 0], [-0.1, 0.1, 0], [-0.1, -0.1, 0], [0.1, -0.1, 0]]
    trimesh.Trimesh(points, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]).export(tmp_path / "holed.stl")
    floor = {"type": "mesh", "file": str(tmp_path / "holed.stl"), "material": "wall"}
    domain = {"at": [0.0, 0.0, 0.0], "size": [1.0, 1.0, 0.4]}
    rows = [[-0.05, 0.0, 0.01, 0.01], [0.06, 0.0, 0.01, 0.01]]
    group = {"load": {"material": "grain", "positions": rows, "domain": domain}}
    told = refusal("holed.stl", gori.errors.GoriError, shapes={"floor": floor}, particles=group)
    assert "surface: true" in str(told)
    error = failure(scene(None, {"floor": floor | {"surface": True}}, particles=group))
    assert "particle 1 at (0.06" in str(error) and "has left the domain through its side z-, at z = -0.2 m" in str(
        error
    )
    assert "hole in the walls" in str(error) and "outlet" in str(error)
    frames = error.recording.frames
    assert len(frames) > 10 and frames[-1].position[0, 2] > 0.0  # the other one lies where it was


def test_grain_that_falls_without_end():
    """It is lost where it leaves the domain: below, unless the Spec says otherwise, by a hundred radii here."""
    error = failure(scene(ONE))
    assert str(error).startswith("particle 0 at (0, 0, -0.9")
    assert "has left the domain through its side z-, at z = -0.96 m of 'ground', and is lost, by t = 0.45" in str(error)
    assert "add an outlet" in str(error) and "`domain: none`. By default it is the initial bounding box" in str(error)
    domain = {"at": [0.0, 0.0, 0.0], "size": [1.0, 1.0, 4.0]}
    error = failure(scene(None, particles={"load": {"material": "grain", "positions": ONE, "domain": domain}}))
    assert "has left the domain through its side z-, at z = -2 m of 'ground'," in str(error)
    assert "a larger `domain`" in str(error) and "By default it is" not in str(error)
    assert error.time == pytest.approx((2.0 * 2.05 / 9.81) ** 0.5, abs=0.06)  # the lists are made a little later


@pytest.mark.parametrize("domain", ["none", None])
def test_grain_that_may_go_anywhere(domain):
    sim = simulation(scene(None, particles={"load": {"material": "grain", "positions": ONE, "domain": domain}}), 1e-2)
    sim.advance(100)
    assert sim.particles.position[0, 2] == pytest.approx(0.05 - 0.5 * 9.81, rel=2e-3)


def test_grain_that_falls_through_an_open_floor():
    """Out of a pipe that is open below: by twice the diagonal of the box around it, to an outlet, or for ever."""
    group = {"load": {"material": "grain", "positions": ONE}}
    parts: dict = {"shapes": {"pipe": tube(0.3, 1.0)}, "particles": group}
    lowest = -2.0 * np.sqrt(0.6**2 + 0.6**2 + 1.0)
    error = failure(scene(None, **parts))
    assert f"side z-, at z = {lowest:.4g} m of 'ground', and is lost" in str(error)
    assert error.time == pytest.approx(np.sqrt(2.0 * (0.05 - lowest) / 9.81), abs=0.01)
    drained = simulation(scene(None, **parts, outlets={"drain": {"below": -5.0}}), 1e-2)
    drained.advance(120)
    assert len(drained.particles) == 0


def test_materials_and_contacts_that_are_missing():
    load = {"load": {"material": "sand", "positions": ONE}}
    refusal("particles.load.material: .*'sand'", SpecError, shapes=FLOOR, particles=load)
    floor = {"floor": {"type": "plane", "material": "glass"}}
    refusal("glass", SpecError, positions=ONE, shapes=floor)
    contact = {"restitution": 0.5, "friction": 0.4}
    refusal("grain/wall", SpecError, positions=ONE, shapes=FLOOR, contacts={"grain/grain": contact})


def test_more_grains_than_fit():
    box = {"bin": {"type": "box", "size": [0.1, 0.1, 0.1], "hollow": True, "material": "wall"}}
    refusal("fit", GoriError, shapes=box, particles=filled("ground.bin", 500, 0.01))


def test_methods_that_choose_their_own_steps():
    with pytest.raises(UnsupportedError, match="particles need a fixed-step method"):
        gori.Simulation(gori.compile(scene(ONE, FLOOR)), "dopri5")


def test_frames_that_make_no_sense():
    with pytest.raises(InputError, match="frames must be a positive number of seconds"):
        simulation(scene(ONE, FLOOR), 1e-3).run(0.01, frames=-1.0, progress=False)


def test_a_state_without_grains_is_refused():
    sim = simulation(scene(ONE, FLOOR), 1e-3)
    glance = sim.step()
    with pytest.raises(InputError, match="not a Snapshot"):
        sim.state = glance


def test_a_march_that_failed_tells_no_nonsense_later():
    """After an error the grains are still there to look at."""
    sim = simulation(scene([[0.0, 0.0, 0.05, 0.01, 0.0, 0.0, -200.0]], FLOOR), 1e-3)
    with pytest.raises(SimulationError):
        sim.advance(10)
    assert len(sim.particles) == 1 and np.isfinite(sim.particles.position).all()


def test_grains_that_are_added_where_they_cannot_be():
    particles = simulation(scene(ONE, FLOOR), 1e-3).particles
    for place, radius, material, words in (
        ([0.0, 0.0, 0.06], 0.01, "grain", "new particle 0 at 0, 0, 0.06 overlaps particle 0 at .* by 0.01 m"),
        ([[1.0, 0.0, 0.1], [1.0, 0.0, 0.1]], 0.01, "grain", "overlap"),
        ([1.0, 0.0, 0.005], 0.01, "grain", "overlaps the wall"),
        ([1.0, 0.0, 0.1], 0.01, "wall", "'wall' have no mass"),
        ([1.0, 0.0, 1e9], 0.01, "grain", "outside of the domain, beyond its side z"),
        ([1.0, 0.0, np.nan], 0.01, "grain", "finite"),
    ):
        with pytest.raises(InputError, match=words):
            particles.add(place, radius, material)
    assert len(particles) == 1
    particles.add([1.0, 0.0, 0.1], 0.01, "grain")
    assert len(particles) == 2


def test_numbers_to_look_at_cannot_be_changed_by_mistake():
    particles = simulation(scene(ONE, FLOOR), 1e-3).particles
    for numbers in (
        particles.position,
        particles.velocity,
        particles.angular_velocity,
        particles.radius,
        particles.mass,
    ):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 1.0
    for wrong in ([1.0, 2.0], [np.nan, 0.0, 0.0]):
        with pytest.raises(InputError, match="velocity"):
            particles.velocity = wrong
    particles.velocity, particles.angular_velocity = [1.0, 2.0, 3.0], [[4.0, 5.0, 6.0]]
    assert particles.velocity.tolist() == [[1.0, 2.0, 3.0]] and particles.angular_velocity.tolist() == [[4.0, 5.0, 6.0]]


def test_grains_that_start_outside_of_the_domain():
    spec = scene(ONE, FLOOR).set("particles.load.domain", {"size": [1.0, 1.0, 0.02]})
    with pytest.raises(InputError, match=r"particle 0 at 0, 0, 0.05 starts outside of the domain, beyond its side z\+"):
        simulation(spec, 1e-3)


def test_an_inlet_without_room_says_so_and_costs_little():
    feeder = {"material": "grain", "radius": 0.01, "box": {"at": [0, 0, 0.5], "size": [0.06, 0.06, 0.04]}, "rate": 1e4}
    sim = simulation(scene(ONE, FLOOR).set("inlets", {"feeder": feeder}), 1e-3)
    with pytest.warns(UserWarning, match="the inlet 'feeder' has no free space: .* particles are waiting") as told:
        sim.advance(150)
    about = sim.particles.about()["inlets"]["feeder"]
    assert len(told) == 1 and 0 < about["made"] < 100 and about["made"] + about["waiting"] == 1500


def test_inlets_keep_clear_of_walls(tmp_path):
    """A box that reaches through a mesh and a plate: what comes in stands on either side of them."""
    trimesh.creation.icosphere(subdivisions=3, radius=0.5).export(tmp_path / "ball.stl")
    plate = {"type": "box", "size": [0.4, 0.4, 0.02], "at": [0, 0, 0.45], "material": "wall"}
    walls = {"ball": {"type": "mesh", "file": str(tmp_path / "ball.stl"), "material": "wall"}, "plate": plate}
    feeder = {"material": "grain", "radius": 0.01, "box": {"at": [0, 0, 0.5], "size": [0.2, 0.2, 0.16]}, "rate": 1e5}
    sim = simulation(scene([[0.0, 0.0, 0.3, 0.01]], walls).set("inlets", {"feeder": feeder}), 1e-3)
    sim.advance(1)
    place = sim.particles.position[1:]
    from_plate = np.abs(place[:, 2] - 0.45) - 0.01
    assert len(place) > 10 and (np.abs(np.linalg.norm(place, axis=1) - 0.5) > 0.0099).all()
    assert (np.abs(from_plate) > 0.0099).all() and (place[:, 2] > 0.5).any() and (place[:, 2] < 0.49).any()


GATED = {
    "pipe": tube(0.05, 0.3),
    "gate": {"type": "box", "size": [0.12, 0.12, 0.01], "at": [0, 0, 0.05], "material": "wall", "until": 0.1},
    "floor": {"type": "plane", "material": "wall", "at": [0, 0, -0.1]},
}


def test_a_gate_holds_until_its_time_and_opens():
    rows = [[x, y, 0.055 + r, r] for x, y, r in ((0.0, 0.0, 0.01), (0.02, 0.02, 0.008), (-0.02, 0.01, 0.012))]
    spec = scene(rows, GATED)
    sim = simulation(spec, 1e-3)
    sim.advance(99)
    assert (sim.particles.position[:, 2] > 0.06).all() and sim.particles.gone_walls == ()
    before = sim.state
    sim.advance(1)
    assert sim.particles.gone_walls == ("ground.gate",) and sim.particles.contacts()["wall_contacts"] == 3
    sim.advance(100)
    low = sim.particles.position[:, 2]
    np.testing.assert_allclose(low, np.array(rows)[:, 2] - 0.5 * 9.81 * 0.1**2, atol=2e-3)  # free fall
    again = simulation(spec, 1e-3, state=before)  # from before it opened, and from after
    again.advance(101)
    np.testing.assert_array_equal(again.particles.position, sim.particles.position)
    later = simulation(spec, 1e-3, state=sim.state)
    assert later.particles.gone_walls == ("ground.gate",)
    for one in (sim, later):
        one.advance(50)
    np.testing.assert_array_equal(later.particles.position, sim.particles.position)
    sim.particles.add([0.0, 0.0, 0.05], 0.01, "grain")  # where the gate was


def test_a_gate_is_a_wall():
    floor = {"floor": {"type": "plane", "until": 1.0}}
    refusal(r"floor.until: is for walls: add a material", SpecError, positions=ONE, shapes=floor)


def test_energy_of_particles():
    sim = simulation(scene([[0.0, 0.0, 0.5, 0.01, 1.0, 0.0, 0.0, 0.0, 20.0, 0.0]], gravity=(0.0, 0.0, -2.0)), 1e-3)
    mass = float(sim.particles.mass[0])
    kinetic, potential = sim.particles.energy
    assert kinetic == pytest.approx(0.5 * mass * (1.0 + 0.4 * 0.01**2 * 400.0)) and potential == pytest.approx(mass)


def test_one_arm_of_friction_for_all():
    groups = {"a": {"material": "grain", "positions": ONE}, "b": {"material": "grain", "positions": [[1, 0, 1, 0.01]]}}
    run = {"duration": 1.0, "subsystems": {"a": {"torque_arm": "radius"}, "b": {}}}
    refusal(r"b.torque_arm: must be the same for all particles", SpecError, particles=groups, run=run)
    run["subsystems"]["b"] = {"torque_arm": "radius"}
    assert simulation(scene(particles=groups, run=run), 1e-3).particles.setup.full_arm == 1.0


def test_outlets_take_out_without_new_arrays():
    """While a tube empties in steps of 0.2 ms, particles go when lists are made, which no outlet asks for."""
    load = filled("ground.tube", 150, 0.005, "random")
    drained, free = (
        simulation(
            scene(shapes={"tube": tube(0.03, 0.1)}, particles=load, gravity=(0, 0, -9.81), outlets=outlets), 2e-4
        )
        for outlets in ({"out": {"below": -0.02}}, {})
    )
    engine = drained.particles.engine
    for sim in (drained, free):
        sim.advance(600)
    left, everything = drained.particles, free.particles
    assert 0 < len(left) < 140 and left.engine is engine and len(everything) == 150
    assert left.contacts()["rebuilds"] < 1.3 * everything.contacts()["rebuilds"] + 5
    gone = np.setdiff1d(everything.id, left.id)
    assert (everything.position[gone, 2] < -0.02).all()
    assert (left.position[:, 2] > -0.02 - 0.5 * float(left.state()["skin"])).all()
