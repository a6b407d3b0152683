// tree.hpp: the robot as flat arrays, shared by all instruction sets; plain data without functions.
//
// Internal frames. Each body has an internal frame with the body frame's origin but turned by a constant rotation
// A(k), so that the axis of its joint is the internal z axis: then crossing a revolute joint mixes two columns and the
// world axis of the joint is a column of R(k). Velocities, forces and inertias are in world axes at O_k, so nothing
// outside pose and body-axes outputs can tell.
#pragma once

#include <cstdint>

namespace phipsi {

// How H*(k) looks, which is all that dynamics needs to know about a joint.
enum class Shape : int32_t {
  none,     // no dof
  angular,  // one column [z; 0]
  linear,   // one column [0; z]
  dense,    // 1..6 columns, any numbers
  free      // six columns diag(R, R): z -> the joint takes all of the force
};

struct Body {
  int32_t parent;  // -1: the world
  int32_t kind;    // index in the list of joints.hpp
  Shape shape;
  int32_t q, nq, v, nv;   // where its numbers are in q and v
  int32_t column;         // first of its columns among those of dense joints (shape dense and free)
  int32_t block;          // first entry of its block of D, row by row, among those of all joints
  int32_t slot;           // where children that do not directly follow it leave their contributions; -1: none do
  int32_t parent_slot;    // the parent's slot if this body must leave its contribution there; -1: it is carried over
  int32_t first_in_slot;  // 1: the first to write there (assign), 0: add
  int32_t user_joint;     // spare index for messages: the joint's place in the user's list (equal to the body's)
  double rotation[9], position[3];  // the joint's placement in the parent's internal frame (columns)
  double mass, mc[3], J[6];         // about O_k, internal axes; J is xx yy zz xy xz yz
  double align[9];                  // A(k): internal axes in body axes (columns)
  double extra[9];                  // universal: turns the first joint axis' frame into the second's
};

struct Tree {
  int32_t n, nq, nv;
  int32_t slots;    // accumulators for branch points
  int32_t columns;  // columns of dense and free joints in all
  int32_t blocks;   // entries of all blocks of D
  int32_t rooted;   // 1: some dof has armature
  const Body* body;
  const double* armature;  // nv
  const double* fixed_columns;  // 6 numbers a dof: H* in internal axes, where it is constant there
  const double* inverse_columns;  // 6 numbers a dof: rows of the pseudo-inverse of H*, for custom joints' logarithm
  const int32_t* body_of_dof;  // nv
  double gravity[3];
};

struct Stepping;  // stepping.hpp

// What a call asks for beyond arrays: a target frame and how to express it.
enum class Axes : int32_t { world_aligned, body, world };
struct Request {
  int32_t body = -1;                                      // the body that carries the target frame
  double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};       // target frame in internal axes of that body (columns)
  double position[3] = {0, 0, 0};
  Axes axes = Axes::world_aligned;
  int32_t about_com = 0;  // momentum: 0 about the world's origin, 1 about the centre of mass
  const uint8_t* passive = nullptr;  // generalized Jacobians: 1 for each dof that has no motor; nv
  const Request* frames = nullptr;   // several targets, of which only body, rotation and position count
  int32_t frame_count = 0;
  const Stepping* stepping = nullptr;  // how to go through time
  const struct Closure* closure = nullptr;  // closed chains: the loops
};

// One call for many states: where the arrays begin, how wide a state's row is, and the step to the next state's (0: the
// same row for all). Absent arrays are null.
inline constexpr int most_inputs = 6, most_outputs = 4;
struct BatchCall {
  const double* in[most_inputs] = {};
  int64_t in_width[most_inputs] = {}, in_stride[most_inputs] = {};
  double* out[most_outputs] = {};
  int64_t out_width[most_outputs] = {};
  const uint8_t* mask = nullptr;  // hybrid dynamics: a mask a state, nv, instead of the request's for all
  int64_t mask_stride = 0;
  bool streaming = false;  // the results are too large for the caches: write past them
  Request request;
};

// States in which D(k) was not positive: how many, the first of them, and where.
struct Singular {
  int64_t count = 0, first = 0;
  int32_t body = -1;
};

}  // namespace phipsi
