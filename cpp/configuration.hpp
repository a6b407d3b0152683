// configuration.hpp: what operators need of a configuration, computed once: placement and inertia, articulated inertia, Υ.
//
//   level 0  R, l, columns of H*, M            base → tips
//   level 1  P, D, D⁻¹, G                      tips → base (Riccati), over the passive dofs
//   level 2  Υ(k) = ψ*(p,k) Υ(p) ψ(p,k) + H* D⁻¹ H   base → tips
#pragma once

#include "mass_matrix.hpp"
#include "program.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

template <class L>
struct Placement {
  Place<L>* place;
  Vec6<L>* H;  // columns of dense and free joints
  Vec3<L>* mc;
  Sym3<L>* J;
  Placement(Arena& arena, const Tree& t)
      : place(arena.take<Place<L>>(t.n)),
        H(arena.take<Vec6<L>>(t.columns)),
        mc(arena.take<Vec3<L>>(t.n)),
        J(arena.take<Sym3<L>>(t.n)) {}
};

template <class L>
struct Articulation {
  ArticulatedInertia<L>* P;
  Vec6<L>* G;  // one a dof; zero for active ones
  L *D, *D_inv;  // the joints' blocks, row by row; zero for active dofs
  Articulation(Arena& arena, const Tree& t)
      : P(arena.take<ArticulatedInertia<L>>(t.n)),
        G(arena.take<Vec6<L>>(t.nv)),
        D(arena.take<L>(t.blocks)),
        D_inv(arena.take<L>(t.blocks)) {}
};

// Υ maps forces to motions: kept with its halves swapped, it shifts as an inertia does.
template <class L>
struct Mobility {
  ArticulatedInertia<L>* Upsilon;
  Mobility(Arena& arena, const Tree& t) : Upsilon(arena.take<ArticulatedInertia<L>>(t.n)) {}
};
template <class A, class B>
PHIPSI_HOT Pair<B, A> swapped(Pair<A, B> x) {
  return {x.v, x.w};
}

template <class L>
PHIPSI_HOT RigidInertia<L> inertia_of(const Tree& t, const Placement<L>& s, int k) {
  return {number<L>(t.body[k].mass), s.mc[k], s.J[k]};
}

template <class L>
void prepare_placement(const Tree& t, const L* q, Placement<L>& s) {
  for (int k = 0; k < t.n; ++k) {
    place_with_columns(t, t.body[k], q, s.place, s.H, s.place[k]);
    const RigidInertia<L> M = inertia_in_world(t.body[k], s.place[k].R);
    s.mc[k] = M.mc;
    s.J[k] = M.J;
  }
}

// Columns of H*(k), written out whatever the shape
template <class L>
PHIPSI_HOT void columns_of(const Body& b, const Placement<L>& s, int k, Vec6<L>* h) {
  const Vec3<L> z = s.place[k].R.z, o = zero3<L>();
  switch (b.shape) {
    case Shape::none: break;
    case Shape::angular: h[0] = {z, o}; break;
    case Shape::linear: h[0] = {o, z}; break;
    case Shape::dense:
    case Shape::free:
      for (int i = 0; i < b.nv; ++i) h[i] = s.H[b.column + i];
  }
}

// A⁻¹ of a symmetric positive block by Gauss-Jordan; pivots are judged as in eliminate(DenseMap).
template <class L>
PHIPSI_HOT void invert_block(int m, L (&A)[6][6], L (&scale)[6], int body, L& singular) {
  L inverse[6][6];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) inverse[i][j] = number<L>(i == j ? 1.0 : 0.0);
  for (int j = 0; j < m; ++j) {
    require_positive(A[j][j], scale[j], body, singular);
    const L pivot = 1.0 / A[j][j];
    for (int i = 0; i < m; ++i) {
      if (i == j) continue;
      const L f = A[i][j] * pivot;
      if (i > j) scale[i] = scale[i] + f * f * scale[j];
      for (int c = j; c < m; ++c) A[i][c] = A[i][c] - f * A[j][c];
      for (int c = 0; c < m; ++c) inverse[i][c] = inverse[i][c] - f * inverse[j][c];
    }
    for (int c = j; c < m; ++c) A[j][c] = A[j][c] * pivot;
    for (int c = 0; c < m; ++c) inverse[j][c] = inverse[j][c] * pivot;
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) A[i][j] = inverse[i][j];
}

// D, D⁻¹ and G of joint k over its passive dofs; P → P⁺
template <class L>
PHIPSI_HOT void articulate_block(const Tree& t, int k, const uint8_t* passive, const Placement<L>& s,
                                 ArticulatedInertia<L>& P, Articulation<L>& out, L& singular) {
  const Body& b = t.body[k];
  L *D = out.D + b.block, *D_inv = out.D_inv + b.block;
  Vec6<L> h[6], U[6];
  int dof[6], m = 0;
  columns_of(b, s, k, h);
  for (int i = 0; i < b.nv * b.nv; ++i) D[i] = D_inv[i] = L{};
  for (int i = 0; i < b.nv; ++i) {
    out.G[b.v + i] = zero6<L>();
    if (!passive || passive[b.v + i]) dof[m++] = i;
  }
  L A[6][6], scale[6];
  for (int i = 0; i < m; ++i) {
    const Vec6<L> column = h[dof[i]];
    U[i] = P * column;
    scale[i] = dot(column.w, column.w) * trace(P.J) + dot(column.v, column.v) * trace(P.M);
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      A[i][j] = dot(h[dof[i]], U[j]);
      if (i == j && t.rooted) A[i][i] = A[i][i] + t.armature[b.v + dof[i]];
      D[b.nv * dof[i] + dof[j]] = A[i][j];
    }
  invert_block(m, A, scale, k, singular);
  for (int i = 0; i < m; ++i) {
    Vec6<L> G = zero6<L>();
    for (int j = 0; j < m; ++j) {
      G += U[j] * A[j][i];
      D_inv[b.nv * dof[i] + dof[j]] = A[i][j];
    }
    out.G[b.v + dof[i]] = G;
  }
  for (int i = 0; i < m; ++i) subtract_outer(P, out.G[b.v + dof[i]], U[i]);
}

