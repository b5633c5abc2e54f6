"""Where particles are at the start: regular, random without overlaps, or a loose cloud for a run to pour.

All packings are in a `Container`, in its own frame, and follow from a seed.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gori.errors import InputError
from gori.model.memory import require_memory
from gori.model.particles.container import Container

REGULAR_SPACING = 2.02
"""spacing of a regular packing, in largest radii"""
LOOSE_SPACING = 2.2
"""spacing of a cloud that is poured, in largest radii"""
MOST_IN_A_ROW = 8
"""particles side by side in a cell for one of the largest, at most"""
SHIFT = 0.01
"""how far at most a particle of a regular packing stands off its site, in largest radii: nothing balances for ever"""
DENSEST = 0.62
"""share of a container that spheres at random can take at most"""
SURE = 0.54
"""share of a large container that they can take without long search"""
BLOCK = 100_000
"""sites of a grid that are looked at together"""
MARGIN = 1e-3
"""by how much radii are enlarged while particles push each other apart"""
ROUNDS = 6000
OVERLAP = 0.05
"""share of the smaller radius by which particles may overlap, where nothing else is said"""


BYTES = 500
"""of memory that a run takes for each particle, at least"""


def draw_radii(radius: float | tuple, count: int, rng: np.random.Generator) -> np.ndarray:
    """Radii (count,) of a rule: one, (smallest, largest) drawn evenly, or rows (radius, share).

    Shares are kept as well as whole numbers allow; only the order is drawn.
    """
    require_memory(BYTES * count, f"{count:g} particles", "ask for fewer")
    if not isinstance(radius, tuple):
        return np.full(count, radius)
    if not isinstance(radius[0], tuple):
        return rng.uniform(radius[0], radius[1], count)
    radii, shares = np.array(radius).T
    exact = count * shares / shares.sum()
    numbers = np.floor(exact).astype(int)
    numbers[np.argsort(numbers - exact, kind="stable")[: count - numbers.sum()]] += 1
    return rng.permutation(np.repeat(radii, numbers))


def regular(
    container: Container,
    radii: np.ndarray,
    rng: np.random.Generator,
    spacing: float | None = None,
    floor: float | None = None,
) -> np.ndarray:
    """Points (n, 3) on a cubic grid, from the floor up, each shifted a little.

    spacing   of the grid [m]; if not given, a little more than the largest diameter
    floor     height in the container from which they stand, along its way up [m]; if not given, its lower end
    """
    largest = float(radii.max())
    wide = REGULAR_SPACING * largest if spacing is None else spacing
    shift = min(SHIFT * largest, 0.5 * wide - largest)
    points, fitting = _grid(container, len(radii), largest, wide, shift, rng, floor, lid=True)
    if points is None:
        raise _too_many(container, len(radii), f"{fitting} fit in a regular packing of spacing {wide:.4g} m")
    return points


def poured(
    container: Container,
    radii: np.ndarray,
    rng: np.random.Generator,
    spacing: float | None = None,
    floor: float | None = None,
) -> np.ndarray:
    """Points (n, 3) of a loose cloud, from the floor up; above an open container it rises as high as it must.

    Particles that are half as large as the largest or less stand side by side in cells of the grid, if no spacing is
    given. In a closed container that is too small for a loose cloud all are at random, as dense as they have to be.
    """
    largest = float(radii.max())
    if spacing is None and largest >= 2.0 * radii.min():
        points = _mixed(container, radii, rng, floor)
        if points is not None:
            return points
    wide = LOOSE_SPACING * largest if spacing is None else spacing
    points, fitting = _grid(
        container, len(radii), largest, wide, 0.5 * wide - largest, rng, floor, lid=not container.lid
    )
    if points is not None:
        return points
    if spacing is not None or floor is not None:
        raise _too_many(container, len(radii), f"{fitting} fit in a loose packing of spacing {wide:.4g} m")
    return random(container, radii, rng)


def _grid(
    container: Container,
    count: int,
    radius: float,
    spacing: float,
    shift: float,
    rng: np.random.Generator,
    floor: float | None,
    lid: bool,
) -> tuple[np.ndarray | None, int]:
    """The lowest places of a cubic grid, each moved by at most `shift`, or None; and how many there are.

    Sites are looked at in blocks, from below, and no more of them than it takes.
    """
    (axis, sign), keep = container.up, radius + shift
    bottom, top = sorted((sign * container.low[axis], sign * container.high[axis]))
    bottom = bottom if floor is None else max(bottom, floor)
    wide, deep = (k for k in range(3) if k != axis)
    room = (container.high - container.low - 2.0 * keep) / spacing + 1.0 + 1e-9
    most = [int(max(n, 0.0)) for n in room]
    middle, each = 0.5 * (container.low + container.high), most[wide] * most[deep]

    def sites(first: int, last: int) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
        """Layers and places (n,), (n, 3) of the free sites from layer `first` to before `last`, block by block; and
        which layers are complete: those before.
        """
        for start in range(0, (last - first) * each, BLOCK):
            at = np.arange(start, min(start + BLOCK, (last - first) * each))
            layer, place = first + at // each, at % each
            points = np.empty((len(at), 3))
            points[:, wide] = middle[wide] + spacing * (place // most[deep] - 0.5 * (most[wide] - 1))
            points[:, deep] = middle[deep] + spacing * (place % most[deep] - 0.5 * (most[deep] - 1))
            points[:, axis] = sign * (bottom + keep + spacing * layer)
            free = container.free(points, keep - 1e-12 * spacing, lid)
            yield layer[free], points[free], first + (int(at[-1]) + 1) // each

    layers = int(max((top - bottom - 2.0 * keep) / spacing + 1.0 + 1e-9, 0.0))
    found = _lowest(sites(0, layers), count, rng, _NO_SITES)
    if not lid and len(found.layer) < count:
        # the rest stands in layers above the open face, which are all alike
        above = layers + 2
        if alike := sum(len(layer) for layer, _, _ in sites(above, above + 1)):
            last = above + math.ceil((count - len(found.layer)) / alike)
            found = _lowest(sites(layers, last), count, rng, found)
    if len(found.layer) < count:
        return None, len(found.layer)
    moves = rng.normal(size=found.points.shape)
    moves *= (shift * rng.random(count) ** (1 / 3) / np.linalg.norm(moves, axis=1))[:, None]
    return found.points + moves, count


class _Sites(NamedTuple):
    """Sites of a grid: their layers (n,), a number drawn for each (n,), and where they are (n, 3) [m]."""

    layer: np.ndarray
    drawn: np.ndarray
    points: np.ndarray


_NO_SITES = _Sites(np.zeros(0, int), np.zeros(0), np.zeros((0, 3)))


def _lowest(
    blocks: Iterator[tuple[np.ndarray, np.ndarray, int]], count: int, rng: np.random.Generator, found: _Sites
) -> _Sites:
    """The lowest `count` sites of those that were found and of further blocks, within a layer by chance."""
    pieces, size = [found], len(found.layer)
    for layer, points, complete in blocks:
        pieces.append(_Sites(layer, rng.random(len(layer)), points))
        size += len(layer)
        if size > 2 * (count + BLOCK) or (size >= count and (not len(layer) or layer[-1] < complete)):
            found = _first(pieces, count)
            pieces, size = [found], count
            if found.layer[-1] < complete:
                break
    return _first(pieces, count)


def _first(pieces: list[_Sites], count: int) -> _Sites:
    whole = _Sites(*(np.concatenate(arrays) for arrays in zip(*pieces)))
    order = np.lexsort((whole.drawn, whole.layer))[:count]
    return _Sites(*(array[order] for array in whole))


def _mixed(container: Container, radii: np.ndarray, rng: np.random.Generator, floor: float | None) -> np.ndarray | None:
    """A loose cloud of sizes that differ: cells as wide as the largest need, each with one of them or k^3 smaller ones
    on a grid of its own. None if the container has too few cells.
    """
    largest, lid = float(radii.max()), not container.lid
    wide = LOOSE_SPACING * largest
    sides = np.minimum(largest / radii * (1.0 + 1e-9), MOST_IN_A_ROW).astype(int)
    waiting = {int(k): np.flatnonzero(sides == k).tolist() for k in np.unique(sides)}
    cells = {k: -(-len(mine) // k**3) for k, mine in waiting.items()}
    for _ in range(20):
        kinds = rng.permutation(np.repeat(list(cells), list(cells.values())))
        centres, _ = _grid(container, len(kinds), 0.5 * wide, wide, 0.0, rng, floor, lid)
        if centres is None:
            return None
        points, left = np.empty((len(radii), 3)), {k: list(mine) for k, mine in waiting.items()}
        for centre, kind in zip(centres, kinds.tolist()):
            narrow = wide / kind
            line = narrow * (np.arange(kind) - 0.5 * (kind - 1))
            sites = centre + np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
            # at the corners of a cell a round wall may be nearer than at its middle
            sites = rng.permutation(sites[container.free(sites, (0.5 - 1e-9) * narrow, lid)])
            mine, left[kind] = left[kind][: len(sites)], left[kind][len(sites) :]
            moves = rng.normal(size=(len(mine), 3))
            far = (0.5 * narrow - radii[mine]) * rng.random(len(mine)) ** (1 / 3)
            points[mine] = sites[: len(mine)] + moves * (far / np.linalg.norm(moves, axis=1))[:, None]
        if not any(left.values()):
            return points
        cells = {k: cells[k] + -(-2 * len(mine) // k**3) for k, mine in left.items()}
    return None


def random(container: Container, radii: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points (n, 3) without order and without overlaps: drawn evenly, then pushed apart.

    The energy of overlaps is led to zero by FIRE (Bitzek et al. 2006). Open faces count as closed.
    """
    share = 4.0 / 3.0 * np.pi * (radii**3).sum() / container.volume
    fitting = int(SURE / share * len(radii))
    if share > DENSEST:
        raise _too_many(container, len(radii), f"they are {share:.0%} of its volume; about {fitting} fit at random")
    if radii.max() > 1.01 * container.widest():
        raise _too_many(container, len(radii), "the largest particle is wider than the container")
    points = _pushed_apart(container, _scattered(container, radii, rng), radii)
    if points is None:
        words = f"at {share:.0%} of its volume no positions without overlap were found; about {fitting} fit at random"
        raise _too_many(container, len(radii), words)
    return points


