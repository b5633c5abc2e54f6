"""Time stepping with impulses, in scenes whose end is known."""

import math
import warnings

import numpy as np
import pytest

import gori
from gori.errors import ContactWarning, InputError
from gori.integrate.time_stepping import TimeStepping


def scene(friction=0.6, restitution=0.0, gravity=(0.0, 0.0, -9.81), ground=None, law=None, **bodies):
    """Free bodies, (shape, q, v) each, over a floor. law: more of the contact."""
    colliding = {"material": "steel", "collide": True}
    floor = {"type": "plane", **colliding}
    parts = {"ground": {"shapes": {"floor": floor} if ground is None else ground}}
    joints = {}
    for name, (shape, q, v) in bodies.items():
        parts[name] = {"shapes": {"solid": {"density": 1000.0, **shape, **colliding}}}
        joints[f"{name}_free"] = {"type": "free", "parent": "ground", "child": name, "q": q, "v": v}
    return gori.Spec.model_validate(
        {
            "gori": 1, "gravity": gravity, "materials": {"steel": {"E": 2e11}},
            "contacts": {"steel/steel": {"friction": friction, "restitution": restitution, **(law or {})}},
            "bodies": parts, "joints": joints,
        }
    )  # fmt: skip


BALL, BLOCK = {"type": "sphere", "radius": 0.1}, {"type": "box", "size": [0.3, 0.2, 0.1]}
STILL = [0.0] * 6


def at(x=0.0, y=0.0, z=0.0, turn=0.0):
    """q of a body turned about y."""
    return [math.cos(turn / 2), 0.0, math.sin(turn / 2), 0.0, x, y, z]


def run(spec, step, duration, **settings):
    simulation = gori.Simulation(gori.compile(spec), TimeStepping(step=step, **settings))
    return simulation, simulation.run(duration, sample=step, progress=False)


def test_a_ball_falls_and_rests_on_the_floor():
    simulation, rec = run(scene(ball=(BALL, at(z=0.5), STILL)), 5e-3, 1.0)
    assert abs(simulation.q[6] - 0.1) < 1e-6 and np.abs(simulation.v).max() < 1e-6
    assert rec["energy.total"].max() <= rec["energy.total"][0] + 1e-12


@pytest.mark.parametrize("speed", [3.0, 30.0])
def test_what_parts_bodies_is_still_there_when_contacts_are_looked_for_again(speed):
    """One ball meets another within a step, without gravity, and both part so far that neither is in reach."""
    h, start = 1e-3, at(x=-0.2 - 7.4e-3 * speed)
    balls = {"a": (BALL, start, [0, 0, 0, speed, 0, 0]), "b": (BALL, at(), STILL)}
    simulation, rec = run(scene(friction=0.0, restitution=0.5, gravity=(0, 0, 0), ground={}, **balls), h, 12 * h)
    assert (rec["b.x"] - rec["a.x"]).min() >= 0.2 - 1e-9
    np.testing.assert_allclose(simulation.v[[3, 9]], [0.25 * speed, 0.75 * speed], rtol=1e-6)


def test_a_ball_thrown_without_spin_rolls_at_five_sevenths_of_its_speed():
    """From t = 2 v0 / (7 mu g) on."""
    v0, mu = 2.0, 0.3
    _, rec = run(scene(friction=mu, ball=(BALL, at(z=0.1), [0, 0, 0, v0, 0, 0])), 1e-3, 0.5)
    speed = np.gradient(rec["ball.x"], rec.time)
    rolls = rec.time > 2.0 * v0 / (7.0 * mu * 9.81) + 5e-3
    np.testing.assert_allclose(speed[rolls][1:-1], 5.0 / 7.0 * v0, rtol=2e-3)
    slides = (rec.time > 0.01) & (rec.time < 0.18)
    np.testing.assert_allclose(speed[slides], v0 - mu * 9.81 * rec.time[slides], rtol=1e-2)


