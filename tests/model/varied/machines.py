"""Specs for these tests, and a comparison with machines that are compiled one by one."""

import warnings

import numpy as np

import gori
from gori.model.varied import compiled_tables, vary

RNG = np.random.default_rng(7)
MANY = 300


def uniform(low, high, *shape, count=MANY):
    return RNG.uniform(low, high, (count, *shape))


def pair():
    """A hinged body, another one fixed to it, a third on a slide with a stop; friction on both joints."""
    inertia = [0.1, 0.12, 0.09]
    return gori.Spec(
        bodies={
            "arm": {"mass": 2.0, "com": [0.1, 0.02, 0.3], "inertia": inertia},
            "load": {"mass": 1.0, "com": [0.0, 0.0, 0.1], "inertia": inertia},
            "slide": {"mass": 0.5, "com": [0.0, 0.1, 0.0], "inertia": [0.01, 0.01, 0.01]},
        },
        joints={
            "hinge": {"type": "revolute", "axis": [0, 1, 0], "parent": "ground", "child": "arm", "at": [0.1, 0, 0.5],
                      "friction": 0.2},
            "bolt": {"type": "fixed", "parent": "arm", "child": "load", "at": [0.2, 0.1, 0.0]},
            "rail": {"type": "prismatic", "axis": [0, 0, 1], "parent": "arm", "child": "slide", "stiffness": 50.0,
                     "limits": [-1, 1], "limit_stiffness": 1e4, "friction": 0.3, "q": 0.2},
        },
    )  # fmt: skip


def compare(model, parameters, tolerance=1e-12, loose=(), machines=(0, 1, -1), **options):
    """Vary, and compare all tables of some machines with those of `gori.compile(spec.set(...))`."""
    found = vary(model, parameters, **options)
    spec = model if isinstance(model, gori.Spec) else model.spec
    tables_of = options.get("tables_of", compiled_tables)
    for k in [k % found.count for k in machines]:
        values = {path: array[k].tolist() if isinstance(array, np.ndarray) else array[k] for path, array in
                  parameters.items()}  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            true = tables_of(gori.compile(spec.set(values)))
        own = found.machine(k)
        assert true.keys() == own.keys()
        for name in true.keys() - set(loose):
            for a, b in zip(columns(true[name]), columns(own[name])):
                finite = np.isfinite(a)
                assert (finite | (a == b)).all(), name
                assert np.abs(a[finite] - b[finite]).max(initial=0.0) <= tolerance * np.abs(a[finite]).max(
                    initial=0.0
                ), name
    return found


def columns(table):
    """Each field of a record, rows of one number or vector; each number of a flat table is judged in its column."""
    if table.dtype.names is None:
        flat = np.asarray(table, float)
        return list(flat.T) if flat.ndim == 2 else [flat]
    return [np.asarray(table[name], float) for name in table.dtype.names]
