// riccati.hpp: P, D, G and ψ by elimination: the heart of every articulated sweep, tips → base.
//
//   D = H P H* + armature,  G = P H* D⁻¹,  P⁺ = P - G D G*,  ψ = φ (1 - G H)
// A joint of several dofs is eliminated column by column, as if its columns were single joints with massless links
// between them at the same origin; this is the block form exactly (it is the LDL* factorization of D(k) in disguise).
#pragma once

#include "kinematics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// D(k) below this part of the inertia it was taken from is what rounding leaves of zero.
inline constexpr double singular_part = 1e-14;

// What elimination leaves for the sweeps that follow: one per dof.
template <class L>
struct Gain {
  Vec6<L> G;
  L d_inverse;
};

// Marks the lanes where D is not positive; NaN is not singular, it only passes through.
template <class L>
PHIPSI_HOT void require_positive(L d, L scale, int body, L& singular) {
  const auto bad = d <= scale * singular_part;
  if (__builtin_expect(any(bad), 0))
    singular = select(bad, select(singular == L{}, number<L>(body + 1.0), singular), singular);
}

// One column: U = P h, D = h·U + armature, G = U/D, P ← P - G Uᵀ
template <class L>
PHIPSI_HOT void eliminate_column(L d, L scale, Vec6<L> U, int body, ArticulatedInertia<L>& P, Gain<L>& gain,
                                 L& singular) {
  require_positive(d, scale, body, singular);
  gain.d_inverse = 1.0 / d;
  gain.G = U * gain.d_inverse;
  subtract_outer(P, gain.G, U);
}

template <class L>
PHIPSI_HOT void eliminate(NoMap, const double*, int, ArticulatedInertia<L>&, Gain<L>*, L&) {}

template <class L>
PHIPSI_HOT void eliminate(AngularMap<L> map, const double* armature, int body, ArticulatedInertia<L>& P, Gain<L>* gain,
                          L& singular) {
  const Pair<Vec3<L>, Zero3> h = {map.z, {}};
  const Vec6<L> U = P * h;
  L d = dot(map.z, U.w);
  if (armature) d = d + armature[0];
  eliminate_column(d, trace(P.J), U, body, P, gain[0], singular);
}

template <class L>
PHIPSI_HOT void eliminate(LinearMap<L> map, const double* armature, int body, ArticulatedInertia<L>& P, Gain<L>* gain,
                          L& singular) {
  const Pair<Zero3, Vec3<L>> h = {{}, map.z};
  const Vec6<L> U = P * h;
  L d = dot(map.z, U.v);
  if (armature) d = d + armature[0];
  eliminate_column(d, trace(P.M), U, body, P, gain[0], singular);
}

// A later pivot carries the rounding of the earlier ones, amplified by the squares of the factors between them; what it
// must stand out from grows accordingly.
template <class L>
PHIPSI_HOT void eliminate(DenseMap<L> map, const double* armature, int body, ArticulatedInertia<L>& P, Gain<L>* gain,
                          L& singular) {
  const L angular = trace(P.J), linear = trace(P.M);
  L scale[6];
  for (int i = map.m - 1; i >= 0; --i) {
    const Vec6<L> h = map.h[i], U = P * h;
    L d = dot(h, U);
    if (armature) d = d + armature[i];
    scale[i] = dot(h.w, h.w) * angular + dot(h.v, h.v) * linear;
    for (int j = map.m - 1; j > i; --j) {
      const L factor = dot(h, gain[j].G);
      scale[i] = scale[i] + factor * factor * scale[j];
    }
    eliminate_column(d, scale[i], U, body, P, gain[i], singular);
  }
}

// z ← z + G ε, ε = τ - H z; ν = D⁻¹ ε.  X is L, or the lanes of several columns that share the coefficients.
template <class L, class X>
PHIPSI_HOT void innovate_by(const Gain<L>& gain, X epsilon, Vec6<X>& z, X& nu) {
  z += Vec6<X>{gain.G.w * epsilon, gain.G.v * epsilon};
  nu = epsilon * gain.d_inverse;
}
template <class L, class X>
PHIPSI_HOT void innovate(NoMap, const Gain<L>*, const X*, Vec6<X>&, X*) {}
template <class L, class X>
PHIPSI_HOT void innovate(AngularMap<L> map, const Gain<L>* gain, const X* tau, Vec6<X>& z, X* nu) {
  innovate_by(gain[0], tau[0] - dot(map.z, z.w), z, nu[0]);
}
template <class L, class X>
PHIPSI_HOT void innovate(LinearMap<L> map, const Gain<L>* gain, const X* tau, Vec6<X>& z, X* nu) {
  innovate_by(gain[0], tau[0] - dot(map.z, z.v), z, nu[0]);
}
template <class L, class X>
PHIPSI_HOT void innovate(DenseMap<L> map, const Gain<L>* gain, const X* tau, Vec6<X>& z, X* nu) {
  for (int i = map.m - 1; i >= 0; --i) innovate_by(gain[i], tau[i] - dot(map.h[i], z), z, nu[i]);
}

