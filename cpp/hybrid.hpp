// hybrid.hpp: some dofs have known torques, the others known accelerations; three sweeps, whatever the mask. [JR93 5.4]
//
//   base → tips  R, l, omega and the bias accelerations a(k)
//   tips → base  P, D, G of the passive dofs only; an active one adds P h q̈ to z and hands on all of P
//   base → tips  passive: q̈ = ν - G* x;  active: τ = h·z⁺ + (P h)·x;  either way x ← x + h q̈
// Dofs are crossed one by one, as if the columns of H* were joints with massless links between them: so the mask cuts
// through joints of several dofs too. It is the same for all states of a call (flags) or each state's own (numbers).
#pragma once

#include "inverse_dynamics.hpp"
#include "riccati.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// What is known of a dof, in all lanes: its torque, or its acceleration.
struct TorqueKnown {};
struct AccelerationKnown {};

template <class M, class L>
PHIPSI_HOT L blend(M lanes, const L& a, const L& b) {
  return select(lanes, a, b);
}
template <class M, class L>
PHIPSI_HOT Vec3<L> blend(M lanes, const Vec3<L>& a, const Vec3<L>& b) {
  return {select(lanes, a.x, b.x), select(lanes, a.y, b.y), select(lanes, a.z, b.z)};
}
template <class M, class L>
PHIPSI_HOT Vec6<L> blend(M lanes, const Vec6<L>& a, const Vec6<L>& b) {
  return {blend(lanes, a.w, b.w), blend(lanes, a.v, b.v)};
}
template <class M, class L>
PHIPSI_HOT Sym3<L> blend(M lanes, const Sym3<L>& a, const Sym3<L>& b) {
  return {select(lanes, a.xx, b.xx), select(lanes, a.yy, b.yy), select(lanes, a.zz, b.zz),
          select(lanes, a.xy, b.xy), select(lanes, a.xz, b.xz), select(lanes, a.yz, b.yz)};
}
template <class M, class L>
PHIPSI_HOT ArticulatedInertia<L> blend(M lanes, const ArticulatedInertia<L>& a, const ArticulatedInertia<L>& b) {
  return {blend(lanes, a.J, b.J), blend(lanes, a.Cx, b.Cx), blend(lanes, a.Cy, b.Cy), blend(lanes, a.Cz, b.Cz),
          blend(lanes, a.M, b.M)};
}
// The first where the dof is passive, the second where it is active.
template <class Side, class T>
PHIPSI_HOT T choose(Side side, const T& passive, const T& active) {
  if constexpr (__is_same(Side, TorqueKnown))
    return passive;
  else if constexpr (__is_same(Side, AccelerationKnown))
    return active;
  else
    return blend(side, passive, active);
}

template <class L>
PHIPSI_HOT L along(Pair<Vec3<L>, Zero3> h, Vec6<L> f) {
  return dot(h.w, f.w);
}
template <class L>
PHIPSI_HOT L along(Pair<Zero3, Vec3<L>> h, Vec6<L> f) {
  return dot(h.v, f.v);
}
template <class L>
PHIPSI_HOT L along(Vec6<L> h, Vec6<L> f) {
  return dot(h, f);
}

// R C Rᵀ, and the same inertia in axes turned by R
template <class L>
struct Rows {
  Vec3<L> x, y, z;
};
template <class L>
PHIPSI_HOT Rows<L> turned(const Mat3<L>& R, Vec3<L> Cx, Vec3<L> Cy, Vec3<L> Cz) {
  const Vec3<L> x = R * Cx, y = R * Cy, z = R * Cz;  // the rows of C Rᵀ
  return {x * R.x.x + y * R.y.x + z * R.z.x, x * R.x.y + y * R.y.y + z * R.z.y, x * R.x.z + y * R.y.z + z * R.z.z};
}
template <class L>
PHIPSI_HOT Sym3<L> turned(const Mat3<L>& R, const Sym3<L>& S) {
  const Rows<L> T = turned(R, Vec3<L>{S.xx, S.xy, S.xz}, Vec3<L>{S.xy, S.yy, S.yz}, Vec3<L>{S.xz, S.yz, S.zz});
  return {T.x.x, T.y.y, T.z.z, T.x.y, T.x.z, T.y.z};
}
template <class L>
PHIPSI_HOT ArticulatedInertia<L> turned(const Mat3<L>& R, const ArticulatedInertia<L>& P) {
  const Rows<L> C = turned(R, P.Cx, P.Cy, P.Cz);
  return {turned(R, P.J), C.x, C.y, C.z, turned(R, P.M)};
}

