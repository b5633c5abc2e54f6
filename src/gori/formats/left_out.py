"""What a Spec does not hold of a file in another format: collected by kind and name, and told once."""

from pathlib import Path

from gori.errors import FileError, FormatWarning
from gori.spec.explain import warn

SHOWN = 20
"""names of a kind, and notes, that a message lists"""


class LeftOut:
    """Parts of a file that are not carried over, and changes that the reader had to make."""

    def __init__(self) -> None:
        self.parts: dict[str, list[str]] = {}
        self.notes: list[str] = []
        self._known: set[tuple[str, ...]] = set()

    def add(self, kind: str, *names: str) -> None:
        """Parts of one kind, such as "camera", that the Spec does not hold; a kind without names is there once."""
        found = self.parts.setdefault(kind, [])
        for name in names:
            if (kind, name) not in self._known:
                self._known.add((kind, name))
                found.append(name)

    def note(self, words: str) -> None:
        """Something else that the user should know."""
        if (words,) not in self._known:
            self._known.add((words,))
            self.notes.append(words)

    def message(self) -> str:
        """All of it in a few lines; empty if everything was carried over."""
        lines = []
        for kind, names in self.parts.items():
            shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
            lines.append(f"{kind}: {shown}" if names else kind)
        text = "not carried over:\n  " + "\n  ".join(lines) if lines else ""
        more = len(self.notes) - SHOWN
        notes = self.notes[:SHOWN] + ([f"and {more} more of this kind"] if more > 0 else [])
        return "\n".join([*([text] if text else []), *notes])

    def tell(self, file: Path, strict: bool) -> None:
        """One warning with all of it, or an error where nothing may be missing."""
        if message := self.message():
            if strict:
                raise FileError(message, file)
            warn(f"{file}: {message}", FormatWarning)
