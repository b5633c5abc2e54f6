"""A frame of a drive, as pages get it, out of what the process that simulates has sent."""

from typing import Any

import numpy as np

from gori.web.grains import grains_part
from gori.web.poses import body_order, poses_of
from gori.web.serve.drive.truck import DrivenVehicle

RADS = 60.0 / (2.0 * np.pi)
PER_WHEEL = ("slip", "sinkage", "load")


class DriveFrames:
    """Heads and arrays of frames.

    outputs   columns of channels in a row of samples; known when the process is ready
    """

    def __init__(self, vehicle: DrivenVehicle):
        self.vehicle, self.model, self.size = vehicle, vehicle.model, vehicle.size
        self.outputs: dict[str, Any] = {}
        order = body_order(self.model)
        self._chassis = order.index(self.size.chassis)
        self._steered = [order.index(self.model.spec.wheels[name].body) for name in self.size.steered]
        self._train = next(iter(self.model.spec.drivetrains))

    def make(self, frame: dict[str, Any], number: int, state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Head and arrays, the same for all pages.

        state   of the session, besides that of the vehicle
        """
        row, get = frame["row"], self._get
        q = row[1 : 1 + self.model.nq]
        v = row[1 + self.model.nq : 1 + self.model.nq + self.model.nv]
        poses = poses_of(self.model, q)
        values: dict[str, Any] = {
            "speed": float(v[self.size.joint_v][3]), "rpm": RADS * get(row, f"{self._train}.engine_speed"),
            "gear": get(row, f"{self._train}.gear"), **frame["values"], "angle": self._wheel_angle(poses),
            "cones": frame["cones"], "ratio": frame["ratio"], "held": frame["percent"], "looks": frame["looks"],
            "behind": frame["behind"],
        }  # fmt: skip
        for channel in PER_WHEEL:
            values[channel] = [get(row, f"{wheel}.{channel}") for wheel in self.model.spec.wheels]
        own = {"paused": frame["paused"], "selector": frame["gear"], "low": frame["low"], "lost": frame["lost"],
               "sent": frame["sent"], "trouble": frame.get("trouble")}  # fmt: skip
        head = {"type": "frame", "time": float(row[0]), "poses": "poses", "spin": "spin", "values": values}
        arrays = {"poses": poses, "spin": frame["spin"]}
        if "stones" in frame:
            position, radius = frame["stones"]
            head["grains"] = _stones(position, radius, number, float(row[0]), arrays)
        return head | {"state": own | state}, arrays

    def cones_under(self, row: np.ndarray) -> set[int]:
        """Cones that lie under the outline of the vehicle."""
        cones = self.vehicle.course.cones
        if not len(cones):
            return set()
        w, x, y, z, *at = row[1:][self.size.joint_q][:6]
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        c, s = np.cos(yaw), np.sin(yaw)
        away = cones - np.array(at)
        ahead, aside = away @ [c, s], away @ [-s, c]
        corners = self.size.outline
        inside = (ahead > corners[:, 0].min()) & (ahead < corners[:, 0].max()) & (np.abs(aside) < 0.5 * self.size.width)
        return set(np.flatnonzero(inside).tolist())

    def _get(self, row: np.ndarray, channel: str) -> float:
        return float(row[self.outputs[channel]]) if channel in self.outputs else 0.0

    def _wheel_angle(self, poses: np.ndarray) -> float:
        """Mean angle of the steered wheels against the chassis [rad], to the left."""
        w, x, y, z = poses[self._chassis, 3:].astype(float)
        angles = []
        for body in self._steered:
            a, b, c, d = poses[body, 3:].astype(float)
            # z and w of conj(chassis) * wheel
            angles.append(2.0 * np.arctan2(w * d - z * a - x * c + y * b, w * a + x * b + y * c + z * d))
        return float(np.mean([np.arctan2(np.sin(t), np.cos(t)) for t in angles])) if angles else 0.0


def _stones(
    position: np.ndarray, radius: np.ndarray, number: int, time: float, arrays: dict[str, np.ndarray]
) -> dict[str, Any]:
    """The part `grains` of a head; its arrays are added."""
    ids = np.arange(len(position))
    part, own = grains_part(ids, position, radius, np.zeros(len(ids)), len(ids), (0.0, 1.0))
    part.pop("value")  # all of one colour
    own.pop("value")
    arrays |= {f"grains.{key}": array for key, array in own.items()}
    part = {key: f"grains.{x}" if isinstance(x, str) else x for key, x in part.items()}
    return {**part, "frame": number, "time": time}
