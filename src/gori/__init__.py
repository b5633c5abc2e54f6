"""Gori: machines made of linked rigid bodies, in plain Python at native speed."""

from gori import errors
from gori.formats import load, save
from gori.model import Derivatives, InverseDerivatives, JointInfo, Model, Poses, compile, threads
from gori.spec import Body, Cut, Frame, Joint, Spec

__version__ = "0.1.0"

__all__ = [
    "Body",
    "Cut",
    "Derivatives",
    "Frame",
    "InverseDerivatives",
    "Joint",
    "JointInfo",
    "Model",
    "Poses",
    "Spec",
    "compile",
    "errors",
    "load",
    "save",
    "threads",
]
