// program.hpp: an operator expression as the executor sees it: rows of numbers, grouped into sweeps; plain data.
#pragma once

#include <cstdint>

#include "tree.hpp"

namespace phipsi {

// One row writes one register. Rows between two sweep marks are carried out together, body after body.
enum class Op : int32_t {
  up = 0,    // begins a sweep tips → base
  down = 1,  // begins a sweep base → tips
  copy = 10,
  axpy = 11,   // dst += c src
  scale = 12,  // dst = c src
  zero = 13,
  H = 20,
  H_T = 21,
  H_p = 22,
  H_p_T = 23,
  H_a = 24,
  H_a_T = 25,
  M = 30,
  P = 31,
  P_plus = 32,
  Upsilon = 33,
  tau = 34,
  tau_T = 35,
  tau_bar = 36,
  tau_bar_T = 37,
  G = 40,
  G_T = 41,
  D = 50,
  D_inv = 51,
  armature = 52,
  phi = 60,
  E_phi = 61,
  psi = 62,
  E_psi = 63,
  phi_T = 70,
  E_phi_T = 71,
  psi_T = 72,
  E_psi_T = 73,
  B = 80,
  B_T = 81
};

enum class Space : int32_t { bodies = 0, joints = 1, frames = 2 };

struct Row {
  Op op;
  int32_t dst, src, index;
};

struct Program {
  const Row* row;
  int64_t rows;
  const double* constants;
  const int32_t* space;  // of each register; 0 is the input, 1 the output
  int32_t registers;
  // pick-off frames: where they are, and for each body (and the world, last) the first of its own
  int32_t frames;
  const double* frame_position;  // 3 a frame, internal axes of its body
  const int32_t* frame_order;    // frames sorted by body
  const int32_t* frame_first;    // n + 1
  int32_t level;                 // what it needs: 0 placement and inertia, 1 articulated inertia, 2 also Υ
};

// What a configuration has computed, level by level: for each block of lanes one piece of each buffer.
struct Prepared {
  const double* q;
  int64_t states;
  bool lanes;              // false: one state a block
  const uint8_t* passive;  // nv: which dofs are free to move; null: all
  double* level[3];
  int64_t numbers[3];  // in a block's piece, for one lane
};

// x and y of one call: `states` rows of `width × columns` numbers; or, for a single configuration, everything is columns.
struct ApplyCall {
  const double* x;
  double* y;
  int64_t x_width, y_width, columns;
  int64_t x_stride;  // from state to state; 0: the same for all
  int64_t states;
};

}  // namespace phipsi
