"""Broken files: each gets one message, the whole of it tested: where, what is wrong, and the remedy."""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import phipsi as pp
from phipsi.model import file_source
from phipsi.model.load import load_urdf_string

# cases of the form "=== what is wrong", the text, "--- the message after <string>"
_TEXT = (Path(__file__).parent / "broken_urdf.txt").read_text(encoding="utf-8")
BROKEN = {name: (text, message) for name, text, message in re.findall(r"=== (.*)\n((?s:.*?))\n--- (.*)\n", _TEXT)}
assert len(BROKEN) > 50

INERTIA = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"


@pytest.mark.parametrize("case", BROKEN)
def test_messages(case: str) -> None:
    text, message = BROKEN[case]
    with pytest.raises(pp.FileError) as caught:
        load_urdf_string(text)
    error = caught.value
    located = message.startswith("line ")
    assert str(error) == f"<string>{', ' if located else ': '}{message}"
    assert (error.path, error.line is not None) == ("<string>", located)
    assert not located or message.startswith(f"line {error.line}: {error.element}")
    assert error.remedy
    assert message.removesuffix(".").endswith(error.remedy.removesuffix("."))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ': it is empty. A URDF begins with <robot name="...">, an MJCF model with <mujoco>.'),
        (" \n ", ': it is empty. A URDF begins with <robot name="...">, an MJCF model with <mujoco>.'),
        (
            "<robot>\0</robot>",
            ", line 1: this is not well-formed XML: not well-formed (invalid token), inside <robot> of line 1. "
            "Correct it; every element needs its end, every value its quotes.",
        ),
        (
            "<robot>" + "<a>" * 100_000,
            ", line 1: elements are nested more than 200 deep. Nothing in a robot's file is: write it again.",
        ),
        (
            f"<robot><link name='a'><inertial><mass value='{'1' * 100_000}x'/>{INERTIA}</inertial></link></robot>",
            f", line 1: <mass> of link 'a': value must be a number, got '{'1' * 78}…. "
            "Write a decimal number such as 0.25 or 1e-3.",
        ),
        (
            b"\n<robot name='\xe4'/>",
            ", line 2: the text cannot be decoded: byte 0xe4 is not UTF-8. "
            "Save it as UTF-8, or declare its encoding in <?xml ... ?>.",
        ),
        (
            b"<?xml version='1.0' encoding='utf-8'?><robot name='\xe4'/>",
            ", line 1: the text cannot be decoded: byte 0xe4 is not UTF-8. "
            "Save it as UTF-8, or declare its encoding in <?xml ... ?>.",
        ),
        (
            b"<?xml version='1.0' encoding='klingon'?><robot/>",
            ": the text cannot be decoded: encoding 'klingon' is not known here. "
            "Save it as UTF-8, or declare its encoding in <?xml ... ?>.",
        ),
        (
            "<robot name='\ud800'/>",
            ": the text cannot be decoded: surrogates not allowed. "
            "Save it as UTF-8, or declare its encoding in <?xml ... ?>.",
        ),
    ],
)
def test_messages_about_texts_that_do_not_print(text: str | bytes, message: str) -> None:
    with pytest.raises(pp.FileError) as caught:
        load_urdf_string(text)
    assert str(caught.value) == f"<string>{message}"


@pytest.mark.parametrize(
    "encoding", ["utf-7", "base64", "idna", "punycode", "rot13", "unicode_escape", "iso-8859-99", "cp1259"]
)
def test_encodings_that_are_none(encoding: str) -> None:
    with pytest.raises(pp.FileError):
        load_urdf_string(
            f"<?xml version='1.0' encoding='{encoding}'?><robot name='r'>+&#9;\xff</robot>".encode("cp1252")
        )


def refused(path: Any, message: str, load: Callable[..., pp.Robot] = pp.load) -> None:
    with pytest.raises(pp.PhipsiError) as caught:
        load(path)
    assert str(caught.value) == message


def test_paths(tmp_path: Path) -> None:
    remedy = f"Check the path; relative paths start at {os.getcwd()}."
    refused("nowhere.urdf", f"nowhere.urdf: there is no such file. {remedy}")
    refused("", f"'': there is no such file. {remedy}")
    refused(tmp_path, f"{tmp_path}: this is a directory. Give the path of the robot's file inside it.")
    refused("a\0b", "'a\\x00b': it cannot be read (embedded null byte). Check the file and its permissions.")
    refused("<robot/>", "'<robot/>': this is XML text, not a path. For text there are load_urdf_string and "
                        "load_mjcf_string.")  # fmt: skip
    refused(3, "load: path must be a path or an open file, got int 3.")
    refused(3, "load_urdf_string: text must be the text of a URDF, got int 3.", load_urdf_string)


def test_closed_files(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text("<robot/>")
    file = path.open()
    file.close()
    refused(
        file,
        f"{path}: it cannot be read (I/O operation on closed file.). Check the file and its permissions.",
        pp.load_urdf,
    )


def test_files_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_source, "LARGEST", 2**20)
    path = tmp_path / "robot.urdf"
    path.write_bytes(b" " * (2**20 + 1))
    refused(path, f"{path}: it is larger than 1 MB. A robot's file holds no meshes: is this the right one?")


@pytest.mark.parametrize(
    "text",
    [
        "<robot name='r'><link name='world'/></robot>",
        "<robot name='r'><link name='world'/><link name='b'/>"
        "<joint name='j' type='continuous'><parent link='world'/><child link='b'/></joint></robot>",
    ],
)
def test_a_world_that_should_float(text: str) -> None:
    with pytest.raises(pp.FileError) as caught:
        load_urdf_string(text, base="free")
    assert str(caught.value) == (
        '<string>, line 1: link \'world\': the root link "world" cannot float (base="free"). Load with base="fixed"; '
        'or hang one link on "world", by a fixed joint, and that one will float.'
    )


def test_bases() -> None:
    with pytest.raises(pp.OptionError) as caught:
        load_urdf_string("<robot/>", base="floating")
    assert str(caught.value) == "load_urdf_string: base must be one of 'fixed', 'free', got 'floating'."
    for load in (pp.load, pp.load_urdf, pp.load_mjcf, pp.load_description):
        with pytest.raises(pp.OptionError):
            load("any", base="floating")


def test_file_errors_survive_pickling() -> None:
    with pytest.raises(pp.FileError) as caught:
        load_urdf_string("<robot/>")
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value)
    assert (error.path, error.line, error.remedy) == (caught.value.path, caught.value.line, caught.value.remedy)


def test_an_entity_bomb_is_refused_at_its_first_line() -> None:
    entities = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 20))
    with pytest.raises(pp.FileError, match="document type"):
        load_urdf_string(f'<!DOCTYPE r [<!ENTITY e0 "ha">{entities}]><robot name="&e19;"/>')
