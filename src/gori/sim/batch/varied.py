"""Numbers of the tables of a Machine that differ from machine to machine of a batch."""

from typing import Any, NamedTuple

import numpy as np

from gori.kernels.bundle import Bundle


class Numbers(NamedTuple):
    """Some numbers of one table.

    path     of the table in the Machine: "body_f", "contact.law"
    words    which of its words (numbers,)
    values   (numbers, machines)
    """

    path: str
    words: np.ndarray
    values: np.ndarray

    def addresses(self, machine: Bundle) -> list[int]:
        """Of these numbers in the tables of one Machine."""
        table: Any = machine
        for name in self.path.split("."):
            table = getattr(table, name)
        return [table.ctypes.data + 8 * int(k) for k in self.words]
