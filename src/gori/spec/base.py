"""What all parts of a Spec share: strictness, vectors, poses."""

import math
import re
from typing import Annotated, Any, Self, TypeVar

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from gori.errors import SpecError
from gori.spec.explain import refusal


def a_number(value: Any) -> Any:
    """A finite float."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise PydanticCustomError("number", "must be a number, not {value}", {"value": repr(value)})
    try:
        number = float(value)
    except OverflowError:  # an int of more than 308 digits
        number = math.inf
    if not math.isfinite(number):
        raise PydanticCustomError("finite", "must be finite, not {value}", {"value": str(number)})
    return number


Number = Annotated[float, BeforeValidator(a_number)]
NonNegative = Annotated[float, Field(ge=0), BeforeValidator(a_number)]
Positive = Annotated[float, Field(gt=0), BeforeValidator(a_number)]
Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(a_number)]


def _an_index(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise PydanticCustomError("index", "must be a non-negative integer, not {value}", {"value": repr(value)})
    return int(value)


Index = Annotated[int, BeforeValidator(_an_index)]


def a_sequence(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _names(value: Any) -> Any:
    """One name alone is a list of one."""
    if not isinstance(value, (str, list, tuple)):
        raise PydanticCustomError("names", "must be a list of names, not {value}", {"value": repr(value)})
    return [value] if isinstance(value, str) else value


Names = Annotated[
    tuple[str, ...],
    BeforeValidator(_names),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


def _a_count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise PydanticCustomError("count", "must be a positive integer, not {value}", {"value": repr(value)})
    return int(value)


Count = Annotated[int, BeforeValidator(_a_count), WithJsonSchema({"type": "integer", "minimum": 1})]


Vector3 = Annotated[tuple[Number, Number, Number], BeforeValidator(a_sequence)]
Vector4 = Annotated[tuple[Number, Number, Number, Number], BeforeValidator(a_sequence)]


def _a_direction(value: tuple[float, float, float]) -> tuple[float, float, float]:
    if (length := math.hypot(*value)) < 1e-9:
        raise PydanticCustomError("direction", "must be a direction, not the zero vector", {})
    if length > 1e150:  # its square is beyond the range of numbers
        raise PydanticCustomError("direction", "must be a direction, not a vector of length {length}", {
            "length": f"{length:.3g}"})  # fmt: skip
    return value


def _a_quaternion(value: tuple[float, ...]) -> tuple[float, ...]:
    norm = float(np.linalg.norm(value))
    if abs(norm - 1.0) > 1e-3:
        raise PydanticCustomError(
            "quaternion", "must be a unit quaternion w x y z; its length is {norm}", {"norm": f"{norm:.4g}"}
        )
    return value


Direction = Annotated[Vector3, AfterValidator(_a_direction)]
Quaternion = Annotated[Vector4, AfterValidator(_a_quaternion)]


def _a_colour(value: Any) -> Any:
    if not isinstance(value, str) or not re.fullmatch("#([0-9a-fA-F]{2}){3,4}", value):
        raise PydanticCustomError(
            "colour", "must be '#rrggbb' or '#rrggbbaa' in quotes, not {value}", {"value": repr(value)}
        )
    return value.lower()


_HEX = {"type": "string", "pattern": "^#([0-9a-fA-F]{2}){3,4}$"}
Colour = Annotated[str, BeforeValidator(_a_colour), WithJsonSchema(_HEX)]


class ReadOnly(dict):
    """Parts by name. Like the Spec that holds it, it does not change."""

    def _refused(self, *_: Any, **__: Any) -> Any:
        raise SpecError("a Spec is immutable: make a new one, such as spec.set('elbow.damping', 0.1)")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refused  # pyright: ignore

    def __reduce__(self):
        return type(self), (dict(self),)


_T = TypeVar("_T")
Named = Annotated[dict[str, _T], AfterValidator(ReadOnly)]


class Part(BaseModel):
    """A part of a Spec: immutable, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def __init__(self, /, **data: Any):
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise refusal(error, type(self)) from None

    # parts inside a part are validated by the outer one, not by this, so that it reports all problems with their paths
    __init__.__pydantic_base_init__ = True  # pyright: ignore[reportFunctionMemberAccess]

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """A part out of plain data; as the constructor, without its warnings."""
        try:
            return super().model_validate(obj, **options)
        except ValidationError as error:
            raise refusal(error, cls) from None


class Placed(Part):
    """Something with a pose: a position, and a rotation in one of two forms."""

    at: Vector3 = Field((0.0, 0.0, 0.0), description="position [m]")
    rpy_deg: Vector3 | None = Field(None, description="rotation as fixed-axis roll, pitch, yaw [deg]")
    quat: Quaternion | None = Field(None, description="rotation as unit quaternion w x y z")

    @model_validator(mode="after")
    def _one_rotation(self):
        refuse_both(self, "rpy_deg", "quat")
        return self

    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Rotation (3, 3) and position (3,)."""
        return rotation(self.rpy_deg, self.quat), np.array(self.at)


def refuse_both(part: BaseModel, one: str, other: str) -> None:
    if getattr(part, one) is not None and getattr(part, other) is not None:
        raise PydanticCustomError("both", "give {one} or {other}, not both", {"one": one, "other": other})


def rotation(rpy_deg: tuple | None, quat: tuple | None) -> np.ndarray:
    """Rotation matrix (3, 3) of roll-pitch-yaw angles [deg], or of a quaternion w x y z."""
    if quat is not None:
        w, x, y, z = np.array(quat) / np.linalg.norm(quat)
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
    if rpy_deg is None:
        return np.eye(3)
    (cr, cp, cy), (sr, sp, sy) = np.cos(np.radians(rpy_deg)), np.sin(np.radians(rpy_deg))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def quaternion(R: np.ndarray) -> tuple[float, ...]:
    """Unit quaternion w x y z of a rotation matrix (3, 3); its first component that is not zero is positive."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    # 4 q q' in terms of R; its longest row is q without loss of digits (Shepperd 1978)
    rows = np.array(
        [
            [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz],
        ]
    )
    q = rows[np.argmax(np.diag(rows))]
    q = q / np.linalg.norm(q) * np.sign(q[np.flatnonzero(q)[0]])
    return tuple((q + 0.0).tolist())


def rotation_to(axis: Any) -> np.ndarray:
    """A rotation (3, 3) whose z column is the given direction; the identity for z itself."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    if z[2] < 0.0:
        # the formula below fails near -z: half a turn about x first
        return np.diag([1.0, -1.0, -1.0]) @ rotation_to(z * [1.0, -1.0, -1.0])
    # the shortest rotation that carries z there: 1 + K + K K / (1 + z.z'), K = [z x z']
    K = np.array([[0.0, 0.0, z[0]], [0.0, 0.0, z[1]], [-z[0], -z[1], 0.0]])
    return np.eye(3) + K + K @ K / (1.0 + z[2])
