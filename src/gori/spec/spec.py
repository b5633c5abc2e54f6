"""The Spec: what a person writes about a machine."""

from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from gori.errors import SpecError
from gori.spec.base import Part, Vector3
from gori.spec.body import Body, Frame
from gori.spec.expression import closest
from gori.spec.force import FORCES, VALUE_TAGS, Force, check_forces
from gori.spec.joint import GROUND, Cut, Joint, Mimic
from gori.spec.shape import SHAPES

GROUPS = ("bodies", "joints", "cuts", "forces", "frames")


def _refuse(at: str, message: str):
    """An error at a dotted place of the Spec; files turn the place into a line."""
    raise PydanticCustomError("spec", "{message}", {"message": message, "at": at})


class Spec(Part):
    """Bodies, joints, cuts, forces and frames by name; SI units. `ground` is the body that never moves."""

    gori: Literal[1] = 1
    gravity: Vector3 = Field((0.0, 0.0, -9.81), description="[m/s2]")
    bodies: dict[str, Body] = Field(default_factory=dict)
    joints: dict[str, Joint] = Field(default_factory=dict)
    cuts: dict[str, Cut] = Field(default_factory=dict)
    forces: dict[str, Force] = Field(default_factory=dict)
    frames: dict[str, Frame] = Field(default_factory=dict)

    def __init__(self, /, **data: Any):
        try:
            super().__init__(**data)
        except ValidationError as error:
            problems = explain(error)
            refusal = SpecError("\n".join(f"{place}: {text}" if place else text for place, text in problems))
            refusal.problems = tuple(problems)
            raise refusal from None

    @model_validator(mode="after")
    def _consistent(self):
        for group in GROUPS:
            for name in getattr(self, group):
                if not name or any(c.isspace() or c in "*?" for c in name):
                    _refuse(f"{group}.{name}", f"a name must not be empty or hold spaces, '*' or '?': {name!r}")
        if GROUND in self.bodies:
            _refuse(f"bodies.{GROUND}", "'ground' is the body that never moves: it is not listed among the bodies")
        for name, frame in self.frames.items():
            if name in self.bodies or name == GROUND:
                _refuse(f"frames.{name}", f"frame {name!r} has the name of a body")
            self._known(f"frames.{name}.body", f"frame {name!r}", "body", frame.body)
        for group in ("joints", "cuts"):
            for name, joint in getattr(self, group).items():
                for side in ("parent", "child"):
                    word = f"{group[:-1]} {name!r}"
                    self._known(f"{group}.{name}.{side}", word, side, getattr(joint, side))
        self._check_mimic()
        self._check_tree()
        for at, message in check_forces(self):
            _refuse(at, message)
        return self

    def _known(self, at: str, who: str, role: str, body: str) -> None:
        if body != GROUND and body not in self.bodies:
            _refuse(at, f"{who}: {role} {body!r} is not a body{closest(body, [*self.bodies, GROUND])}")

    def _check_mimic(self) -> None:
        for name, joint in self.joints.items():
            if joint.mimic is None:
                continue
            other = joint.mimic.joint
            at = f"joints.{name}.mimic"
            if other not in self.joints:
                _refuse(at, f"joint {name!r} mimics {other!r}, which is not a joint{closest(other, self.joints)}")
            if other == name or self.joints[other].type not in ("revolute", "prismatic", "helical"):
                _refuse(at, f"joint {name!r} must mimic another joint of one degree of freedom, not {other!r}")
            chain = [name]
            while other in self.joints and (follows := self.joints[other].mimic) is not None and other not in chain:
                chain.append(other)
                other = follows.joint
            if other in chain:
                _refuse(at, f"the joints {' <- '.join([*chain, other])} mimic each other in a ring")

    def _check_tree(self) -> None:
        mover: dict[str, str] = {}
        for name, joint in self.joints.items():
            if joint.child == GROUND:
                _refuse(f"joints.{name}.child", f"joint {name!r}: the ground cannot be a child; swap parent and child")
            if joint.child in mover:
                _refuse(
                    f"joints.{name}.child",
                    f"joints {mover[joint.child]!r} and {name!r} both carry body {joint.child!r}: that closes a loop. "
                    "The joints form a tree; move one of the two to cuts",
                )
            mover[joint.child] = name
        for body in self.bodies:
            if body not in mover:
                _refuse(
                    f"bodies.{body}",
                    f"body {body!r} is the child of no joint, so nothing says where it is: "
                    "add a joint that carries it (type: free lets it fly, type: fixed holds it)",
                )
        settled = {GROUND}
        for body in self.bodies:
            path: list[str] = []
            while body not in settled:
                if body in path:
                    ring = [*path[path.index(body) :], body]
                    _refuse(
                        f"joints.{mover[body]}",
                        f"the bodies {' <- '.join(ring)} carry each other in a ring that never reaches the ground: "
                        f"make one of their joints (such as {mover[body]!r}) a cut, and carry one body from the ground",
                    )
                path.append(body)
                body = self.joints[mover[body]].parent
            settled.update(path)

    def set(self, name: str, value: Any) -> "Spec":
        """A new Spec with one value changed: `spec.set("elbow.damping", 0.1)`, `spec.set("bodies.hand.mass", 2)`."""
        data = self.model_dump(exclude_unset=True)
        keys, place = name.split("."), data
        if keys[0] not in type(self).model_fields:
            owners = [group for group in GROUPS if any(_leads(name, key) for key in data.get(group, {}))]
            if not owners:
                known = [key for group in GROUPS for key in data.get(group, {})]
                raise SpecError(f"cannot set {name!r}: nothing here has that name{closest(keys[0], known)}")
            if len(owners) > 1:
                raise SpecError(
                    f"cannot set {name!r}: it may mean {' or '.join(f'{o}.{name}' for o in owners)}; say which"
                )
            name = f"{owners[0]}.{name}"
        rest = name
        while "." in rest:
            match = max((key for key in place if isinstance(key, str) and _leads(rest, key)), key=len, default=None)
            if match is None or not isinstance(place[match], dict):
                head = rest.split(".")[0]
                raise SpecError(f"cannot set {name!r}: nothing is called {head!r} there{closest(head, place)}")
            place, rest = place[match], rest[len(match) + 1 :]
        place[rest] = value
        return Spec(**data)