// A mask for all states: f(side) for dof i.
struct OneMask {
  const uint8_t* flags;
  template <class F>
  PHIPSI_HOT void with(int i, F&& f) const {
    if (flags[i])
      f(TorqueKnown{});
    else
      f(AccelerationKnown{});
  }
  PHIPSI_HOT bool all_passive(int first, int count) const {
    for (int i = first; i < first + count; ++i)
      if (flags[i] == 0) return false;
    return true;
  }
};

// A mask in each lane, zero where the dof is active: lanes share one pass, in which each keeps what is its own.
template <class L>
struct LaneMasks {
  const L* number;
  template <class F>
  PHIPSI_HOT void with(int i, F&& f) const {
    f(number[i] != L{});
  }
  PHIPSI_HOT bool all_passive(int first, int count) const {
    for (int i = first; i < first + count; ++i)
      if (any(number[i] == L{})) return false;
    return true;
  }
  // 1 in the lanes where all of these dofs are passive, else 0
  PHIPSI_HOT L passive_lanes(int first, int count) const {
    L product = number[first];
    for (int i = first + 1; i < first + count; ++i) product = product * number[i];
    return product;
  }
};

// in: q, v, τ, f_ext (null: 0), q̈, and a mask;  out: τ, q̈, α (null), f (null)
struct HybridDynamics {
  static constexpr const char* name = "hybrid_dynamics";

  template <class L>
  struct Work {
    Place<L>* place;
    Vec3<L>* w;
    Vec6<L>*a, *H;
    Gain<L>* gain;  // passive: G; active: P h (of a free joint passive in part: in child axes)
    L* nu;  // passive: ν; active: h·z⁺ and what the rotor takes
    Gather<L, ArticulatedInertia<L>> P;
    Gather<L, Vec6<L>> z;
    Work(Arena& arena, const Tree& t)
        : place(arena.take<Place<L>>(t.n)),
          w(arena.take<Vec3<L>>(t.n)),
          a(arena.take<Vec6<L>>(t.n)),
          H(arena.take<Vec6<L>>(t.columns)),
          gain(arena.take<Gain<L>>(t.nv)),
          nu(arena.take<L>(t.nv)),
          P(arena, t),
          z(arena, t) {}
  };

  // x of a root: a(k), and gravity as the acceleration of what it hangs on
  template <class L>
  PHIPSI_HOT static Vec6<L> at_root(const Tree& t, const Vec6<L>& a) {
    return {a.w, a.v - constant3<L>(t.gravity)};
  }

  // One dof on the way to the base, and what it will be asked on the way back.
  template <class L>
  struct Crossing {
    const L *tau, *acceleration;
    const double* armature;
    Gain<L>* gain;
    L* nu;
    int body;
  };

  template <class Side, class L, class A, class B>
  PHIPSI_HOT static void cross_column(Side side, Pair<A, B> h, const Crossing<L>& c, int i, L scale,
                                      ArticulatedInertia<L>& P, Vec6<L>& z, L& singular) {
    const Vec6<L> U = P * h;
    if constexpr (__is_same(Side, AccelerationKnown)) {
      const L a = c.acceleration[i];
      z += U * a;
      c.gain[i].G = U;
      c.nu[i] = along(h, z) + a * c.armature[i];
    } else {
      const L d = along(h, U) + c.armature[i];
      require_positive(choose(side, d, number<L>(1.0)), choose(side, scale, L{}), c.body, singular);
      const L d_inverse = choose(side, 1.0 / d, L{});
      const Vec6<L> G = U * d_inverse;
      subtract_outer(P, G, U);
      const L along_z = along(h, z), epsilon = c.tau[i] - along_z, a = c.acceleration[i];
      const L step = choose(side, epsilon * d_inverse, a);
      if constexpr (__is_same(Side, TorqueKnown))
        z += G * epsilon;
      else
        z += U * step;
      c.gain[i].G = choose(side, G, U);
      c.nu[i] = choose(side, step, along_z + d * a);  // h·z⁺ = h·z + (h·P h) q̈
    }
  }

  template <class L, class A, class B, class Mask>
  PHIPSI_HOT static void cross_single(Pair<A, B> h, const Mask& mask, int dof, const Crossing<L>& c, L scale,
                                      ArticulatedInertia<L>& P, Vec6<L>& z, L& singular) {
    mask.with(dof, [&](auto side) PHIPSI_INLINE { cross_column(side, h, c, 0, scale, P, z, singular); });
  }

