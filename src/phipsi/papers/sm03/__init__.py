"""[SM03] Swain and Morris: a unified dynamic model of robots on fixed, floating, flying and flexible bases.

Link coordinates throughout, as in the paper. Its doubts about the partition into active and passive dofs (sections 1,
10 and 11) are unfounded: the partition is exact, and section A's rows are the text's, in other letters.
"""

from phipsi.papers.row import Paper

from .appendices import SECTION_A, SECTION_B, SECTION_C1, SECTION_C2
from .dynamics import SECTION_5, SECTION_7
from .kinematics import SECTION_3, SECTION_4
from .table_1 import SECTION_8, SECTION_9, TABLE_1

PAPER = Paper(
    "SM03",
    "Swain and Morris, A unified dynamic model formulation for robotic manipulator systems",
    (SECTION_3, SECTION_4, SECTION_5, SECTION_7, SECTION_8, TABLE_1, SECTION_9, SECTION_A, SECTION_B, SECTION_C1,
     SECTION_C2),
)  # fmt: skip
