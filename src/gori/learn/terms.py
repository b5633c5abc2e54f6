"""Terms: named parts of observations, rewards and terminations."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gori.errors import InputError

if TYPE_CHECKING:
    from gori.learn.env import VectorEnv


class Term:
    """A function of the environment that gives an array (machines,) or (machines, size), and may remember something.

    An environment calls `bind` once, `update` after each step, `reset` when episodes begin, and the term itself as
    often as it likes: that changes nothing.
    """

    def bind(self, env: "VectorEnv") -> None:
        """Look up what is needed; a mistake is told here."""

    def update(self, env: "VectorEnv") -> None:
        """Take note of a step that was done."""

    def reset(self, env: "VectorEnv", mask: Any) -> None:
        """Episodes of some machines begin: forget the last ones."""

    def __call__(self, env: "VectorEnv") -> Any:
        raise NotImplementedError


class Function(Term):
    """A plain function."""

    def __init__(self, function: Callable[["VectorEnv"], Any]):
        self.function = function

    def __call__(self, env: "VectorEnv") -> Any:
        return self.function(env)


class Weighted(Term):
    """A term times a number; the environment binds and resets the term itself."""

    def __init__(self, term: Term, weight: float):
        self.term, self.weight = term, weight

    def __call__(self, env: "VectorEnv") -> Any:
        return self.term(env) * self.weight


def terms_of(what: str, given: Mapping[str, Any] | None) -> dict[str, Term]:
    """Terms by name, of functions, Terms, and pairs of one of them with its weight."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"{what} must be terms by name, such as {{'name': lambda env: env.q}}, not {given!r}")
    return {name: _term_of(f"{what}[{name!r}]", one) for name, one in (given or {}).items()}


def _term_of(where: str, given: Any) -> Term:
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], (int, float)):
        return Weighted(_term_of(where, given[0]), float(given[1]))
    if isinstance(given, Term):
        return given
    if isinstance(given, type) or not callable(given):
        raise InputError(f"{where} must be a function of the environment or a Term, not {given!r}")
    return Function(given)


def each_once(groups: Iterable[Mapping[str, Term]]) -> list[Term]:
    """All terms without their weights; one that is in two places, as an observation and a reward, comes once."""
    found = {}
    for term in (term for group in groups for term in group.values()):
        while isinstance(term, Weighted):
            term = term.term
        found[id(term)] = term
    return list(found.values())
