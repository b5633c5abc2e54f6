"""Soils for tests: one of each law."""

from gori.spec.vehicle.soil import BekkerSoil, ExponentialSoil, SlipSinkage

SAND = ExponentialSoil(
    type="exponential", p0=59e3, k1=163, k2=308, cohesion=1300, friction_deg=31.1, shear_length=0.012, hump=1.5,
    slip_sinkage=SlipSinkage(c0=0.1, c1=0.7, c2=0.8, p_crit=2e4),
)  # fmt: skip


LOAM = BekkerSoil(
    type="bekker", kc=5.27e3, kphi=1515e3, n=0.7, cohesion=1720, friction_deg=29, shear_length=0.02,
    slip_sinkage=SlipSinkage(c0=0.05),
)  # fmt: skip
