// diagonal.hpp: diagonalized dynamics (JR95d): ξ = [1+HφK]* v and ν = S* ξ, D = S S*, in which the mass matrix is D or 1.
//
//   base → tips  R, l, H*
//   tips → base  P, D, G (riccati.hpp); P⁺ is kept
//   base → tips  V⁺ = φ* V(parent);  v = ξ - G* V⁺;  V = V⁺ + H* v
//   tips → base  ε = τ - H z;  D ξ̇ = ε + D G̊* V⁺;  z⁺ = z + G ε + P⁺ a,  P̊ as G̊ asks for; shift both to the parent
// The last sweep is that of forward dynamics with one matrix more, P̊: the rate of P that the body sees.
// Derivatives are local here: α̊ of the body's own components, a = -Δ~ V + H̊* v and b = -V~* M V [JR95d 4.3].
// A joint of several dofs is eliminated column by column, last first: with D = U diag(d) U*, ξ' = U* ξ and ν = d^½ ξ', so
// that ν is what the Cholesky factor of the mass matrix, tips first, makes of v. d, ξ', ε' are per dof, ξ and κ per joint.
#pragma once

#include "diagonal_whole.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// ---- rates of articulated inertias --------------------------------------------------------------------------------

// w~ S - S w~
template <class L>
PHIPSI_HOT void add_turning(Sym3<L>& out, Vec3<L> w, const Sym3<L>& S) {
  out.xx = out.xx + 2.0 * (w.y * S.xz - w.z * S.xy);
  out.yy = out.yy + 2.0 * (w.z * S.xy - w.x * S.yz);
  out.zz = out.zz + 2.0 * (w.x * S.yz - w.y * S.xz);
  out.xy = out.xy + w.z * (S.xx - S.yy) + w.y * S.yz - w.x * S.xz;
  out.xz = out.xz + w.y * (S.zz - S.xx) + w.x * S.xy - w.z * S.yz;
  out.yz = out.yz + w.x * (S.yy - S.zz) + w.z * S.xz - w.y * S.xy;
}

// out ← out - Δ~* P - P Δ~, the rate that the parent sees in what the joint carries past it [JR95d 6.4]
template <class L>
PHIPSI_HOT void add_carried(ArticulatedInertia<L>& out, const ArticulatedInertia<L>& P, Pair<Vec3<L>, Zero3> delta) {
  const Vec3<L> w = delta.w;
  add_turning(out.J, w, P.J);
  add_turning(out.M, w, P.M);
  out.Cx += P.Cz * w.y - P.Cy * w.z + cross(w, P.Cx);
  out.Cy += P.Cx * w.z - P.Cz * w.x + cross(w, P.Cy);
  out.Cz += P.Cy * w.x - P.Cx * w.y + cross(w, P.Cz);
}
template <class L>
PHIPSI_HOT void add_carried(ArticulatedInertia<L>& out, const ArticulatedInertia<L>& P, Pair<Zero3, Vec3<L>> delta) {
  const Vec3<L> v = delta.v, x = cross(v, P.Cx), y = cross(v, P.Cy), z = cross(v, P.Cz);
  const Vec3<L> Mx = {P.M.xx, P.M.xy, P.M.xz}, My = {P.M.xy, P.M.yy, P.M.yz}, Mz = {P.M.xz, P.M.yz, P.M.zz};
  out.J = out.J + Sym3<L>{2.0 * x.x, 2.0 * y.y, 2.0 * z.z, y.x + x.y, z.x + x.z, z.y + y.z};
  out.Cx += Mz * v.y - My * v.z;
  out.Cy += Mx * v.z - Mz * v.x;
  out.Cz += My * v.x - Mx * v.y;
}
template <class L>
PHIPSI_HOT void add_carried(ArticulatedInertia<L>& out, const ArticulatedInertia<L>& P, Vec6<L> delta) {
  add_carried(out, P, Pair<Vec3<L>, Zero3>{delta.w, {}});
  add_carried(out, P, Pair<Zero3, Vec3<L>>{{}, delta.v});
}

