"""Courses: the dimensions of the standards, and gates that are kept or not."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import InputError
from gori.manoeuvre import courses, dimensions


def test_iso_3888_1():
    w = 2.0
    course = courses.lane_change(w, "3888-1", runup=30.0)
    one, two, three = course.gates
    assert [(g.start, g.end) for g in course.gates] == [(30, 45), (75, 100), (125, 140)]
    assert [g.left - g.right for g in course.gates] == pytest.approx([1.1 * w + 0.25, 1.2 * w + 0.25, 1.3 * w + 0.25])
    assert two.right - one.right == pytest.approx(3.5) and three.right == pytest.approx(one.right)
    assert one.middle == pytest.approx(0.0) and course.length == 140.0


def test_iso_3888_2():
    w = 2.0
    course = courses.lane_change(w, "3888-2", runup=20.0)
    one, two, _ = course.gates
    assert course.length - one.start == pytest.approx(61.0)  # 12 + 13.5 + 11 + 12.5 + 12
    assert [g.left - g.right for g in course.gates] == pytest.approx([1.1 * w + 0.25, w + 1.0, 3.0])
    assert two.right - one.left == pytest.approx(1.0)


@pytest.mark.parametrize("standard", ["3888-1", "3888-2"])
def test_the_path_leaves_room(standard):
    w = 2.1
    course = courses.lane_change(w, standard)
    x, y = course.path.points.T
    for gate in course.gates:
        inside = (x >= gate.start) & (x <= gate.end)
        assert (y[inside] - gate.right).min() > 0.5 * w + 0.15 and (gate.left - y[inside]).min() > 0.5 * w + 0.15


def test_gates_kept_and_cones_hit(truck):
    size = dimensions(truck, "lead")
    gate = courses.Gate(10.0, 20.0, -1.5, 1.5)
    course = courses.Course(gates=(gate,))
    x = np.linspace(0.0, 30.0, 601)
    straight = np.zeros_like(x)
    ((margin, cones),) = courses.check_gates(course, size, np.column_stack([x, straight]), straight)
    assert margin == pytest.approx(1.5 - 0.5 * size.width) and cones == 0
    ((margin, cones),) = courses.check_gates(course, size, np.column_stack([x, straight + 0.6]), straight)
    assert margin == pytest.approx(0.9 - 0.5 * size.width) and cones == 3  # all on the left
    ((margin, cones),) = courses.check_gates(course, size, np.column_stack([x, straight + 8.0]), straight)
    assert margin < -5.0 and cones == 0  # past it altogether
    ((margin, _),) = courses.check_gates(course, size, np.column_stack([x, straight]), straight + 0.15)
    assert margin < 1.5 - 0.5 * size.width - 0.2  # askew it takes more room


@pytest.mark.parametrize(
    "course",
    [courses.bump(), courses.slope(0.2), courses.circle(30.0), courses.road(50.0), courses.soft_strip("lete_sand")],
)
def test_terrain_is_a_terrain(course):
    assert gori.compile(vehicle.spec("hmmwv", terrain=course.terrain)).nv == 27


def test_soil_lies_around_the_path():
    course = courses.circle(20.0).on_soil("lete_sand")
    soft = course.terrain["soft"]
    assert soft["at"] == pytest.approx([-26.0, -6.0], abs=0.01) and soft["size"] == pytest.approx(
        [52.0, 52.0], abs=0.02
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: courses.lane_change(2.0, "3888-3"), "3888-1"),
        (lambda: courses.lane_change(9.0), "width"),
        (lambda: courses.slope(np.nan), "grade"),
        (lambda: courses.soft_strip("lete_sant"), "lete_sand"),
        (lambda: courses.Course().on_soil("lete_sand"), "path"),
    ],
)
def test_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
