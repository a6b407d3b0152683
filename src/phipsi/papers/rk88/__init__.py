"""[RK88] Rodriguez and Kreutz: recursive factorization and inversion of the mass matrix (part I).

Some equations lost their numbers in the scan that this is taken from: those are inferred from the text around them,
and the row's note says so.
"""

from phipsi.papers.row import Paper

from .appendix_a import APPENDIX_A
from .appendix_b import APPENDIX_B
from .section2 import SECTION_2
from .section3 import SECTION_3
from .section4 import SECTION_4
from .section5 import SECTION_5, SECTION_6
from .table1 import TABLE_1

PAPER = Paper(
    "RK88",
    "Rodriguez and Kreutz, Recursive mass matrix factorization and inversion, part I: serial arms",
    (TABLE_1, SECTION_2, SECTION_3, SECTION_4, SECTION_5, SECTION_6, APPENDIX_A, APPENDIX_B),
)
