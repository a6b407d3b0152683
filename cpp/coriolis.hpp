// coriolis.hpp: C(q, v) with C v the velocity forces and Ṁ - 2C skew (for q̇ = v: the Christoffel symbols').
//
// For particles, M = Σ m JᵀJ and C = Σ m Jᵀ J̇; both properties are immediate. For the composite of all bodies beyond
// joint k, with r from O_k and ṙ relative to the velocity of O_k, Jᵀ J̇ sums to two matrices about O_k:
//   M = [[J, mc~], [-mc~, m]]   and   B = [[tr(T) 1 - T, 0], [-p~, 0]],  T = ∫ ṙ rᵀ dm,  p = ∫ ṙ dm
// (one body: T = omega~ S with S = tr(J)/2 1 - J, p = omega x mc). Shifting to the parent, with l and l̇:
//   T' = T + p lᵀ + l̇ mcᵀ + m l̇ lᵀ,  p' = p + m l̇.
#pragma once

#include "kinematics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

template <class L>
struct MovingInertia {
  RigidInertia<L> M;
  Mat3<L> T;
  Vec3<L> p;
};

template <class L>
PHIPSI_HOT Mat3<L> outer(Vec3<L> a, Vec3<L> b) {
  return {a * b.x, a * b.y, a * b.z};
}
template <class L>
PHIPSI_HOT Mat3<L> operator+(const Mat3<L>& a, const Mat3<L>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class L>
PHIPSI_HOT MovingInertia<L> moving(const RigidInertia<L>& M, Vec3<L> w) {
  const L half = trace(M.J) * 0.5;
  const Vec3<L> Sx = {half - M.J.xx, -M.J.xy, -M.J.xz}, Sy = {-M.J.xy, half - M.J.yy, -M.J.yz},
                Sz = {-M.J.xz, -M.J.yz, half - M.J.zz};
  return {M, {cross(w, Sx), cross(w, Sy), cross(w, Sz)}, cross(w, M.mc)};
}
template <class L>
PHIPSI_HOT MovingInertia<L> shifted(Vec3<L> l, Vec3<L> l_dot, const MovingInertia<L>& X) {
  const Mat3<L> T = X.T + outer(X.p, l) + outer(l_dot, X.M.mc + l * X.M.m);
  return {shifted(l, X.M), T, X.p + l_dot * X.M.m};
}
template <class L>
PHIPSI_HOT MovingInertia<L>& operator+=(MovingInertia<L>& a, const MovingInertia<L>& b) {
  a.M = a.M + b.M;
  a.T = a.T + b.T;
  a.p = a.p + b.p;
  return a;
}
// B h and B* h
template <class L>
PHIPSI_HOT Vec6<L> times_B(const MovingInertia<L>& X, Vec6<L> h) {
  const L tr = X.T.x.x + X.T.y.y + X.T.z.z;
  return {h.w * tr - X.T * h.w, cross(h.w, X.p)};
}
template <class L>
PHIPSI_HOT Vec6<L> times_Bt(const MovingInertia<L>& X, Vec6<L> h) {
  const L tr = X.T.x.x + X.T.y.y + X.T.z.z;
  return {h.w * tr - transposed_times(X.T, h.w) + cross(X.p, h.v), zero3<L>()};
}

// in: q, v;  out: C (nv × nv)
struct CoriolisMatrix {
  static constexpr const char* name = "coriolis_matrix";

  template <class L>
  struct Work {
    Kinematics<L> s;
    Vec6<L>* H_dot;
    MovingInertia<L>* X;
    Work(Arena& arena, const Tree& t)
        : s(arena, t, true), H_dot(arena.take<Vec6<L>>(t.nv)), X(arena.take<MovingInertia<L>>(t.n)) {}
  };

  // inertial derivative of the columns: they turn with the child, but the first axis of a universal joint with the parent
  template <class L>
  PHIPSI_HOT static void differentiate_columns(const Body& b, const Kinematics<L>& s, int k, Vec6<L>* H_dot) {
    for (int i = b.v; i < b.v + b.nv; ++i) H_dot[i] = {cross(s.V[k].w, s.H[i].w), cross(s.V[k].w, s.H[i].v)};
    if (b.kind == kind_Universal) H_dot[b.v].w = b.parent < 0 ? zero3<L>() : cross(s.V[b.parent].w, s.H[b.v].w);
  }

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> w(arena, t);
    w.s.sweep(t, c.in[0], c.in[1], nullptr);
    L* C = c.out[0];
    for (int64_t i = 0; i < (int64_t)t.nv * t.nv; ++i) C[i] = L{};
    for (int k = 0; k < t.n; ++k) {
      w.X[k] = moving(inertia_in_world(t.body[k], w.s.place[k].R), w.s.V[k].w);
      differentiate_columns(t.body[k], w.s, k, w.H_dot);
    }
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      for (int i = b.v; i < b.v + b.nv; ++i) walk(t, k, i, w, C);
      if (b.parent >= 0) w.X[b.parent] += shifted(w.s.place[k].l, w.s.V[k].v - w.s.V[b.parent].v, w.X[k]);
    }
  }

  // Column i above the diagonal (F) and row i left of it (F1, F2), from body k to the root
  template <class L>
  static void walk(const Tree& t, int k, int i, const Work<L>& w, L* C) {
    const int64_t nv = t.nv;
    const Vec6<L> h = w.s.H[i];
    Vec6<L> F = w.X[k].M * w.H_dot[i] + times_B(w.X[k], h);
    Vec6<L> F1 = w.X[k].M * h, F2 = times_Bt(w.X[k], h);
    const Body& own = t.body[k];
    for (int j = own.v; j < own.v + own.nv; ++j) C[j * nv + i] = dot(w.s.H[j], F);
    for (int child = k; t.body[child].parent >= 0; child = t.body[child].parent) {
      const int parent = t.body[child].parent;
      const Vec3<L> l = w.s.place[child].l, l_dot = w.s.V[child].v - w.s.V[parent].v;
      F = shift_force(l, F);
      F2 = shift_force(l, F2);
      F2.w += cross(l_dot, F1.v);
      F1 = shift_force(l, F1);
      const Body& b = t.body[parent];
      for (int j = b.v; j < b.v + b.nv; ++j) {
        C[j * nv + i] = dot(w.s.H[j], F);
        C[i * nv + j] = dot(w.H_dot[j], F1) + dot(w.s.H[j], F2);
      }
    }
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
