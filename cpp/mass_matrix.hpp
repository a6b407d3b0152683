// mass_matrix.hpp: H φ M φ* H* + armature, from composite inertias: O(n) of them, then one walk to the root per column.
#pragma once

#include "riccati.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// As with_map, but a free joint shows its six columns like any other.
template <class L, class F>
PHIPSI_HOT void with_columns(const Body& b, const Mat3<L>& R, const Vec6<L>* H, F&& f) {
  switch (b.shape) {
    case Shape::none: f(NoMap{}); break;
    case Shape::angular: f(AngularMap<L>{R.z}); break;
    case Shape::linear: f(LinearMap<L>{R.z}); break;
    case Shape::dense:
    case Shape::free: f(DenseMap<L>{H + b.column, b.nv}); break;
  }
}
template <class L>
PHIPSI_HOT void place_with_columns(const Tree& t, const Body& b, const L* q, Place<L>* place, Vec6<L>* H,
                                   Place<L>& here) {
  cross_joint(t, b, q, place, H, here, [&](auto, const Mat3<L>& R, Vec3<L>) PHIPSI_INLINE {
    if (b.shape == Shape::free) write_columns(t, b, q, R, H + b.column);
  });
}

// I h for column i of the map
template <class L>
PHIPSI_HOT Vec6<L> times_column(const RigidInertia<L>& I, AngularMap<L> map, int) {
  return {I.J * map.z, cross(map.z, I.mc)};
}
template <class L>
PHIPSI_HOT Vec6<L> times_column(const RigidInertia<L>& I, LinearMap<L> map, int) {
  return {cross(I.mc, map.z), map.z * I.m};
}
template <class L>
PHIPSI_HOT Vec6<L> times_column(const RigidInertia<L>& I, DenseMap<L> map, int i) {
  return I * map.h[i];
}
template <class L>
PHIPSI_HOT Vec6<L> times_column(const RigidInertia<L>&, NoMap, int) {
  return zero6<L>();
}

// in: q;  out: the mass matrix (nv × nv)
struct MassMatrix {
  static constexpr const char* name = "mass_matrix";

  template <class L>
  struct Work {
    Place<L>* place;
    Vec6<L>* H;
    Gather<L, RigidInertia<L>> I;
    Work(Arena& arena, const Tree& t)
        : place(arena.take<Place<L>>(t.n)), H(arena.take<Vec6<L>>(t.columns)), I(arena, t) {}
  };

  // Column i of body k's dofs against body j's dofs, which carry the force F
  template <class L>
  PHIPSI_HOT static void enter(const Tree& t, const Body& ancestor, int column, Vec6<L> F, const Work<L>& s, L* M) {
    L row[6];
    const int j = (int)(&ancestor - t.body);
    with_map(ancestor, s.place[j].R, s.H, [&](auto map) PHIPSI_INLINE { map.collect(F, row); });
    for (int i = 0; i < ancestor.nv; ++i) {
      M[(int64_t)(ancestor.v + i) * t.nv + column] = row[i];
      M[(int64_t)column * t.nv + ancestor.v + i] = row[i];
    }
  }

  template <class L>
  static void column(const Tree& t, int k, int i, Vec6<L> F, const Work<L>& s, L* M) {
    const int at = t.body[k].v + i;
    enter(t, t.body[k], at, F, s, M);
    for (int j = k; t.body[j].parent >= 0; j = t.body[j].parent) {
      F = shift_force(s.place[j].l, F);
      enter(t, t.body[t.body[j].parent], at, F, s, M);
    }
    if (t.rooted) M[(int64_t)at * t.nv + at] = M[(int64_t)at * t.nv + at] + t.armature[at];
  }

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> s(arena, t);
    L* M = c.out[0];
    for (int64_t i = 0; i < (int64_t)t.nv * t.nv; ++i) M[i] = L{};
    for (int k = 0; k < t.n; ++k) place_with_columns(t, t.body[k], c.in[0], s.place, s.H, s.place[k]);
    RigidInertia<L> carry;
    bool carried = false;
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      const Place<L>& here = s.place[k];
      RigidInertia<L> I = inertia_in_world(b, here.R);
      if (carried) I = I + carry;
      if (b.slot >= 0) I = I + s.I.slot[b.slot];
      with_columns(b, here.R, s.H, [&](auto map) PHIPSI_INLINE {
        for (int i = 0; i < b.nv; ++i) column(t, k, i, times_column(I, map, i), s, M);
      });
      carried = b.parent >= 0 && b.parent_slot < 0;
      if (b.parent < 0) continue;
      carry = shifted(here.l, I);
      if (!carried) s.I.leave(b, carry);
    }
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
