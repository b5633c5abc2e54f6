"""DLPack's capsules."""

import numpy as np
import pytest

from gori.kernels.dlpack import CPU, CUDA, capsule_of, head_of, takes_versions
from gori.kernels.strided import address_of, array_at

NOWHERE = 0x100
"""an address that cannot be read"""


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 3)])
def test_a_capsule_of_memory_on_a_gpu(version):
    """It says the device and the address, and nothing reads what is there."""
    at = array_at(NOWHERE, (5, 3), np.dtype(float), (8, 40))
    capsule = capsule_of(at[1:], (CUDA, 3), version)
    head = head_of(capsule)
    assert (head.data, head.device_type, head.device_id) == (NOWHERE + 8, CUDA, 3)
    versioned = version is not None and version >= (1, 0) and takes_versions()
    assert ("dltensor_versioned" in repr(capsule)) == versioned


def test_a_capsule_of_the_host_is_numpys():
    values = np.arange(4.0)

    class Given:
        def __dlpack_device__(self):
            return CPU, 0

        def __dlpack__(self, **options):
            return capsule_of(values, (CPU, 0), options.get("max_version"))

    taken = np.from_dlpack(Given())  # type: ignore[arg-type]
    assert address_of(taken) == address_of(values)


def test_what_dlpack_cannot_say():
    with pytest.raises(BufferError, match="no records: take a field"):
        capsule_of(np.zeros(2, [("a", "f8")]), (CUDA, 0))
    with pytest.raises(BufferError, match=r"not multiples of the 8 bytes of one: take a copy"):
        capsule_of(np.zeros(2, [("a", "i2"), ("b", "f8")])["b"], (CUDA, 0))
    with pytest.raises(BufferError, match=r"no negative strides.*take a copy"):
        capsule_of(np.zeros(2)[::-1], (CUDA, 0))
    locked = np.zeros(2)
    locked.flags.writeable = False
    with pytest.raises(BufferError, match="read-only: take a copy"):
        capsule_of(locked, (CUDA, 0))
    if takes_versions():
        assert capsule_of(locked, (CUDA, 0), (1, 0)) is not None
