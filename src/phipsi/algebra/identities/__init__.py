"""The table of identities: every theorem of the algebra as one executable row with its citation.

A row's statement is written once and read by all: on dense matrices it is a test, on symbols it is a rule.

>>> from phipsi import zoo
>>> from phipsi.algebra import identities
>>> row = identities.TABLE["inverse of the innovations factor"]
>>> print(row)
[RK88 4.14] inverse of the innovations factor: the factor and the whitening filter are mutually reciprocal
>>> robot = zoo.tree(5, seed=1)
>>> bool(identities.residual(row, robot, robot.random(rng=0)[0]) < 1e-11)
True

Add one of your own, and it is tested, printed and used in rewriting as the others are::

    identities.register(Row("mine", "[me 1]", "what it says", lambda s: (s.H @ s.phi @ s.E_phi, s.H @ s.phi_tilde)))
"""

# the rows: a file a subject, in the order of the table
from . import chains, underactuated, closed, hybrid, free_flying  # isort: skip
from . import diagonal  # of motions: a table of its own
from .table import TABLE, Row, Statement, difference, register, residual, rows, table

__all__ = [
    "TABLE",
    "Row",
    "Statement",
    "chains",
    "closed",
    "diagonal",
    "difference",
    "free_flying",
    "hybrid",
    "register",
    "residual",
    "rows",
    "table",
    "underactuated",
]
