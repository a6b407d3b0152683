"""Words and numbers in the attributes of a URDF, checked one by one: every mistake is told with its line."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from phipsi import errors
from phipsi.model.file_report import FileReport
from phipsi.model.reading import Floats
from phipsi.model.urdf_xml import Element

Triple = tuple[float, float, float]

# URDF has no word for "no limit"; the largest number is what to_urdf writes for it
UNLIMITED = 1.7976931348623157e308

# float() reads more than numbers: words, underscores, digits of other scripts
_CHARACTERS = "0123456789+-.eE"
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


class Words:
    """Reads attributes; `owner` is the link or joint that is being read, for the messages."""

    def __init__(self, report: FileReport) -> None:
        self.report = report
        self.owner = ""

    def word(self, element: Element, name: str) -> str:
        """A name, not empty."""
        word = element.attributes.get(name)
        if word is None:
            raise self.error("attribute", element, attribute=name)
        if not word.strip():
            raise self.error("blank", element, attribute=name)
        if "${" in word or "$(" in word:
            raise self.error("xacro", element, text=errors.in_short(word))
        return word

    def number(self, element: Element, name: str, default: float | None = None) -> float:
        """A finite number."""
        text = element.attributes.get(name)
        if text is None:
            if default is None:
                raise self.error("attribute", element, attribute=name)
            return default
        return self._float(element, name, text.strip())

    def not_negative(self, element: Element, name: str, default: float | None = None) -> float:
        """Zero or more."""
        value = self.number(element, name, default)
        if value < 0.0:
            raise self.error("negative", element, attribute=name, got=value)
        return value

    def bound(self, element: Element, name: str, default: float = math.inf) -> float:
        """A limit, which may be infinite."""
        text = element.attributes.get(name, "").strip()
        if _INFINITE.fullmatch(text):
            return float(text)
        value = self.number(element, name, default)
        return math.copysign(math.inf, value) if abs(value) >= UNLIMITED else value

    def triple(self, element: Element, name: str) -> Triple:
        """Three finite numbers."""
        x, y, z = self.numbers(element, name, 3)
        return x, y, z

    def numbers(self, element: Element, name: str, count: int) -> Sequence[float]:
        """`count` finite numbers."""
        text = element.attributes[name]
        self._refuse_xacro(element, text)
        found = text.split()
        if len(found) != count:
            got = errors.in_short(text)
            raise self.error("numbers", element, attribute=name, count=count, given=len(found), got=got)
        return [self._float(element, name, word) for word in found]

    def _float(self, element: Element, name: str, text: str) -> float:
        try:
            value = math.nan if text.strip(_CHARACTERS) else float(text)
        except ValueError:
            value = math.nan
        if math.isfinite(value):
            return value
        self._refuse_xacro(element, text)
        garbled = value != value and not _INFINITE.fullmatch(text) and text.lower().lstrip("+-") != "nan"
        raise self.error("number" if garbled else "finite", element, attribute=name, got=errors.in_short(text))

    def _refuse_xacro(self, element: Element, text: str) -> None:
        if "${" in text or "$(" in text:
            raise self.error("xacro", element, text=errors.in_short(text))

    def error(self, sentence: str, element: Element, **words: object) -> errors.FileError:
        """One of the sentences of `errors`, placed at `element`."""
        if element.tag in ("link", "joint"):
            place = self.owner if self.owner.startswith(element.tag) else f"<{element.tag}>"
        else:
            place = f"<{element.tag}> of {self.owner}" if self.owner else f"<{element.tag}>"
        return self.report.error(sentence, element.line, place, **words)


def rotation_from_rpy(rpy: Triple) -> Floats:
    """R = Rz(yaw) Ry(pitch) Rx(roll) of URDF's fixed-axis angles; for one triple, plain floats are fastest."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(angle), math.sin(angle)) for angle in rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
