"""The benchmark: phipsi, Pinocchio and MuJoCo on the same robots and states, in one process (`make bench`)."""
