// freed.hpp: the arm of the dofs that are free to move (all of them, or those of a mask) and how compliance crosses it.
//
// tips → base  P, D, G of the free dofs, the others locked.                                         [JR93 4.6]
// base → tips  Υ(k) = ψ* Υ(p) ψ + H* D⁻¹ H: how body k yields to a force on it.                     [JR95f 34]
// A joint of several dofs is crossed column by column, in the order in which riccati.hpp eliminated them.
#pragma once

#include "mass_matrix.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// ---- a compliance -------------------------------------------------------------------------------------------------

// Y maps a force [n; f] to a motion [w; v]. Kept with the halves exchanged, [v; w]: there φ*(l) Y φ(l) is the shift of an
// inertia by -l. J is the block of v and f, M that of w and n, the rows of C those of v and n.
template <class L>
struct Compliance {
  ArticulatedInertia<L> Q;
};

template <class L>
PHIPSI_HOT Vec6<L> operator*(const Compliance<L>& Y, Vec6<L> f) {
  const Vec6<L> x = Y.Q * Vec6<L>{f.v, f.w};
  return {x.v, x.w};
}
template <class L>
PHIPSI_HOT Compliance<L> carried(Vec3<L> l, const Compliance<L>& Y) {
  return {shifted(-l, Y.Q)};
}

template <class L>
PHIPSI_HOT void add_both(Sym3<L>& S, Vec3<L> a, Vec3<L> b) {  // S + a bᵀ + b aᵀ
  S.xx = S.xx + 2.0 * a.x * b.x;
  S.yy = S.yy + 2.0 * a.y * b.y;
  S.zz = S.zz + 2.0 * a.z * b.z;
  S.xy = S.xy + a.x * b.y + a.y * b.x;
  S.xz = S.xz + a.x * b.z + a.z * b.x;
  S.yz = S.yz + a.y * b.z + a.z * b.y;
}
template <class L>
PHIPSI_HOT void add_both(Sym3<L>&, Vec3<L>, Zero3) {}

template <class L>
PHIPSI_HOT void add_outer(ArticulatedInertia<L>& Q, Vec3<L> a, Vec3<L> b) {  // C + a bᵀ
  Q.Cx += b * a.x;
  Q.Cy += b * a.y;
  Q.Cz += b * a.z;
}
template <class L>
PHIPSI_HOT void add_outer(ArticulatedInertia<L>&, Vec3<L>, Zero3) {}
template <class L>
PHIPSI_HOT void add_outer(ArticulatedInertia<L>&, Zero3, Vec3<L>) {}

template <class L>
PHIPSI_HOT Vec6<L> column_of(Pair<Vec3<L>, Zero3> h) {
  return {h.w, zero3<L>()};
}
template <class L>
PHIPSI_HOT Vec6<L> column_of(Pair<Zero3, Vec3<L>> h) {
  return {zero3<L>(), h.v};
}
template <class L>
PHIPSI_HOT Vec6<L> column_of(Vec6<L> h) {
  return h;
}

// One column: (1 - h G*) Y (1 - G h*) + h D⁻¹ h* = Y + u h* + h u*, u = h (G·YG + D⁻¹)/2 - Y G
template <class L, class A, class B>
PHIPSI_HOT void yield(Pair<A, B> h, const Gain<L>& gain, Compliance<L>& Y) {
  const Vec6<L> y = Y * gain.G;
  const L half = 0.5 * (dot(gain.G, y) + gain.d_inverse);
  const Vec6<L> u = column_of(h) * half - y;
  add_both(Y.Q.J, u.v, h.v);
  add_both(Y.Q.M, u.w, h.w);
  add_outer(Y.Q, u.v, h.w);
  add_outer(Y.Q, h.v, u.w);
}
template <class L>
PHIPSI_HOT void yield(NoMap, const Gain<L>*, Compliance<L>&) {}
template <class L>
PHIPSI_HOT void yield(AngularMap<L> map, const Gain<L>* gain, Compliance<L>& Y) {
  yield(Pair<Vec3<L>, Zero3>{map.z, {}}, gain[0], Y);
}
template <class L>
PHIPSI_HOT void yield(LinearMap<L> map, const Gain<L>* gain, Compliance<L>& Y) {
  yield(Pair<Zero3, Vec3<L>>{{}, map.z}, gain[0], Y);
}
template <class L>
PHIPSI_HOT void yield(DenseMap<L> map, const Gain<L>* gain, Compliance<L>& Y) {
  for (int i = 0; i < map.m; ++i) yield(map.h[i], gain[i], Y);
}

// x ← τ̄* x: what of a motion of the parent the joint passes on
template <class L>
PHIPSI_HOT void pass(NoMap, const Gain<L>*, Vec6<L>&) {}
template <class L>
PHIPSI_HOT void pass(AngularMap<L> map, const Gain<L>* gain, Vec6<L>& x) {
  x.w += map.z * -dot(gain[0].G, x);
}
template <class L>
PHIPSI_HOT void pass(LinearMap<L> map, const Gain<L>* gain, Vec6<L>& x) {
  x.v += map.z * -dot(gain[0].G, x);
}
template <class L>
PHIPSI_HOT void pass(DenseMap<L> map, const Gain<L>* gain, Vec6<L>& x) {
  for (int i = 0; i < map.m; ++i) x += map.h[i] * -dot(gain[i].G, x);
}

