"""How long to fuzz: PHIPSI_FUZZ=10000 draws as many examples (default: what a test run can afford)."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "fuzz",
    max_examples=int(os.environ.get("PHIPSI_FUZZ", "150")),
    deadline=2000,  # milliseconds: a file of this size that takes longer is a hang in the making
    derandomize="PHIPSI_FUZZ" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
