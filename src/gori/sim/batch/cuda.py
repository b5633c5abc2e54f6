"""Many machines on a GPU, a thread for each: the sources of the CPU, one launch for any number of steps."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.integrate import MatrixFree
from gori.integrate.batch.backward import backward_step
from gori.integrate.batch.many import MANY
from gori.integrate.batch.recorded import recorded_step
from gori.kernels.batch.members import APART, SIDE_BY_SIDE, WORD, Laid, Tree, leaves, tree_of
from gori.kernels.bundle import Bundle
from gori.kernels.codes import OK
from gori.kernels.device_array import DeviceArray
from gori.kernels.jit import Kernel, part
from gori.kernels.vehicle.vehicle import vehicle
from gori.sim.batch.check import refuse_damage
from gori.sim.batch.devices import Accelerator, Gpu, Memory
from gori.sim.batch.kept import forget_in, forgets, kept_members
from gori.sim.batch.plan import MemoryPlan
from gori.sim.batch.program import ProgramSource
from gori.sim.batch.varied import Numbers
from gori.sim.simulation import Simulation


class CudaMachines:
    """The engine of a batch on a GPU.

    make      a Simulation of one machine at the start
    varied    numbers of the tables that differ from machine to machine
    device    what makes the Accelerator from the ProgramSource of the program
    """

    def __init__(
        self,
        make: Callable[[], Simulation],
        count: int,
        workers: int,
        varied: Sequence[Numbers] = (),
        device: Callable[[ProgramSource], Accelerator] = Gpu,
    ):
        self.count, self.simulation = count, make()
        self.words: dict[int, str] = {}  # all that is known of a failure is its code
        stepper = self.simulation.stepper
        self._many = MANY.zeros(1)
        source = self._source(varied)
        self._device = device(source)
        self._members = MemoryPlan(source.tree, self._device.used | {"y", "many"}, count)
        self.bytes_per_machine = self._members.own
        self._require_memory()
        self._memory = self._device.take(self._members.size)
        self._image = self._device.take(self._members.image)
        self._mask = self._device.take(count)
        self._words = self._upload(self._members.words(self._memory.address))
        self._table = self._upload(self._members.table(self._memory.address, self._image.address))
        for path, laid in self._members.shared.items():
            self._device.upload(self._memory, self._members.at[path], laid.array)
        if self._members.moving < len(self._members.own_arrays):
            self._put_image(np.ones(count, bool), len(self._members.own_arrays))
        for numbers in varied:
            if numbers.of_tables:
                self.put(numbers, np.ones(count, bool))
        self._kept = {path: array for path, array in kept_members(stepper).items() if path in self._members.own_arrays}

    def _source(self, varied: Sequence[Numbers]) -> ProgramSource:
        return source_of(self.simulation, self._many, varied)

    def _require_memory(self) -> None:
        free, needed = self._device.free(), self._members.size + self._members.image + self.count
        if free is not None and needed > free:
            fits = max(0, int((free - self._members.image) / (needed / self.count)))
            raise InputError(
                f"{self.count} machines take {needed / 1e9:.3g} GB ({self.bytes_per_machine} bytes each), and "
                f"{free / 1e9:.3g} GB are free: {fits} machines would fit"
            )

    def _upload(self, array: np.ndarray) -> Memory:
        memory = self._device.take(array.nbytes)
        self._device.upload(memory, 0, array)
        return memory

    # ---- arrays

    @property
    def device(self) -> Accelerator:
        """What runs the program."""
        return self._device

    def block(self, path: str) -> tuple[Memory, int, int]:
        """Where a member of all machines stands: memory, the first of its bytes there, and their number."""
        return self._memory, self._members.at[path], self.count * self._members.own_arrays[path].array.nbytes

    def words_with(self, source: ProgramSource, others: Mapping[str, int]) -> Memory:
        """The table of a program with the same members, and others at addresses by path."""
        words: list[int] = []
        for path, laid in leaves(source.tree):
            here = self._memory.address + self._members.at[path] if path in self._members.at else 0
            words += [others.get(path, here), *laid.array.shape]
        return self._upload(np.array(words, np.int64))

    def has(self, path: str) -> bool:
        """Whether machines have such a member of their own."""
        return path in self._members.own_arrays

    def array(self, path: str) -> Any:
        """A member of all machines (machines, ...), which may be changed."""
        laid = self._members.own_arrays[path]
        item, shape = laid.array.dtype.itemsize, laid.array.shape
        if laid.place == SIDE_BY_SIDE:
            strides = [item * self.count * int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
            strides = (item, *strides)
        else:
            strides = (laid.array.nbytes, *laid.array.strides)
        return self._device.array(self._memory, self._members.at[path], (self.count, *shape), strides, laid.array.dtype)

    def times(self) -> np.ndarray:
        """Time of each machine [s]."""
        many = self._own("many")[:, 0]
        return many["start_time"] + many["steps_done"] * self.simulation.stepper.step

    def failures(self) -> np.ndarray:
        """Result codes (machines,)."""
        return self._own("many")["code"][:, 0]

    def live_codes(self) -> Any:
        """The same on the device, as they change."""
        return self.array("many")["code"][:, 0]

    def _own(self, path: str) -> np.ndarray:
        """A member of all machines (machines, ...), copied."""
        size = self.count * self._members.own_arrays[path].array.nbytes
        return self._member(self._device.download(self._memory, self._members.at[path], size), path)

    def _member(self, content: np.ndarray, path: str) -> np.ndarray:
        """A member of all machines (machines, ...) in bytes as they stand on the device."""
        laid = self._members.own_arrays[path]
        numbers, shape = content.view(laid.array.dtype), laid.array.shape
        if laid.place == SIDE_BY_SIDE:
            return np.moveaxis(numbers.reshape(*shape, self.count), -1, 0)
        return numbers.reshape(self.count, *shape)

    # ---- steps

    def forget(self, chosen: np.ndarray) -> None:
        """The chosen machines forget slopes of earlier steps."""
        if forgets(self.simulation.method):
            heads = self._own("memory.head")
            heads[chosen] = forget_in(self.simulation.method, heads[chosen])
            self._device.upload(self._memory, self._members.at["memory.head"], heads)

    def step(self, steps: int) -> None:
        """So many steps of all machines that have not failed."""
        self._device.launch(
            "advance", self.count, self._words.address, self.count, steps, float(self.simulation.stepper.step)
        )

    def start_vehicles(self, chosen: np.ndarray) -> None:
        """Forces of the ground on vehicles, found anew where they stand."""
        raise UnsupportedError("device cuda: vehicles whose parameters differ are not there; use device='cpu'")

    def synchronise(self) -> None:
        """Wait until all is done."""
        self._device.synchronise()

    # ---- single machines

    def fetch(self, t: int) -> None:
        """Machine t into the arrays of `simulation`."""
        members = self._members
        self._device.launch("take_image", 1024, self._table.address, len(members.own_arrays), self.count, t)
        image = self._device.download(self._image, 0, members.image)
        stepper = self.simulation.stepper
        for path, array in {**self._kept, "many": self._many}.items():
            at = members.image_at[path]
            array[...] = image[at : at + array.nbytes].view(array.dtype).reshape(array.shape)
        many = self._many[0]
        clock = stepper.clock_record[0]
        clock["start_time"], clock["steps_done"], clock["first_step"] = many["start_time"], many["steps_done"], 0
        clock["time"] = many["start_time"] + many["steps_done"] * stepper.step
        self.simulation.stepper.data.loops.work.standing[:] = 0.0

    def store(self, chosen: np.ndarray | DeviceArray) -> None:
        """What stands in the arrays of `simulation` into the chosen machines, which then have not failed."""
        clock = self.simulation.stepper.clock_record[0]
        self._many[0] = (clock["start_time"], clock["steps_done"], OK)
        self._put_image(chosen, self._members.moving)

    def _put_image(self, chosen: np.ndarray | DeviceArray, arrays: int) -> None:
        """The first of the arrays of one machine into the chosen ones."""
        members = self._members
        image = np.zeros(members.image, np.uint8)
        for path, laid in members.own_arrays.items():
            at, content = members.image_at[path], np.ascontiguousarray(laid.array).reshape(-1).view(np.uint8)
            image[at : at + content.size] = content
        self._device.upload(self._image, 0, image)
        self._put_mask(chosen)
        self._device.launch("put_image", self.count, self._table.address, arrays, self._mask.address, self.count)

    def _put_mask(self, chosen: np.ndarray | DeviceArray) -> None:
        """A mask of the host, or one that is on the device."""
        if isinstance(chosen, np.ndarray):
            self._device.upload(self._mask, 0, chosen.astype(np.uint8))
        else:
            self._device.array(self._mask, 0, (self.count,), (1,), np.uint8).set(chosen)

    def put(self, numbers: Numbers, chosen: np.ndarray) -> None:
        """Numbers of tables or of what is kept, into the chosen machines."""
        if numbers.path not in self._members.own_arrays:
            return  # nothing needs them
        laid = self._members.own_arrays[numbers.path]
        first = self._memory.address + self._members.at[numbers.path]
        if laid.place == SIDE_BY_SIDE:
            places = [(first + WORD * int(word) * self.count, WORD) for word in numbers.words]
        else:
            places = [(first + WORD * int(word), laid.array.nbytes) for word in numbers.words]
        table, values = self._upload(np.array(places, np.int64)), self._upload(numbers.values)
        self._put_mask(chosen)
        self._device.launch(
            "put_numbers", self.count, table.address, len(places), values.address, self._mask.address, self.count
        )
        self._device.synchronise()  # table and values are gone from here on

    def kept(self) -> dict[str, np.ndarray]:
        """All that the machines keep."""
        found = {}
        for path in [*self._kept, "many"]:
            size = self.count * self._members.own_arrays[path].array.nbytes
            found[path] = self._device.download(self._memory, self._members.at[path], size)
        return found

    def keep(self, kept: dict[str, np.ndarray]) -> None:
        """Take over what `kept` gave."""
        for path in [*self._kept, "many"]:
            size = self.count * self._members.own_arrays[path].array.nbytes
            if path not in kept or kept[path].dtype != np.uint8 or kept[path].size != size:
                raise InputError(f"the file holds no {path} of such a batch")
        members = {path: self._member(kept[path], path) for path in [*self._kept, "many"]}
        many = members.pop("many")[:, 0]
        refuse_damage(members, many[["start_time", "steps_done"]], many["code"], self.simulation.stepper)
        self.reset_work()
        for path in [*self._kept, "many"]:
            self._device.upload(self._memory, self._members.at[path], kept[path])

    def reset_work(self) -> None:
        """All machines as at the start of a run."""
        self.store(np.ones(self.count, bool))


def source_of(simulation: Simulation, many: np.ndarray, varied: Sequence[Numbers]) -> ProgramSource:
    """What the program for such machines is made from."""
    stepper = simulation.stepper
    method = stepper.method
    step = type(method).one_step  # of an instance, a compiled function would become a method
    if step is None:
        raise UnsupportedError(
            f"device cuda: {method.kind} is not there yet; use semi_implicit, rk4, adams or implicit_euler, or "
            "device='cpu'"
        )
    functions: dict[str, Any] = {"vehicle": _part_of(vehicle)}
    if stepper.loops is not None:
        functions["closed"] = _part_of(type(stepper.loops).solver)
    if stepper.machine.core:
        _refuse_dense(simulation)
        functions["core"] = type(method).core_of_many
    tables = {numbers.path.removeprefix("machine."): numbers for numbers in varied if numbers.of_tables}
    tree: Tree = {
        "machine": tree_of(stepper.machine, True, functions, tables),
        "data": tree_of(stepper.data, False, {}),
        "memory": tree_of(stepper.memory, False, {}),
        "many": Laid(many, APART),
        "y": Laid(stepper.y, SIDE_BY_SIDE),
        "before": Laid(np.zeros_like(stepper.y), SIDE_BY_SIDE),
    }
    return ProgramSource(tree, step, method.kind, len(stepper.data.turns) > 0)


def backward_source(
    simulation: Simulation, many: np.ndarray, memory: Bundle, varied: Sequence[Numbers]
) -> ProgramSource:
    """What the program of derivatives is made from, which goes back through steps."""
    source = source_of(simulation, many, varied)
    tree = {**source.tree, "memory": tree_of(memory, False, {})}
    return ProgramSource(tree, backward_step, "backward", False)


def recorded_source(
    simulation: Simulation, many: np.ndarray, trace: Bundle, varied: Sequence[Numbers]
) -> ProgramSource:
    """What the program of steps is made from that keep where they began."""
    source = source_of(simulation, many, varied)
    memory = {**source.tree["memory"], "trace": tree_of(trace, False, {})}
    return ProgramSource({**source.tree, "memory": memory}, recorded_step, "recorded", source.turning)


def _refuse_dense(simulation: Simulation) -> None:
    """Refuse implicit methods whose matrices are dense: those of loops, and of other strategies than the recursion."""
    method = simulation.method
    if simulation.model.loops:
        raise UnsupportedError(
            f"device cuda: {method.kind} with closed loops is not there; use semi_implicit or rk4, or device='cpu'"
        )
    if (jacobian := method.settings()["jacobian"]["type"]) != MatrixFree.kind:
        raise UnsupportedError(
            f"device cuda: {method.kind} with jacobian {jacobian} is not there; use {MatrixFree.kind}, or device='cpu'"
        )


@cache
def _part_of(kernel: Kernel) -> Any:
    return part(kernel.dispatcher.py_func)