def test_a_spinning_ball_that_is_set_down_rolls_at_two_sevenths():
    _, rec = run(scene(ball=(BALL, at(z=0.1), [0, 30.0, 0, 0, 0, 0])), 1e-3, 1.0)
    assert np.gradient(rec["ball.x"], rec.time)[-2] == pytest.approx(2.0 / 7.0 * 0.1 * 30.0, rel=2e-3)


@pytest.mark.parametrize("angle_deg, slides", [(29.0, False), (32.0, True)])
def test_a_block_on_an_incline_sticks_or_slides(angle_deg, slides):
    """tan 30.96 deg = 0.6; below that it does not creep, above it slides with g (sin a - mu cos a)."""
    a = math.radians(angle_deg)
    g = (9.81 * math.sin(a), 0.0, -9.81 * math.cos(a))
    simulation, rec = run(scene(gravity=g, block=(BLOCK, at(z=0.05), STILL)), 5e-3, 2.0, tolerance=1e-9)
    if slides:
        expected = 9.81 * (math.sin(a) - 0.6 * math.cos(a))
        assert simulation.q[4] == pytest.approx(0.5 * expected * 4.0, rel=1e-2)
    else:
        late = rec.time > 0.5
        assert np.ptp(rec["block.x"][late]) < 1e-7 and abs(simulation.q[4]) < 1e-5


@pytest.mark.parametrize("step, settled", [(1e-2, 3e-6), (1e-3, 3e-8)])
def test_a_block_does_not_creep_in_a_hundred_seconds(step, settled):
    """Put down at a gap of zero it settles, and then stands."""
    a = math.radians(29.0)
    g = (9.81 * math.sin(a), 0.0, -9.81 * math.cos(a))
    simulation = gori.Simulation(gori.compile(scene(gravity=g, block=(BLOCK, at(z=0.05), STILL))), TimeStepping(step))
    before = simulation.q.copy()
    simulation.step(round(0.5 / step))
    start = simulation.q.copy()
    simulation.step(round(99.5 / step))
    assert np.abs(simulation.q - start)[4:].max() < 2e-9
    assert np.abs(simulation.q - before)[4:].max() < settled


@pytest.mark.parametrize("share", [0.93, 0.97, 0.999])
@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_a_block_stands_up_to_the_limit_of_friction(share, step):
    """Some of its points are at the limit, but none creeps; each step begins with the answer."""
    a = math.atan(0.6 * share)
    g = (9.81 * math.sin(a), 0.0, -9.81 * math.cos(a))
    simulation = gori.Simulation(gori.compile(scene(gravity=g, block=(BLOCK, at(z=0.05), STILL))), TimeStepping(step))
    simulation.step(500)
    start, sweeps = simulation.q.copy(), simulation.report["impulses"]["sweeps"]
    simulation.step(1000)
    assert np.abs(simulation.q - start).max() < 1e-8
    assert simulation.report["impulses"]["sweeps"] - sweeps < 1500


def test_restitution_and_momentum():
    """Two balls meet in free flight: momentum is kept, and they part with e times the speed of their approach."""
    balls = {"a": (BALL, at(x=-0.3), [0, 0, 0, 1.0, 0, 0]), "b": (BALL, at(x=0.3), [0, 0, 0, -0.5, 0, 0])}
    simulation, _ = run(scene(restitution=0.7, gravity=(0, 0, 0), ground={}, **balls), 1e-3, 1.0)
    a, b = simulation.v[3], simulation.v[9]
    assert a + b == pytest.approx(0.5, abs=1e-12) and b - a == pytest.approx(0.7 * 1.5, rel=2e-3)


def test_a_stack_of_boxes_stays():
    boxes = {f"box_{k}": ({"type": "box", "size": [0.2, 0.2, 0.1]}, at(z=0.05 + 0.1 * k), STILL) for k in range(8)}
    simulation, _ = run(scene(**boxes), 1e-2, 5.0)
    heights = simulation.q.reshape(-1, 7)[:, 6]
    np.testing.assert_allclose(heights, 0.05 + 0.1 * np.arange(8), atol=2e-4)
    assert np.abs(simulation.v).max() < 1e-4 and np.abs(simulation.q.reshape(-1, 7)[:, 4:6]).max() < 1e-5


