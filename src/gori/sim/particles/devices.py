"""Where particles can be computed."""

from typing import Literal

from gori.errors import MissingPackageError, UnsupportedError

Device = Literal["cpu", "cuda"]


def devices() -> tuple[Device, ...]:
    """Devices that can compute particles here: the CPU, and an NVIDIA GPU if there is one that can be used."""
    try:
        from gori.sim.particles.cuda import check_device

        check_device()
    except (MissingPackageError, UnsupportedError):
        return ("cpu",)
    return "cpu", "cuda"
