"""Machines that learn: a Gymnasium vector environment on `gori.batch`, and the terms that it is made of."""

from gori.learn.actions import Action, InputAction, TargetAction
from gori.learn.env import VectorEnv
from gori.learn.loads import ContactForces, Efforts
from gori.learn.observations import (
    Heights,
    Imu,
    LastAction,
    Orientation,
    Outputs,
    Position,
    Positions,
    Rays,
    Time,
    Twist,
    Up,
    Velocities,
)
from gori.learn.rollout import torch_rollout
from gori.learn.starts import EpisodeStart, OtherParameters, Spread, StartInputs, States
from gori.learn.terms import Term

__all__ = [
    "Action",
    "ContactForces",
    "Efforts",
    "EpisodeStart",
    "Heights",
    "Imu",
    "InputAction",
    "LastAction",
    "Orientation",
    "OtherParameters",
    "Outputs",
    "Position",
    "Positions",
    "Rays",
    "Spread",
    "StartInputs",
    "States",
    "TargetAction",
    "Term",
    "Time",
    "Twist",
    "Up",
    "VectorEnv",
    "Velocities",
    "torch_rollout",
]  # fmt: skip
