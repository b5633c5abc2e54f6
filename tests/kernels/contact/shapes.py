"""Shapes and poses for tests of contact."""

import numpy as np
from scipy.spatial.transform import Rotation

from gori.kernels.contact import tables
from gori.kernels.contact.narrow.pairs import collide_pairs
from gori.kernels.contact.narrow.work import narrow_work
from gori.kernels.contact.tables import FOUND, MOST_POINTS, SHAPE
from gori.model.contact.tables import whole_lanes
from tests.kernels.contact.tables import contact_tables
from tests.plain import Plain


class Scene:
    """Shapes with poses, and the contacts of pairs of them."""

    def __init__(self, terrain=None):
        self.terrain = terrain
        self.rows, self.poses, self.points = [], [], []
        self.work = narrow_work()

    def add(self, kind, size=(0.0, 0.0, 0.0), radius=0.0, position=(0.0, 0.0, 0.0), rotation=None, vertices=()):
        row = SHAPE.zeros(1)
        row["kind"], row["size"], row["radius"] = kind, size, radius
        row["first"], row["vertices"] = len(self.points), len(vertices)
        if len(vertices):
            self.points += whole_lanes(vertices).T.tolist()
        row["half"] = half_of(kind, np.array(size, float), radius, vertices)
        self.rows.append(row)
        matrix = np.eye(3) if rotation is None else rotation.as_matrix()
        self.poses.append(np.concatenate([matrix.ravel(), position]))
        return len(self.rows) - 1

    @property
    def shape(self):
        return np.concatenate(self.rows)

    @property
    def tables(self):
        return contact_tables(self.shape, self.vertex, terrain=self.terrain)

    @property
    def pose(self):
        return np.array(self.poses)

    @property
    def vertex(self):
        return np.ascontiguousarray(self.corners.T)

    @property
    def corners(self):
        """(n, 3), as the twins take them."""
        return np.array(self.points, float).reshape(-1, 3)

    def collide(self, pairs, reach=np.inf):
        """FOUND rows of each pair, as a list of tables."""
        pairs = np.array(pairs, np.int64).reshape(-1, 2)
        found, count = FOUND.zeros(len(pairs), MOST_POINTS), np.zeros(len(pairs), np.int64)
        total = collide_pairs(self.tables, pairs, self.pose, reach, self.work, found, count)
        assert total == count.sum()
        return [rows[:n] for rows, n in zip(found, count)]


def half_of(kind, size, radius, vertices):
    """Half edges of the box about a shape, own frame."""
    if kind == tables.CYLINDER:
        size = size[[0, 0, 2]]
    elif kind == tables.CONE:
        size = np.array([max(size[0], size[1])] * 2 + [size[2]])
    elif kind == tables.HULL:
        size = np.abs(vertices).max(axis=0)
    elif kind in (tables.PLANE, tables.TUBE, tables.BOWL, tables.GROUND):
        size = np.full(3, np.inf)
    return size + radius


def turn(*angles):
    return Rotation.from_euler("xyz", angles)


def random_rotation(rng):
    return Rotation.random(random_state=rng.integers(1 << 31))


def fields(row):
    """A row of SHAPE for plain functions: `size` of NumPy's own records is not the field."""
    return Plain(**{name: row[name] for name in SHAPE.dtype.names})
