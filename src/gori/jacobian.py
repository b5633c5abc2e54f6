"""Strategies for the Jacobian of implicit methods: `gori.ImplicitEuler(jacobian=gori.jacobian.ErrorDriven())`."""

from gori.integrate import ErrorDriven, Fastest, Frozen, Full, MatrixFree, RoundRobin

__all__ = ["ErrorDriven", "Fastest", "Frozen", "Full", "MatrixFree", "RoundRobin"]
