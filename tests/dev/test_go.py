"""A Go that is new enough is found, and one that is not is passed over."""

from pathlib import Path

import pytest

from dev.go import ENGINE
from hatch_build import find_go, version_of


@pytest.mark.parametrize(("text", "version"), [("go1.26.8", (1, 26, 8)), ("1.26.0", (1, 26, 0)), ("", ())])
def test_versions(text: str, version: tuple[int, ...]) -> None:
    assert version_of(text) == version


@pytest.mark.parametrize(("version", "found"), [("go1.99.0", True), ("go1.25.9", False), ("nonsense", False)])
def test_a_go_counts_by_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, found: bool
) -> None:
    (tmp_path / "go").write_text(f"#!/bin/sh\necho {version}\n")
    (tmp_path / "go").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "nowhere" / "python"))
    assert find_go(ENGINE) == (str(tmp_path / "go") if found else None)
