"""[JR95f] Jain and Rodriguez: base-invariant symmetric dynamics of free-flying manipulators.

The paper's spatial accelerations are those of frames that turn with their links, α = [ω̇; v̇ - ω~v], and so are a(k)
and b(k) here. An external force at the tip is carried in b(1). Section G holds what goes beyond the paper: trees,
bases that are held, links kept together.
"""

from phipsi.papers.row import Paper

from .appendix import APPENDIX_A
from .beyond import BEYOND
from .section2 import SECTION_2
from .section3 import SECTION_3
from .section4 import SECTION_4

PAPER = Paper(
    "JR95f",
    "Jain and Rodriguez, Base-invariant symmetric dynamics of free-flying manipulators",
    (SECTION_2, SECTION_3, SECTION_4, APPENDIX_A, BEYOND),
)
