"""Names of a Spec for the elements of a compiled MJCF model.

In MJCF each kind of element has its own names, and they may be missing. In a Spec frames, forces and cuts must not have
the names of bodies and joints: where they would, `.site`, `.motor` or `.cut` is added.
"""

import re
from typing import Any

from gori.formats.left_out import LeftOut
from gori.formats.mjcf.package import mujoco_package
from gori.spec import GROUND

_UNFIT = re.compile(r"[\s*?]")


class ElementNames:
    """Names by kind: `bodies[k]` is the name of body k.

    bodies, joints, geoms, sites, actuators, equalities, tendons, sensors, keys   as in MJCF, without name by number
    """

    def __init__(self, m: Any, left: LeftOut):
        self._left = left
        self._own = _reader(m)
        self.bodies = [GROUND, *self._all("body", range(1, m.nbody), {GROUND})]
        self.joints = self._all("joint", range(m.njnt), set())
        used = {*self.bodies, *self.joints}
        self.sites = self._all("site", range(m.nsite), used, ".site")
        used |= set(self.sites)
        self.actuators = self._all("actuator", range(m.nactuator), used, ".motor")
        self.equalities = self._all("equality", range(m.neq), {*used, *self.actuators}, ".cut")
        self.geoms = self._all("geom", range(m.ngeom), set())
        self.tendons = self._all("tendon", range(m.ntendon), set())
        self.sensors = self._all("sensor", range(m.nsensor), set())
        self.keys = self._all("key", range(m.nkey), set())
        self._bodies, self._joints = dict.fromkeys(self.bodies, 1), dict.fromkeys(self.joints, 1)
        self._forces = dict.fromkeys([*used, *self.actuators, *self.equalities], 1)

    def of(self, kind: str, count: int) -> list[str]:
        """Names of any kind of element: "camera", "light", ..."""
        return self._all(kind, range(count), set())

    def body(self, wanted: str) -> str:
        """A name for a body that MJCF does not have."""
        return _free(wanted, self._bodies)

    def joint(self, wanted: str) -> str:
        """A name for a joint that MJCF does not have."""
        return _free(wanted, self._joints)

    def force(self, wanted: str) -> str:
        """A name for a force or motion that MJCF does not have."""
        return _free(wanted, self._forces)

    def _all(self, kind: str, ids: range, taken: set[str], suffix: str = "") -> list[str]:
        found: list[str] = []
        used: dict[str, int] = {}
        for k in ids:
            own = self._own(kind, k)
            name = _UNFIT.sub("_", own) if own else f"{kind}_{k}"
            if name in taken and suffix:
                name += suffix
            fit = _free(name, used, taken)
            if own and (fit != name or name.removesuffix(suffix) != own):
                self._left.note(f"{kind} {own!r} is called {fit!r}")
            found.append(fit)
        return found


def _free(wanted: str, used: dict[str, int], others: set[str] | frozenset[str] = frozenset()) -> str:
    """The name, or the name and a number, that is not used yet; then it is. used: the last number of each."""
    name, k = wanted, used.get(wanted, 1)
    while name in used or name in others:
        k += 1
        name = f"{wanted}_{k}"
    used[wanted] = k
    used.setdefault(name, 1)
    return name


def _reader(m: Any):
    mujoco = mujoco_package()
    kinds = {name: getattr(mujoco.mjtObj, f"mjOBJ_{name.upper()}") for name in _KINDS}

    def own(kind: str, k: int) -> str:
        return mujoco.mj_id2name(m, kinds[kind], k) or ""

    return own


_KINDS = ("body", "joint", "geom", "site", "actuator", "equality", "tendon", "sensor", "key", "camera", "light",
          "texture", "material", "skin", "pair", "exclude", "numeric", "text", "tuple", "plugin", "hfield",
          "mesh", "flex")  # fmt: skip
