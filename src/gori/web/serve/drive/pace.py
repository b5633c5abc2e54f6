"""Whether simulated time keeps up with the clock: looked at every 10 ms of the clock, also of those in which nothing
could run.
"""

SAMPLE = 0.01
"""time between two looks [s]"""
ALLOWED = 0.05
"""simulated time may be so much behind [s]"""
GIVEN_UP = 0.5
"""time behind that is given up instead of caught up with [s]"""
RATIO_OVER = 1.0
"""time over which the real-time ratio is measured [s]"""


class Pace:
    """The clock of a simulation that goes on in blocks.

    held, looks   looks at which it was in time, and all
    lost          time that was given up [s]
    ratio         simulated seconds for each second of the clock, over about the last second
    """

    def __init__(self, block: float, now: float):
        self.block, self.held, self.looks, self.lost, self.ratio = block, 0, 0, 0.0, 1.0
        self.restart(now)

    def restart(self, now: float) -> None:
        """From now on, after a pause: what was before does not count."""
        self.start, self.simulated, self.next = now, 0.0, now
        self._mark = (now, 0.0)

    @property
    def due(self) -> float:
        """When the next block is to begin."""
        return self.start + self.simulated

    def behind(self, now: float) -> float:
        """How far simulated time is behind the clock [s]; negative: ahead."""
        return now - self.start - self.simulated

    def finished(self, now: float) -> None:
        """A block was computed."""
        count = max(0, int((now - self.next) / SAMPLE) + 1) if now >= self.next else 0
        if count:
            late = self.start + self.simulated + ALLOWED  # from then on it was too late
            in_time = 0 if late < self.next else min(count, int((late - self.next) / SAMPLE - 1e-9) + 1)
            self.looks, self.held, self.next = self.looks + count, self.held + in_time, self.next + count * SAMPLE
        self.simulated += self.block
        at, then = self._mark
        if now - at >= RATIO_OVER:
            self.ratio, self._mark = (self.simulated - then) / (now - at), (now, self.simulated)
        if self.behind(now) > GIVEN_UP:
            lost = self.behind(now) - ALLOWED  # still late: a machine that is too slow never counts as in time
            self.lost, self.start = self.lost + lost, self.start + lost

    @property
    def percent(self) -> float:
        """Share of looks at which it was in time [%]."""
        return 100.0 * self.held / self.looks if self.looks else 100.0
