"""Vehicles driven: drivers, courses, and manoeuvres that tell their figures."""

from gori.manoeuvre import courses
from gori.manoeuvre.courses import Course, Gate
from gori.manoeuvre.dimensions import Dimensions, dimensions
from gori.manoeuvre.drivers import DriverSchedule, Follow, HoldSpeed, Together
from gori.manoeuvre.handling import circle, step_steer
from gori.manoeuvre.lane_change import lane_change
from gori.manoeuvre.manoeuvres import MANOEUVRES, about, arguments_of, manoeuvre
from gori.manoeuvre.path import Path
from gori.manoeuvre.result import Figure, Result
from gori.manoeuvre.setup import ManoeuvreSetup
from gori.manoeuvre.soft import soft_soil
from gori.manoeuvre.straight import acceleration, braking, bump, slope

__all__ = [
    "MANOEUVRES",
    "Course",
    "Dimensions",
    "DriverSchedule",
    "Figure",
    "Follow",
    "Gate",
    "HoldSpeed",
    "ManoeuvreSetup",
    "Path",
    "Result",
    "Together",
    "about",
    "acceleration",
    "arguments_of",
    "braking",
    "bump",
    "circle",
    "courses",
    "dimensions",
    "lane_change",
    "manoeuvre",
    "slope",
    "soft_soil",
    "step_steer",
]
