"""What a batch keeps on its GPU for resets, so that they are launches alone: nothing is uploaded or awaited."""

from collections.abc import Sequence

import numpy as np

from gori.sim.batch.devices import Accelerator, Memory
from gori.sim.batch.plan import MemoryPlan
from gori.sim.batch.program import BLOCK
from gori.sim.batch.varied import Numbers


def uploaded(device: Accelerator, array: np.ndarray) -> Memory:
    """An array in memory of its own."""
    memory = device.take(array.nbytes)
    device.upload(memory, 0, array)
    return memory


class MachineImage:
    """The arrays of one machine, to be put into others.

    memory    of all machines
    """

    def __init__(self, device: Accelerator, members: MemoryPlan, memory: Memory):
        self._device, self._members = device, members
        self.memory = device.take(members.image)
        self.table = uploaded(device, members.table(memory.address, self.memory.address))

    def take_over(self) -> None:
        """What stands in the arrays of the plan."""
        members = self._members
        image = np.zeros(members.image, np.uint8)
        for path, laid in members.own_arrays.items():
            at = members.image_at[path]
            content = np.ascontiguousarray(laid.array, laid.stored).reshape(-1).view(np.uint8)
            image[at : at + content.size] = content
        self._device.upload(self.memory, 0, image)

    def put(self, arrays: int, mask: int, count: int) -> None:
        """The first so many arrays into machines; mask: address of their bytes."""
        threads = count * BLOCK["put_image"]
        self._device.launch("put_image", threads, self.table.address, arrays, mask, count)


class SetNumbers:
    """Numbers of tables or of what is kept, of all sets of the `parameters`, for machines that each have one.

    sets    of which the parameters have so many
    """

    def __init__(self, device: Accelerator, members: MemoryPlan, memory: Memory, numbers: Sequence[Numbers]):
        self._device = device
        needed = [one for one in numbers if one.path in members.own_arrays]
        places = [place for one in needed for place in self._places(members, memory, one)]
        self._count = len(places)
        if places:
            self._table = uploaded(device, np.array(places, np.int64))
            self._values = uploaded(device, np.ascontiguousarray(np.concatenate([one.values for one in needed]).T))

    @staticmethod
    def _places(members: MemoryPlan, memory: Memory, numbers: Numbers) -> list[tuple[int, int, int]]:
        """Address of each number in the first machine, and how far apart tiles of machines are, and their machines."""
        first = memory.address + members.at[numbers.path]
        tile, machine, word = members.apart(numbers.path)
        return [(first + word * int(k), tile, machine) for k in numbers.words]

    def put(self, sets: int, mask: int, count: int) -> None:
        """Into machines; sets, mask: addresses of the set that each has, and of a byte for each."""
        if self._count:
            self._device.launch(
                "put_numbers", count, self._table.address, self._count, self._values.address, sets, mask, count
            )
