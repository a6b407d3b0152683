// stepping.hpp: what a run through time asks for beyond a state; plain data, shared by all instruction sets.
#pragma once

#include <cstdint>

namespace phipsi {

enum class Method : int32_t { euler, rk4, midpoint };
enum class LawKind : int32_t { table, pd, computed_torque };

// One call: `blocks` times `every` steps; the state after each block comes out. Arrays have nv numbers and may be null.
struct Stepping {
  Method method = Method::rk4;
  LawKind law = LawKind::table;
  double step = 0;
  int64_t blocks = 1, every = 1;
  int64_t phase = 0;  // steps since the law was last asked, or since the first row of the table began
  int64_t hold = 0;   // steps for which what the law says is held; 0: it is asked at every stage (table: one row)
  int64_t rows = 1;   // of the table of torques
  bool gravity = false;  // the law adds gravity torques
  const double *kp = nullptr, *kd = nullptr;
  const double* effort = nullptr;  // bounds of |τ| that the motors keep to
  const double* driven = nullptr;  // 1: has a motor, 0: has none and feels none of the law
  // what the joints do by themselves
  const double *damping = nullptr, *stiffness = nullptr, *rest = nullptr;  // rest: a configuration, nq numbers
  const double *friction = nullptr, *slow = nullptr;      // below the speed `slow`, friction is proportional to it
  const double *lower = nullptr, *upper = nullptr;        // limits of the dofs that have some
  const double *wall = nullptr, *wall_damping = nullptr;  // stiffness and damping beyond them
  const int32_t* coordinate = nullptr;                    // which number of q a dof moves; -1: it has no limits
};

}  // namespace phipsi
