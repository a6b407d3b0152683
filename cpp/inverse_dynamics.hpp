// inverse_dynamics.hpp: τ = H φ [M (φ* (H* a + 𝔞)) + b - f_ext]; two sweeps, base → tips and back.
//
// Also bias (a = 0), gravity torque (v = a = 0) and the reaction forces f(k), which the second sweep meets on its way.
#pragma once

#include "kinematics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// f(k) = M α + b about O_k. The tensor stays in body axes: turning three vectors costs less than turning J.
template <class L>
PHIPSI_HOT Vec6<L> inertial_force(const Body& b, const Mat3<L>& R, Vec3<L> w, Vec6<L> alpha) {
  const Sym3<double> J = sym3_at(b.J);
  const Vec3<L> w_body = transposed_times(R, w), mc = R * vec3_at(b.mc);
  const Vec3<L> moment = J * transposed_times(R, alpha.w) + cross(w_body, J * w_body);
  return {R * moment + cross(mc, alpha.v), alpha.v * b.mass + cross(alpha.w, mc) + cross(w, cross(w, mc))};
}
template <class L>
PHIPSI_HOT Vec6<L> inertial_force_at_rest(const Body& b, const Mat3<L>& R, Vec6<L> alpha) {
  const Vec3<L> mc = R * vec3_at(b.mc), moment = sym3_at(b.J) * transposed_times(R, alpha.w);
  return {R * moment + cross(mc, alpha.v), alpha.v * b.mass + cross(alpha.w, mc)};
}

// in: q, v (null: 0), a (null: 0), f_ext (null: 0);  out: τ, f (null: not wanted)
template <bool weighted>
struct InverseSweeps {
  template <class L>
  struct Work {
    Place<L>* place;
    Vec3<L>* w;
    Vec6<L>*alpha, *f, *H;
    Work(Arena& arena, const Tree& t)
        : place(arena.take<Place<L>>(t.n)),
          w(arena.take<Vec3<L>>(t.n)),
          alpha(arena.take<Vec6<L>>(t.n)),
          f(arena.take<Vec6<L>>(t.n)),
          H(arena.take<Vec6<L>>(t.columns)) {}
  };

  template <class L>
  PHIPSI_HOT static void outward(const Tree& t, int k, const Call<L>& c, Work<L>& s) {
    const Body& b = t.body[k];
    const L *v = c.in[1], *a = c.in[2], *f_ext = c.in[3];
    const Vec3<L> wp = b.parent < 0 || !v ? zero3<L>() : s.w[b.parent];
    const Vec3<L> base = weighted ? -constant3<L>(t.gravity) : zero3<L>();
    const Vec6<L> parent_alpha = b.parent < 0 ? Vec6<L>{zero3<L>(), base} : s.alpha[b.parent];
    cross_joint(t, b, c.in[0], s.place, s.H, s.place[k], [&](auto map, const Mat3<L>& R, Vec3<L> l) PHIPSI_INLINE {
      Vec6<L> alpha = shift_motion(l, parent_alpha);
      if (a) alpha += map.spread(a + b.v);
      if (v) {
        const auto d = map.spread(v + b.v);
        const Vec3<L> w = wp + d.w;
        alpha += velocity_product(wp, w, l, d);
        add_joint_bias(b, s.H, v + b.v, alpha);
        s.w[k] = w;
        s.f[k] = inertial_force(b, R, w, alpha);
      } else {
        s.f[k] = inertial_force_at_rest(b, R, alpha);
      }
      s.alpha[k] = alpha;
    });
    if (f_ext) s.f[k] = s.f[k] - vec6_at(f_ext + 6 * k);
  }

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> s(arena, t);
    for (int k = 0; k < t.n; ++k) outward(t, k, c, s);
    L *tau = c.out[0], *reaction = c.out[1];
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      const Place<L>& here = s.place[k];
      const Vec6<L> f = s.f[k];
      if (reaction) put_vec6(reaction + 6 * k, f);
      if (tau) with_map(b, here.R, s.H, [&](auto map) PHIPSI_INLINE { map.collect(f, tau + b.v); });
      if (b.parent >= 0) s.f[b.parent] += shift_force(here.l, f);
    }
    if (tau && t.rooted && c.in[2])
      for (int i = 0; i < t.nv; ++i) tau[i] = tau[i] + c.in[2][i] * t.armature[i];
  }
};

struct InverseDynamics : InverseSweeps<true> {
  static constexpr const char* name = "inverse_dynamics";
};

// in: q, -, x;  out: the mass matrix times x, which is what x costs without weight
struct MassTimes : InverseSweeps<false> {
  static constexpr const char* name = "mass_times";
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
