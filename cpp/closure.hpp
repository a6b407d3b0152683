// closure.hpp: the loops of a closed chain as flat arrays, shared by all instruction sets; plain data.
#pragma once

#include "tree.hpp"

namespace phipsi {

// One loop: two frames that meet, and which directions of their relative motion are locked.
struct ClosureLoop {
  Request tip, object;  // the two frames, in internal axes of their bodies
  Request closed;  // where the tip is on the object's body when the loop is closed; its position is the contact's
  int32_t by_tip;  // 1: directions constant in the tip's axes, taken at the contact's point; 0: object's, at the tip
  int32_t rows, first;  // of J
  int32_t turns;  // locked angular directions: 3 keep an attitude, 2 an axis, 1 a spin
  int32_t first_share, shares;  // of its shared bodies
  int32_t dofs;  // on the way from both ends to the world (or to a free joint, which hands on no force)
  double locked[36];  // rows × 6, in those axes
  double axis_tip[3], axis_object[3];  // of two locked turns: the third direction, in the tip's and the object's frame
};

// A body on the way of a loop: its place among the loop's dofs.
struct ClosureStep {
  int32_t loop, dof;
};

// A body on the ways of several loops, as one of them meets it: the place of its dofs among all shared ones.
struct ClosureShare {
  int32_t body, dof, column;
};

struct Closure {
  int32_t loops, rows;
  const ClosureLoop* loop;
  int32_t bodies;  // those that some loop's way leads through, tips first
  const int32_t* body;  // their indices
  const int32_t* first_step;  // bodies + 1: where their steps begin
  const ClosureStep* step;
  const ClosureShare* share;
  int32_t shared;  // dofs on the ways of several loops
  int32_t by_loops;  // 1: few enough that the loops are better eliminated one by one
  const uint8_t* touched;  // n: whether the body's motion can depend on the contact forces
  double frequency, damping;  // Baumgarte's ω and ζ; ω = 0: none
};

}  // namespace phipsi
