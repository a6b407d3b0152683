"""JR93's rows: every numbered item is one."""

from __future__ import annotations

from phipsi import papers


def test_jr93_is_all_there() -> None:
    numbers = {
        *("3.1", "3.2a", "3.2b", "3.2c", "3.2d", "3.3a", "3.3b", "3.4a", "3.4b", "3.5", "3.6"),
        *(f"4.{k}" for k in range(1, 11)),
        *("5.1a", "5.1b", "5.1c", "5.2", "5.3a", "5.3b", "5.3c", "5.4", "5.4a", "5.4b"),
        *(f"6.{k}" for k in range(1, 14)),
        *("7.1", "7.2", "7.3"),
        *(f"A.{k}" for k in range(1, 12)),
        *(f"Lemma {k}" for k in ("4.1", "4.2", "4.3", "5.1", "5.2", "6.1", "6.2", "6.3", "6.4")),
    }
    assert numbers - {row.ref for row in papers.paper("JR93").rows()} == set()
