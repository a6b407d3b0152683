"""XML read safely: a tree of elements that know their lines. No DTDs, no entities, no external files, no recursion."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.parsers import expat

from phipsi import errors
from phipsi.model.file_report import FileReport

DEEPEST = 200
_DECLARED = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([^"'>]*)""")
# what files come in; Python's other codecs are no character sets, or not worth their traps
_ENCODINGS = re.compile(
    r"utf[-_]?(8|16|16[bl]e)|(us-)?ascii|iso-8859-\d{1,2}|latin-?\d|(windows-|cp)125\d", re.IGNORECASE
)


@dataclass(slots=True)
class Element:
    """One XML element: its tag, attributes, line and children. Text between elements means nothing to a robot."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] | tuple[()] = ()  # most have none, and files hold many


class _RootSeen(Exception):  # noqa: N818  (nothing went wrong)
    """Ends the parse at the first element, when only that was wanted."""


def parse(content: bytes | str, report: FileReport) -> Element:
    """The root element of an XML text; a FileError says where it is broken."""
    return _Builder(report).read(content)


def root_tag(content: bytes | str, report: FileReport) -> str:
    """The tag of the root element; the rest is not looked at."""
    builder = _Builder(report, only_root=True)
    try:
        return builder.read(content).tag
    except _RootSeen:
        return builder.open[0].tag


class _Builder:
    """Expat's handlers: they grow the tree below `open`, the elements that have not ended yet."""

    def __init__(self, report: FileReport, only_root: bool = False) -> None:
        self.report, self.only_root = report, only_root
        self.open: list[Element] = []
        self.root: Element | None = None

    def read(self, content: bytes | str) -> Element:
        if not content.strip():
            raise self.report.error("empty")
        text = content if isinstance(content, str) else _decoded(content, self.report)
        self.parser = expat.ParserCreate("utf-8")  # whatever the file declares: it is decoded already
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype
        try:
            self.parser.Parse(text.removeprefix("\ufeff").encode(), True)
        except expat.ExpatError as error:
            raise self._broken(error) from None
        except UnicodeEncodeError as error:  # half a surrogate pair
            raise self.report.error("encoding", reason=error.reason) from None
        assert self.root is not None  # expat refuses a document without a root element
        return self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.parser.CurrentLineNumber)
        if len(self.open) == DEEPEST:
            raise self.report.error("depth", element.line, limit=DEEPEST)
        if self.open:
            parent = self.open[-1]
            if isinstance(parent.children, tuple):
                parent.children = []
            parent.children.append(element)
        else:
            self.root = element
        self.open.append(element)
        if self.only_root:
            raise _RootSeen
        if tag.startswith("xacro:"):
            raise self.report.error("xacro", element.line, text=errors.in_short(f"<{tag}>"))

    def _end(self, _tag: str) -> None:
        self.open.pop()

    def _doctype(self, *_: object) -> None:
        raise self.report.error("doctype", self.parser.CurrentLineNumber)

    def _broken(self, error: expat.ExpatError) -> errors.FileError:
        reason = expat.ErrorString(error.code)
        if self.open:
            reason += f", inside <{self.open[-1].tag}> of line {self.open[-1].line}"
        return self.report.error("xml", error.lineno, reason=reason)


def _decoded(content: bytes, report: FileReport) -> str:
    """The text in the bytes of a file: by its byte order mark, else by what it declares, else UTF-8."""
    declared = _DECLARED.match(content)
    encoding = "utf-8" if declared is None else declared[1].decode("ascii", "replace")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    if not _ENCODINGS.fullmatch(encoding):
        raise report.error("encoding", reason=f"encoding {errors.in_short(encoding)} is not known here")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        reason = f"byte 0x{content[error.start]:02x} is not {encoding.upper()}"
        raise report.error("encoding", line, reason=reason) from None
    except LookupError:  # iso-8859-99
        raise report.error("encoding", reason=f"encoding {errors.in_short(encoding)} is not known here") from None
