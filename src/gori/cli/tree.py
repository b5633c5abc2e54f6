"""The bodies of a machine as a tree on the screen.

A serial arm would run off the right edge if each body were indented below the one that carries it. So a chain of bodies
that carry one another is one node with a line for each, and only branches are indented.
"""

import math
from dataclasses import dataclass, field
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

GROUND = "ground"
Row = tuple[str, str, str, str, str]
"""body, mass, joint, type and coordinates, limits; a number stands for rows that are left out"""

INDENT, GAP = 4, 2
LONGEST = 12
"""bodies in a chain, or branches of a body, before the middle is left out"""
HEAD, TAIL = 6, 4
"""how many then remain at its two ends"""
DEEPEST = 8
"""branches within branches before the rest is only counted"""


@dataclass
class _Chain:
    """Bodies that carry one another, and the chains that hang on the last of them."""

    depth: int
    bodies: list[str]
    branches: list["_Chain"] = field(default_factory=list)


def draw(console: Console, about: dict[str, Any], everything: bool) -> None:
    """Print the tree of the bodies; `about` holds the facts of `gori info`."""
    children: dict[str, list[str]] = {GROUND: [], **{body: [] for body in about["bodies"]}}
    for name, body in about["bodies"].items():
        children[body["parent"]].append(name)
    ground = _chains(children)

    root = Tree(Text(GROUND, "bold"), guide_style="dim")
    shown: list[tuple[Tree, _Chain, list]] = []
    todo = [(root, ground)]  # no recursion, so trees may be deep
    while todo:
        node, chain = todo.pop()
        for branch in chain.branches if everything else _ends(chain.branches):
            if isinstance(branch, int):
                hidden = sum(map(_size, chain.branches[HEAD : HEAD + branch]))
                node.add(Text(f"... {branch} more branches, {hidden} bodies", "dim"))
            elif branch.depth > DEEPEST and not everything:
                node.add(Text(f"... {_size(branch)} more", "dim"))
            else:
                bodies = branch.bodies if everything else _ends(branch.bodies)
                below = node.add("")
                shown.append(
                    (below, branch, [body if isinstance(body, int) else _cells(about, body) for body in bodies])
                )
                todo.append((below, branch))

    # one set of columns for the whole tree where the screen is wide enough
    common = _widths(
        [row for _, chain, rows in shown for row in rows], [chain.depth for _, chain, rows in shown for _ in rows]
    )
    for node, chain, rows in shown:
        room = console.width - INDENT * chain.depth
        own = _widths(rows, [0] * len(rows))
        whole = [common[0] - INDENT * chain.depth, *common[1:]]
        fitting = next((widths for widths in (whole, own) if sum(widths) + GAP * len(widths) - GAP <= room), None)
        node.label = _stack(rows) if fitting is None else _columns(rows, fitting)
    console.print(root)
    if any(len(chain.bodies) > 1 for _, chain, _ in shown):
        console.print(Text("Each body is a child of the one above it; branches are indented.", "dim"))


def _chains(children: dict[str, list[str]]) -> _Chain:
    """The ground, with all chains below it."""
    ground = _Chain(0, [GROUND])
    todo = [ground]
    while todo:
        parent = todo.pop()
        for body in children[parent.bodies[-1]]:
            chain = _Chain(parent.depth + 1, [body])
            while len(below := children[chain.bodies[-1]]) == 1:
                chain.bodies.append(below[0])
            parent.branches.append(chain)
            todo.append(chain)
    return ground


def _size(chain: _Chain) -> int:
    """Bodies of a chain and of all that hangs on it."""
    size, todo = 0, [chain]
    while todo:
        this = todo.pop()
        size += len(this.bodies)
        todo += this.branches
    return size


def _ends(items: list) -> list:
    """The items; of a long list the two ends, and between them the number that is left out."""
    if len(items) <= LONGEST:
        return items
    return [*items[:HEAD], len(items) - HEAD - TAIL, *items[-TAIL:]]


def _cells(about: dict[str, Any], body: str) -> Row:
    mass, name = about["bodies"][body]["mass"], about["bodies"][body]["joint"]
    joint = about["joints"][name]
    weight = f"{mass:.4g} kg" if mass else "massless"
    if joint["type"] == "fixed":
        return body, weight, name, "fixed", ""
    q, v = _range("q", *joint["q"]), _range("v", *joint["v"])
    where = q if joint["q"] == joint["v"] else f"{q} {v}"
    limits = ""
    if joint["limits"] is not None:
        turns = joint["type"] != "prismatic"
        low, high = (f"{math.degrees(x) if turns else x:.3g}" for x in joint["limits"])
        limits = f"{low} .. {high} {'deg' if turns else 'm'}"
    if name in about["mimic"]:
        limits = "mimic"
    return body, weight, name, f"{joint['type']} {where}", limits


def _range(letter: str, start: int, stop: int) -> str:
    return f"{letter}[{start}]" if stop == start + 1 else f"{letter}[{start}:{stop}]"


def _widths(rows: list, depths: list[int]) -> list[int]:
    """Widths of the columns; the first counts from the left edge of the tree."""
    cells = [(_left_out(row).plain, "", "", "", "") if isinstance(row, int) else row for row in rows]
    first = max(INDENT * depth + cell_len(row[0]) for row, depth in zip(cells, depths, strict=True))
    return [first, *(max(cell_len(row[k]) for row in cells) for k in range(1, 5))]


def _left_out(number: int) -> Text:
    return Text(f"... {number} more", "dim")


def _columns(rows: list, widths: list[int]) -> Table:
    table = Table.grid(padding=(0, GAP, 0, 0))
    for k, width in enumerate(widths):
        table.add_column(width=width, no_wrap=True, justify="right" if k == 1 else "left")
    for row in rows:
        if isinstance(row, int):
            table.add_row(_left_out(row))
        else:
            name, mass, joint, kind, limits = row
            dim = "dim" if kind == "fixed" else ""
            table.add_row(Text(name, "bold"), mass, Text(joint, dim or "cyan"), Text(kind, dim), Text(limits))
    return table


def _stack(rows: list) -> Text:
    """Two lines for each body, for narrow screens and long names."""
    lines = []
    for row in rows:
        if isinstance(row, int):
            lines.append(_left_out(row))
        else:
            name, mass, joint, kind, limits = row
            dim = "dim" if kind == "fixed" else ""
            about = f"  {kind}  {limits}".rstrip()
            lines += [
                Text.assemble((name, "bold"), f"  {mass}"),
                Text.assemble("  ", (joint, dim or "cyan"), (about, dim)),
            ]
    return Text("\n").join(lines)
