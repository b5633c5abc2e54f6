"""Chains by Denavit-Hartenberg rows, in Python: `gori.dh`."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gori.errors import SpecError
from gori.formats.dh_expand import Origins, expand, refused
from gori.formats.dh_table import DHTable
from gori.spec import Spec
from gori.spec.explain import Problem, warn


class Chain:
    """A chain by Denavit-Hartenberg rows, made by `gori.dh` or `gori.formats.read_dh`.

    names   name in the Spec of each frame, by number: {1: "L1", ..., 14: "C1", ...}; 0 is the body under the base
    mu      index sets: for each link, 0 the base, the numbers of the frames that sit on it
    """

    def __init__(self, table: DHTable):
        self.table = table
        frames, carriers = table.frames(), table.carriers()
        self.names = {0: table.base.body} | {number: frame.name for number, frame in enumerate(frames, 1)}
        sets = table.mu or {}
        self.mu: dict[int, tuple[int, ...]] = {
            link: tuple(sets.get(link, [n for n, on in enumerate(carriers, 1) if on == link]))
            for link in range(len(table.links) + 1)
        }

    def __repr__(self) -> str:
        counts = [(len(getattr(self.table, group)), group) for group in ("links", "cuts", "effectors")]
        words = [f"{n} {group if n != 1 else group[:-1]}" for n, group in counts]
        return f"<gori.dh: {self.table.convention}, {', '.join(words)}>"

    def spec(self, **others: Any) -> Spec:
        """The chain as a Spec. `others` are fields of a Spec beside it: gravity, forces, frames, more bodies, ..."""
        data, origins = merge(self, others)
        try:
            spec = Spec.model_validate(data)
        except SpecError as error:
            raise refused(origins.traced(error.problems)) from None
        for at, message in origins.traced(spec.warnings()):
            warn(f"{at}: {message}")
        return spec


def dh(
    convention: str,
    links: Sequence[Any] | Mapping[Any, Any],
    *,
    cuts: Sequence[Any] | Mapping[Any, Any] = (),
    effectors: Sequence[Any] | Mapping[Any, Any] = (),
    mu: Mapping[int, Iterable[int]] | None = None,
    base: Any = None,
) -> Chain:
    """A chain by Denavit-Hartenberg rows; `gori.dh(...).spec()` is its Spec.

    convention   "standard", "modified" or "branched"
    links        rows by name, or a list of rows numbered from 1: {"theta": ..., "d": ..., "a": ..., "alpha": ...}, and
                 `on`, `joint` or `s`, `mass`, `com`, `inertia`, `damping`, ... Link 3 becomes body L3, carried by joint
                 J3; a link named arm becomes body arm, carried by J_arm.
    cuts         pairs of cut sections {"C": row, "R": row}: frames that coincide in the closed chain, C1 and R1
    effectors    rows of end effectors: frames E1, E2, ...
    mu           index sets {link: numbers of the frames on it}, instead of `on` in the rows
    base         frame of link 0: {"body": ..., "at": ..., "rpy_deg": ...}; the ground's if not given

    Angles are in radians, or in degrees in fields that end in _deg. The coordinate of a revolute joint is theta, of
    a prismatic joint d: theta or d in its row is the start value of q. A cylindrical, universal or spherical joint
    becomes simple ones with massless links between them: angle and travel along z; angles about z and x; angles about
    z, x and y (regular while the second one is not 90 degrees).
    """
    rows = {"cuts": cuts or {}, "effectors": effectors or {}, "mu": mu, "base": base if base is not None else {}}
    return Chain(DHTable(convention=convention, links=links, **rows))  # pyright: ignore[reportArgumentType]


def merge(
    chain: Chain, others: Mapping[str, Any], used: Mapping[str, Any] = MappingProxyType({})
) -> tuple[dict[str, Any], Origins]:
    """Data of a Spec that holds the chain and what stands beside it, and where the chain's part of it comes from.

    used   data of the Spec that all this is added to: the chain changes nothing in it
    """
    made, origins = expand(chain.table)
    data = dict(others)
    clashes: list[Problem] = []
    taken: dict[str, str] = {}
    for group, parts in made.items():
        for name in parts:
            if name in used.get(group, {}):  # a row makes several parts: it is reported once
                words = f"makes {name!r}, which also exists in the used file: choose another name"
                taken.setdefault(origins.trace(f"{group}.{name}"), words)
        given = data.get(group)
        if given is None:
            data[group] = parts
        elif isinstance(given, dict):  # else the Spec will refuse it
            clashes += [
                (f"{group}.{name}", f"{name!r} is also made by {origins.trace(f'{group}.{name}')}: choose another name")
                for name in given
                if name in parts
            ]
            data[group] = parts | given
    if clashes := clashes + list(taken.items()):
        raise refused(clashes)
    return data, origins
