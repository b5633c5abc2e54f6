"""Machines that learn: a Gymnasium vector environment on `gori.batch`, and the terms that it is made of."""

from gori.learn.actions import Action, InputAction, TargetAction
from gori.learn.env import VectorEnv
from gori.learn.observations import (
    Heights,
    Imu,
    LastAction,
    Orientation,
    Outputs,
    Position,
    Positions,
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