// q̈ = ν - G* α⁺, α = α⁺ + H* q̈
template <class L, class X>
PHIPSI_HOT void smooth(NoMap, const Gain<L>*, const X*, Vec6<X>&, X*) {}
template <class L, class X>
PHIPSI_HOT void smooth(AngularMap<L> map, const Gain<L>* gain, const X* nu, Vec6<X>& alpha, X* out) {
  out[0] = nu[0] - dot(gain[0].G, alpha);
  alpha.w += map.z * out[0];
}
template <class L, class X>
PHIPSI_HOT void smooth(LinearMap<L> map, const Gain<L>* gain, const X* nu, Vec6<X>& alpha, X* out) {
  out[0] = nu[0] - dot(gain[0].G, alpha);
  alpha.v += map.z * out[0];
}
template <class L, class X>
PHIPSI_HOT void smooth(DenseMap<L> map, const Gain<L>* gain, const X* nu, Vec6<X>& alpha, X* out) {
  for (int i = 0; i < map.m; ++i) {
    out[i] = nu[i] - dot(gain[i].G, alpha);
    alpha += Vec6<X>{map.h[i].w * out[i], map.h[i].v * out[i]};
  }
}

// ---- a free joint: H* is invertible, so it hands on nothing of its body's inertia ----------------------------------

// P = L diag(d) L*, eliminating the linear half first (its block is the mass), then the angular one.
template <class L>
struct FreeFactor {
  L lower[15];      // strict lower triangle, row by row
  L d_inverse[6];

  PHIPSI_HOT void factor(const ArticulatedInertia<L>& P, int body, L& singular) {
    const L angular = trace(P.J), linear = trace(P.M);
    L scale[6] = {linear, linear, linear, angular, angular, angular};  // grows as in eliminate(DenseMap)
    L A[6][6];
    A[0][0] = P.M.xx, A[1][0] = P.M.xy, A[1][1] = P.M.yy, A[2][0] = P.M.xz, A[2][1] = P.M.yz, A[2][2] = P.M.zz;
    A[3][0] = P.Cx.x, A[3][1] = P.Cx.y, A[3][2] = P.Cx.z, A[4][0] = P.Cy.x, A[4][1] = P.Cy.y, A[4][2] = P.Cy.z;
    A[5][0] = P.Cz.x, A[5][1] = P.Cz.y, A[5][2] = P.Cz.z;
    A[3][3] = P.J.xx, A[4][3] = P.J.xy, A[4][4] = P.J.yy, A[5][3] = P.J.xz, A[5][4] = P.J.yz, A[5][5] = P.J.zz;
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      require_positive(A[j][j], scale[j], body, singular);
      d_inverse[j] = 1.0 / A[j][j];
#pragma GCC unroll 6
      for (int i = j + 1; i < 6; ++i) {
        const L f = A[i][j] * d_inverse[j];
#pragma GCC unroll 6
        for (int k = j + 1; k <= i; ++k) A[i][k] = A[i][k] - f * A[k][j];
        lower[i * (i - 1) / 2 + j] = f;
        scale[i] = scale[i] + f * f * scale[j];
      }
    }
  }

  // P⁻¹ f
  template <class X>
  PHIPSI_HOT Vec6<X> solve(Vec6<X> f) const {
    X y[6] = {f.v.x, f.v.y, f.v.z, f.w.x, f.w.y, f.w.z};
#pragma GCC unroll 6
    for (int i = 1; i < 6; ++i)
#pragma GCC unroll 6
      for (int j = 0; j < i; ++j) y[i] = y[i] - y[j] * lower[i * (i - 1) / 2 + j];
#pragma GCC unroll 6
    for (int i = 5; i >= 0; --i) {
      y[i] = y[i] * d_inverse[i];
#pragma GCC unroll 6
      for (int j = i + 1; j < 6; ++j) y[i] = y[i] - y[j] * lower[j * (j - 1) / 2 + i];
    }
    return {{y[3], y[4], y[5]}, {y[0], y[1], y[2]}};
  }
};

// ---- gathering at branch points -----------------------------------------------------------------------------------

// A child that directly follows its parent hands its contribution over in registers; the others leave theirs in the
// parent's slot.
template <class L, class T>
struct Gather {
  T* slot;
  Gather(Arena& arena, const Tree& t) : slot(arena.take<T>(t.slots)) {}
  PHIPSI_HOT void leave(const Body& b, const T& x) {
    if (b.first_in_slot)
      slot[b.parent_slot] = x;
    else
      slot[b.parent_slot] += x;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
