"""Robots in motion: simulation, integrators, control laws, trajectories."""
