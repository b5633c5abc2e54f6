"""Tyres for tests, one of each law."""

from gori.spec.vehicle.tyre import FialaTyre, MagicTyre
from tests.reference import tyres as twin

FIALA = FialaTyre(**twin.FIALA)


MAGIC = MagicTyre(
    type="magic", radius=0.5, width=0.3, stiffness=4e5, damping=2000.0, coefficients=twin.MAGIC, side="left"
)


PLAIN = MAGIC.model_copy(
    update={"coefficients": {k: 0.0 if k[:3] in ("PHX", "PVX", "PHY", "PVY", "RVY", "RHX", "RHY", "QHZ") or k in (
        "PEX4", "PEY3", "PEY4", "RBY3", "QDZ6", "QDZ7", "QEZ4", "SSZ1") else v for k, v in twin.MAGIC.items()}}
)  # fmt: skip

"""without anything that tells left from right, or driving from braking"""
