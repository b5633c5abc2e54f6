"""One caller at a time: a Simulation has one State, which only one thread, and no callback, can move."""

import threading

from gori.errors import InputError

OWN = "give each thread a Simulation of its own (copy.deepcopy, or gori.batch for many)"


class Turn:
    """Held while a Simulation is stepped, run, or given a State; within it, and for other threads, it is refused.

    take, leave   of the lock, for `advance`, which has no time for a `with` block; owner: the thread that took it
    what, cure    what it is that has a turn, and what another thread should do
    """

    __slots__ = ("_cure", "_lock", "_what", "leave", "owner", "take")

    def __init__(self, what: str = "Simulation", cure: str = OWN) -> None:
        self._what, self._cure = what, cure
        self._lock, self.owner = threading.Lock(), 0
        self.take, self.leave = self._lock.acquire, self._lock.release

    def __enter__(self) -> None:
        if not self.take(False):
            raise self.refusal()
        self.owner = threading.get_ident()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.leave()

    def refusal(self) -> InputError:
        """Why it is not to be had."""
        if self.owner != threading.get_ident():
            return self._of_other_thread()
        return InputError(
            "this Simulation is in the middle of a step or run: a driver, force, event or subsystem must not step or "
            "run it or set its state. A driver sets simulation.inputs; the action of an event returns a State"
        )

    def refuse_others(self) -> None:
        """Raise if another thread is at it."""
        if self._lock.locked() and self.owner != threading.get_ident():
            raise self._of_other_thread()

    def _of_other_thread(self) -> InputError:
        return InputError(f"another thread is stepping this {self._what}: {self._cure}")