def _scattered(container: Container, radii: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points drawn evenly in the container (n, 3), clear of the walls; in a narrow container, where that is rare, as
    drawn.
    """
    points = np.empty((len(radii), 3))
    missing = np.arange(len(radii))
    for _ in range(100):
        points[missing] = rng.uniform(container.low, container.high, (len(missing), 3))
        missing = missing[container.clearance(points[missing]) < radii[missing]]
        if not len(missing):
            break
    return points


def _pushed_apart(container: Container, points: np.ndarray, radii: np.ndarray) -> np.ndarray | None:
    """Points that no longer overlap, or None when they have not come apart."""
    large = radii * (1.0 + MARGIN)
    skin = 0.3 * radii.min()
    v, dt, mixing, uphill = np.zeros_like(points), 0.1, 0.1, 0
    listed = points - np.inf
    i = j = np.zeros(0, int)
    for _ in range(ROUNDS):
        if not np.abs(points - listed).max(initial=0.0) < 0.25 * skin:  # also in the first round
            listed = points.copy()
            i, j = near_pairs(points, large, skin)
        d = points[j] - points[i]
        away = np.maximum(np.linalg.norm(d, axis=1), 1e-300)
        deep = large[i] + large[j] - away
        touch = deep > 0.0
        push = d[touch] * (deep[touch] / away[touch])[:, None]
        F, overlap = np.zeros_like(points), (radii[i] + radii[j] - away).max(initial=-1.0)
        for k in range(3):
            F[:, k] = np.bincount(j[touch], push[:, k], len(points)) - np.bincount(i[touch], push[:, k], len(points))
        for distance, inwards in container.walls(points).values():
            F += np.maximum(large - distance, 0.0)[:, None] * inwards
            overlap = max(overlap, (radii - distance).max())
        if overlap <= 0.0:
            return points
        power = (F * v).sum()
        if power > 0.0:
            uphill += 1
            # sums, and no products of BLAS: those would depend on the number of threads
            v = (1.0 - mixing) * v + mixing * F * np.sqrt((v * v).sum() / max((F * F).sum(), 1e-300))
            if uphill > 5:
                dt, mixing = min(1.1 * dt, 0.35), 0.99 * mixing
        else:
            v[:], dt, mixing, uphill = 0.0, 0.5 * dt, 0.1, 0
        v = v + dt * F
        points = points + dt * v
    return None


def near_pairs(points: np.ndarray, radii: np.ndarray, skin: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Indices i, j of all pairs of spheres whose surfaces are nearer than `skin` [m].

    Sizes are searched by octaves, so that a few large particles do not make neighbours of all small ones.
    """
    octave = np.floor(np.log2(radii / radii.min())).astype(int)
    classes = [np.flatnonzero(octave == k) for k in np.unique(octave)]
    from scipy.spatial import KDTree  # slow to import

    trees = [KDTree(points[own]) for own in classes]
    found = [np.zeros((0, 2), int)]
    for a, (mine, tree) in enumerate(zip(classes, trees)):
        largest = radii[mine].max()
        found.append(mine[tree.query_pairs(2.0 * largest + skin, output_type="ndarray")])
        for other, larger in zip(classes[a + 1 :], trees[a + 1 :]):
            near = tree.sparse_distance_matrix(larger, largest + radii[other].max() + skin, output_type="ndarray")
            found.append(np.stack([mine[near["i"]], other[near["j"]]], axis=1))
    pairs = np.concatenate(found)
    i, j = pairs.min(axis=1), pairs.max(axis=1)
    near = np.linalg.norm(points[i] - points[j], axis=1) < radii[i] + radii[j] + skin
    order = np.lexsort((j[near], i[near]))
    return i[near][order], j[near][order]


def check_overlaps(
    sphere: np.ndarray, allowed: float | np.ndarray = OVERLAP, names: tuple[str, ...] = (), group=None
) -> None:
    """Refuse particles that overlap by more than a share `allowed` of the smaller radius.

    sphere         (n, 4)   x y z, radius [m]
    allowed                 one, or (n,): of two particles the larger counts
    names, group            names of groups, and which one each particle is of (n,), for the message
    """
    points, radii = sphere[:, :3], sphere[:, 3]
    if len(sphere) < 2:
        return
    i, j = near_pairs(points, radii)
    deep = radii[i] + radii[j] - np.linalg.norm(points[i] - points[j], axis=1)
    share, limits = deep / np.minimum(radii[i], radii[j]), np.broadcast_to(allowed, len(sphere))
    limit = np.maximum(limits[i], limits[j])
    too_deep = share > limit
    if not too_deep.any():
        return
    k = int(np.argmax(np.where(too_deep, share, 0.0)))

    def called(particle: int) -> str:
        of = f" of {names[group[particle]]!r}" if group is not None else ""
        return f"{particle}{of} at {', '.join(f'{x:.4g}' for x in points[particle])}"

    count = int(too_deep.sum())
    others = f"; {count} pairs overlap by more than {limit[k]:.0%}" if count > 1 else ""
    raise InputError(
        f"particles overlap at the start: {called(i[k])} and {called(j[k])}, by {deep[k]:.3g} m, which is "
        f"{share[k]:.0%} of the smaller radius{others}: change their positions, let `fill` pack them, or for a bed "
        f"that has settled so raise `max_overlap` (here {limit[k]:g})"
    )


def check_beside(new: np.ndarray, old: np.ndarray, allowed: float = OVERLAP, ids: np.ndarray | None = None) -> None:
    """Refuse new particles (n, 4) that overlap those that are there by more than such a share of the smaller radius.

    ids   (m,) of those that are there, for the message
    """
    if not len(old) or not len(new):
        return
    most = old[:, 3].max()
    from scipy.spatial import KDTree  # slow to import

    tree = KDTree(old[:, :3])
    for k, particle in enumerate(new):
        rows = np.array(tree.query_ball_point(particle[:3], particle[3] + most), int)
        near = old[rows]
        deep = near[:, 3] + particle[3] - np.linalg.norm(near[:, :3] - particle[:3], axis=1)
        share = deep / np.minimum(near[:, 3], particle[3])
        if (share > allowed).any():
            worst = int(np.argmax(share))
            where, there = (", ".join(f"{x:.4g}" for x in row[:3]) for row in (particle, near[worst]))
            other = rows[worst] if ids is None else ids[rows[worst]]
            raise InputError(
                f"new particle {k} at {where} overlaps particle {other} at {there} by {deep[worst]:.3g} m, which is "
                f"{share[worst]:.0%} of the smaller radius: choose another position, or raise `max_overlap` (here "
                f"{allowed:g})"
            )


def _too_many(container: Container, count: int, words: str) -> InputError:
    cure = "use fewer or smaller particles, or a larger volume"
    return InputError(f"{count} particles do not fit into {container.name}: {words}; {cure}")
