"""Looking at robots and runs: plots for a paper, a viewer in the browser, a report in one file."""

from .page import Page
from .plots import plot
from .record import Run
from .reporting import report
from .viewing import view

show = view  # run.show()

__all__ = ["Page", "Run", "plot", "report", "show", "view"]
