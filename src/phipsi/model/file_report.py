"""What handling one robot file has to say: errors that know their place, and one warning per kind of thing ignored."""

from __future__ import annotations

import inspect
import warnings

from phipsi import errors


class FileReport:
    """Collects remarks while a file is read or written; `path` is how its messages call it.

    Errors are made here and raised where they happen. What is ignored is noted under its kind and said by `warn` in
    one `FileWarning` per kind, attributed to the line of the user's program that asked for the file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._notes: dict[str, dict[str, list[str]]] = {}

    def error(self, sentence: str, line: int | None = None, element: str = "", **words: object) -> errors.FileError:
        """The exception for one of the sentences of `errors`, to be raised."""
        return errors.file_error(sentence, self.path, line, element, **words)

    def note(self, kind: str, name: str, what: str = "") -> None:
        """Remember that `name`, or `what` of it, is ignored or done differently."""
        self._notes.setdefault(kind, {}).setdefault(what, []).append(name)

    def warn(self) -> None:
        """Say what was noted, one warning for each kind."""
        level = caller_level()
        for kind, groups in self._notes.items():
            warnings.warn(errors.file_warning(kind, self.path, groups), errors.FileWarning, stacklevel=level)
        self._notes = {}


def caller_level() -> int:
    """The `stacklevel` for a warning given by the function that asks: the first frame outside phipsi."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] == "phipsi":
        level, frame = level + 1, frame.f_back
    return level
