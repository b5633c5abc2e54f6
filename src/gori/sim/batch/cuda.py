"""Many machines on a GPU, a thread for each: the sources of the CPU, one launch for any number of steps."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.integrate import MatrixFree
from gori.integrate.batch.backward import backward_step
from gori.integrate.batch.many import MANY
from gori.integrate.batch.recorded import recorded_step
from gori.kernels.batch.members import APART, SIDE_BY_SIDE, TILE, TILED, WORD, Laid, Tree, leaves, tree_of
from gori.kernels.bundle import Bundle
from gori.kernels.codes import OK
from gori.kernels.device_array import DeviceArray
from gori.kernels.jit import Kernel, part
from gori.kernels.vehicle.vehicle import vehicle
from gori.sim.batch.check import refuse_damage
from gori.sim.batch.devices import Accelerator, Gpu, Memory, stream_handle
from gori.sim.batch.kept import forget_in, forgets, kept_members
from gori.sim.batch.laws import LawForce
from gori.sim.batch.plan import MemoryPlan
from gori.sim.batch.precision import in_single
from gori.sim.batch.program import ProgramSource
from gori.sim.batch.resident import MachineImage, SetNumbers, uploaded
from gori.sim.batch.varied import Numbers, in_groups
from gori.sim.simulation import Simulation


class CudaMachines:
    """The engine of a batch on a GPU.

    make      a Simulation of one machine at the start
    varied    numbers that differ from machine to machine, of all sets; machine k begins with set k
    device    what makes the Accelerator from the ProgramSource of the program; None: `accelerator`
    single    numbers of machines are stored as float32 (`precision.py`)
    """

    accelerator: ClassVar[Any] = Gpu

    def __init__(
        self,
        make: Callable[[], Simulation],
        count: int,
        workers: int,
        varied: Sequence[Numbers] = (),
        device: Callable[[ProgramSource], Accelerator] | None = None,
        single: bool = False,
    ):
        self.count, self.simulation = count, make()
        self.words: dict[int, str] = {}  # all that is known of a failure is its code
        stepper = self.simulation.stepper
        self._many = MANY.zeros(1)
        source = self._source(varied, single)
        self._device = (device or self.accelerator)(source)
        used = self._device.used
        self._members = MemoryPlan(source.tree, used.paths | {"y", "many"}, count, used.regions)
        self.bytes_per_machine = self._members.own
        self._require_memory()
        self._memory = self._device.take(self._members.size)
        self._image, self._start = (MachineImage(self._device, self._members, self._memory) for _ in range(2))
        self._mask = self._device.take(count)
        self._words = uploaded(self._device, self._members.words(self._memory.address))
        for path, laid in self._members.shared.items():
            self._device.upload(self._memory, self._members.at[path], laid.array)
        self._sets = uploaded(self._device, np.arange(count))
        self._given_sets = self._device.take(8 * count)
        self._many_sets = max((numbers.values.shape[1] for numbers in varied), default=0)
        self._of_tables, self._of_machines, self._of_starts = (
            SetNumbers(self._device, self._members, self._memory, some) for some in in_groups(varied)
        )
        if self._members.moving < len(self._members.own_arrays):
            everyone = np.ones(count, bool)
            self._put_image(everyone, len(self._members.own_arrays))
            self._of_tables.put(self._sets.address, self._mask_of(everyone), count)
        self._kept = {path: array for path, array in kept_members(stepper).items() if path in self._members.own_arrays}

    def _source(self, varied: Sequence[Numbers], single: bool) -> ProgramSource:
        return source_of(self.simulation, self._many, varied, single)

    def _require_memory(self) -> None:
        images = 2 * self._members.image
        free, needed = self._device.free(), self._members.size + images + 17 * self.count
        if free is not None and needed > free:
            fits = max(0, int((free - images) / (needed / self.count)))
            raise InputError(
                f"{self.count} machines take {needed / 1e9:.3g} GB ({self.bytes_per_machine} bytes each), and "
                f"{free / 1e9:.3g} GB are free: {fits} machines would fit"
            )

    # ---- arrays

    @property
    def device(self) -> Accelerator:
        """What runs the program."""
        return self._device

    def block(self, path: str) -> tuple[Memory, int, int]:
        """Where a member of all machines stands that is in no tiles: memory, the first of its bytes there, and their
        number.
        """
        return self._memory, self._members.at[path], self.count * self._members.own_arrays[path].array.nbytes

    def words_with(self, source: ProgramSource, others: Mapping[str, int]) -> Memory:
        """The table of a program with the same members, and others at addresses by path."""
        words: list[int] = [self._members.tile]
        for path, laid in leaves(source.tree):
            here = self._memory.address + self._members.at[path] if path in self._members.at else 0
            words += [others.get(path, here), *laid.array.shape]
        return uploaded(self._device, np.array(words, np.int64))

    def has(self, path: str) -> bool:
        """Whether machines have such a member of their own."""
        return path in self._members.own_arrays

    def array(self, path: str) -> Any:
        """A member of all machines (machines, ...), which may be changed; not of those that stand in tiles."""
        laid = self._members.own_arrays[path]
        if laid.place == TILED:
            raise KeyError(path)
        _, machine, word = self._members.apart(path)
        strides = laid.array.strides if laid.place == APART else [word * step for step in laid.steps]
        shape = (self.count, *laid.array.shape)
        return self._device.array(
            self._memory, self._members.at[path], shape, (machine, *strides), laid.array.dtype
        )  # fmt: skip

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
        laid = self._members.own_arrays[path]
        if laid.place != TILED:
            return np.array(self.array(path))
        tiles = np.ascontiguousarray(np.array(self._tiles(path)).swapaxes(1, 2))
        return tiles.view(laid.array.dtype).reshape(-1, *laid.array.shape)[: self.count]

    def _set_own(self, path: str, values: np.ndarray) -> None:
        """The same back."""
        laid = self._members.own_arrays[path]
        if laid.place != TILED:
            self.array(path)[...] = values
            return
        tiles = self._tiles(path)
        padded = np.zeros((tiles.shape[0] * TILE, laid.words), tiles.dtype)
        padded[: self.count] = np.ascontiguousarray(values).reshape(self.count, -1).view(tiles.dtype)
        tiles[...] = np.ascontiguousarray(padded.reshape(-1, TILE, laid.words).swapaxes(1, 2))

    def _tiles(self, path: str) -> Any:
        """A member that stands in tiles: (tiles, words, machines of a tile)."""
        laid, (tile, machine, word) = self._members.own_arrays[path], self._members.apart(path)
        shape = (-(-self.count // TILE), laid.words, TILE)
        dtype = np.dtype(np.int64) if laid.array.dtype.names else laid.array.dtype
        return self._device.array(self._memory, self._members.at[path], shape, (tile, word, machine), dtype)

    def arrays(self) -> dict[str, np.ndarray]:
        """All members that machines have for themselves, work included, by path (machines, ...): copies."""
        return {path: self._own(path) for path in self._members.own_arrays}

    # ---- steps

    def forget(self, chosen: np.ndarray) -> None:
        """The chosen machines forget slopes of earlier steps."""
        if forgets(self.simulation.method):
            heads = self._own("memory.head")
            heads[chosen] = forget_in(self.simulation.method, heads[chosen])
            self._set_own("memory.head", heads)

    def step(self, steps: int) -> None:
        """So many steps of all machines that have not failed."""
        self._device.launch(
            "advance", self.count, self._words.address, self.count, steps, float(self.simulation.stepper.step)
        )

    def start_vehicles(self, chosen: np.ndarray) -> None:
        """Forces of the ground on vehicles of the chosen machines, found anew where they stand."""
        self._device.launch(
            "start_vehicles", self.count, self._words.address, self._mask_of(chosen), self.count,
            float(self.simulation.stepper.step),
        )  # fmt: skip

    @property
    def stream(self) -> int:
        """Handle of the stream of all launches."""
        return self._device.stream

    def use(self, stream: Any) -> None:
        """Launch on this stream from now on."""
        self._device.use(stream_handle(stream))

    def synchronise(self) -> None:
        """Wait until all is done."""
        self._device.synchronise()

    def room(self, shape: tuple[int, ...]) -> Any:
        """Numbers for samples, on the device."""
        size, free = WORD * math.prod(shape), self._device.free()
        if free is not None and size > free:
            raise InputError(
                f"{shape[0]} samples of {self.count} machines would take {size / 1e9:.3g} GB of memory, and "
                f"{free / 1e9:.3g} GB are free: take fewer"
            )
        strides = tuple(WORD * math.prod(shape[k + 1 :]) for k in range(len(shape)))
        return self._device.array(self._device.take(size), 0, shape, strides, np.dtype(np.float64))

    # ---- single machines

    def fetch(self, t: int) -> None:
        """Machine t into the arrays of `simulation`."""
        members = self._members
        self._device.launch("take_image", 1024, self._image.table.address, len(members.own_arrays), self.count, t)
        image = self._device.download(self._image.memory, 0, members.image)
        stepper = self.simulation.stepper
        for path, array in {**self._kept, "many": self._many}.items():
            at, laid = members.image_at[path], members.own_arrays[path]
            array[...] = image[at : at + laid.nbytes].view(laid.stored).reshape(array.shape)
        many = self._many[0]
        clock = stepper.clock_record[0]
        clock["start_time"], clock["steps_done"], clock["first_step"] = many["start_time"], many["steps_done"], 0
        clock["time"] = many["start_time"] + many["steps_done"] * stepper.step
        self.simulation.stepper.data.loops.work.standing[:] = 0.0

    def store(self, chosen: np.ndarray | DeviceArray) -> None:
        """What stands in the arrays of `simulation` into the chosen machines, which then have not failed."""
        self._note_clock()
        self._put_image(chosen, self._members.moving)

    def _note_clock(self) -> None:
        clock = self.simulation.stepper.clock_record[0]
        self._many[0] = (clock["start_time"], clock["steps_done"], OK)

    def _put_image(self, chosen: np.ndarray | DeviceArray, arrays: int) -> None:
        """The first of the arrays of one machine into the chosen ones."""
        self._image.take_over()
        self._image.put(arrays, self._mask_of(chosen), self.count)

    def _mask_of(self, chosen: np.ndarray | DeviceArray) -> int:
        """Address on the device of a mask of the host, which is uploaded, or of one that is there."""
        if not isinstance(chosen, np.ndarray):
            return chosen.address
        self._device.upload(self._mask, 0, chosen.astype(np.uint8))
        return self._mask.address

    # ---- starts

    def keep_start(self) -> None:
        """Keep what stands in the arrays of `simulation` as the start of all machines."""
        self._note_clock()
        self._start.take_over()

    def begin(self, chosen: np.ndarray | DeviceArray) -> None:
        """Put the chosen machines to the start that was kept; with a mask on the device, by launches alone."""
        self._start.put(self._members.moving, self._mask_of(chosen), self.count)

    def put_kept(self, chosen: np.ndarray | DeviceArray, at_start: bool) -> None:
        """What the chosen machines keep by their sets: wherever they are, and, `at_start`, of where they begin."""
        for numbers in (self._of_machines, self._of_starts)[: 1 + at_start]:
            numbers.put(self._sets.address, self._mask_of(chosen), self.count)

    def set_table(self, path: str, words: np.ndarray, values: np.ndarray) -> None:
        """Other numbers in a table of all machines, by its path and words."""
        members = self._members
        if (laid := members.shared.get(path)) is not None:
            laid.array.reshape(-1)[words] = values
            self._device.upload(self._memory, members.at[path], laid.array)
            return
        numbers = SetNumbers(self._device, members, self._memory, [Numbers(path, words, values[:, None])])
        first_set = uploaded(self._device, np.zeros(self.count, np.int64))
        numbers.put(first_set.address, self._mask_of(np.ones(self.count, bool)), self.count)
        self._device.synchronise()  # what was uploaded is gone from here on

    def assign(self, sets: np.ndarray | DeviceArray, chosen: np.ndarray | DeviceArray) -> None:
        """Other sets (machines,) for the chosen machines, and their tables."""
        given, mask = self._given_sets.address, self._mask_of(chosen)
        if isinstance(sets, np.ndarray):
            self._device.upload(self._given_sets, 0, sets.astype(np.int64))
        else:
            given = sets.address
        self._device.launch("choose_set", self.count, self._sets.address, given, self._many_sets, mask, self.count)
        self._of_tables.put(self._sets.address, mask, self.count)

    @property
    def sets(self) -> np.ndarray:
        """Which set of the parameters each machine has (machines,)."""
        return self._device.download(self._sets, 0, 8 * self.count).view(np.int64)

    def kept(self) -> dict[str, np.ndarray]:
        """All that the machines keep (machines, ...)."""
        return {path: self._own(path) for path in [*self._kept, "many"]}

    def keep(self, kept: dict[str, np.ndarray]) -> None:
        """Take over what `kept` gave."""
        for path in [*self._kept, "many"]:
            laid = self._members.own_arrays[path]
            alike = path in kept and (kept[path].dtype, kept[path].shape) == (
                laid.array.dtype, (self.count, *laid.array.shape)
            )  # fmt: skip
            if not alike:
                raise InputError(f"the file holds no {path} of such a batch")
        members = {path: kept[path] for path in self._kept}
        many = kept["many"][:, 0]
        refuse_damage(members, many[["start_time", "steps_done"]], many["code"], self.simulation.stepper)
        self.reset_work()
        for path in [*self._kept, "many"]:
            self._set_own(path, kept[path])

    def reset_work(self) -> None:
        """All machines as at the start of a run."""
        self.store(np.ones(self.count, bool))


def source_of(
    simulation: Simulation, many: np.ndarray, varied: Sequence[Numbers], single: bool = False
) -> ProgramSource:
    """What the program for such machines is made from."""
    stepper = simulation.stepper
    method = stepper.method
    step = type(method).one_step  # of an instance, a compiled function would become a method
    if step is None:
        raise UnsupportedError(
            f"device cuda: {method.kind} is not there yet; use semi_implicit, rk4, adams, implicit_euler or "
            "time_stepping, or device='cpu'"
        )
    functions: dict[str, Any] = {"vehicle": _part_of(vehicle)}
    if isinstance(simulation.user, LawForce):
        functions["user"] = simulation.user.device_function
    if stepper.loops is not None:
        functions["closed"] = _part_of(type(stepper.loops).solver)
    if stepper.machine.core:
        _refuse_dense(simulation)
        functions["core"] = type(method).core_of_many
    tables = {numbers.path.removeprefix("machine."): numbers for numbers in varied if numbers.of_tables}
    tree: Tree = {
        "machine": tree_of(stepper.machine, True, functions, tables, "machine."),
        "data": tree_of(stepper.data, False, {}, {}, "data."),
        "memory": tree_of(stepper.memory, False, {}, {}, "memory."),
        "many": Laid(many, APART),
        "y": Laid(stepper.y, SIDE_BY_SIDE),
        "before": Laid(np.zeros_like(stepper.y), TILED),
    }
    starting = bool(varied) and simulation.model.vehicle is not None
    tree = in_single(tree) if single else tree
    return ProgramSource(tree, step, method.kind, len(stepper.data.turns) > 0, starting)


def backward_source(
    simulation: Simulation, many: np.ndarray, memory: Bundle, varied: Sequence[Numbers]
) -> ProgramSource:
    """What the program of derivatives is made from, which goes back through steps."""
    source = source_of(simulation, many, varied)
    tree = {**source.tree, "memory": tree_of(memory, False, {}, {}, "memory.")}
    return ProgramSource(tree, backward_step, "backward", False)


def recorded_source(
    simulation: Simulation, many: np.ndarray, trace: Bundle, varied: Sequence[Numbers]
) -> ProgramSource:
    """What the program of steps is made from that keep where they began."""
    source = source_of(simulation, many, varied)
    memory = {**source.tree["memory"], "trace": tree_of(trace, False, {}, {}, "memory.trace.")}
    return ProgramSource({**source.tree, "memory": memory}, recorded_step, "recorded", source.turning, foreign=True)


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