def stack(masses):
    """Cubes of 10 cm, one on the other."""
    cube = {"type": "box", "size": [0.1, 0.1, 0.1]}
    return scene(
        **{f"box_{k}": (cube | {"density": 1e3 * m}, at(z=0.05 + 0.1 * k), STILL) for k, m in enumerate(masses)}
    )


@pytest.mark.parametrize("masses, step, sink", [
    ([1, 100] * 4, 1e-2, 2e-3),
    ([1, 1e4], 5e-3, 1e-3),
    ([1, 1e6], 5e-3, 1e-2),
])  # fmt: skip
def test_light_boxes_bear_heavy_ones(masses, step, sink):
    """They are pressed in a little, stand where they are, and make no energy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)  # tells how deep
        simulation, rec = run(stack(masses), step, 2.0)
    place = simulation.q.reshape(-1, 7)[:, 4:]
    np.testing.assert_allclose(place[:, 2], 0.05 + 0.1 * np.arange(len(masses)), atol=sink)
    assert np.abs(place[:, :2]).max() < 1e-3 and np.abs(simulation.v).max() < 1e-2
    assert rec["energy.total"].max() <= rec["energy.total"][0] + 1e-9 * sum(masses)
    impulses = simulation.report["impulses"]
    assert impulses["unconverged"] < 0.15 * impulses["solves"]


def test_nothing_tunnels_through_a_thin_wall():
    wall = {"wall": {"type": "box", "size": [0.01, 2.0, 2.0], "at": [1.0, 0, 0], "material": "steel", "collide": True}}
    shot = (BALL, at(), [0, 0, 0, 300.0, 0, 0])
    simulation, _ = run(scene(gravity=(0, 0, 0), ground=wall, ball=shot), 1e-2, 0.5)
    assert simulation.q[4] == pytest.approx(1.0 - 0.005 - 0.1, abs=4e-3)  # a blow of 300 m/s goes in by 3 mm


def test_a_spinning_body_keeps_its_momenta():
    """Free flight with a spin about no principal axis: angular momentum to rounding, energy bounded."""
    body = ({"type": "box", "size": [0.3, 0.2, 0.1]}, at(), [3.0, 8.0, 1.0, 1.0, 2.0, 3.0])
    model = gori.compile(scene(gravity=(0, 0, 0), body=body))
    simulation = gori.Simulation(model, TimeStepping(step=5e-3))
    before, energy = model.momentum(simulation.q, simulation.v), sum(model.energy(simulation.q, simulation.v))
    simulation.step(2000)
    after = model.momentum(simulation.q, simulation.v)
    np.testing.assert_allclose(after, before, atol=1e-9 * np.abs(before).max() + 1e-8)
    assert sum(model.energy(simulation.q, simulation.v)) == pytest.approx(energy, rel=5e-2)


def test_a_state_goes_on_bit_for_bit():
    boxes = {f"box_{k}": (BLOCK, at(z=0.1 + 0.15 * k, turn=0.2 * k), STILL) for k in range(3)}
    model = gori.compile(scene(**boxes))
    whole = gori.Simulation(model, TimeStepping(step=5e-3))
    whole.step(60)
    state = whole.state
    whole.step(60)
    other = gori.Simulation(model, TimeStepping(step=5e-3), state=gori.State.from_bytes(state.to_bytes()))
    other.step(60)
    assert other.state.digest() == whole.state.digest()


def test_stiff_motors_do_not_bound_the_step():
    """A motor of kp 1e6 on a light arm, with a step far above its period: it stands at its target."""
    spec = {
        "gori": 1,
        "bodies": {"arm": {"mass": 1.0, "com": [0.1, 0, 0], "inertia": [1e-3, 1e-3, 1e-3]}},
        "joints": {"hinge": {"type": "revolute", "parent": "ground", "child": "arm", "axis": [0, 1, 0]}},
        "forces": {"drive": {"type": "motor", "joint": "hinge", "target": 0.5, "kp": 1e6, "kd": 1e3}},
    }
    simulation = gori.Simulation(gori.compile(gori.Spec.model_validate(spec)), TimeStepping(step=1e-2))
    simulation.step(200)
    assert simulation.q[0] == pytest.approx(0.5, abs=1e-5) and abs(simulation.v[0]) < 1e-9


@pytest.mark.parametrize("angle_deg, rolls", [(5.65, False), (5.8, True)])
def test_a_ball_on_an_incline_stands_or_rolls(angle_deg, rolls):
    """tan 5.71 deg = 0.1: above it the ball rolls with 5/7 g (sin a - mu_r cos a)."""
    a = math.radians(angle_deg)
    g = (9.81 * math.sin(a), 0.0, -9.81 * math.cos(a))
    spec = scene(gravity=g, law={"rolling_friction": 0.1}, ball=(BALL, at(z=0.1), STILL))
    simulation = gori.Simulation(gori.compile(spec), TimeStepping(step=5e-3))
    simulation.step(200)
    x, v = simulation.q[4], 0.1 * simulation.v[1]
    simulation.step(2000)
    if rolls:
        expected = 5.0 / 7.0 * 9.81 * (math.sin(a) - 0.1 * math.cos(a))
        assert 0.1 * simulation.v[1] - v == pytest.approx(expected * 10.0, rel=1e-3)
    else:
        assert abs(simulation.q[4] - x) < 1e-8 and abs(x) < 1e-5


def test_a_ball_rolls_out():
    """Deceleration 5/7 mu_r g: it comes to rest after v^2 / (2 5/7 mu_r g), and no energy is unaccounted for."""
    v, mu = 1.0, 0.05
    spec = scene(law={"rolling_friction": mu}, ball=(BALL, at(z=0.1), [0, v / 0.1, 0, v, 0, 0]))
    simulation, rec = run(spec, 1e-3, 4.0)
    assert simulation.q[4] == pytest.approx(v * v / (2.0 * 5.0 / 7.0 * mu * 9.81), abs=0.6 * v * 1e-3)
    assert np.abs(simulation.v).max() < 1e-6 and np.abs(rec["energy.balance"]).max() < 1e-6


def test_torsional_friction_stops_a_spin():
    """mu_s R m g against 2/5 m R^2: 2.5 mu_s g / R. The torque on the ball is recorded."""
    w, mu = 20.0, 0.1
    spec = scene(law={"torsional_friction": mu}, ball=(BALL, at(z=0.1), [0, 0, w, 0, 0, 0]))
    simulation, _ = run(spec, 1e-3, 0.3)
    assert simulation.v[2] == pytest.approx(w - 2.5 * mu * 9.81 / 0.1 * 0.3, abs=1e-9)
    torque = simulation.stepper.data.contact_memory.wrench[-1, 2]
    assert torque == pytest.approx(-mu * 0.1 * 1000.0 * 4.0 / 3.0 * math.pi * 1e-3 * 9.81, rel=1e-4)
    simulation.step(1000)
    assert np.abs(simulation.v).max() < 1e-9


def test_wrong_settings():
    for wrong in ({"sweeps": 2.5}, {"tolerance": -1.0}, {"step": 0.0}):
        with pytest.raises(InputError, match=f"time_stepping: {next(iter(wrong))} must be a"):
            TimeStepping(**wrong)


def pushed(joint, force, shape, gap):
    """A body on a joint, pushed against a wall of 1 cm that is ahead of it."""
    wall = {"type": "box", "size": [0.01, 1, 1], "at": [0.055 + gap, 0, 0], "material": "steel", "collide": True}
    return gori.Spec.model_validate(
        {
            "gori": 1, "gravity": [0, 0, 0], "materials": {"steel": {"E": 2e11}},
            "contacts": {"steel/steel": {"friction": 0.0, "restitution": 0.0}},
            "bodies": {
                "ground": {"shapes": {"wall": wall}},
                "slide": {"shapes": {"solid": {"material": "steel", "collide": True, "mass": 1.0, **shape}}},
            },
            "joints": {"rail": {"type": "prismatic", "parent": "ground", "child": "slide", "axis": [1, 0, 0], **joint}},
            "forces": {"push": {"type": "force", "joint": "rail", "value": force}} if force else {},
        }
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
@pytest.mark.parametrize("step", [1e-2, 5e-3, 1e-3])
@pytest.mark.parametrize("force", [10.0, 400.0, 4000.0])
def test_what_a_force_drives_does_not_tunnel(force, step):
    """It is 0.1 mm from a thin wall, at rest, and the force would carry it through within a step."""
    box = {"type": "box", "size": [0.02, 0.1, 0.1], "at": [0.04, 0, 0]}
    simulation, rec = run(pushed({}, force, box, 1e-4), step, 0.3)
    assert rec["rail.q"].max() < 1e-4 + force * step**2 / 500.0  # what contact gives way by
    assert rec["slide.contact"][-1, 0] == pytest.approx(-force, rel=1e-6) and abs(simulation.v[0]) < 1e-6


@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("depth", [1e-5, 1e-3])
def test_what_is_pushed_out_does_not_fly_off(depth, step):
    simulation, rec = run(scene(gravity=(0, 0, 0), ball=(BALL, at(z=0.1 - depth), STILL)), step, 0.2)
    assert np.abs(rec.v).max() < 1e-9 and rec["energy.kinetic"].max() < 1e-12
    assert simulation.q[6] <= 0.1 + 1e-9 and simulation.q[6] > 0.1 - 0.1 * depth


def test_a_small_lever_does_not_fling_what_it_parts():
    """A ball on an arm, nearly above its pivot, 0.1 mm in the wall."""
    spec = pushed(
        {"type": "revolute", "axis": [0, 0, 1], "q": 1e-3},
        0.0,
        {"type": "sphere", "radius": 0.05, "at": [0, 0, 0]},
        -1e-4,
    )
    spec = spec.set("bodies.slide.shapes.solid.at", [0.0, 1e-2, 0.0])
    for step in (1e-2, 1e-4):
        _, rec = run(spec, step, 0.2)
        assert np.abs(rec.v).max() < 1e-9 and np.abs(np.diff(rec["rail.q"])).max() < 0.1


@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_collisions_keep_angular_momentum(step):
    """Two balls that meet off their centres, with friction."""
    balls = {
        "a": (BALL, at(x=-0.4, y=0.05), [0, 0, 0, 10.0, 0, 0]),
        "b": (BALL, at(x=0.4, y=-0.05), [0, 0, 0, -10.0, 0, 0]),
    }
    _, rec = run(scene(gravity=(0, 0, 0), friction=0.5, ground={}, **balls), step, 0.1)
    momentum = rec["momentum"]
    assert np.abs(rec["a.wz"]).max() > 1.0  # they did meet
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-6 * abs(momentum[0, 2]))


@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning", "ignore::gori.errors.ContactWarning")
@pytest.mark.parametrize("step", [2e-3, 1e-3, 5e-4])
def test_gears_that_mesh_by_their_teeth_make_no_energy(step):
    """10 N m on 20 teeth against 40: however coarse the step is, there is never more energy than the drive gives."""
    gear = {
        "type": "gear",
        "module": 5e-3,
        "width": 0.02,
        "backlash": 2e-4,
        "material": "steel",
        "collide": True,
        "density": 7800.0,
    }
    spec = gori.Spec.model_validate(
        {
            "gori": 1, "gravity": [0, 0, 0], "materials": {"steel": {"E": 2e11}},
            "contacts": {"steel/steel": {"friction": 0.0, "restitution": 0.0}},
            "bodies": {
                "one": {"shapes": {"h": {**gear, "teeth": 20}}}, "two": {"shapes": {"h": {**gear, "teeth": 40}}},
            },
            "joints": {
                "a": {"type": "revolute", "parent": "ground", "child": "one", "axis": [0, 0, 1], "damping": 0.1},
                "b": {"type": "revolute", "parent": "ground", "child": "two", "axis": [0, 0, 1], "at": [0.15, 0, 0],
                      "damping": 1.0, "q": math.pi / 40},
            },
            "forces": {"drive": {"type": "torque", "joint": "a", "value": 10.0}},
        }
    )  # fmt: skip
    _, rec = run(spec, step, 0.5)
    assert rec["energy.kinetic"].max() < 10.0


def test_a_driven_belt_feels_the_friction_of_a_guided_load():
    """Neither body can move along the slip: friction is at its limit, against the belt, and its drive bears it."""
    collide = {"material": "steel", "collide": True}
    belt = {"type": "box", "size": [4.0, 1.0, 0.1], "at": [0.0, 0.0, -0.05], **collide}
    spec = gori.Spec.model_validate(
        {
            "gori": 1, "materials": {"steel": {"E": 2e11}},
            "contacts": {"steel/steel": {"friction": 0.3, "restitution": 0.0}},
            "bodies": {
                "belt": {"mass": 2.0, "inertia": [1.0, 1.0, 1.0], "shapes": {"s": belt}},
                "load": {"shapes": {"s": {"type": "sphere", "radius": 0.05, "mass": 10.0, **collide}}},
            },
            "joints": {
                "along": {"type": "prismatic", "parent": "ground", "child": "belt", "axis": [1, 0, 0]},
                "down": {"type": "prismatic", "parent": "ground", "child": "load", "axis": [0, 0, 1], "q": 0.05},
            },
            "motions": {"drive": {"joint": "along", "speed": 0.5}},
        }
    )  # fmt: skip
    _, rec = run(spec, 1e-3, 0.1)
    weight = 10.0 * 9.81
    np.testing.assert_allclose(rec["load.contact"][-1][[0, 2]], [0.3 * weight, weight], rtol=1e-6)
    np.testing.assert_allclose(rec["drive.drive"][-1], 0.3 * weight, rtol=1e-6)


@pytest.mark.parametrize("base", [None, {"position": ["0.001*sin(t)", 0, 0]}, {"rpy": [0, "1e-5*sin(t)", 0]}])
def test_what_spins_in_flight_keeps_its_speed_and_energy_on_a_moving_base_too(base):
    """A ball and a plank that tumbles, of which the axes turn by a tenth of a radian in a step."""
    plank = {"type": "box", "size": [0.05, 0.1, 0.2]}
    spin = [100.0, 10.0, 0.0, 0.0, 1.0, 0.0]
    spec = scene(gravity=(0, 0, 0), ground={}, ball=(BALL, at(), spin), plank=(plank, at(x=1.0), spin))
    spec = spec if base is None else spec.set("base", base)
    _, rec = run(spec, 1e-3, 1.0)
    for body in ("ball", "plank"):
        speed = np.linalg.norm([rec[f"{body}.{name}"] for name in ("vx", "vy", "vz")], axis=0)
        np.testing.assert_allclose(speed, 1.0, atol=1e-4)
    energy = rec["energy.kinetic"] / rec["energy.kinetic"][0]
    assert energy.max() < 1.0 + 1e-4 and energy.min() > 0.999


def test_a_wall_of_bricks_stands_under_a_load_on_the_edge_of_one_of_them():
    """A tonne on three rows of four bricks of 2 kg, with its edge over that of a brick: Newton's method takes long."""
    brick, load = ({"type": "box", "size": [x, 0.1, z], "density": d} for x, z, d in ((0.2, 0.1, 1e3), (0.5, 0.2, 1e5)))
    bricks = {
        f"brick_{row}_{k}": (brick, at(x=0.2 * k + 0.1 * (row % 2), z=0.05 + 0.1 * row), STILL)
        for row in range(3)
        for k in range(4)
    }
    simulation, rec = run(scene(friction=0.5, load=(load, at(x=0.35, z=0.4), STILL), **bricks), 2e-3, 0.4)
    assert 20e-6 < 0.4 - rec["load.z"][-1] < 40e-6
    assert max(abs(rec[f"{name}.x"][-1] - rec[f"{name}.x"][0]) for name in bricks) < 50e-6
    assert rec["energy.total"].max() <= rec["energy.total"][0]
    assert simulation.report["impulses"]["unconverged"] < 20
