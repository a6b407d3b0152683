// inverse_mass_matrix.hpp: [1-HψK]* D⁻¹ [1-HψK], column by column, without inverting anything larger than a D(k).
//
// One articulated sweep gives D, G and the path of ψ. Column i is then the answer to the unit torque at dof i: a sweep
// from its body to the root (ε, ν) and one back out to the bodies up to it; what lies beyond follows by symmetry.
// With L = double, W columns travel in the lanes; with L = vec the lanes are states and columns go one by one.
#pragma once

#include "mass_matrix.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// in: q;  out: the inverse of the mass matrix (nv × nv)
struct InverseMassMatrix {
  static constexpr const char* name = "inverse_mass_matrix";

  template <class L>
  struct Work {
    Place<L>* place;
    Vec6<L>* H;
    Gain<L>* gain;
    Gather<L, ArticulatedInertia<L>> P;
    Vec6<vec>*z, *alpha;
    vec* nu;
    double* touched;
    Work(Arena& arena, const Tree& t)
        : place(arena.take<Place<L>>(t.n)),
          H(arena.take<Vec6<L>>(t.columns)),
          gain(arena.take<Gain<L>>(t.nv)),
          P(arena, t) {
      arena.used = (arena.used + sizeof(vec) - 1) / sizeof(vec) * sizeof(vec);
      z = arena.take<Vec6<vec>>(t.n);
      alpha = arena.take<Vec6<vec>>(t.n);
      nu = arena.take<vec>(t.nv);
      touched = arena.take<double>(t.n);
    }
  };

  template <class L>
  static void riccati(const Tree& t, const L* q, Work<L>& s, L& singular) {
    for (int k = 0; k < t.n; ++k) place_with_columns(t, t.body[k], q, s.place, s.H, s.place[k]);
    ArticulatedInertia<L> P;
    bool carried = false;
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      const RigidInertia<L> M = inertia_in_world(b, s.place[k].R);
      if (carried)
        P += M;
      else
        P = articulated(M);
      if (b.slot >= 0) P += s.P.slot[b.slot];
      with_columns(b, s.place[k].R, s.H, [&](auto map) PHIPSI_INLINE {
        eliminate(map, t.rooted ? t.armature + b.v : nullptr, k, P, s.gain + b.v, singular);
      });
      carried = b.parent >= 0 && b.parent_slot < 0;
      if (b.parent < 0) continue;
      P = shifted(s.place[k].l, P);
      if (!carried) s.P.leave(b, P);
    }
  }

  // The unit torque of the column(s) from dof `first` on, felt at dof i: in every lane, or in the lane of its column.
  template <class L>
  PHIPSI_HOT static vec unit(int first, int count, int i) {
    if (i < first || i >= first + count) return vec{};
    if (lanes_of<L> == W) return splat(1.0);
    vec e = {};
    e[i - first] = 1.0;
    return e;
  }

  // Columns first .. first+count-1, tips → base
  template <class L>
  static void inward(const Tree& t, int first, int count, int last_body, Work<L>& s) {
    for (int k = 0; k <= last_body; ++k) s.touched[k] = 0;
    for (int i = first; i < first + count; ++i)
      if (s.touched[t.body_of_dof[i]] == 0) {
        s.touched[t.body_of_dof[i]] = 1;
        s.z[t.body_of_dof[i]] = zero6<vec>();
      }
    for (int k = last_body; k >= 0; --k) {
      const Body& b = t.body[k];
      vec* nu = s.nu + b.v;
      if (s.touched[k] == 0) {
        for (int i = 0; i < b.nv; ++i) nu[i] = vec{};
        continue;
      }
      Vec6<vec> z = s.z[k];
      with_columns(b, s.place[k].R, s.H, [&](auto map) PHIPSI_INLINE {
        vec torque[6];
        for (int i = 0; i < b.nv; ++i) torque[i] = unit<L>(first, count, b.v + i);
        innovate(map, s.gain + b.v, torque, z, nu);
      });
      if (b.parent < 0) continue;
      z = shift_force(s.place[k].l, z);
      if (s.touched[b.parent] != 0)
        s.z[b.parent] += z;
      else
        s.z[b.parent] = z;
      s.touched[b.parent] = 1;
    }
  }

  // base → tips, and into the matrix
  template <class L>
  static void outward(const Tree& t, int first, int count, int last_body, Work<L>& s, L* inverse) {
    for (int k = 0; k <= last_body; ++k) {
      const Body& b = t.body[k];
      Vec6<vec> alpha = b.parent < 0 ? zero6<vec>() : shift_motion(s.place[k].l, s.alpha[b.parent]);
      with_columns(b, s.place[k].R, s.H, [&](auto map) PHIPSI_INLINE {
        vec x[6];
        smooth(map, s.gain + b.v, s.nu + b.v, alpha, x);
        for (int i = 0; i < b.nv; ++i) enter(t.nv, b.v + i, first, count, x[i], inverse);
      });
      s.alpha[k] = alpha;
    }
  }

  PHIPSI_HOT static void enter(int64_t nv, int row, int first, int, vec x, vec* inverse) {
    inverse[row * nv + first] = x;
    inverse[first * nv + row] = x;
  }
  PHIPSI_HOT static void enter(int64_t nv, int row, int first, int count, vec x, double* inverse) {
    if (count == W)
      store(inverse + row * nv + first, x);
    else
      store_first(inverse + row * nv + first, x, count);
    for (int c = 0; c < count; ++c) inverse[(first + c) * nv + row] = x[c];
  }

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> s(arena, t);
    L singular = L{};
    riccati(t, c.in[0], s, singular);
    c.singular = singular;
    const int block = lanes_of<L> == W ? 1 : W;
    for (int first = 0; first < t.nv; first += block) {
      const int count = t.nv - first < block ? t.nv - first : block;
      const int last_body = t.body_of_dof[first + count - 1];
      inward(t, first, count, last_body, s);
      outward(t, first, count, last_body, s, c.out[0]);
    }
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
