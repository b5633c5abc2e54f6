"""Machines with grains that the benches run: the cases of the examples, at the size of the paper."""

from pathlib import Path

import gori

EXAMPLES = Path(__file__).parent.parent / "examples"


def gear_case(count: int = 10296) -> gori.Spec:
    """Two gears in a case with grit of radius 0.15 mm: particle step 5.82e-6 s, body step 1e-3 s, 1 s."""
    return gori.load(EXAMPLES / "gears.yaml").set("particles.grit.fill.count", count)