// z ← z + P a, a = -Δ~ V
template <class L>
PHIPSI_HOT Vec6<L> local_bias(Vec6<L> V, Vec6<L> d) {
  return {cross(V.w, d.w), cross(V.v, d.w) + cross(V.w, d.v)};
}
template <class L>
PHIPSI_HOT Vec6<L> local_bias(Vec6<L> V, Pair<Vec3<L>, Zero3> d) {
  return {cross(V.w, d.w), cross(V.v, d.w)};
}
template <class L>
PHIPSI_HOT Pair<Zero3, Vec3<L>> local_bias(Vec6<L> V, Pair<Zero3, Vec3<L>> d) {
  return {{}, cross(V.w, d.v)};
}

// -V~* M V: what the body's own motion asks of the force on it, in its own axes
template <class L>
PHIPSI_HOT Vec6<L> local_gyroscopic_force(const RigidInertia<L>& M, Vec6<L> V) {
  const Vec6<L> p = M * V;
  return {cross(V.w, p.w) + cross(V.v, p.v), cross(V.w, p.v)};
}

// ---- columns whose kind is known when compiled --------------------------------------------------------------------

template <class L>
PHIPSI_HOT L dot(Pair<Vec3<L>, Zero3> h, Vec6<L> f) {
  return dot(h.w, f.w);
}
template <class L>
PHIPSI_HOT L dot(Pair<Zero3, Vec3<L>> h, Vec6<L> f) {
  return dot(h.v, f.v);
}

// What H P H* of a column must stand out from; half columns are unit vectors.
template <class L>
PHIPSI_HOT L scale_of(Pair<Vec3<L>, Zero3>, L angular, L) {
  return angular;
}
template <class L>
PHIPSI_HOT L scale_of(Pair<Zero3, Vec3<L>>, L, L linear) {
  return linear;
}
template <class L>
PHIPSI_HOT L scale_of(Vec6<L> h, L angular, L linear) {
  return dot(h.w, h.w) * angular + dot(h.v, h.v) * linear;
}

// H* of A columns [z; 0], then B columns [0; z], then C full ones
template <class L, int A, int B, int C>
struct ColumnsMap {
  static constexpr int m = A + B + C;
  const Vec6<L>* h;
  template <int i>
  PHIPSI_HOT auto column() const {
    if constexpr (i < A)
      return Pair<Vec3<L>, Zero3>{h[i].w, {}};
    else if constexpr (i < A + B)
      return Pair<Zero3, Vec3<L>>{{}, h[i].v};
    else
      return h[i];
  }
  template <int i = 0>
  PHIPSI_HOT auto spread(const L* v) const {
    if constexpr (i + 1 < m)
      return column<i>() * v[i] + spread<i + 1>(v);
    else
      return column<i>() * v[i];
  }
  template <int i = 0>
  PHIPSI_HOT void collect(Vec6<L> f, L* out) const {
    out[i] = dot(column<i>(), f);
    if constexpr (i + 1 < m) collect<i + 1>(f, out);
  }
};

// f(i, h(i)), first column first
template <int i = 0, class L, int A, int B, int C, class F>
PHIPSI_HOT void each_column(ColumnsMap<L, A, B, C> map, F&& f) {
  f(i, map.template column<i>());
  if constexpr (i + 1 < A + B + C) each_column<i + 1>(map, f);
}
template <class L, class F>
PHIPSI_HOT void each_column(DenseMap<L> map, F&& f) {
  for (int i = 0; i < map.m; ++i) f(i, map.h[i]);
}
// last column first
template <int i = 0, class L, int A, int B, int C, class F>
PHIPSI_HOT void each_column_back(ColumnsMap<L, A, B, C> map, F&& f) {
  if constexpr (i + 1 < A + B + C) each_column_back<i + 1>(map, f);
  f(i, map.template column<i>());
}
template <class L, class F>
PHIPSI_HOT void each_column_back(DenseMap<L> map, F&& f) {
  for (int i = map.m - 1; i >= 0; --i) f(i, map.h[i]);
}

template <class Map>
concept SeveralColumns = requires(Map map) { map.h; };
template <class Map>
inline constexpr bool turning = false;
template <class L>
inline constexpr bool turning<ColumnsMap<L, 2, 0, 0>> = true;  // universal: its first axis turns about the second

