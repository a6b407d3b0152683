// group.hpp: joints whose q̇ is not v move in a group of rigid motions; what a stepper needs of its Lie algebra.
//
// q = q0 exp(Ω): Ω̇ = v + ½ [Ω, v] + 1/12 [Ω, [Ω, v]] - …, v in child axes. Joints with q̇ = v commute: Ω̇ = v.
#pragma once

#include "kinematics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

PHIPSI_HOT bool in_group(const Body& b) {
  return b.kind == kind_Spherical || b.kind == kind_Planar || b.kind == kind_Free ||
         (b.kind == kind_Custom && b.nq != b.nv);
}

// [a, b] of two twists
template <class L>
PHIPSI_HOT Vec6<L> bracket(Vec6<L> a, Vec6<L> b) {
  return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)};
}

// The twist of joint rates x, child axes; and what of a twist each rate is.
template <class L>
PHIPSI_HOT Vec6<L> lifted(const double* columns, int m, const L* x) {
  Vec6<L> d = zero6<L>();
  for (int i = 0; i < m; ++i)
    d += Vec6<L>{constant3<L>(columns + 6 * i) * x[i], constant3<L>(columns + 6 * i + 3) * x[i]};
  return d;
}
template <class L>
PHIPSI_HOT L lowered(const double* row, Vec6<L> d) {
  return dot(vec3_at(row), d.w) + dot(vec3_at(row + 3), d.v);
}

// The columns of H* of a joint in child axes, and the rows of their pseudo-inverse (orthonormal columns are their own).
PHIPSI_HOT const double* group_columns(const Tree& t, const Body& b) { return t.fixed_columns + 6 * b.v; }
PHIPSI_HOT const double* group_rows(const Tree& t, const Body& b) {
  return (b.kind == kind_Custom ? t.inverse_columns : t.fixed_columns) + 6 * b.v;
}

// Ω̇ of all joints; enough of the series for order five, as Ω and v differ from multiples of each other by O(h²)
template <class L>
PHIPSI_HOT void chart_rate(const Tree& t, const L* omega, const L* v, L* out) {
  for (int i = 0; i < t.nv; ++i) out[i] = v[i];
  for (int k = 0; k < t.n; ++k) {
    const Body& b = t.body[k];
    if (!in_group(b)) continue;
    const double *h = group_columns(t, b), *rows = group_rows(t, b);
    const Vec6<L> turn = lifted(h, b.nv, omega + b.v), once = bracket(turn, lifted(h, b.nv, v + b.v));
    const Vec6<L> sum = once * 0.5 + bracket(turn, once) * (1.0 / 12.0);
    for (int i = 0; i < b.nv; ++i) out[b.v + i] = out[b.v + i] + lowered(rows + 6 * i, sum);
  }
}

// q ⊞ dv of all joints
template <class L>
PHIPSI_HOT void step_along(const Tree& t, const L* q, const L* dv, L* out) {
  for (int k = 0; k < t.n; ++k) {
    const Body& b = t.body[k];
    with_joint(b.kind, [&](auto joint)
                           PHIPSI_INLINE { joint.step(b, t.fixed_columns + 6 * b.v, q + b.q, dv + b.v, out + b.q); });
  }
}
// dv with q0 ⊞ dv = q1
template <class L>
PHIPSI_HOT void way_between(const Tree& t, const L* q0, const L* q1, L* dv) {
  for (int k = 0; k < t.n; ++k) {
    const Body& b = t.body[k];
    with_joint(b.kind, [&](auto joint) PHIPSI_INLINE {
      joint.minus(b, t.inverse_columns + 6 * b.v, q0 + b.q, q1 + b.q, dv + b.v);
    });
  }
}

// in: Ω, v;  out: Ω̇
struct ChartRate {
  static constexpr const char* name = "chart_rate";
  struct Nothing {};
  template <class L>
  static Nothing plan(Arena&, const Tree&) {
    return {};
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    chart_rate(t, c.in[0], c.in[1], c.out[0]);
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
