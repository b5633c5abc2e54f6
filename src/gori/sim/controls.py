"""Controls of a run: other values or targets for the forces of a Spec."""

from typing import Any

from gori.errors import InputError
from gori.model import Model, compile


def controlled(model: Model, controls: dict[str, Any]) -> Model:
    """The Model with other values or targets of its named forces."""
    spec = model.spec
    for name, value in controls.items():
        if name not in spec.forces:
            raise InputError(
                f"controls: {name!r} is not a force of the Spec; there are {', '.join(spec.forces) or 'none'}"
            )
        field = {"motor": "target", "torque": "value", "force": "value"}.get(spec.forces[name].type)
        if field is None:
            raise InputError(
                f"controls: {name!r} is a {spec.forces[name].type}: only motors, torques and forces are controlled"
            )
        spec = spec.set(f"forces.{name}.{field}", value)
    return model if spec is model.spec else compile(spec, model.open_loops)
