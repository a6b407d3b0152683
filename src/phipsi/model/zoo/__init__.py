"""Ready robots: random chains and trees for tests and benches, classics of control, and machines worth moving.

Every one is physically possible, deterministic (a `seed` says which), and takes `gravity=`. `base="free"` puts the
first body on a free joint.
"""

from phipsi.model.zoo.classics import acrobot, box, cartpole, double_pendulum, pendulum, planar_arm
from phipsi.model.zoo.machines import arm, arm_satellite, dual_arm_satellite, hand, quadruped
from phipsi.model.zoo.random_trees import chain, every_joint, star, tree

__all__ = [
    "acrobot",
    "arm",
    "arm_satellite",
    "box",
    "cartpole",
    "chain",
    "double_pendulum",
    "dual_arm_satellite",
    "every_joint",
    "hand",
    "pendulum",
    "planar_arm",
    "quadruped",
    "star",
    "tree",
]
