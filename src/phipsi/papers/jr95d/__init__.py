"""[JR95d] Jain and Rodriguez: diagonalized Lagrangian robot dynamics.

Rows named after a section, lemma or table are statements of the text that carry no number. G1 to G6 are ours: what the
paper says of revolute serial arms, said of all robots.
"""

from phipsi.papers.row import Paper

from .generalized import SECTION_G
from .section1 import SECTION_1, SECTION_2, SECTION_3
from .section4 import SECTION_4, SECTION_5
from .section6 import SECTION_6
from .section7 import SECTION_7
from .section8 import SECTION_8

PAPER = Paper(
    "JR95d",
    "Jain and Rodriguez, Diagonalized Lagrangian robot dynamics",
    (SECTION_1, SECTION_2, SECTION_3, SECTION_4, SECTION_5, SECTION_6, SECTION_7, SECTION_8, SECTION_G),
)
