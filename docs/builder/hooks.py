"""What mkdocs calls while it builds: pages are added, filled in, run, and their formulas drawn."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

# E402: after the line that says where builder/ is
from builder import execution, formulas, generated, tutorials  # noqa: E402
from phipsi import papers  # noqa: E402

ROOT = HERE.parents[1]
# the tutorials, in the order in which one may read them; examples that are not named here follow by name
ORDER = (
    "pendulum_by_operators",
    "mass_matrix_two_ways",
    "kalman",
    "ten_thousand_arms",
    "through_time",
    "satellite_catches_target",
    "reaching_in_orbit",
    "dynamic_singularities",
    "failed_elbow",
    "one_robot_three_bases",
    "two_arms_turn_an_object",
    "three_fingers",
    "squeezing_harder",
    "four_bar_singular",
    "closed_chains_in_operators",
    "one_model_five_robots",
    "diagonal_arm",
)

FILL: dict[str, Callable[[], str]] = {
    "{{ theorems }}": generated.theorems,
    "{{ papers }}": generated.paper_list,
    "{{ tutorials }}": lambda: generated.tutorial_list(examples()),
    "{{ race }}": generated.race,
}


def examples() -> list[Path]:
    """The scripts that become tutorials."""
    paths = sorted((ROOT / "examples").glob("*.py"))
    return sorted(paths, key=lambda path: ORDER.index(path.stem) if path.stem in ORDER else len(ORDER))


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation names the pages that are made here."""
    nav: Any = config.nav
    for entry in nav:
        if "Tutorials" in entry:
            entry["Tutorials"] += [{tutorials.title(path).split(":")[0]: _tutorial(path)} for path in examples()]
        if "Theory" in entry:
            entry["Theory"] += [{key: f"theory/papers-{key.lower()}.md"} for key in papers.PAPERS]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Tutorials and papers become pages."""
    for path in examples():
        _add(files, config, _tutorial(path), formulas.page(tutorials.page(path)))
    for key in papers.PAPERS:
        _add(files, config, f"theory/papers-{key.lower()}.md", generated.paper_page(key))
    return files


def _tutorial(path: Path) -> str:
    return f"tutorials/{path.stem.replace('_', '-')}.md"


def _add(files: Files, config: MkDocsConfig, uri: str, content: str) -> None:
    files.append(File.generated(config, uri, content=content))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Pages written by hand: blocks of Python are run, what is to be filled in is, formulas are drawn."""
    if page.file.generated_by is not None:
        return markdown
    markdown = execution.page(markdown, page.file.src_uri)
    for mark, text in FILL.items():
        if mark in markdown:
            markdown = markdown.replace(mark, text())
    return formulas.page(markdown)
