"""[JR93] Jain and Rodriguez: kinematics and dynamics of under-actuated manipulators.

Checked on trees, of which the paper's chains are a part, with hinges whose dofs are passive in part: the equations hold
for them as they stand. Armature is left out, as in the paper.
"""

from phipsi.papers.row import Paper

from .appendix import APPENDIX_A
from .section3 import SECTION_2, SECTION_3
from .section4 import SECTION_4
from .section5 import SECTION_5
from .section6 import SECTION_6
from .section7 import SECTION_7

PAPER = Paper(
    "JR93",
    "Jain and Rodriguez, An analysis of the kinematics and dynamics of underactuated manipulators",
    (SECTION_2, SECTION_3, SECTION_4, SECTION_5, SECTION_6, SECTION_7, APPENDIX_A),
)