  // Several dofs; scales grow as in eliminate(DenseMap), with the passive ones alone. Inlined like all that changes P: a
  // function that is called takes P out of its registers for good.
  template <class L, class Mask>
  PHIPSI_HOT static void cross_columns(const Vec6<L>* h, int m, const Mask& mask, int dof, const Crossing<L>& c,
                                       ArticulatedInertia<L>& P, Vec6<L>& z, L& singular) {
    const L angular = trace(P.J), linear = trace(P.M);
    L scale[6];
    for (int i = m - 1; i >= 0; --i) {
      scale[i] = dot(h[i].w, h[i].w) * angular + dot(h[i].v, h[i].v) * linear;
      for (int j = m - 1; j > i; --j) {
        const L factor = dot(h[i], c.gain[j].G);
        scale[i] = scale[i] + factor * factor * scale[j];
      }
      mask.with(dof + i, [&](auto side) PHIPSI_INLINE {
        cross_column(side, h[i], c, i, scale[i], P, z, singular);
        scale[i] = choose(side, scale[i], L{});
      });
    }
  }

  // A free joint that is passive in part, in child axes: there A = H P H* is all of P, its columns are those of P h, and y
  // = H z. The gains stay in child axes. One column after the other, as in cross_columns. On its way back a column meets
  // all six components of x; but at a root x is known beforehand and in y already, but for what columns before it add.
  template <bool root, class L, class Mask>
  PHIPSI_HOT static void cross_six(const Mask& mask, int dof, const Crossing<L>& c, L (&A)[6][6], L (&y)[6],
                                   L& singular) {
    L scale[6];
    for (int i = 0; i < 6; ++i) scale[i] = i < 3 ? A[0][0] + A[1][1] + A[2][2] : A[3][3] + A[4][4] + A[5][5];
#pragma GCC unroll 6
    for (int i = 5; i >= 0; --i)
      mask.with(dof + i, [&](auto side) PHIPSI_INLINE {
        const int met = root ? i : 6;
        L U[6] = {}, G[6] = {};
#pragma GCC unroll 6
        for (int j = 0; j < met; ++j) U[j] = A[i > j ? i : j][i > j ? j : i];
        const L d = A[i][i] + c.armature[i], a = c.acceleration[i];
        L d_inverse = L{}, step = a;
        if constexpr (!__is_same(decltype(side), AccelerationKnown)) {
          require_positive(choose(side, d, number<L>(1.0)), choose(side, scale[i], L{}), c.body, singular);
          d_inverse = choose(side, 1.0 / d, L{});
          step = choose(side, (c.tau[i] - y[i]) * d_inverse, a);
        }
        c.nu[i] = choose(side, step, y[i] + d * a);
#pragma GCC unroll 6
        for (int j = 0; j < met; ++j) {
          G[j] = U[j] * d_inverse;
          y[j] = y[j] + U[j] * step;
        }
        c.gain[i].G = choose(side, vec6_at<L>(G), vec6_at<L>(U));
        if constexpr (!__is_same(decltype(side), AccelerationKnown))
#pragma GCC unroll 6
          for (int j = 0; j < met; ++j) {
#pragma GCC unroll 6
            for (int k = 0; k <= j; ++k) A[j][k] = A[j][k] - G[j] * U[k];
            if (j < i) scale[j] = scale[j] + G[j] * G[j] * scale[i];
          }
      });
  }