// The same for one column
template <class L, class Map>
PHIPSI_HOT void articulate_one(const Tree& t, int k, Map map, ArticulatedInertia<L>& P, Articulation<L>& out,
                               L& singular) {
  const Body& b = t.body[k];
  Gain<L> gain;
  eliminate(map, t.rooted ? t.armature + b.v : nullptr, k, P, &gain, singular);
  out.G[b.v] = gain.G;
  out.D_inv[b.block] = gain.d_inverse;
  out.D[b.block] = 1.0 / gain.d_inverse;
}

template <class L>
PHIPSI_HOT void articulate(const Tree& t, int k, const uint8_t* passive, const Placement<L>& s,
                           ArticulatedInertia<L>& P, Articulation<L>& out, L& singular) {
  const Body& b = t.body[k];
  const bool single = b.nv == 1 && (!passive || passive[b.v]);
  if (single && b.shape == Shape::angular)
    articulate_one(t, k, AngularMap<L>{s.place[k].R.z}, P, out, singular);
  else if (single && b.shape == Shape::linear)
    articulate_one(t, k, LinearMap<L>{s.place[k].R.z}, P, out, singular);
  else if (b.nv > 0)
    articulate_block(t, k, passive, s, P, out, singular);
}

template <class L>
void prepare_articulation(const Tree& t, const uint8_t* passive, const Placement<L>& s, Articulation<L>& out,
                          L& singular) {
  bool carried = false;
  ArticulatedInertia<L> P;
  for (int k = 0; k < t.n; ++k)
    if (t.body[k].slot >= 0) out.P[k] = articulated(inertia_of(t, s, k));  // a branch point: children add to it there
  for (int k = t.n - 1; k >= 0; --k) {
    const Body& b = t.body[k];
    if (b.slot >= 0) {
      if (carried)
        P += out.P[k];
      else
        P = out.P[k];
    } else if (carried) {
      P += inertia_of(t, s, k);
    } else {
      P = articulated(inertia_of(t, s, k));
    }
    out.P[k] = P;
    articulate(t, k, passive, s, P, out, singular);
    carried = b.parent >= 0 && b.parent_slot < 0;
    if (b.parent < 0) continue;
    P = shifted(s.place[k].l, P);
    if (!carried) out.P[b.parent] += P;
  }
}

// Υ = τ̄* Υ⁺ τ̄ + H* D⁻¹ H with Υ⁺ = φ* Υ(p) φ: with Y = Υ⁺ G and Z = Y - ½ H* (G* Y + D⁻¹), Υ = Υ⁺ - H* Z* - Z H
template <class L>
void prepare_mobility(const Tree& t, const Placement<L>& s, const Articulation<L>& a, Mobility<L>& out) {
  for (int k = 0; k < t.n; ++k) {
    const Body& b = t.body[k];
    ArticulatedInertia<L> X = b.parent < 0 ? ArticulatedInertia<L>{} : shifted(-s.place[k].l, out.Upsilon[b.parent]);
    Vec6<L> h[6], Y[6];
    columns_of(b, s, k, h);
    for (int i = 0; i < b.nv; ++i) Y[i] = swapped(X * swapped(a.G[b.v + i]));
    for (int i = 0; i < b.nv; ++i) {
      Vec6<L> Z = Y[i];
      for (int j = 0; j < b.nv; ++j) {
        const L both = dot(a.G[b.v + i], Y[j]) + a.D_inv[b.block + b.nv * i + j];
        Z = Z - h[j] * (0.5 * both);
      }
      subtract_both(X, swapped(h[i]), swapped(Z));
    }
    out.Upsilon[k] = X;
  }
}

// One block: `level` from what lies below it; q holds the lanes' configurations.
template <class L>
void prepare_block(const Tree& t, const Prepared& p, int level, const L* q, char* const* piece, L& singular) {
  Arena first{piece[0]}, second{piece[1]}, third{piece[2]};
  Placement<L> placement(first, t);
  if (level == 0) return prepare_placement(t, q, placement);
  Articulation<L> articulation(second, t);
  if (level == 1) return prepare_articulation(t, p.passive, placement, articulation, singular);
  Mobility<L> mobility(third, t);
  prepare_mobility(t, placement, articulation, mobility);
}

template <class L>
size_t level_numbers(const Tree& t, int level) {
  Arena arena{nullptr};
  if (level == 0) (void)Placement<L>(arena, t);
  if (level == 1) (void)Articulation<L>(arena, t);
  if (level == 2) (void)Mobility<L>(arena, t);
  return arena.used / sizeof(L);
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
