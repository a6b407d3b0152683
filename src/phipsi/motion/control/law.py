"""What a control law is."""

from __future__ import annotations

from typing import Protocol

from phipsi.model.reading import Floats


class Law(Protocol):
    """Torques from time and state: `law(t, q, v)`, batched by leading axes; what `simulate(control=...)` takes.

    t is a number, q (*batch, nq), v (*batch, nv); the torques are (*batch, nv), zero at dofs without a motor.
    """

    def __call__(self, t: float, q: Floats, v: Floats, /) -> Floats:
        """The torques in this state."""
        ...
