"""What an inlet keeps: its random generator goes on where it was."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.model.particles.inlets import checked_memory, generator_of, inlet_memory


def test_a_generator_goes_on():
    generator = np.random.default_rng(7)
    generator.random(5)
    generator.integers(0, 10, size=3, dtype=np.uint32)  # leaves half of a word behind
    memory = inlet_memory(4, 2, generator)
    assert memory[:2].tolist() == [4, 2] and memory[10] == 1
    again = generator_of(checked_memory("inlet_a", memory))
    np.testing.assert_array_equal(again.integers(0, 10, 9, dtype=np.uint32), generator.integers(0, 10, 9, np.uint32))
    np.testing.assert_array_equal(again.random(9), generator.random(9))


@pytest.mark.parametrize(("at", "value"), [(0, -1), (1, -1), (2, -1), (3, 1 << 32), (6, 2), (10, 2), (11, -5)])
def test_what_is_no_generator_is_refused(at, value):
    memory = inlet_memory(0, 0, np.random.default_rng(1))
    memory[at] = value
    with pytest.raises(InputError, match=r"state.particles\['inlet_a'\]"):
        checked_memory("inlet_a", memory)
