"""Pedals and wheel as a person moves them: keys are on or off, feet and hands are not."""

from dataclasses import dataclass

STEERING_RATE, STEERING_BACK = 2.2, 3.5
"""full turns of the steering a second, by keys: away from the middle, and back"""
CALM = 11.0
"""speed at which keys turn the steering only half [m/s]: more would turn the vehicle over"""
ANALOGUE_RATE = 10.0
"""of pedals and wheels that are moved by hand"""


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
        most = (STEERING_RATE if away else STEERING_BACK) * step
        self.steering_now = _toward(self.steering_now, target, most, most)


def _toward(now: float, target: float, up: float, down: float) -> float:
    """Nearer to a target by at most so much up or down."""
    return min(max(target, now - down), now + up)