  // α(k) = P⁻¹(R τ - z) where all six are passive; else one by one. x: what a root meets.
  template <class L, class Mask>
  PHIPSI_HOT static void cross_free(const Body& b, const Mat3<L>& R, Vec6<L> x, const Mask& mask, Crossing<L>& c,
                                    ArticulatedInertia<L>& P, Vec6<L>& z, L& singular) {
    const Vec6<L> f = FreeMap<L>{R}.spread(c.tau);
    if (mask.all_passive(b.v, 6)) {
      FreeFactor<L> factor;
      factor.factor(P, c.body, singular);
      put_vec6(c.nu, factor.solve(f - z));
      P = ArticulatedInertia<L>{};
      z = f;
      return;
    }
    const ArticulatedInertia<L> Q = turned(transposed(R), P);
    L A[6][6] = {{Q.J.xx},
                 {Q.J.xy, Q.J.yy},
                 {Q.J.xz, Q.J.yz, Q.J.zz},
                 {Q.Cx.x, Q.Cy.x, Q.Cz.x, Q.M.xx},
                 {Q.Cx.y, Q.Cy.y, Q.Cz.y, Q.M.xy, Q.M.yy},
                 {Q.Cx.z, Q.Cy.z, Q.Cz.z, Q.M.xz, Q.M.yz, Q.M.zz}};
    L y[6];
    if (b.parent < 0) {
      FreeMap<L>{R}.collect(z + P * x, y);
      return cross_six<true>(mask, b.v, c, A, y, singular);
    }
    FreeMap<L>{R}.collect(z, y);
    cross_six<false>(mask, b.v, c, A, y, singular);
    P = turned(R, ArticulatedInertia<L>{{A[0][0], A[1][1], A[2][2], A[1][0], A[2][0], A[2][1]},
                                        {A[3][0], A[4][0], A[5][0]},
                                        {A[3][1], A[4][1], A[5][1]},
                                        {A[3][2], A[4][2], A[5][2]},
                                        {A[3][3], A[4][4], A[5][5], A[4][3], A[5][3], A[5][4]}});
    z = FreeMap<L>{R}.spread(y);
    if constexpr (requires { mask.passive_lanes(0, 0); }) {
      const auto whole = mask.passive_lanes(b.v, 6) != L{};  // these hand on nothing, not even rounding
      P = blend(whole, ArticulatedInertia<L>{}, P);
      z = blend(whole, f, z);
    }
  }

  template <class L, class Mask>
  PHIPSI_HOT static void take_out(const Tree& t, int k, const Call<L>& call, const Mask& mask, ArticulatedInertia<L>& P,
                                  Vec6<L>& z, Work<L>& s, L& singular) {
    const Body& b = t.body[k];
    const Mat3<L>& R = s.place[k].R;
    Crossing<L> c = {call.in[2] + b.v, call.in[4] + b.v, t.armature + b.v, s.gain + b.v, s.nu + b.v, k};
    switch (b.shape) {
      case Shape::none: break;
      case Shape::angular: {
        const Pair<Vec3<L>, Zero3> h = {R.z, {}};
        cross_single(h, mask, b.v, c, trace(P.J), P, z, singular);
        break;
      }
      case Shape::linear: {
        const Pair<Zero3, Vec3<L>> h = {{}, R.z};
        cross_single(h, mask, b.v, c, trace(P.M), P, z, singular);
        break;
      }
      case Shape::dense: cross_columns(s.H + b.column, b.nv, mask, b.v, c, P, z, singular); break;
      case Shape::free: cross_free(b, R, at_root(t, s.a[k]), mask, c, P, z, singular); break;
    }
  }

  template <class L>
  PHIPSI_HOT static void outward(const Tree& t, int k, const L* q, const L* v, Work<L>& s) {
    const Body& b = t.body[k];
    const Vec3<L> wp = b.parent < 0 ? zero3<L>() : s.w[b.parent];
    cross_joint(t, b, q, s.place, s.H, s.place[k], [&](auto map, const Mat3<L>&, Vec3<L> l) PHIPSI_INLINE {
      const auto d = map.spread(v + b.v);
      const Vec3<L> w = wp + d.w;
      s.w[k] = w;
      s.a[k] = velocity_product(wp, w, l, d);
    });
    add_joint_bias(b, s.H, v + b.v, s.a[k]);
  }

