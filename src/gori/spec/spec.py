"""The Spec: what a person writes about a machine."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from gori.errors import SpecError
from gori.spec.base import Named, Part, ReadOnly, Vector3
from gori.spec.body import Body, Frame
from gori.spec.contact import Pairs, check_contact, unused_shapes, weightless_bodies
from gori.spec.explain import Problem, warn
from gori.spec.expression import closest
from gori.spec.force import Force, check_forces
from gori.spec.joint import GROUND, Joint, closest_body
from gori.spec.loops.cut import Cut
from gori.spec.loops.gear import MeshedPair, check_gears
from gori.spec.loops.motion import BASE, Base, Motion, check_motions, swinging_tables
from gori.spec.material import Contact, Material, check_materials
from gori.spec.particles.groups import Inlet, Outlet, ParticleGroup, check_particles
from gori.spec.run import Run
from gori.spec.subsystem import check_subsystems
from gori.spec.vehicle.control import Schedule, check_controls
from gori.spec.vehicle.drivetrain import DriveTrain
from gori.spec.vehicle.terrain import Terrain
from gori.spec.vehicle.wheel import Drag, Steering, Wheel, check_wheels

GROUPS = (
    "bodies", "joints", "cuts", "gears", "motions", "forces", "frames", "wheels", "steering", "drivetrains", "drag",
    "controls", "materials", "contacts", "particles", "inlets", "outlets",
)  # fmt: skip
_EXAMPLES = {
    "bodies": "mass", "joints": "damping", "cuts": "at", "gears": "bodies", "motions": "value", "frames": "at",
    "materials": "E", "contacts": "friction", "particles": "radius", "inlets": "rate", "outlets": "box",
}  # fmt: skip


def _refuse(at: str, message: str):
    """An error at a dotted path of the Spec; file readers turn the path into a line."""
    raise PydanticCustomError("spec", "{message}", {"message": message, "at": at})


class Spec(Part):
    """Bodies, joints, cuts, gears, motions, forces, frames, vehicles and particles by name; SI units. `ground` is the
    fixed body.

    The joints form a tree, whose loops are closed by cuts; or they are all joints of a machine with loops, and then
    `gori.compile` chooses the tree and makes cuts of the rest.
    """

    gori: Literal[1] = 1
    gravity: Vector3 = Field((0.0, 0.0, -9.81), description="[m/s2]")
    bodies: Named[Body] = Field(default_factory=ReadOnly)
    joints: Named[Joint] = Field(default_factory=ReadOnly)
    cuts: Named[Cut] = Field(default_factory=ReadOnly)
    gears: Named[MeshedPair] = Field(default_factory=ReadOnly, description="gears, racks and belts")
    motions: Named[Motion] = Field(default_factory=ReadOnly)
    forces: Named[Force] = Field(default_factory=ReadOnly)
    frames: Named[Frame] = Field(default_factory=ReadOnly)
    wheels: Named[Wheel] = Field(default_factory=ReadOnly)
    steering: Named[Steering] = Field(default_factory=ReadOnly)
    drivetrains: Named[DriveTrain] = Field(default_factory=ReadOnly)
    drag: Named[Drag] = Field(default_factory=ReadOnly)
    controls: Named[Schedule] = Field(
        default_factory=ReadOnly, description="schedules that drive the vehicles in a run"
    )
    materials: Named[Material] = Field(
        default_factory=ReadOnly, description="of particles, walls and shapes that collide"
    )
    contacts: Named[Contact] = Field(default_factory=ReadOnly, description="of two materials: {grain/steel: ...}")
    particles: Named[ParticleGroup] = Field(default_factory=ReadOnly, description="initial particles")
    inlets: Named[Inlet] = Field(
        default_factory=ReadOnly, description="regions where particles are inserted during a run"
    )
    outlets: Named[Outlet] = Field(
        default_factory=ReadOnly, description="regions where particles are removed during a run"
    )
    no_contact: Pairs = Field((), description="pairs of bodies, or of shapes such as arm.tip, that never touch")
    terrain: Terrain | None = Field(None, description="ground under wheels; {} is a level plane at z = 0")
    base: Base | None = Field(None, description="motion of everything attached to the ground, as on a ship or a shaker")
    run: Run | None = None

    def __init__(self, /, **data: Any):
        super().__init__(**data)
        for at, message in self.warnings():
            warn(f"{at}: {message}")

    __init__.__pydantic_base_init__ = True  # pyright: ignore[reportFunctionMemberAccess]

    @model_validator(mode="after")
    def _consistent(self):
        for group in GROUPS:
            for name in getattr(self, group):
                if not name or any(c.isspace() or c in "*?" for c in name):
                    _refuse(f"{group}.{name}", f"a name must not be empty or contain spaces, '*' or '?': {name!r}")
                if self.base is not None and (name == BASE or _leads(name, BASE)):
                    _refuse(
                        f"{group}.{name}",
                        f"{name!r} is reserved for the moving base, which becomes the body {BASE!r} on joints such as "
                        f"'{BASE}.x': choose another name",
                    )
        if (ground := self.bodies.get(GROUND)) is not None and (own := ground.model_fields_set - {"shapes"}):
            _refuse(
                f"bodies.{GROUND}.{min(own)}",
                "'ground' is the fixed body: only its shapes can be given",
            )
        for name, frame in self.frames.items():
            if name in self.bodies or name == GROUND:
                _refuse(f"frames.{name}", f"frame {name!r} has the name of a body")
            self._known(f"frames.{name}.body", f"frame {name!r}", "body", frame.body)
        for group in ("joints", "cuts"):
            for name, joint in getattr(self, group).items():
                for side in ("parent", "child"):
                    word = f"{group[:-1]} {name!r}"
                    self._known(f"{group}.{name}.{side}", word, side, getattr(joint, side))
        for name in self.cuts:
            if name in self.joints:
                _refuse(f"cuts.{name}", f"cut {name!r} has the name of a joint: choose another name")
        self._check_mimic()
        self._check_joined()
        checks = (check_forces, check_motions, check_gears, check_wheels, check_controls, check_particles)
        for check in (*checks, check_materials, check_contact, check_subsystems):
            for at, message in check(self):
                _refuse(at, message)
        return self

    def _known(self, at: str, who: str, role: str, body: str) -> None:
        if body != GROUND and body not in self.bodies:
            _refuse(at, f"{who}: {role} {body!r} is not a body{closest_body(body, self.bodies)}")

    def _check_mimic(self) -> None:
        settled: set[str] = set()  # joints that lead to one which moves by itself
        for name, joint in self.joints.items():
            if joint.mimic is None:
                continue
            other = joint.mimic.joint
            at = f"joints.{name}.mimic"
            if other not in self.joints:
                _refuse(at, f"joint {name!r} mimics {other!r}, which is not a joint{closest(other, self.joints)}")
            if other == name or self.joints[other].type not in ("revolute", "prismatic", "helical"):
                _refuse(at, f"joint {name!r} must mimic another joint of one degree of freedom, not {other!r}")
            chain = {name: None}  # in this order
            while other in self.joints and (follows := self.joints[other].mimic) is not None:
                if other in chain or other in settled:
                    break
                chain[other] = None
                other = follows.joint
            if other in chain:
                _refuse(at, f"the joints {' <- '.join([*chain, other])} mimic each other in a cycle")
            settled.update(chain)

    def _check_joined(self) -> None:
        """Joints may close loops (`gori.compile` opens them), but each body must hang together with the ground."""
        next_to: dict[str, list[str]] = {GROUND: [], **{body: [] for body in self.bodies}}
        for joint in self.joints.values():
            next_to[joint.parent].append(joint.child)
            next_to[joint.child].append(joint.parent)
        reached, todo = {GROUND}, [GROUND]
        while todo:
            new = [body for body in next_to[todo.pop()] if body not in reached]
            reached.update(new)
            todo += new
        carried = {joint.child for joint in self.joints.values()}
        lost = [body for body in self.bodies if body not in reached]
        for body in lost:
            if body not in carried:
                _refuse(
                    f"bodies.{body}",
                    f"body {body!r} is not the child of any joint, so its position is undefined: "
                    "add a joint to it (type: free or type: fixed)",
                )
        if lost:
            few = ", ".join(lost[:4]) + (", ..." if len(lost) > 4 else "")
            _refuse(
                f"bodies.{lost[0]}",
                f"the bodies {few} form a cycle that is not connected to the ground: "
                "add a joint from the ground to one of them",
            )

    def warnings(self) -> list[Problem]:
        """Dotted path and message of what is allowed, but probably a mistake."""
        found = ((name, joint.warning()) for name, joint in self.joints.items())
        warnings = [(f"joints.{name}.{warning[0]}", warning[1]) for name, warning in found if warning]
        return warnings + unused_shapes(self) + weightless_bodies(self) + swinging_tables(self)

    def set(self, name: str | Mapping[str, Any], value: Any = None) -> "Spec":
        """A new Spec with one value changed: `spec.set("elbow.damping", 0.1)`, `spec.set("bodies.hand.mass", 2)`.

        {name: value} changes several, and only the result is checked: for values that must fit each other.
        """
        data = self.model_dump(exclude_unset=True)
        for one, wanted in (name if isinstance(name, Mapping) else {name: value}).items():
            self._put(data, one, wanted)
        return Spec(**data)

    def _put(self, data: dict[str, Any], name: str, value: Any) -> None:
        """One value into the dump of this Spec."""
        if not isinstance(name, str):
            raise SpecError(f"the first argument must be the name of a field, such as 'elbow.damping', not {name!r}")
        keys, node = name.split("."), data
        lengths = {
            group: max((len(key) for key in data.get(group, {}) if _leads(name, key)), default=0) for group in GROUPS
        }
        # a longer name knows better: truck.wheel_fl is not a field of the joint truck
        owners = [group for group, length in lengths.items() if length and length == max(lengths.values())]
        # a part may be called `base` or `run`, as long as the Spec has no such section
        if keys[0] not in type(self).model_fields or (owners and data.get(keys[0]) is None):
            if whole := [group for group in GROUPS if name in data.get(group, {})]:
                field = list(type(getattr(self, whole[0])[name]).model_fields)[-1]
                example = _EXAMPLES.get(whole[0], field)
                raise SpecError(f"cannot set {name!r} as a whole: name a field, such as '{name}.{example}'")
            if not owners:
                known = [key for group in GROUPS for key in data.get(group, {})]
                raise SpecError(f"cannot set {name!r}: unknown name{closest(keys[0], known)}")
            if len(owners) > 1:
                raise SpecError(
                    f"cannot set {name!r}: it may mean {' or '.join(f'{o}.{name}' for o in owners)}; be specific"
                )
            name = f"{owners[0]}.{name}"
        rest, depth = name, 0
        while "." in rest:
            match = max((key for key in node if isinstance(key, str) and _leads(rest, key)), key=len, default=None)
            head, _, tail = rest.partition(".")
            # in a part, and the field is a list, or one that is not given and so unknown here
            if depth == 2 and tail.isdigit() and not isinstance(node.get(match or ""), dict):
                whole = name.removesuffix(f".{tail}")
                raise SpecError(f"cannot set {name!r}: parts of a list cannot be set; set the whole list, {whole!r}")
            if match is None or not isinstance(node[match], dict):
                raise SpecError(f"cannot set {name!r}: there is no {head!r}{closest(head, node)}")
            node, rest, depth = node[match], rest[len(match) + 1 :], depth + 1
        node[rest] = value


def _leads(name: str, key: str) -> bool:
    return name.startswith(key + ".")
