"""What an inlet keeps: how many particles it has made, how many wait, and its random generator."""

from typing import Any

import numpy as np

from gori.errors import InputError
from gori.model.particles.state import checked_array
from gori.model.particles.tables import InletTable

MEMORY = "i8 12"
"""of an inlet in a State: particles made and waiting, and the state of its random generator in words of 32 bits"""
WORD = (1 << 32) - 1
SHIFTS = (0, 32, 64, 96)


def fresh_memory(table: InletTable) -> np.ndarray:
    """Of an inlet that has made nothing yet."""
    return inlet_memory(0, 0, np.random.default_rng(table.seed))


def inlet_memory(made: int, waiting: int, generator: np.random.Generator) -> np.ndarray:
    """(12,) as a State holds it."""
    state: Any = generator.bit_generator.state
    numbers = state["state"]["state"], state["state"]["inc"]
    words = [(number >> shift) & WORD for number in numbers for shift in SHIFTS]
    return np.array([made, waiting, *words, state["has_uint32"], state["uinteger"]], np.int64)


def generator_of(memory: np.ndarray) -> np.random.Generator:
    """The random generator as it was when the memory was made."""
    words = [int(word) for word in memory[2:]]
    numbers = [sum(word << shift for word, shift in zip(words[k : k + 4], SHIFTS)) for k in (0, 4)]
    generator = np.random.default_rng(0)
    state: Any = generator.bit_generator.state
    state["state"] = {"state": numbers[0], "inc": numbers[1]}
    state["has_uint32"], state["uinteger"] = words[8], words[9]
    generator.bit_generator.state = state
    return generator


def checked_memory(name: str, value: Any) -> np.ndarray:
    """The memory of an inlet, a copy; raises an InputError that names the field."""
    memory = checked_array(name, value, MEMORY, {})
    if (memory[:2] < 0).any():
        raise InputError(f"state.particles[{name!r}] must begin with two counts, of particles made and waiting")
    if (memory[2:] < 0).any() or (memory[2:] > WORD).any() or memory[10] > 1 or memory[6] % 2 == 0:
        raise InputError(f"state.particles[{name!r}] does not hold the state of a random generator")
    return memory
