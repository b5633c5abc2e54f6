"""Pedals and wheel as a person moves them: keys are on or off, feet and hands are not."""

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

STEERING_RATE, STEERING_BACK = 2.2, 3.5
"""full turns of the steering a second, by keys: away from the middle, and back"""
FIRST, STEERING_START = 0.06, 6.0
"""the first part of a full turn goes quicker, so that a tap is felt at once"""
CALM = 11.0
"""speed at which keys turn the steering only half [m/s]: more would turn the vehicle over"""
ANALOGUE_RATE = 10.0
"""of pedals and wheels that are moved by hand"""

MOST_ORDERS = 64
"""that may wait: keys that a person presses in a third of a second"""


class Order(NamedTuple):
    """What a page says of pedals and levers.

    smooth   whether it comes from keys
    sent     clock of the page then [ms]
    """

    throttle: float = 0.0
    brake: float = 0.0
    steering: float = 0.0
    smooth: bool = True
    gear: str = "D"
    low: bool = False
    sent: float = 0.0

    def same(self, other: "Order") -> bool:
        """Whether both want the same."""
        return self[:-1] == other[:-1]


class Orders:
    """Orders that wait for their block of steps. Each press and release of a key acts for a block, so that no tap is
    lost, however short; of sticks and sliders, which move all the time, only the latest position counts.
    """

    def __init__(self) -> None:
        self._waiting: deque[Order] = deque(maxlen=MOST_ORDERS)

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, order: Order) -> None:
        """One more, or the last one anew."""
        if self._waiting:
            last = self._waiting[-1]
            if order.same(last) or not (order.smooth or last.smooth):
                self._waiting.pop()
        self._waiting.append(order)

    def take(self) -> Order | None:
        """The next one; None: nothing new."""
        return self._waiting.popleft() if self._waiting else None

    def only_last(self) -> None:
        """Forget all but the last: they were meant for a vehicle that stood still in time."""
        while len(self._waiting) > 1:
            self._waiting.popleft()


@dataclass
class Pedals:
    """What the driver wants, and what the vehicle gets.

    smooth   whether wanted values come from keys
    """

    throttle: float = 0.0
    brake: float = 0.0
    steering: float = 0.0
    smooth: bool = True
    throttle_now: float = 0.0
    brake_now: float = 0.0
    steering_now: float = 0.0

    def want(self, throttle: float, brake: float, steering: float, smooth: bool) -> None:
        """Set what is wanted."""
        self.throttle, self.brake, self.steering, self.smooth = throttle, brake, steering, smooth

    def release(self) -> None:
        """Feet off, hands off."""
        self.want(0.0, 0.0, 0.0, True)

    def advance(self, step: float, speed: float) -> None:
        """Move on by a time [s] at a speed [m/s]."""
        if not self.smooth:
            most = ANALOGUE_RATE * step
            self.throttle_now = _toward(self.throttle_now, self.throttle, most, most)
            self.brake_now = _toward(self.brake_now, self.brake, most, most)
            self.steering_now = _toward(self.steering_now, self.steering, most, most)
            return
        self.throttle_now = _toward(self.throttle_now, self.throttle, 3.0 * step, 8.0 * step)
        self.brake_now = _toward(self.brake_now, self.brake, 5.0 * step, 12.0 * step)
        target = self.steering / (1.0 + (speed / CALM) ** 2)
        away = abs(target) > abs(self.steering_now) and target * self.steering_now >= 0.0
        rate = STEERING_BACK if not away else STEERING_START if abs(self.steering_now) < FIRST else STEERING_RATE
        most = rate * step
        self.steering_now = _toward(self.steering_now, target, most, most)


def _toward(now: float, target: float, up: float, down: float) -> float:
    """Nearer to a target by at most so much up or down."""
    return min(max(target, now - down), now + up)
