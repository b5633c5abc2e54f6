"""A step of an environment as a CUDA graph: hundreds of small operations on arrays become one launch.

A graph reads and writes the memory that was there when it was captured. What the environment and its terms keep from
step to step is found by looking at their attributes; where a step has put another array in the place of one of them,
its numbers are copied back into the first one.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gori.errors import UnsupportedError
from gori.learn.starts import States

if TYPE_CHECKING:
    from gori.learn.env import VectorEnv

WARM = 2
"""steps before a graph is captured, in which packages and terms make what they make once"""


class KeptArrays:
    """The arrays that objects keep as attributes, or in lists and dictionaries that are attributes."""

    def __init__(self, objects: list[Any], kind: type):
        self._objects, self._kind = objects, kind
        self._found = list(self._arrays())

    def _arrays(self) -> Iterator[tuple[Any, Any, Any]]:
        """Where each stands, under which name or number, and itself."""
        for one in self._objects:
            space = vars(one)
            for name, value in list(space.items()):
                if isinstance(value, self._kind):
                    yield space, name, value
                elif isinstance(value, list | dict):
                    keys = value if isinstance(value, dict) else range(len(value))
                    # found again by name, as lists and dictionaries are replaced as well
                    yield from ((_Within(space, name), key, value[key]) for key in list(keys)
                                if isinstance(value[key], self._kind))  # fmt: skip

    def settle(self) -> None:
        """Put the numbers that are kept now into the arrays that were there at first, and these in their places."""
        first = {id(array) for _, _, array in self._found}
        changed = [(place, key, array, place[key]) for place, key, array in self._found if place[key] is not array]
        numbers = [_apart(new, first) for *_, new in changed]  # else some would be written to before they are read
        for (place, key, array, _), new in zip(changed, numbers):
            array[...] = new
            place[key] = array


class _Within:
    """What an attribute holds at present."""

    def __init__(self, space: dict[str, Any], name: str):
        self._space, self._name = space, name

    def __getitem__(self, key: Any) -> Any:
        return self._space[self._name][key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._space[self._name][key] = value


def _apart(array: Any, first: set[int]) -> Any:
    """The array, or a copy of it if it is one of those."""
    if id(array) not in first:
        return array
    return array.clone() if hasattr(array, "clone") else array.copy()


class StepGraph:
    """Steps of an environment: the first few as they are, then one that is captured, and replayed from then on."""

    def __init__(self, env: "VectorEnv", objects: list[Any]):
        if env.arrays.name != "torch" or not env.arrays.on_gpu:
            raise UnsupportedError(
                "a step is captured on a GPU, with the arrays of PyTorch: make the batch with device='cuda' and the "
                f"environment with xp='torch', not on a {env.batch.device} with {env.arrays.name}"
            )
        if any(isinstance(one, States) for one in objects):
            raise UnsupportedError("a start from States passes through the host and cannot be captured: use Spread")
        self._env, self._objects, self._torch = env, objects, env.xp
        self._steps = 0
        self._graph: Any = None
        self._kept: KeptArrays | None = None

    def step(self, actions: Any) -> Any:
        """As `VectorEnv.step`; what it returns is not written to by the steps that follow."""
        if self._graph is None:
            self._steps += 1
            if self._steps <= WARM:
                return self._env.advance(actions)
            self._graph = self._capture(actions)
        self._given.copy_(self._env.within_limits(actions))
        self._graph.replay()
        return _copied(self._found)

    def _capture(self, actions: Any) -> Any:
        env, torch = self._env, self._torch
        self._given = env.within_limits(actions).clone()
        self._kept = KeptArrays(self._objects, torch.Tensor)
        graph, before = torch.cuda.CUDAGraph(), env.batch.stream
        torch.cuda.synchronize()
        try:
            with torch.cuda.graph(graph):
                env.batch.stream = torch.cuda.current_stream()
                self._found = env.advance(self._given)
                self._kept.settle()
        finally:
            env.batch.stream = before
        return graph

    def settle(self) -> None:
        """After a reset."""
        if self._kept is not None:
            self._kept.settle()


def _copied(found: Any) -> Any:
    """With copies of all arrays in it."""
    if isinstance(found, tuple):
        return tuple(_copied(one) for one in found)
    if isinstance(found, dict):
        return {name: _copied(one) for name, one in found.items()}
    return found.clone()
