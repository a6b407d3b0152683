"""What every loader asks first: a content to read, from a path or an open file, and a base it knows."""

from __future__ import annotations

import os
from typing import IO, TypeAlias

from phipsi import errors

# where a robot is read from: a path, or a file opened for reading text or bytes
Source: TypeAlias = "str | os.PathLike[str] | IO[str] | IO[bytes]"

BASES = ("fixed", "free")
LARGEST = 256 * 2**20


def check_base(verb: str, base: str) -> None:
    """Only "fixed" and "free" are bases."""
    if base not in BASES:
        raise errors.option(verb, "base", base, BASES)


def read_source(source: Source) -> tuple[str, bytes | str]:
    """The name by which messages call the file, and its content."""
    if isinstance(source, (str, os.PathLike)):
        return _read_path(os.fspath(source))
    if not hasattr(source, "read"):
        raise errors.wrong_type("load", "path", "a path or an open file", source)
    name = str(getattr(source, "name", "<file>"))
    try:
        content = source.read(LARGEST + 1)
    except (OSError, UnicodeError, ValueError) as error:  # ValueError: a closed file
        raise errors.file_error("unreadable", name, reason=_reason(error)) from error
    return name, _bounded(name, content)


def _read_path(path: str) -> tuple[str, bytes | str]:
    if path.lstrip("\ufeff \t\r\n").startswith("<"):
        raise errors.file_error("text_as_path", errors.in_short(path))
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise errors.file_error("missing", path or "''", directory=os.getcwd()) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if os.path.isdir(path):
            raise errors.file_error("directory", path) from None
        raise errors.file_error("unreadable", errors.in_short(path), reason=_reason(error)) from error
    return path, _bounded(path, content)


def _bounded(name: str, content: bytes | str) -> bytes | str:
    if len(content) > LARGEST:
        raise errors.file_error("too_large", name, limit=LARGEST // 2**20)
    return content


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