def _leads(name: str, key: str) -> bool:
    return name.startswith(key + ".")


def _keys_beside(loc: tuple[Any, ...]) -> list[str]:
    """The keys that the Spec knows where pydantic met an unknown one."""
    kinds = {"bodies": Body, "joints": Joint, "cuts": Cut, "frames": Frame}
    path = [*loc]
    if len(path) == 1:
        return list(Spec.model_fields)
    if path[0] == "forces":
        return list(FORCES[path[2]].model_fields)
    if path[2] == "shapes" and len(path) > 4:
        return list(SHAPES[path[4]].model_fields)
    return list((Mimic if len(path) > 3 else kinds[path[0]]).model_fields)


def explain(error: ValidationError) -> list[tuple[str, str]]:
    """Dotted place and plain words of each problem that pydantic found."""
    problems = []
    for item in error.errors():
        context = item.get("ctx", {})
        if item["type"] == "spec":
            problems.append((context["at"], context["message"]))
            continue
        # pydantic adds the tag of a union to the path: 'bodies.a.shapes.b.sphere.radius', 'forces.a.torque.value'
        path = [str(key) for key in item["loc"]]
        if path[:1] == ["forces"]:
            path = path[:2] + [key for key in path[3:] if key not in VALUE_TAGS]
        if path[:1] == ["bodies"] and path[2:3] == ["shapes"] and len(path) > 4:
            del path[4]
        path += [context["inside"]] if "inside" in context else []
        text = item["msg"]
        if item["type"] == "extra_forbidden":
            known = _keys_beside(item["loc"])
            text = f"unknown key {path[-1]!r}" + (closest(path[-1], known) or f"; known here: {', '.join(known)}")
        elif item["type"] == "missing" and isinstance(item["loc"][-1], int):
            text = f"too few numbers: {path.pop()}"
        elif item["type"] == "missing":
            text = f"{path[-1]!r} is missing"
        elif item["type"] == "too_long":
            text = f"too many numbers: {context['actual_length']} instead of {context['max_length']}"
        elif item["type"] in ("dict_type", "model_type", "model_attributes_type"):
            text = f"must hold keys and values, not {item['input']!r}"
        elif item["type"] == "tuple_type":
            text = f"must be a list of numbers, not {item['input']!r}"
        elif item["type"] == "string_type":
            text = f"must be text, not {item['input']!r}"
        elif item["type"] == "greater_than_equal":
            text = f"must not be negative, is {item['input']!r}"
        elif item["type"] == "greater_than":
            text = f"must be positive, is {item['input']!r}"
        elif item["type"] == "literal_error":
            text = f"{item['input']!r} is not one of {context['expected']}"
        elif item["type"] == "union_tag_invalid":
            text = f"type {context['tag']!r} is not one of {context['expected_tags']}"
        elif item["type"] == "union_tag_not_found":
            text = "'type' is missing"
        problems.append((".".join(path), text))
    return problems
