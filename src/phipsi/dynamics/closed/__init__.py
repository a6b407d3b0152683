"""Closed chains, an idea a file: contacts, grasps, geometry, forward and inverse dynamics, projection, mechanisms.

>>> import phipsi as pp
>>> cell = pp.assemble({"left": pp.zoo.arm(), "right": pp.zoo.arm().placed(pp.Pose((0.5, 0, 0))), "box": pp.zoo.box()})
>>> q, v = cell.random(rng=0)
>>> closed = cell.close(pp.Grasp("left/hand", "box", at=q), pp.Grasp("right/hand", "box", at=q))
>>> motion = closed.forward_dynamics(q, closed.project_velocity(q, v), 0 * v)
>>> motion.acceleration.shape, motion.contact_force.shape, int(motion.rank)
((20,), (12,), 12)
"""
