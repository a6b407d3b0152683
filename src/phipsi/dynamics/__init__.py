"""Algorithms of dynamics, one subject a file; each is an operator expression first and a set of sweeps second.

>>> import phipsi as pp
>>> from phipsi.dynamics import forward_forms
>>> arm = pp.zoo.chain(5)
>>> q, v = arm.random(rng=0)
>>> motion = forward_forms.fd4(arm, q, v, tau=[0.0] * 5)
>>> motion.sweeps, motion.link_accelerations.shape
(3, (5, 6))
"""
