"""The pages in a real browser, headless Chromium: they render, play, obey, and nothing is said on the console."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import phipsi as pp

from .runs import arms, satellite

BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), "")
pytestmark = pytest.mark.skipif(not BROWSER, reason="no chromium, chromium-browser or google-chrome on the PATH")


class Seen:
    """What a page was after some time: its document, its console, its picture."""

    def __init__(self, document: str, console: list[str]) -> None:
        self.document, self.console = document, console

    def data(self, name: str) -> str:
        found = re.search(rf'data-{name}="([^"]*)"', self.document)
        assert found, f"the page has no data-{name}: {self.console}"
        return found[1]


def browse(
    path: Path, tmp_path: Path, *, picture: Path | None = None, script: str = "", still: bool = False, wait: int = 1500
) -> Seen:
    """The page after `wait` milliseconds of its own time, without a network."""
    if script:
        page = path.read_text(encoding="utf-8").replace("<style>", f"<script>{script}</script><style>")
        path = tmp_path / "scripted.html"
        path.write_text(page, encoding="utf-8")
    what = f"--screenshot={picture}" if picture else "--dump-dom"
    command = [
        BROWSER, "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}",
        "--window-size=900,600", "--hide-scrollbars",
        "--enable-logging=stderr", f"--virtual-time-budget={wait}", what, path.as_uri(),
    ]  # fmt: skip
    if still:
        command.insert(1, "--force-prefers-reduced-motion")
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    console = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if "CONSOLE" in line]
    return Seen(done.stdout.decode("utf-8", "replace"), console)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "report.html"
    pp.report(satellite(300), path, trace=["left/hand"], events=[(0.0, "drifting"), (2.9, "late")])
    return path


def test_a_report_renders_and_plays_without_a_word(report: Path, tmp_path: Path) -> None:
    # frames by the clock of the page, which does not know how busy the machine is
    frames = "window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 20);"
    seen = browse(report, tmp_path, script=frames)
    assert seen.console == []
    assert seen.data("ready") == "yes"
    assert "data-error" not in seen.document
    assert seen.data("playing") == "true"
    assert float(seen.data("time")) > 0.3
    assert int(seen.data("frames")) > 3
    moved = re.findall(r'class="cursor" transform="translate\(([\d.]+) 0\)"', seen.document)
    assert len(moved) >= 8
    assert float(moved[0]) > 80


def test_it_stands_still_for_those_who_asked_for_less_motion(report: Path, tmp_path: Path) -> None:
    seen = browse(report, tmp_path, still=True)
    assert (seen.console, seen.data("playing"), seen.data("time")) == ([], "false", "0.000")


def test_it_obeys_the_scrub_bar_the_keys_the_mouse_and_the_charts(report: Path, tmp_path: Path) -> None:
    seen = browse(report, tmp_path, script="""
        addEventListener("load", () => {
          const root = document.querySelector(".viewer"), scrub = root.querySelector("input"), log = [];
          const note = () => log.push(root.dataset.time, root.dataset.playing);
          scrub.value = 500; scrub.dispatchEvent(new Event("input")); note();
          root.dispatchEvent(new KeyboardEvent("keydown", { key: "End" })); note();
          root.dispatchEvent(new KeyboardEvent("keydown", { key: " " })); note();
          root.dispatchEvent(new KeyboardEvent("keydown", { key: "Home" })); note();
          const chart = document.querySelector("svg.chart"), box = chart.getBoundingClientRect();
          const x = box.left + (box.width * (58 + 245)) / 560;
          const at = { clientX: x, clientY: box.top + 20, pointerId: 1, bubbles: true };
          chart.setPointerCapture = () => 0;
          chart.dispatchEvent(new PointerEvent("pointerdown", at)); note();
          const canvas = root.querySelector("canvas"); canvas.setPointerCapture = () => 0;
          const point = (type, clientX, buttons) =>
            canvas.dispatchEvent(new PointerEvent(type, { clientX, clientY: 90, pointerId: 2, buttons }));
          point("pointerdown", 100, 1), point("pointermove", 150, 1), point("pointermove", 180, 2);
          canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -200 }));
          for (const chip of root.querySelectorAll(".chip, .small:not([title^=full])")) chip.click();
          document.body.dataset.log = log.join(" ");
        });""")  # fmt: skip
    assert seen.console == []
    log = seen.data("log").split()
    assert log[::2] == ["1.500", "3.000", "0.000", "0.000", "1.500"]
    assert log[1::2] == ["false", "false", "true", "false", "false"]


def pixels(path: Path) -> np.ndarray:
    from matplotlib.image import imread

    return imread(path)[..., :3]


def with_mesh(folder: Path) -> pp.show.Page:
    """A body that is drawn as a blue pyramid from a file."""
    points = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 2)]
    faces = "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 4 3 2 1\n"
    (folder / "pyramid.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in points) + faces, encoding="utf-8")
    path = folder / "pyramid.urdf"
    path.write_text(
        """<robot name="pyramid"><link name="base"/><link name="top"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry>
        <mesh filename="pyramid.obj"/></geometry><material name="blue"><color rgba="0.2 0.4 0.9 1"/></material></visual>
        </link><joint name="turn" type="continuous"><parent link="base"/><child link="top"/></joint></robot>""",
        encoding="utf-8",
    )
    return pp.view(pp.load(path), meshes=path, open=False)


@pytest.mark.parametrize("name", ["arm", "batch", "satellite", "mesh"])
def test_the_picture_shows_the_robot(name: str, tmp_path: Path) -> None:
    shown = {"arm": pp.zoo.arm, "batch": lambda: arms(9), "satellite": satellite}
    page = with_mesh(tmp_path) if name == "mesh" else pp.view(shown[name](), open=False)
    picture = tmp_path / f"{name}.png"
    seen = browse(page.save(tmp_path / f"{name}.html"), tmp_path, picture=picture, still=True)
    assert seen.console == []
    image = pixels(picture)
    middle = image[150:500, 200:700]
    blue = (middle[..., 2] > middle[..., 0] + 0.25) & (middle[..., 2] > 0.5)  # the first limb's colour
    assert blue.mean() > 0.0015
    assert np.std(image) > 0.02


def test_without_webgl_the_page_says_so_and_keeps_its_curves(report: Path, tmp_path: Path) -> None:
    page = report.read_text(encoding="utf-8").replace('getContext("webgl2"', 'getContext("nothing"')
    path = tmp_path / "blind.html"
    path.write_text(page, encoding="utf-8")
    seen = browse(path, tmp_path)
    assert "The 3D view needs WebGL 2" in seen.document
    assert seen.data("ready") == "no"
    assert seen.document.count('<svg class="chart"') >= 8
