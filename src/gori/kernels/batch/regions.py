"""Where arrays of machines stand when that is decided while their program is compiled.

Each array that compiled code asks for gets the next free place of its region, one for each way in which arrays stand
(`members.py`). So its address is that of the region and a constant, and its shape is constant: threads need not read
them, and loops know how often they turn. The program then serves machines of these sizes alone.

The words that such a program reads are the bytes of a tile and the addresses of the regions.
"""

from dataclasses import dataclass, field
from typing import Any

REGIONS = 4
"""ways in which arrays stand"""


@dataclass
class Regions:
    """Places of arrays by path, in bytes of one machine from where their region begins, and sizes of the regions."""

    at: dict[str, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=lambda: [0] * REGIONS)

    def place(self, path: str, laid: Any) -> int:
        """Of an array, which is given one when it is asked for first."""
        if path not in self.at:
            self.at[path] = self.sizes[laid.place]
            self.sizes[laid.place] += laid.nbytes
        return self.at[path]
