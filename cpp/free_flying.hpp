// free_flying.hpp: how every link of a robot moves the whole: Λ(k) = P(k) + S(k) with every link treated as base, Υ(k).
//
// tips → base  P(k): what of link k and all beyond it resists.                                      [JR95f 6]
// base → tips  S(k): what of everything on the near side of joint k resists, its joints free to move:
//   S⁺(c) = φ*⁻¹ [S(j) + M(j) + Σ over the other children P⁺] φ⁻¹,  S = τ̄_s S⁺                       [JR95f 16] [JR95f G1]
// Nothing is subtracted at branches: what the other children add is summed from both sides of c.
// Where the base does not float, S has no bounds, and how the links yield says it: Υ(k).              [JR95f 34]
#pragma once

#include "freed.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

template <class L>
PHIPSI_HOT void put_inertia(const ArticulatedInertia<L>& P, L* out) {
  const Vec3<L> C[3] = {P.Cx, P.Cy, P.Cz};
  const L angular[9] = {P.J.xx, P.J.xy, P.J.xz, P.J.xy, P.J.yy, P.J.yz, P.J.xz, P.J.yz, P.J.zz};
  const L linear[9] = {P.M.xx, P.M.xy, P.M.xz, P.M.xy, P.M.yy, P.M.yz, P.M.xz, P.M.yz, P.M.zz};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[6 * i + j] = angular[3 * i + j];
      out[6 * (3 + i) + 3 + j] = linear[3 * i + j];
    }
    const L row[3] = {C[i].x, C[i].y, C[i].z};
    for (int j = 0; j < 3; ++j) out[6 * i + 3 + j] = out[6 * (3 + j) + i] = row[j];
  }
}

// S = S⁺ - S⁺h D_s⁻¹ h*S⁺, column by column. A column that moves nothing on the near side (massless links) takes nothing.
template <class L, class A, class B>
PHIPSI_HOT void release(Pair<A, B> h, L scale, const double* armature, ArticulatedInertia<L>& S) {
  const Vec6<L> U = S * h;
  L d = dot(column_of(h), U);
  if (armature) d = d + armature[0];
  const L inverse = select(d <= scale * singular_part, L{}, 1.0 / d);
  subtract_outer(S, U * inverse, U);
}
template <class L>
PHIPSI_HOT void release(NoMap, const double*, ArticulatedInertia<L>&) {}
template <class L>
PHIPSI_HOT void release(AngularMap<L> map, const double* armature, ArticulatedInertia<L>& S) {
  release(Pair<Vec3<L>, Zero3>{map.z, {}}, trace(S.J), armature, S);
}
template <class L>
PHIPSI_HOT void release(LinearMap<L> map, const double* armature, ArticulatedInertia<L>& S) {
  release(Pair<Zero3, Vec3<L>>{{}, map.z}, trace(S.M), armature, S);
}
template <class L>
PHIPSI_HOT void release(DenseMap<L> map, const double* armature, ArticulatedInertia<L>& S) {
  const L angular = trace(S.J), linear = trace(S.M);
  for (int i = map.m - 1; i >= 0; --i) {
    const Vec6<L> h = map.h[i];
    release(h, dot(h.w, h.w) * angular + dot(h.v, h.v) * linear, armature ? armature + i : nullptr, S);
  }
}
template <class L>
PHIPSI_HOT void release(WholeMap<L>, const double*, ArticulatedInertia<L>& S) {
  S = ArticulatedInertia<L>{};
}

// in: q;  out: Λ(k) (n × 6 × 6), S(k) (n × 6 × 6, may be absent).  Roots hang on free joints that are free to move.
struct LinkInertias {
  static constexpr const char* name = "link_inertias";

  template <class L>
  struct Work {
    ArticulatedInertia<L>*P, *near, *from, *later;  // of body k: P; S + M + P⁺ of its children so far; its P⁺ at the
    // parent, and that of the siblings after it (where there are any)
    FreedArm<L> arm;
    Work(Arena& arena, const Tree& t)
        : P(arena.take<ArticulatedInertia<L>>(t.n)),
          near(arena.take<ArticulatedInertia<L>>(t.n)),
          from(arena.take<ArticulatedInertia<L>>(t.n)),
          later(arena.take<ArticulatedInertia<L>>(t.n)),
          arm(arena, t) {}
  };