// f(map) for a joint whose columns are written out
template <class L, class F>
PHIPSI_HOT void with_written_columns(const Body& b, const Vec6<L>* h, F&& f) {
  switch (b.kind) {
    case kind_Cylindrical: return f(ColumnsMap<L, 1, 1, 0>{h});
    case kind_Universal: return f(ColumnsMap<L, 2, 0, 0>{h});
    case kind_Spherical: return f(ColumnsMap<L, 3, 0, 0>{h});
    case kind_Planar: return f(ColumnsMap<L, 1, 2, 0>{h});
    case kind_Translational: return f(ColumnsMap<L, 0, 3, 0>{h});
    case kind_Free: return f(ColumnsMap<L, 3, 3, 0>{h});
  }
  switch (b.nv) {
    case 1: return f(ColumnsMap<L, 0, 0, 1>{h});
    case 2: return f(ColumnsMap<L, 0, 0, 2>{h});
    case 3: return f(ColumnsMap<L, 0, 0, 3>{h});
    default: return f(DenseMap<L>{h, b.nv});
  }
}

// ---- what the sweeps keep -----------------------------------------------------------------------------------------

template <class L>
struct DiagonalWork {
  Place<L>* place;
  Vec6<L>* H;
  Gain<L>* gain;
  RigidInertia<L>* M;
  ArticulatedInertia<L>* P_plus;
  Vec6<L>* V;
  FreeFactor<L>* factor;  // of free joints, by column / 6, where only ξ is asked for
  WholeGain<L>* whole;  // of spherical and translational joints, by column / 3, then too
  L *xi, *v;  // ξ' and v, where the caller does not give or take them
  Gather<L, ArticulatedInertia<L>> P;
  Gather<L, Vec6<L>> z;

  // moving: with what the last sweep needs
  DiagonalWork(Arena& arena, const Tree& t, bool moving)
      : place(arena.take<Place<L>>(t.n)),
        H(arena.take<Vec6<L>>(t.columns)),
        gain(arena.take<Gain<L>>(t.nv)),
        M(arena.take<RigidInertia<L>>(moving ? t.n : 0)),
        P_plus(arena.take<ArticulatedInertia<L>>(moving ? t.n : 0)),
        V(arena.take<Vec6<L>>(t.n)),
        factor(arena.take<FreeFactor<L>>(moving ? t.columns / 6 : 0)),
        whole(arena.take<WholeGain<L>>(moving ? t.columns / 3 : 0)),
        xi(arena.take<L>(t.nv)),
        v(arena.take<L>(moving ? t.nv : 0)),
        P(arena, t),
        z(arena, t) {}
};

// f(map) with all columns of a free joint written out as those of any other joint
template <class L, class F>
PHIPSI_HOT void with_columns(const Body& b, const DiagonalWork<L>& s, int k, F&& f) {
  switch (b.shape) {
    case Shape::none: f(NoMap{}); break;
    case Shape::angular: f(AngularMap<L>{s.place[k].R.z}); break;
    case Shape::linear: f(LinearMap<L>{s.place[k].R.z}); break;
    default: with_written_columns(b, s.H + b.column, f); break;
  }
}

// plain, here and below: only ξ is asked for, not ν. H* of a free joint is then best inverted, not eliminated.
template <bool plain = false, class L>
PHIPSI_HOT void place_outward(const Tree& t, const L* q, DiagonalWork<L>& s) {
  for (int k = 0; k < t.n; ++k) {
    const Body& b = t.body[k];
    cross_joint(t, b, q, s.place, s.H, s.place[k], [](auto, const Mat3<L>&, Vec3<L>) PHIPSI_INLINE {});
    if (!plain && b.shape == Shape::free)
      Free::columns(b, t.fixed_columns + 6 * b.v, q + b.q, s.place[k].R, s.H + b.column);
  }
}

