"""Many machines on a CPU: in turn by compiled code, some at once in threads. Each is stepped as it would be alone, with
the same result to the last bit.
"""

import ctypes
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from gori.errors import GoriError, InputError
from gori.integrate.batch.in_turn import InTurn, run_in_turn, start_in_turn
from gori.integrate.clock import CLOCK, KEPT_OF_CLOCK
from gori.kernels.codes import NEAR_SINGULAR, OK, POOR_CHOICE, SINGULAR
from gori.kernels.vehicle.start import start_vehicles
from gori.model.memory import require_memory_of
from gori.sim.batch.check import refuse_damage, text_of, words_of
from gori.sim.batch.kept import RENEWED, all_members, forget_in, forgets, kept_members
from gori.sim.batch.varied import Numbers, in_groups
from gori.sim.callers.interrupts import InterruptsLater
from gori.sim.simulation import Simulation

DIFFICULT = POOR_CHOICE, NEAR_SINGULAR
"""poses that a Simulation passes, and compiled steps alone do not"""
TOGETHER = 16
"""machines that a thread takes at a time"""
BESIDE = 8 + 3 * 8
"""bytes for each machine beside its own: its set of parameters, and masks and numbers of a reset while that lasts"""


class CpuMachines:
    """The engine of a batch on the CPU.

    make      a Simulation of one machine at the start; each thread has one
    varied    numbers that differ from machine to machine, of all sets; machine k begins with set k
    """

    def __init__(self, make: Callable[[], Simulation], count: int, workers: int, varied: Sequence[Numbers] = ()):
        self.count, self._varied = count, varied
        tables = [numbers for numbers in varied if numbers.of_tables]
        self._alone = _Run(make(), tables)
        keeps = forgets(self.simulation.method)
        self.bytes_per_machine = self._alone.width + 8 * (1 + len(self._alone.numbers))
        left = self.simulation.stepper.y.nbytes if keeps else 0
        require_memory_of(count, self.bytes_per_machine + left + BESIDE, "machines")
        self._runs = [self._alone, *(_Run(make(), tables) for _ in range(1, min(workers, -(-count // TOGETHER))))]
        self.sets = np.arange(count)
        """which set of the parameters each machine has (machines,)"""
        self._rows = np.zeros((count, self._alone.width), np.uint8)
        self._values = np.zeros((len(self._alone.numbers), count))
        self._tables: dict[str, int] = {}
        for numbers in tables:
            self._tables[numbers.path] = first = sum(len(one.words) for one in tables[: len(self._tables)])
            self._values[first : first + len(numbers.words)] = numbers.values[:, :count]
        self.codes = np.zeros(count, np.int64)
        self.words: dict[int, str] = {}
        """why machines have failed, where more is known than their code"""
        self._left = self.array("y").copy() if keeps else None
        """the states as they were left: what differs from them was written"""
        self._jobs = [run.job(self._rows, self._values, self.codes) for run in self._runs]
        self._pool, self._process = self._new_pool(), os.getpid()

    @property
    def simulation(self) -> Simulation:
        """Of one machine: the one that was fetched last."""
        return self._alone.simulation

    def array(self, path: str) -> np.ndarray:
        """A member of all machines (machines, ...), which may be changed."""
        return self._member(self._rows, path)

    def _member(self, rows: np.ndarray, path: str) -> np.ndarray:
        run = self._alone
        member = run.members[path]
        at = run.offset(member)
        strides = (run.width, *member.strides)
        return np.ndarray((self.count, *member.shape), member.dtype, rows, at, strides)

    def step(self, steps: int) -> None:
        """So many steps of all machines that have not failed; Ctrl-C waits for them."""
        self._forget_where_written()
        with InterruptsLater():
            well = self.codes == OK if self._alone.loops else None
            done = self.array("clock")["steps_done"][:, 0].copy() if self._alone.loops else None
            failed = self._steps(steps)
            if failed and well is not None and done is not None:
                for t in np.flatnonzero(well & np.isin(self.codes, DIFFICULT)):
                    self._pass(int(t), int(done[t]) + steps)
        self._note(np.ones(self.count, bool))

    def forget(self, chosen: np.ndarray) -> None:
        """The chosen machines forget slopes of earlier steps."""
        heads = self.array("memory.head")
        heads[chosen] = forget_in(self.simulation.method, heads[chosen])

    def _forget_where_written(self) -> None:
        if (written := self._written()).any():
            self.forget(written)

    def _written(self) -> np.ndarray:
        """Which machines were written to since their last step, by methods that then start afresh (machines,)."""
        if self._left is None:
            return np.zeros(self.count, bool)
        return (self._left != self.array("y")).any(axis=1)

    def _note(self, chosen: np.ndarray) -> None:
        if self._left is not None:
            self._left[chosen] = self.array("y")[chosen]

    def _steps(self, steps: int) -> int:
        """By all threads. Returns how many machines stand still."""
        ready, lock = iter(range(0, self.count, TOGETHER)), threading.Lock()

        def work(job: InTurn) -> int:
            failed = 0
            while True:
                with lock:
                    first = next(ready, None)
                if first is None:
                    return failed
                last = min(first + TOGETHER, self.count)
                failed += run_in_turn(job, steps, first, last)

        if len(self._jobs) == 1:
            return work(self._jobs[0])
        if self._process != os.getpid():  # threads do not go along into a forked process
            self._pool, self._process = self._new_pool(), os.getpid()
        futures = [self._pool.submit(work, job) for job in self._jobs]
        try:
            return sum(future.result() for future in futures)
        finally:
            wait(futures)  # nobody may touch the machines while a thread moves them

    def _new_pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(len(self._jobs), thread_name_prefix="gori")

    def _pass(self, t: int, until: int) -> None:
        """Take a machine over a difficult pose, as a Simulation does."""
        self._alone.load(self._rows[t], self._values[:, t])
        simulation = self.simulation
        try:
            simulation.advance(until - simulation.stepper.steps_done)
            self.codes[t] = OK
        except GoriError as error:
            self.codes[t], self.words[t] = SINGULAR, str(error)
        finally:
            self._alone.save(self._rows[t])

    def fetch(self, t: int) -> None:
        """Machine t into the arrays of `simulation`, as its next step begins."""
        self._alone.load(self._rows[t], self._values[:, t])
        if self._left is not None and (self._left[t] != self.simulation.stepper.y).any():
            self.simulation.stepper.forget()

    def store(self, chosen: np.ndarray) -> None:
        """What stands in the arrays of `simulation` into the chosen machines, which then have not failed."""
        self._put_image(self._image(), chosen)

    def _image(self) -> np.ndarray:
        image = np.zeros(self._alone.width, np.uint8)
        self._alone.save(image)
        return image

    def _put_image(self, image: np.ndarray, chosen: np.ndarray) -> None:
        self._rows[chosen] = image
        self.codes[chosen] = OK
        self.words = {t: words for t, words in self.words.items() if not chosen[t]}
        self._note(chosen)

    # ---- starts

    def keep_start(self) -> None:
        """Keep what stands in the arrays of `simulation` as the start of all machines."""
        self._start = self._image()

    def begin(self, chosen: np.ndarray) -> None:
        """Put the chosen machines to the start that was kept."""
        self._put_image(self._start, chosen)

    def put_kept(self, chosen: np.ndarray, at_start: bool) -> None:
        """What the chosen machines keep by their sets: wherever they are, and, `at_start`, of where they begin."""
        _, of_machines, of_starts = in_groups(self._varied)
        sets = self.sets[chosen]
        for numbers in of_machines + of_starts * at_start:
            at = self._alone.offset(self._alone.members[numbers.path])
            for word, values in zip(numbers.words, numbers.values):
                one = np.ndarray(self.count, np.float64, self._rows, at + 8 * int(word), (self._alone.width,))
                one[chosen] = values[sets]
        self._note(chosen)

    def set_table(self, path: str, words: np.ndarray, values: np.ndarray) -> None:
        """Other numbers in a table of all machines, by its path and words."""
        for run in self._runs:
            run.set_table(path, words, values)

    def assign(self, sets: np.ndarray, chosen: np.ndarray) -> None:
        """Other sets (machines,) for the chosen machines, and their tables."""
        self.sets[chosen] = sets = sets[chosen]
        for numbers in in_groups(self._varied)[0]:
            first = self._tables[numbers.path]
            self._values[first : first + len(numbers.words), chosen] = numbers.values[:, sets]

    def start_vehicles(self, chosen: np.ndarray) -> None:
        """Forces of the ground on vehicles of the chosen machines, found anew where they stand."""
        start_in_turn(self._jobs[0], start_vehicles.address, np.flatnonzero(chosen))

    def times(self) -> np.ndarray:
        """Time of each machine [s]."""
        return self.array("clock")["time"][:, 0].copy()

    def failures(self) -> np.ndarray:
        """Result codes (machines,)."""
        return self.codes

    def live_codes(self) -> np.ndarray:
        """The same array as it changes."""
        return self.codes

    def kept(self) -> dict[str, np.ndarray]:
        """All that the machines keep, as their next step begins."""
        rows = self._rows
        if (written := self._written()).any():
            rows = rows.copy()
            heads = self._member(rows, "memory.head")
            heads[written] = forget_in(self.simulation.method, heads[written])
        return {"rows": rows, "codes": self.codes, "words": text_of(self.words)}

    def keep(self, kept: dict[str, np.ndarray]) -> None:
        """Take over what `kept` gave; raises InputError, and then nothing is changed."""
        for name, array in self.kept().items():
            alike = name in kept and (
                name == "words" or (kept[name].shape, kept[name].dtype) == (array.shape, array.dtype)
            )
            if not alike:
                raise InputError(f"the file holds no {name} of such a batch")
        rows, stepper = np.array(kept["rows"], order="C"), self.simulation.stepper
        members = {path: self._member(rows, path) for path in self._alone.members}
        clock = members.pop("clock")
        for name in set(CLOCK.dtype.names or ()) - set(KEPT_OF_CLOCK):  # settings and results of a call
            clock[name] = stepper.clock_record[name]
        refuse_damage(members, clock[:, 0], kept["codes"], stepper)
        words = words_of(kept["words"], self.count)
        self._rows[:], self.codes[:], self.words = rows, kept["codes"], words
        self._note(np.ones(self.count, bool))

    def room(self, shape: tuple[int, ...]) -> np.ndarray:
        """Zeros for samples."""
        return np.zeros(shape)

    stream = 0
    """there is none"""

    def use(self, stream: object) -> None:
        """Refused but for None."""
        if stream is not None:
            raise InputError("machines on a CPU have no stream: leave it None, or make the batch with device='cuda'")

    def synchronise(self) -> None:
        """Wait until all is done."""


class _Run:
    """The arrays of one thread, and which pieces of them a machine keeps."""

    def __init__(self, simulation: Simulation, varied: Sequence[Numbers]):
        self.simulation = simulation
        stepper = simulation.stepper
        self.loops = stepper.closure is not None
        self.members = kept_members(stepper) | {"clock": stepper.clock_record}
        self._spans, self.width = _pieces(self.members.values())
        self._table = np.array(self._spans, np.int64)
        members = all_members(stepper)
        renewed = [members[path].ctypes.data for path in RENEWED if members[path].size]
        tables = [address for numbers in varied for address in numbers.addresses(stepper)]
        self.numbers = np.array([*tables, *renewed], np.int64)

    def set_table(self, path: str, words: np.ndarray, values: np.ndarray) -> None:
        """Other numbers in a table, by its path and words."""
        getattr(self.simulation.stepper.machine, path.removeprefix("machine.")).reshape(-1)[words] = values

    def offset(self, array: np.ndarray) -> int:
        """Where a member stands in the row of a machine."""
        address = array.ctypes.data
        return next(at + address - first for first, size, at in self._spans if first <= address < first + size)

    def job(self, rows: np.ndarray, values: np.ndarray, codes: np.ndarray) -> InTurn:
        """What compiled code is given."""
        stepper = self.simulation.stepper
        machine, data, memory, clock, y, samples, watch = stepper.arguments
        return InTurn(
            run=stepper.method.run.address, memory=memory.address, machine=machine, data=data, clock=clock, y=y,
            samples=samples, watch=watch, pieces=self._table, rows=rows.ctypes.data, width=self.width,
            numbers=self.numbers, values=values, codes=codes,
        )  # fmt: skip

    def load(self, row: np.ndarray, values: np.ndarray) -> None:
        """A machine into the arrays."""
        for k, address in enumerate(self.numbers):
            _bytes_at(address, 8)[:] = values[k : k + 1].view(np.uint8)
        for address, size, at in self._spans:
            _bytes_at(address, size)[:] = row[at : at + size]

    def save(self, row: np.ndarray) -> None:
        """The arrays into the row of a machine."""
        for address, size, at in self._spans:
            row[at : at + size] = _bytes_at(address, size)


def _pieces(arrays: Iterable[np.ndarray]) -> tuple[list[tuple[int, int, int]], int]:
    """Where these arrays stand, as (address, bytes, place in a row), and the width of a row. Those that follow each
    other in memory are one piece; places in a row are the same for all threads.
    """
    made: list[tuple[int, int, int]] = []
    at = 0
    for array in arrays:
        address, size = array.ctypes.data, array.nbytes
        if made and sum(made[-1][:2]) == address:
            made[-1] = (made[-1][0], made[-1][1] + size, made[-1][2])
        else:
            made.append((address, size, at))
        at += size
    return made, at


def _bytes_at(address: int, size: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(int(address)))