  template <class L, class Mask>
  static void inward(const Tree& t, const Call<L>& call, const Mask& mask, Work<L>& s, L& singular) {
    const L* f_ext = call.in[3];
    ArticulatedInertia<L> P;
    Vec6<L> z;
    bool carried = false;
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      const RigidInertia<L> M = inertia_in_world(b, s.place[k].R);
      if (carried) {
        P += M;
      } else {
        P = articulated(M);
        z = zero6<L>();
      }
      z += gyroscopic_force(M, s.w[k]);
      if (f_ext) z = z - vec6_at(f_ext + 6 * k);
      if (b.slot >= 0) {
        P += s.P.slot[b.slot];
        z += s.z.slot[b.slot];
      }
      take_out(t, k, call, mask, P, z, s, singular);
      carried = b.parent >= 0 && b.parent_slot < 0;
      if (b.parent < 0) continue;
      z += P * s.a[k];  // P is zero beyond a free joint that moves freely
      P = shifted(s.place[k].l, P);
      z = shift_force(s.place[k].l, z);
      if (carried) continue;
      s.P.leave(b, P);
      s.z.leave(b, z);
    }
  }

  // One dof on the way back: what was not known of it.
  template <class L, class Mask>
  PHIPSI_HOT static void answer_one(const Vec6<L>& G, Vec6<L> x, const Mask& mask, int dof, const Call<L>& call,
                                    const Work<L>& s) {
    const L along_x = dot(G, x), nu = s.nu[dof];
    mask.with(dof, [&](auto side) PHIPSI_INLINE {
      call.out[0][dof] = choose(side, call.in[2][dof], nu + along_x);
      call.out[1][dof] = choose(side, nu - along_x, call.in[4][dof]);
    });
  }
  // The same, and the motion that it adds.
  template <class L, class A, class B, class Mask>
  PHIPSI_HOT static void answer(Pair<A, B> h, const Mask& mask, int dof, const Call<L>& call, const Work<L>& s,
                                Vec6<L>& x) {
    answer_one(s.gain[dof].G, x, mask, dof, call, s);
    x += h * call.out[1][dof];
  }

  template <class L, class Mask>
  PHIPSI_HOT static void answer_free(const Body& b, const Mat3<L>& R, const Mask& mask, const Call<L>& call,
                                     const Work<L>& s, Vec6<L>& x) {
    const L* nu = s.nu + b.v;
    if (mask.all_passive(b.v, 6)) {
      const Vec6<L> own = vec6_at(nu);
      FreeMap<L>{R}.collect(own - x, call.out[1] + b.v);
      for (int i = b.v; i < b.v + 6; ++i) call.out[0][i] = call.in[2][i];
      x = own;
      return;
    }
    L own[6] = {};  // what G meets, in child axes
    if (b.parent >= 0) FreeMap<L>{R}.collect(x, own);
    for (int i = 0; i < 6; ++i) {
      answer_one(s.gain[b.v + i].G, vec6_at<L>(own), mask, b.v + i, call, s);
      own[i] = own[i] + call.out[1][b.v + i];
    }
    x += FreeMap<L>{R}.spread(call.out[1] + b.v);
  }

  template <class L, class Mask>
  static void outward_again(const Tree& t, const Call<L>& call, const Mask& mask, Work<L>& s) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      const Place<L>& here = s.place[k];
      Vec6<L> x = b.parent < 0 ? at_root(t, s.a[k]) : shift_motion(here.l, s.a[b.parent]) + s.a[k];
      switch (b.shape) {
        case Shape::none: break;
        case Shape::angular: answer(Pair<Vec3<L>, Zero3>{here.R.z, {}}, mask, b.v, call, s, x); break;
        case Shape::linear: answer(Pair<Zero3, Vec3<L>>{{}, here.R.z}, mask, b.v, call, s, x); break;
        case Shape::dense:
          for (int i = 0; i < b.nv; ++i) answer(s.H[b.column + i], mask, b.v + i, call, s, x);
          break;
        case Shape::free: answer_free(b, here.R, mask, call, s, x); break;
      }
      s.a[k] = x;  // a(k) has served
    }
  }

  // α(k) with gravity taken out of it, and f(k): what balances M α + b - f_ext of the body and all beyond it
  template <class L>
  static void report_links(const Tree& t, const Call<L>& call, const Work<L>& s) {
    L *alpha = call.out[2], *f = call.out[3];
    if (alpha)
      for (int k = 0; k < t.n; ++k) put_vec6(alpha + 6 * k, {s.a[k].w, s.a[k].v + constant3<L>(t.gravity)});
    if (!f) return;
    for (int k = 0; k < t.n; ++k) {
      const Vec6<L> own = inertial_force(t.body[k], s.place[k].R, s.w[k], s.a[k]);
      put_vec6(f + 6 * k, call.in[3] ? own - vec6_at(call.in[3] + 6 * k) : own);
    }
    for (int k = t.n - 1; k >= 0; --k) {
      const int p = t.body[k].parent;
      if (p >= 0) put_vec6(f + 6 * p, vec6_at(f + 6 * p) + shift_force(s.place[k].l, vec6_at(f + 6 * k)));
    }
  }

  template <class L, class Mask>
  static void sweeps(const Tree& t, Call<L>& c, const Mask& mask, Work<L>& s) {
    for (int k = 0; k < t.n; ++k) outward(t, k, c.in[0], c.in[1], s);
    L singular = L{};
    inward(t, c, mask, s, singular);
    outward_again(t, c, mask, s);
    report_links(t, c, s);
    c.singular = singular;
  }

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> s(arena, t);
    if constexpr (lanes_of<L> > 1)
      if (c.mask) return sweeps(t, c, LaneMasks<L>{c.mask}, s);
    sweeps(t, c, OneMask{c.flags}, s);
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