// Joints of several dofs out of line, and on a copy: the sweep keeps P in registers for the others.
template <class Map, class L>
PHIPSI_HOT void eliminate_joint(Map map, const double* armature, int body, ArticulatedInertia<L>& P, Gain<L>* gain,
                                L& singular) {
  eliminate(map, armature, body, P, gain, singular);
}
template <class Map, class L>
[[gnu::noinline]] void eliminate_columns(Map map, const double* armature, int body, ArticulatedInertia<L>& P,
                                         Gain<L>* gain, L& singular) {
  const L angular = trace(P.J), linear = trace(P.M);
  L scale[6];
  each_column_back(map, [&](int i, auto h) PHIPSI_INLINE {
    const Vec6<L> U = P * h;
    L d = dot(h, U);
    if (armature) d = d + armature[i];
    scale[i] = scale_of(h, angular, linear);
    for (int j = map.m - 1; j > i; --j) {
      const L factor = dot(h, gain[j].G);
      scale[i] = scale[i] + factor * factor * scale[j];
    }
    eliminate_column(d, scale[i], U, body, P, gain[i], singular);
  });
}
template <SeveralColumns Map, class L>
PHIPSI_HOT void eliminate_joint(Map map, const double* armature, int body, ArticulatedInertia<L>& P, Gain<L>* gain,
                                L& singular) {
  ArticulatedInertia<L> Q = P;
  L flag = singular;
  eliminate_columns(map, armature, body, Q, gain, flag);
  P = Q;
  singular = flag;
}
template <class L>
[[gnu::noinline]] void factor_free_joint(const ArticulatedInertia<L>& P, int body, FreeFactor<L>& factor, L& singular) {
  factor.factor(P, body, singular);
}

// 36 numbers, row by row
template <class L>
PHIPSI_HOT void put_inertia(L* out, const ArticulatedInertia<L>& P) {
  const Vec3<L> C[3] = {P.Cx, P.Cy, P.Cz};
  const Vec3<L> J[3] = {{P.J.xx, P.J.xy, P.J.xz}, {P.J.xy, P.J.yy, P.J.yz}, {P.J.xz, P.J.yz, P.J.zz}};
  const Vec3<L> M[3] = {{P.M.xx, P.M.xy, P.M.xz}, {P.M.xy, P.M.yy, P.M.yz}, {P.M.xz, P.M.yz, P.M.zz}};
  const Vec3<L> Ct[3] = {{P.Cx.x, P.Cy.x, P.Cz.x}, {P.Cx.y, P.Cy.y, P.Cz.y}, {P.Cx.z, P.Cy.z, P.Cz.z}};
  for (int i = 0; i < 3; ++i) {
    put_vec6(out + 6 * i, Vec6<L>{J[i], C[i]});
    put_vec6(out + 18 + 6 * i, Vec6<L>{Ct[i], M[i]});
  }
}

// P, D, G; keep: also M and P⁺ for the last sweep, and P where the caller wants it
template <bool keep, bool plain = false, class L>
PHIPSI_HOT void riccati_inward(const Tree& t, DiagonalWork<L>& s, L& singular, L* inertia = nullptr) {
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
    if constexpr (keep)
      if (inertia) put_inertia(inertia + 36 * k, P);
    const double* armature = t.rooted ? t.armature + b.v : nullptr;
    if (plain && b.shape == Shape::free) {
      const ArticulatedInertia<L> Q = P;
      L flag = singular;
      factor_free_joint(Q, k, s.factor[b.column / 6], flag);
      singular = flag;
    } else if (whole<plain>(t, b)) {
      ArticulatedInertia<L> Q = P;
      L flag = singular;
      with_half(b, [&](auto half) PHIPSI_INLINE { eliminate_whole<half.linear>(Q, k, s.whole[b.column / 3], flag); });
      P = Q;
      singular = flag;
    } else {
      with_columns(b, s, k,
                   [&](auto map) PHIPSI_INLINE { eliminate_joint(map, armature, k, P, s.gain + b.v, singular); });
    }
    if (b.shape == Shape::free) P = ArticulatedInertia<L>{};  // it hands on nothing
    if constexpr (keep) {
      s.M[k] = M;
      s.P_plus[k] = P;
    }
    carried = b.parent >= 0 && b.parent_slot < 0;
    if (b.parent < 0) continue;
    P = shifted(s.place[k].l, P);
    if (!carried) s.P.leave(b, P);
  }
}

// ---- within a joint of several dofs -------------------------------------------------------------------------------
// U(i, j) = h(i)·G'(j) for i < j, one on the diagonal. Joints of one dof, whose U is one, pass through.

