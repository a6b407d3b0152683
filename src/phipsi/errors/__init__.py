"""Every sentence the library can utter: the exceptions, the warnings, and what words them. A file a subject.

A factory *returns* the exception, the caller raises it (`raise errors.unknown_name("frame", "hnad", names)`): the
native core uses the same factories. A sentence says what was expected, what came, and the remedy.
"""

from phipsi.errors.algebra import *
from phipsi.errors.arrays import *
from phipsi.errors.closed import *
from phipsi.errors.control import *
from phipsi.errors.diagonal import *
from phipsi.errors.files import *
from phipsi.errors.free_flying import *
from phipsi.errors.kinds import *
from phipsi.errors.model import *
from phipsi.errors.motion import *
from phipsi.errors.showing import *
from phipsi.errors.unified import *
