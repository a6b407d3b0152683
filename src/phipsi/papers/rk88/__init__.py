"""[RK88] Rodriguez and Kreutz: recursive factorization and inversion of the mass matrix (I), closed chains (II).

Some equations lost their numbers in the scan that this is taken from: those are inferred from the text around them,
and the row's note says so. Those of part II begin with II: [RK88 II 6.13].
"""

from phipsi.papers.row import Paper, with_wholes

from .appendix_a import APPENDIX_A
from .appendix_b import APPENDIX_B
from .part2_appendices import PART_2_A, PART_2_B
from .part2_operators import PART_2_5, PART_2_6
from .part2_problem import PART_2_2, PART_2_3, PART_2_4
from .part2_singular import PART_2_4_SINGULAR
from .section2 import SECTION_2
from .section3 import SECTION_3
from .section4 import SECTION_4
from .section5 import SECTION_5, SECTION_6
from .table1 import TABLE_1

_PART_1 = (TABLE_1, SECTION_2, SECTION_3, SECTION_4, SECTION_5, SECTION_6, APPENDIX_A, APPENDIX_B)
_WITH_PARTS = (PART_2_2, PART_2_3, PART_2_4, PART_2_4_SINGULAR, PART_2_5, PART_2_6, PART_2_A, PART_2_B)
_PART_2 = tuple(with_wholes(part) for part in _WITH_PARTS)

PAPER = Paper(
    "RK88",
    "Rodriguez and Kreutz, Recursive mass matrix factorization and inversion; closed-chain dynamics of several arms",
    _PART_1 + _PART_2,
)
