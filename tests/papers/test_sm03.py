"""SM03 as rows: every numbered item is among them."""

from __future__ import annotations

from phipsi import papers


def test_sm03_is_all_there() -> None:
    numbers = {
        *(str(k) for k in range(1, 50)),
        *(f"A{k}" for k in (1, *range(3, 11))),
        *(f"A2{x}" for x in "abcde"),
        *(f"B{k}" for k in range(1, 16)),
        *(f"C{k}" for k in range(1, 11)),
        *("8.1", "8.2", "8.3", "Lemma B1", "Lemma B2", "Table I", *(f"Table I.{k}" for k in range(1, 6))),
    }
    assert numbers - {row.ref for row in papers.paper("SM03").rows()} == set()