  template <class L>
  static void inward(const Tree& t, Work<L>& w, L& singular) {
    FreedArm<L>& arm = w.arm;
    ArticulatedInertia<L> sum;
    bool carried = false;
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      const RigidInertia<L> M = inertia_in_world(b, arm.place[k].R);
      if (carried)
        sum += M;
      else
        sum = articulated(M);
      if (b.slot >= 0) sum += arm.P.slot[b.slot];
      w.P[k] = sum;
      w.near[k] = articulated(M);
      arm.with_free(t, k, [&](auto map) PHIPSI_INLINE {
        eliminate(map, t.rooted ? arm.armature + b.v : nullptr, k, sum, arm.gain + b.v, singular);
      });
      carried = b.parent >= 0 && b.parent_slot < 0;
      if (b.parent < 0) continue;
      sum = shifted(arm.place[k].l, sum);
      if (t.body[b.parent].slot >= 0) {  // the parent has other children
        w.from[k] = sum;
        const bool last = !carried && b.first_in_slot;
        w.later[k] = last ? ArticulatedInertia<L>{} : arm.P.slot[t.body[b.parent].slot];
      }
      if (!carried) arm.P.leave(b, sum);
    }
  }

  // S of a root: what its free joint's rotors resist
  template <class L>
  static ArticulatedInertia<L> rotors(const Tree& t, int k, const FreedArm<L>& arm) {
    ArticulatedInertia<L> S{};
    const Body& b = t.body[k];
    if (arm.dofs[k].shape != Shape::dense) return S;
    for (int i = 0; i < b.nv; ++i) {
      const Vec6<L> h = arm.H[b.column + i];
      subtract_outer(S, h * -t.armature[b.v + i], h);
    }
    return S;
  }

  template <class L>
  static void outward(const Tree& t, Work<L>& w, Call<L>& c) {
    const FreedArm<L>& arm = w.arm;
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      ArticulatedInertia<L> S;
      if (b.parent < 0) {
        S = rotors(t, k, arm);
      } else {
        S = w.near[b.parent];
        if (t.body[b.parent].slot >= 0) {
          w.near[b.parent] += w.from[k];
          S += w.later[k];
        }
        S = shifted(-arm.place[k].l, S);
        arm.with_free(t, k, [&](auto map) PHIPSI_INLINE { release(map, t.rooted ? arm.armature + b.v : nullptr, S); });
      }
      w.near[k] += S;
      if (c.out[1]) put_inertia(S, c.out[1] + 36 * k);
      S += w.P[k];
      put_inertia(S, c.out[0] + 36 * k);
    }
  }

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> w(arena, t);
    L singular = L{};
    w.arm.stand(t, c.in[0], c.request->passive);
    inward(t, w, singular);
    outward(t, w, c);
    c.singular = singular;
  }
};

// in: q;  out: Υ(k) (n × 6 × 6), and P(k) (n × 6 × 6, may be absent)
struct LinkCompliances {
  static constexpr const char* name = "link_compliances";

  template <class L>
  struct Work {
    Compliance<L>* Y;
    FreedArm<L> arm;
    Work(Arena& arena, const Tree& t) : Y(arena.take<Compliance<L>>(t.n)), arm(arena, t) {}
  };

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> w(arena, t);
    L singular = L{};
    w.arm.stand(t, c.in[0], c.request->passive);
    w.arm.articulate(t, singular, [&](int k, const ArticulatedInertia<L>& P) PHIPSI_INLINE {
      if (c.out[1]) put_inertia(P, c.out[1] + 36 * k);
    });
    for (int k = 0; k < t.n; ++k) {
      const int p = t.body[k].parent;
      Compliance<L> Y = p < 0 ? Compliance<L>{} : w.Y[p];
      w.arm.yield_at(t, k, Y);
      w.Y[k] = Y;
      put_compliance(Y, c.out[0] + 36 * k);
    }
    c.singular = singular;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