// x' = U* x: ξ → ξ'
template <class M, class L>
PHIPSI_HOT void split(M, const Gain<L>*, L*) {}
template <SeveralColumns Map, class L>
PHIPSI_HOT void split(Map map, const Gain<L>* gain, L* x) {
  each_column_back(map, [&](int i, auto h) PHIPSI_INLINE {
    for (int j = i + 1; j < map.m; ++j) x[j] = x[j] + dot(h, gain[j].G) * x[i];
  });
}
// x = U⁻* x': ξ' → ξ
template <class M, class L>
PHIPSI_HOT void merge(M, const Gain<L>*, L*) {}
template <SeveralColumns Map, class L>
PHIPSI_HOT void merge(Map map, const Gain<L>* gain, L* x) {
  each_column(map, [&](int i, auto h) PHIPSI_INLINE {
    for (int j = i + 1; j < map.m; ++j) x[j] = x[j] - dot(h, gain[j].G) * x[i];
  });
}
// x = U x': κ' → κ
template <class M, class L>
PHIPSI_HOT void merge_forces(M, const Gain<L>*, L*) {}
template <SeveralColumns Map, class L>
PHIPSI_HOT void merge_forces(Map map, const Gain<L>* gain, L* x) {
  each_column(map, [&](int i, auto h) PHIPSI_INLINE {
    for (int j = i + 1; j < map.m; ++j) x[i] = x[i] + dot(h, gain[j].G) * x[j];
  });
}
// x' = U⁻¹ x: κ → κ'
template <class M, class L>
PHIPSI_HOT void split_forces(M, const Gain<L>*, L*) {}
template <SeveralColumns Map, class L>
PHIPSI_HOT void split_forces(Map map, const Gain<L>* gain, L* x) {
  each_column_back(map, [&](int i, auto h) PHIPSI_INLINE {
    for (int j = i + 1; j < map.m; ++j) x[i] = x[i] - dot(h, gain[j].G) * x[j];
  });
}

// ---- v ↔ ξ, ν -----------------------------------------------------------------------------------------------------

// ξ' = v + G'* x, x ← x + h v, one column after the other: V⁺ becomes V
template <class L>
PHIPSI_HOT void whiten(NoMap, const Gain<L>*, const L*, Vec6<L>&, L*) {}
template <class L>
PHIPSI_HOT void whiten(AngularMap<L> map, const Gain<L>* gain, const L* v, Vec6<L>& V, L* xi) {
  xi[0] = v[0] + dot(gain[0].G, V);
  V.w += map.z * v[0];
}
template <class L>
PHIPSI_HOT void whiten(LinearMap<L> map, const Gain<L>* gain, const L* v, Vec6<L>& V, L* xi) {
  xi[0] = v[0] + dot(gain[0].G, V);
  V.v += map.z * v[0];
}
template <SeveralColumns Map, class L>
PHIPSI_HOT void whiten(Map map, const Gain<L>* gain, const L* v, Vec6<L>& V, L* xi) {
  each_column(map, [&](int i, auto h) PHIPSI_INLINE {
    xi[i] = v[i] + dot(gain[i].G, V);
    V += h * v[i];
  });
}
// and back: v = ξ' - G'* x
template <class L, int A, int B, int C>
PHIPSI_HOT void smooth(ColumnsMap<L, A, B, C> map, const Gain<L>* gain, const L* xi, Vec6<L>& V, L* v) {
  each_column(map, [&](int i, auto h) PHIPSI_INLINE {
    v[i] = xi[i] - dot(gain[i].G, V);
    V += h * v[i];
  });
}
// z ← z + G' ε', ε' = τ - H z, last column first
template <class L, int A, int B, int C>
PHIPSI_HOT void innovate(ColumnsMap<L, A, B, C> map, const Gain<L>* gain, const L* tau, Vec6<L>& z, L* x) {
  each_column_back(map, [&](int i, auto h) PHIPSI_INLINE { innovate_by(gain[i], tau[i] - dot(h, z), z, x[i]); });
}

// d^½: what stands between ξ' and ν
template <class L>
PHIPSI_HOT L root_of(const Gain<L>& gain) {
  return root(1.0 / gain.d_inverse);
}

template <class L>
PHIPSI_HOT Vec6<L> carried_by_parent(const Body& b, const Vec6<L>* V, Vec3<L> l) {
  return b.parent < 0 ? zero6<L>() : shift_motion(l, V[b.parent]);
}

// Asked for ξ alone, a joint on the world or a free one does without P̊.
template <bool plain>
PHIPSI_HOT bool still(const Body& b) {
  return plain && (b.shape == Shape::free || (b.parent < 0 && b.kind != kind_Universal));
}

