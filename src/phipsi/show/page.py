"""Pages: one HTML file with the viewer, its scene and everything else inside; nothing is fetched from anywhere."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from .scene import Scene

_SCRIPTS = ("math.js", "solids.js", "shaders.js", "viewer.js", "player.js", "start.js")


@cache
def _asset(name: str) -> str:
    return (files("phipsi.show") / "browser" / name).read_text(encoding="utf-8")


class Page:
    """A page that is ready: `.html` is all of it, `.save(path)` writes it, `.open()` shows it in a browser.

    In a notebook the page shows itself where a cell ends with it.
    """

    def __init__(self, title: str, body: str, scene: Scene, *, whole: bool = False) -> None:
        self.title = title
        self.scene = scene
        scripts = "\n".join(_asset(name) for name in _SCRIPTS)
        self.html = (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="generator" content="phipsi"><title>{html.escape(title)}</title>\n'
            '<link rel="icon" href="data:,">\n'
            f"<style>{_asset('page.css')}</style></head>\n<body{' class=whole' if whole else ''}>\n{body}\n"
            f'<script type="application/json" id="scene">{scene.json()}</script>\n'
            f"<script>(() => {{\n{scripts}\n}})();</script>\n</body></html>\n"
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page; returns where it is."""
        target = Path(path)
        target.write_text(self.html, encoding="utf-8")
        return target

    def open(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Write the page to `path`, or a temporary file, and show it in the default browser; returns where it is."""
        if path is None:
            handle, path = tempfile.mkstemp(prefix="phipsi-", suffix=".html")
            os.close(handle)
        target = self.save(path)
        webbrowser.open(target.resolve().as_uri())
        return target

    def _repr_html_(self) -> str:
        quoted = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{quoted}" style="width:100%;height:520px;border:0;border-radius:10px"></iframe>'

    def __repr__(self) -> str:
        return f"<Page {self.title!r}: {len(self.html) / 1e6:.2f} MB; .open() shows it, .save(path) writes it>"


VIEWER = '<div class="viewer" data-scene="scene"></div>'


def table(rows: Sequence[tuple[str, str]]) -> str:
    """A table of words and numbers."""
    cells = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th><td class="number">{html.escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table>{cells}</table>"