// A joint that is free in all six directions, without rotors: it passes nothing on, not even rounding.
template <class L>
struct WholeMap {
  DenseMap<L> map;
};
template <class L>
PHIPSI_HOT void eliminate(WholeMap<L> whole, const double*, int body, ArticulatedInertia<L>& P, Gain<L>* gain,
                          L& singular) {
  eliminate(whole.map, nullptr, body, P, gain, singular);
  P = ArticulatedInertia<L>{};
}
template <class L>
PHIPSI_HOT void yield(WholeMap<L> whole, const Gain<L>* gain, Compliance<L>& Y) {
  Y = Compliance<L>{};
  yield(whole.map, gain, Y);
}
template <class L>
PHIPSI_HOT void pass(WholeMap<L>, const Gain<L>*, Vec6<L>& x) {
  x = zero6<L>();
}

// Six rows of six, [w; v]
template <class L>
PHIPSI_HOT void put_compliance(const Compliance<L>& Y, L* out) {
  const Sym3<L>&V = Y.Q.J, &A = Y.Q.M;
  const Vec3<L> C[3] = {Y.Q.Cx, Y.Q.Cy, Y.Q.Cz};
  const L angular[9] = {A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz};
  const L linear[9] = {V.xx, V.xy, V.xz, V.xy, V.yy, V.yz, V.xz, V.yz, V.zz};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[6 * i + j] = angular[3 * i + j];
      out[6 * (3 + i) + 3 + j] = linear[3 * i + j];
    }
    const L row[3] = {C[i].x, C[i].y, C[i].z};
    for (int j = 0; j < 3; ++j) out[6 * (3 + i) + j] = out[6 * j + 3 + i] = row[j];
  }
}

// ---- the arm ------------------------------------------------------------------------------------------------------

// H*, P, D and G of the free dofs. passive: 1 for each dof that is free to move; null: all are.
template <class L>
struct FreedArm {
  struct Dofs {
    Shape shape;
    int32_t m;
  };
  Place<L>* place;
  Vec6<L>* H;  // columns of dense joints: of their free dofs, from b.column on
  Gain<L>* gain;  // from b.v on
  Gather<L, ArticulatedInertia<L>> P;
  double* armature;  // of the free dofs, from b.v on
  Dofs* dofs;  // of a body

  FreedArm(Arena& arena, const Tree& t)
      : place(arena.take<Place<L>>(t.n)),
        H(arena.take<Vec6<L>>(t.columns)),
        gain(arena.take<Gain<L>>(t.nv)),
        P(arena, t),
        armature(arena.take<double>(t.nv)),
        dofs(arena.take<Dofs>(t.n)) {}

  template <class F>
  PHIPSI_HOT void with_free(const Tree& t, int k, F&& f) const {
    switch (dofs[k].shape) {
      case Shape::none: f(NoMap{}); break;
      case Shape::angular: f(AngularMap<L>{place[k].R.z}); break;
      case Shape::linear: f(LinearMap<L>{place[k].R.z}); break;
      case Shape::dense: f(DenseMap<L>{H + t.body[k].column, dofs[k].m}); break;
      case Shape::free: f(WholeMap<L>{{H + t.body[k].column, 6}}); break;
    }
  }

  // base → tips
  void stand(const Tree& t, const L* q, const uint8_t* passive) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      place_with_columns(t, b, q, place, H, place[k]);
      int m = 0;
      bool rotors = false;
      for (int i = 0; i < b.nv; ++i) {
        if (passive && !passive[b.v + i]) continue;
        if (m != i && b.shape != Shape::angular && b.shape != Shape::linear) H[b.column + m] = H[b.column + i];
        rotors |= t.armature[b.v + i] != 0.0;
        armature[b.v + m++] = t.armature[b.v + i];
      }
      const bool one = b.shape == Shape::angular || b.shape == Shape::linear;
      dofs[k] = {m == 0 ? Shape::none : one ? b.shape : m == 6 && !rotors ? Shape::free : Shape::dense, m};
    }
  }

  // tips → base: P(k), before its joint takes its part, goes to `keep`
  template <class F>
  void articulate(const Tree& t, L& singular, F&& keep) {
    ArticulatedInertia<L> sum;
    bool carried = false;
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      const RigidInertia<L> M = inertia_in_world(b, place[k].R);
      if (carried)
        sum += M;
      else
        sum = articulated(M);
      if (b.slot >= 0) sum += P.slot[b.slot];
      keep(k, sum);
      with_free(t, k, [&](auto map) PHIPSI_INLINE {
        eliminate(map, t.rooted ? armature + b.v : nullptr, k, sum, gain + b.v, singular);
      });
      carried = b.parent >= 0 && b.parent_slot < 0;
      if (b.parent < 0) continue;
      sum = shifted(place[k].l, sum);
      if (!carried) P.leave(b, sum);
    }
  }

  // Υ(p) → Υ(k)
  PHIPSI_HOT void yield_at(const Tree& t, int k, Compliance<L>& Y) const {
    Y = carried(place[k].l, Y);
    with_free(t, k, [&](auto map) PHIPSI_INLINE { yield(map, gain + t.body[k].v, Y); });
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