// v from ξ where H* or what V⁺ is makes it short: G = H⁻¹ of a free joint, V⁺ = 0 on the world. V⁺ becomes V.
template <class Map, class L>
PHIPSI_HOT void smooth_plain(Map map, const L* xi, int m, Vec6<L>& V, L* v) {
  L parent[6] = {};
  map.collect(V, parent);
  V = zero6<L>();
  V += map.spread(xi);
  for (int i = 0; i < m; ++i) v[i] = xi[i] - parent[i];
}

// v from ν or ξ (whichever is given), with V of all bodies. (Table 2 of JR95d)
template <bool plain = false, class L>
PHIPSI_HOT void velocities_outward(const Tree& t, const L* nu, const L* xi, L* v, DiagonalWork<L>& s) {
  for (int k = 0; k < t.n; ++k) {
    const Body& b = t.body[k];
    const Gain<L>* gain = s.gain + b.v;
    L* own = s.xi + b.v;
    Vec6<L> V = carried_by_parent(b, s.V, s.place[k].l);
    if (plain && b.shape == Shape::free) {
      smooth_plain(FreeMap<L>{s.place[k].R}, xi + b.v, 6, V, v + b.v);
      s.V[k] = V;
      continue;
    }
    if (whole<plain>(t, b)) {
      with_half(b, [&](auto half) PHIPSI_INLINE {
        smooth_whole<half.linear>(s.place[k].R, s.whole[b.column / 3], xi + b.v, V, v + b.v);
      });
      s.V[k] = V;
      continue;
    }
    with_columns(b, s, k, [&](auto map) PHIPSI_INLINE {
      if (still<plain>(b)) return smooth_plain(map, xi + b.v, b.nv, V, v + b.v);
      if (!plain && nu) {
        for (int i = 0; i < b.nv; ++i) own[i] = nu[b.v + i] / root_of(gain[i]);
      } else {
        for (int i = 0; i < b.nv; ++i) own[i] = xi[b.v + i];
        split(map, gain, own);
      }
      smooth(map, gain, own, V, v + b.v);
    });
    s.V[k] = V;
  }
}

// ξ' and V of all bodies from v.
template <class L>
PHIPSI_HOT void rates_outward(const Tree& t, const L* v, DiagonalWork<L>& s) {
  for (int k = 0; k < t.n; ++k) {
    const Body& b = t.body[k];
    Vec6<L> V = carried_by_parent(b, s.V, s.place[k].l);
    with_columns(b, s, k, [&](auto map) PHIPSI_INLINE { whiten(map, s.gain + b.v, v + b.v, V, s.xi + b.v); });
    s.V[k] = V;
  }
}

// in: q, v;  out: ν, ξ (either may be left out)
struct DiagonalRates {
  static constexpr const char* name = "diagonal_rates";
  template <class L>
  struct Work : DiagonalWork<L> {
    Work(Arena& arena, const Tree& t) : DiagonalWork<L>(arena, t, false) {}
  };
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> s(arena, t);
    L singular = L{};
    place_outward(t, c.in[0], s);
    riccati_inward<false>(t, s, singular);
    rates_outward(t, c.in[1], s);
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      const Gain<L>* gain = s.gain + b.v;
      L* own = s.xi + b.v;
      if (c.out[0])
        for (int i = 0; i < b.nv; ++i) c.out[0][b.v + i] = own[i] * root_of(gain[i]);
      if (!c.out[1]) continue;
      with_columns(b, s, k, [&](auto map) PHIPSI_INLINE { merge(map, gain, own); });
      for (int i = 0; i < b.nv; ++i) c.out[1][b.v + i] = own[i];
    }
    c.singular = singular;
  }
};

// in: q, ν or -, ξ or -;  out: v
struct DiagonalVelocities {
  static constexpr const char* name = "diagonal_velocities";
  template <class L>
  struct Work : DiagonalWork<L> {
    Work(Arena& arena, const Tree& t) : DiagonalWork<L>(arena, t, false) {}
  };
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> s(arena, t);
    L singular = L{};
    place_outward(t, c.in[0], s);
    riccati_inward<false>(t, s, singular);
    velocities_outward(t, c.in[1], c.in[2], c.out[0], s);
    c.singular = singular;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
