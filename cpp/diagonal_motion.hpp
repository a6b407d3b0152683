// diagonal_motion.hpp: right-hand sides in (θ, ξ) and (θ, ν), their Coriolis terms, and torques as ε and κ (JR95d).
#pragma once

#include "diagonal.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// What the last sweep hands out: each may be absent.
template <class L>
struct DiagonalRatesOut {
  const L* tau;
  L *xi, *nu;              // ξ̇ and ν̇
  L *coriolis_xi, *coriolis_nu;  // C(θ, ξ), C(θ, ν): where the torques are zero
  L* inertia;  // P̊
};

// ---- the joints of the last sweep ---------------------------------------------------------------------------------

// One column, u = P̊ h (+ P h̊), and x what of V the columns before it and the parent make:
//   d ξ̇' = ε' + (u - ḋ G)·x;  then the column is taken out of z and P̊
template <class L>
struct ColumnOut {
  L xi_dot, d_dot;
};
template <class L>
PHIPSI_HOT ColumnOut<L> column_rates(const Gain<L>& gain, L epsilon, Vec6<L> u, L d_dot, Vec6<L> x) {
  return {(epsilon + dot(u, x) - d_dot * dot(gain.G, x)) * gain.d_inverse, d_dot};
}
template <class L>
PHIPSI_HOT void take_column(const Gain<L>& gain, L epsilon, Vec6<L> u, L d_dot, ArticulatedInertia<L>& rate, Vec6<L>& z,
                            bool onward = true) {
  z += gain.G * epsilon;
  if (!onward) return;
  subtract_both(rate, gain.G, u - gain.G * (0.5 * d_dot));
}

template <class L>
struct JointIn {
  const Body& b;
  const Gain<L>* gain;
  const L *xi, *v, *tau;
  Vec6<L> V;
  const ArticulatedInertia<L>& P_plus;
  bool onward;  // the parent asks for P̊
};

template <class L>
PHIPSI_HOT void put_rates(const JointIn<L>& in, const ColumnOut<L>& c, int i, const DiagonalRatesOut<L>& out) {
  const int at = in.b.v + i;
  if (out.xi) out.xi[at] = c.xi_dot;
  if (out.coriolis_xi) out.coriolis_xi[at] = -c.xi_dot / in.gain[i].d_inverse;
  if (out.nu || out.coriolis_nu) {  // ν = d^½ ξ'
    const L s = root_of(in.gain[i]), rate = s * c.xi_dot + 0.5 * c.d_dot / s * in.xi[i];
    if (out.nu) out.nu[at] = rate;
    if (out.coriolis_nu) out.coriolis_nu[at] = -rate;
  }
}

template <class L>
PHIPSI_HOT L torque(const JointIn<L>& in, int i) {
  return in.tau ? in.tau[i] : L{};
}

// Takes the joint of body k out of z and P̊, and adds what its motion makes of P⁺.
template <class L>
PHIPSI_HOT void leave_joint(NoMap, const JointIn<L>&, ArticulatedInertia<L>&, Vec6<L>&, const DiagonalRatesOut<L>&) {}
template <class L>
PHIPSI_HOT void leave_joint(AngularMap<L> map, const JointIn<L>& in, ArticulatedInertia<L>& rate, Vec6<L>& z,
                            const DiagonalRatesOut<L>& out) {
  const Vec3<L> d = map.z * in.v[0];
  const Vec6<L> u = rate * Pair<Vec3<L>, Zero3>{map.z, {}}, x = {in.V.w - d, in.V.v};
  const L epsilon = torque(in, 0) - dot(map.z, z.w), d_dot = dot(map.z, u.w);
  put_rates(in, column_rates(in.gain[0], epsilon, u, d_dot, x), 0, out);
  if (in.b.parent < 0) return;
  take_column(in.gain[0], epsilon, u, d_dot, rate, z, in.onward);
  const Pair<Vec3<L>, Zero3> delta = {d, {}};
  z += in.P_plus * local_bias(in.V, delta);
  if (in.onward) add_carried(rate, in.P_plus, delta);
}
template <class L>
PHIPSI_HOT void leave_joint(LinearMap<L> map, const JointIn<L>& in, ArticulatedInertia<L>& rate, Vec6<L>& z,
                            const DiagonalRatesOut<L>& out) {
  const Vec3<L> d = map.z * in.v[0];
  const Vec6<L> u = rate * Pair<Zero3, Vec3<L>>{{}, map.z}, x = {in.V.w, in.V.v - d};
  const L epsilon = torque(in, 0) - dot(map.z, z.v), d_dot = dot(map.z, u.v);
  put_rates(in, column_rates(in.gain[0], epsilon, u, d_dot, x), 0, out);
  if (in.b.parent < 0) return;
  take_column(in.gain[0], epsilon, u, d_dot, rate, z, in.onward);
  const Pair<Zero3, Vec3<L>> delta = {{}, d};
  z += in.P_plus * local_bias(in.V, delta);
  if (in.onward) add_carried(rate, in.P_plus, delta);
}

// ξ̇ = U⁻* (ξ̇' - Ů* ξ), Ů(i, j) = h̊(i)·G(j) + h(i)·G̊(j);  C(θ, ξ) = -D ξ̇ = -U d U* ξ̇
template <SeveralColumns Map, class L>
PHIPSI_HOT void put_joint_rates(Map map, const JointIn<L>& in, const L* xi_dot, const Vec6<L>* G_dot, Vec6<L> h_dot,
                                const DiagonalRatesOut<L>& out) {
  if (!out.xi && !out.coriolis_xi) return;
  L xi[6], rate[6];
  for (int i = 0; i < map.m; ++i) xi[i] = in.xi[i];
  merge(map, in.gain, xi);
  for (int j = 0; j < map.m; ++j) rate[j] = xi_dot[j];
  each_column(map, [&](int i, auto h) PHIPSI_INLINE {
    for (int j = i + 1; j < map.m; ++j) rate[j] = rate[j] - dot(h, G_dot[j]) * xi[i];
  });
  if constexpr (turning<Map>) rate[1] = rate[1] - dot(h_dot, in.gain[1].G) * xi[0];
  if (out.coriolis_xi) {
    L force[6];
    for (int i = 0; i < map.m; ++i) force[i] = -rate[i] / in.gain[i].d_inverse;  // U* ξ̇ is what stands in rate
    merge_forces(map, in.gain, force);
    for (int i = 0; i < map.m; ++i) out.coriolis_xi[in.b.v + i] = force[i];
  }
  if (!out.xi) return;
  merge(map, in.gain, rate);
  for (int i = 0; i < map.m; ++i) out.xi[in.b.v + i] = rate[i];
}

template <SeveralColumns Map, class L>
PHIPSI_HOT void leave_joint(Map map, const JointIn<L>& in, ArticulatedInertia<L>& rate, Vec6<L>& z,
                            const DiagonalRatesOut<L>& out) {
  Vec6<L> h_dot = zero6<L>();  // of the first axis of a universal joint, as the body sees it
  if constexpr (turning<Map>) h_dot = Vec6<L>{cross(map.h[0].w, map.h[1].w) * in.v[1], zero3<L>()};
  Vec6<L> x = in.V, G_dot[6];
  L xi_dot[6];
  each_column_back(map, [&](int i, auto h) PHIPSI_INLINE {
    const Gain<L>& gain = in.gain[i];
    x += h * -in.v[i];
    Vec6<L> u = rate * h;
    L d_dot = dot(h, u);
    const L epsilon = torque(in, i) - dot(h, z);
    const bool first = turning<Map> && i == 0;
    if (first) {  // P before this column was taken out: P⁺ + G d G*
      const L along = dot(gain.G, h_dot) / gain.d_inverse;
      const Vec6<L> more = in.P_plus * h_dot + gain.G * along;
      u += more;
      d_dot = d_dot + dot(h, more) + along;
    }
    ColumnOut<L> column = column_rates(gain, epsilon, u, d_dot, x);
    take_column(gain, epsilon, u, d_dot, rate, z, i > 0 || in.onward);
    if (first) column.xi_dot = column.xi_dot - dot(gain.G, h_dot) * in.v[0];
    G_dot[i] = (u - gain.G * d_dot) * gain.d_inverse;
    xi_dot[i] = column.xi_dot;
    const DiagonalRatesOut<L> only_nu = {nullptr, nullptr, out.nu, nullptr, out.coriolis_nu, nullptr};
    put_rates(in, column, i, only_nu);
  });
  put_joint_rates(map, in, xi_dot, G_dot, h_dot, out);
  if (in.b.parent < 0 || in.b.shape == Shape::free) return;
  const auto delta = map.spread(in.v);
  if constexpr (turning<Map>)
    z += in.P_plus * (local_bias(in.V, delta) + h_dot * in.v[0]);
  else
    z += in.P_plus * local_bias(in.V, delta);
  if (in.onward) add_carried(rate, in.P_plus, delta);
}

// A joint on the world: V⁺ = 0 and Δ~ V = 0, so that D ξ̇ = τ - H z, and nobody asks for P̊.
template <class Map, class L>
PHIPSI_HOT void leave_root(Map map, const JointIn<L>& in, Vec6<L> z, const DiagonalRatesOut<L>& out) {
  L force[6] = {};
  map.collect(z, force);
  for (int i = 0; i < in.b.nv; ++i) force[i] = torque(in, i) - force[i];
  if (out.coriolis_xi)
    for (int i = 0; i < in.b.nv; ++i) out.coriolis_xi[in.b.v + i] = -force[i];
  if (!out.xi) return;
  split_forces(map, in.gain, force);
  for (int i = 0; i < in.b.nv; ++i) force[i] = force[i] * in.gain[i].d_inverse;
  merge(map, in.gain, force);
  for (int i = 0; i < in.b.nv; ++i) out.xi[in.b.v + i] = force[i];
}

// A body that carries no other: P̊ = 0 so far, and D, G and U stand still.
template <class L>
PHIPSI_HOT void leave_tip(NoMap, const JointIn<L>&, ArticulatedInertia<L>&, Vec6<L>&, const DiagonalRatesOut<L>&) {}
template <class Map, class L>
PHIPSI_HOT void leave_tip(Map map, const JointIn<L>& in, ArticulatedInertia<L>& rate, Vec6<L>& z,
                          const DiagonalRatesOut<L>& out) {
  L tau[6], x[6];
  for (int i = 0; i < in.b.nv; ++i) tau[i] = torque(in, i);
  innovate(map, in.gain, tau, z, x);
  const DiagonalRatesOut<L> only_nu = {nullptr, nullptr, out.nu, nullptr, out.coriolis_nu, nullptr};
  if (out.nu || out.coriolis_nu)
    for (int i = 0; i < in.b.nv; ++i) put_rates(in, ColumnOut<L>{x[i], L{}}, i, only_nu);
  if (out.coriolis_xi) {
    for (int i = 0; i < in.b.nv; ++i) tau[i] = x[i] / in.gain[i].d_inverse;
    merge_forces(map, in.gain, tau);
    for (int i = 0; i < in.b.nv; ++i) out.coriolis_xi[in.b.v + i] = -tau[i];
  }
  if (out.xi) {
    merge(map, in.gain, x);
    for (int i = 0; i < in.b.nv; ++i) out.xi[in.b.v + i] = x[i];
  }
  if (in.b.parent < 0 || in.b.shape == Shape::free) return;
  const auto delta = map.spread(in.v);
  z += in.P_plus * local_bias(in.V, delta);
  if (in.onward) add_carried(rate, in.P_plus, delta);
}

enum class JointAt { tip, root, between };

// A free joint: G = H⁻¹ stands still, so that D ξ̇ = τ - H z; it hands on all of the force, whatever z is.
template <class L>
[[gnu::noinline]] void leave_free(const Mat3<L>& R, const FreeFactor<L>& factor, const L* tau, L* xi_dot, Vec6<L>& z) {
  const FreeMap<L> map{R};
  const Vec6<L> f = tau ? map.spread(tau) : zero6<L>();
  if (xi_dot) map.collect(factor.solve(f - z), xi_dot);
  z = f;
}

// A joint taken out whole: H P̊ - Ḋ G* = R* [0, c̊ - S̊ K], which meets the half of V that the joint leaves alone.
template <bool linear, class L>
[[gnu::noinline]] void leave_whole(JointAt where, const Mat3<L>& R, const WholeGain<L>& gain, const JointIn<L>& in,
                                   L* xi_dot, ArticulatedInertia<L>& rate, Vec6<L>& z) {
  Vec6<L> V = in.V;
  const Vec3<L> other = other_half<linear>(V), f = R * Vec3<L>{torque(in, 0), torque(in, 1), torque(in, 2)};
  const Vec3<L> epsilon = f - own_half<linear>(z);
  Vec3<L> drive = epsilon;
  if (where == JointAt::between) {
    const auto [own_dot, other_dot, c_dot] = halves_of<linear>(rate);
    drive += c_dot * other - own_dot * (gain.K * other);
    if (in.onward) {
      const Mat3<L>& K = gain.K;
      const Mat3<L> half = {c_dot.x - own_dot * K.x * 0.5, c_dot.y - own_dot * K.y * 0.5,
                            c_dot.z - own_dot * K.z * 0.5};
      rate = of_other<linear>(less_both(other_dot, half, K));
    }
  }
  if (xi_dot) {
    const Vec3<L> x = transposed_times(R, gain.solve(drive));
    xi_dot[0] = x.x, xi_dot[1] = x.y, xi_dot[2] = x.z;
  }
  if (in.b.parent < 0) return;
  own_half<linear>(z) = f;
  other_half<linear>(z) += transposed_times(gain.K, epsilon);
  if constexpr (!linear) {  // of a translational joint P⁺ Δ~ = 0
    const Vec3<L> d = R * Vec3<L>{in.v[0], in.v[1], in.v[2]};
    z.v += in.P_plus.M * cross(V.v, d);
    if (in.onward) add_turning(rate.M, d, in.P_plus.M);
  }
}

// Which of the three it is; and for joints of several dofs out of line, on copies: the sweep keeps z and P̊ in registers
// for the others.
template <class Map, class L>
PHIPSI_HOT void leave(JointAt where, Map map, const JointIn<L>& in, ArticulatedInertia<L>& rate, Vec6<L>& z,
                      const DiagonalRatesOut<L>& out) {
  if (where == JointAt::tip)
    leave_tip(map, in, rate, z, out);
  else if (where == JointAt::root)
    leave_root(map, in, z, out);
  else
    leave_joint(map, in, rate, z, out);
}
template <class Map, class L>
[[gnu::noinline]] void leave_dense(JointAt where, Map map, const JointIn<L>& in, ArticulatedInertia<L>& rate,
                                   Vec6<L>& z, const DiagonalRatesOut<L>& out) {
  leave(where, map, in, rate, z, out);
}

// ---- the sweep ----------------------------------------------------------------------------------------------------

// tips → base: z and P̊. weighted: with gravity as the force M [0; g] on each body.
template <bool weighted, bool plain, class L>
PHIPSI_HOT void rates_inward(const Tree& t, const L* v, const L* f_ext, const DiagonalRatesOut<L>& out,
                             DiagonalWork<L>& s) {
  ArticulatedInertia<L> rate;
  Vec6<L> z;
  bool carried = false;
  const Vec3<L> g = constant3<L>(t.gravity);
  for (int k = t.n - 1; k >= 0; --k) {
    const Body& b = t.body[k];
    if (!carried) {
      rate = ArticulatedInertia<L>{};
      z = zero6<L>();
    }
    const Vec6<L> V = s.V[k];
    z += local_gyroscopic_force(s.M[k], V);
    if constexpr (weighted) {
      z = z - Vec6<L>{cross(s.M[k].mc, g), g * s.M[k].m};
      if (f_ext) z = z - vec6_at(f_ext + 6 * k);
    }
    if (b.slot >= 0) {
      if (!still<plain>(b)) rate += s.P.slot[b.slot];
      z += s.z.slot[b.slot];
    }
    const L* tau = out.tau ? out.tau + b.v : nullptr;
    const bool onward = b.parent >= 0 && !still<plain>(t.body[b.parent]);
    const JointIn<L> in = {b, s.gain + b.v, s.xi + b.v, v + b.v, tau, V, s.P_plus[k], onward};
    if (out.inertia) put_inertia(out.inertia + 36 * k, rate);
    const bool constant = b.kind != kind_Universal, lone = constant && !out.nu && !out.coriolis_nu;
    const JointAt where = lone && b.parent < 0                 ? JointAt::root
                          : constant && !carried && b.slot < 0 ? JointAt::tip
                                                               : JointAt::between;
    if (plain && b.shape == Shape::free) {
      Vec6<L> force = z;
      leave_free(s.place[k].R, s.factor[b.column / 6], tau, out.xi ? out.xi + b.v : nullptr, force);
      z = force;
    } else if (whole<plain>(t, b)) {
      ArticulatedInertia<L> copied = rate;
      Vec6<L> force = z;
      with_half(b, [&](auto half) PHIPSI_INLINE {
        leave_whole<half.linear>(where, s.place[k].R, s.whole[b.column / 3], in, out.xi ? out.xi + b.v : nullptr,
                                 copied, force);
      });
      rate = copied;
      z = force;
    } else if (b.shape == Shape::dense || b.shape == Shape::free) {
      ArticulatedInertia<L> copied = rate;
      Vec6<L> force = z;
      with_written_columns(b, s.H + b.column,
                           [&](auto map) PHIPSI_INLINE { leave_dense(where, map, in, copied, force, out); });
      rate = copied;
      z = force;
    } else {
      with_columns(b, s, k, [&](auto map) PHIPSI_INLINE {
        if constexpr (!requires { map.h; }) leave(where, map, in, rate, z, out);
      });
    }
    if (b.shape == Shape::free) rate = ArticulatedInertia<L>{};
    carried = b.parent >= 0 && b.parent_slot < 0;
    if (b.parent < 0) continue;
    if (onward) rate = shifted(s.place[k].l, rate);
    z = shift_force(s.place[k].l, z);
    if (carried) continue;
    if (onward) s.P.leave(b, rate);
    s.z.leave(b, z);
  }
}

struct DiagonalSweeps {
  template <class L>
  struct Work : DiagonalWork<L> {
    Work(Arena& arena, const Tree& t) : DiagonalWork<L>(arena, t, true) {}
  };
  template <bool plain, class L>
  PHIPSI_HOT static void sweep(const Tree& t, Call<L>& c, L* v, const L* f_ext, const DiagonalRatesOut<L>& out) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> s(arena, t);
    L singular = L{};
    place_outward<plain>(t, c.in[0], s);
    riccati_inward<true, plain>(t, s, singular);
    L* rates = v ? v : s.v;
    velocities_outward<plain>(t, c.in[1], c.in[2], rates, s);
    rates_inward<true, plain>(t, rates, f_ext, out, s);
    c.singular = singular;
  }
};

// in: q, ν or -, ξ or -, τ, f_ext (null: 0);  out: v, ξ̇, ν̇ (each may be left out). [JR95d 8.1]
struct DiagonalDynamics : DiagonalSweeps {
  static constexpr const char* name = "diagonal_dynamics";
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    const L* xi = c.in[2];
    L* nu_dot = c.out[2];
    if (xi && !nu_dot)
      sweep<true>(t, c, c.out[0], c.in[4], {c.in[3], c.out[1], nullptr, nullptr, nullptr, nullptr});
    else
      sweep<false>(t, c, c.out[0], c.in[4], {c.in[3], c.out[1], nu_dot, nullptr, nullptr, nullptr});
  }
};

// in: q, and one of ν, ξ, v (the others null);  out: C(θ, ν), C(θ, ξ), P, P̊ (each may be left out). [JR95d 7.1]
struct DiagonalCoriolis : DiagonalSweeps {
  static constexpr const char* name = "diagonal_coriolis";
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> s(arena, t);
    L singular = L{};
    place_outward(t, c.in[0], s);
    riccati_inward<true>(t, s, singular, c.out[2]);
    if (c.in[3])
      rates_outward(t, c.in[3], s);
    else
      velocities_outward(t, c.in[1], c.in[2], s.v, s);
    const L* none = nullptr;
    rates_inward<false, false>(t, c.in[3] ? c.in[3] : s.v, none, {none, nullptr, nullptr, c.out[1], c.out[0], c.out[3]},
                               s);
    c.singular = singular;
  }
};

// ---- τ ↔ ε, κ -----------------------------------------------------------------------------------------------------

// z ← z + G ε', tips → base: from τ (epsilon_in and kappa_in null) to ε and κ, or from one of them to τ. (Table 3 of JR95d)
template <class L>
PHIPSI_HOT void forces_inward(const Tree& t, Call<L>& c, const L* f_ext, const L* tau, const L* epsilon_in,
                              const L* kappa_in, L* tau_out, L* epsilon_out, L* kappa_out) {
  Arena arena{static_cast<char*>(c.work)};
  DiagonalWork<L> s(arena, t, false);
  L singular = L{};
  place_outward(t, c.in[0], s);
  riccati_inward<false>(t, s, singular);
  Vec6<L> z;
  bool carried = false;
  for (int k = t.n - 1; k >= 0; --k) {
    const Body& b = t.body[k];
    const Gain<L>* gain = s.gain + b.v;
    if (!carried) z = zero6<L>();
    if (f_ext) z = z - vec6_at(f_ext + 6 * k);
    if (b.slot >= 0) z += s.z.slot[b.slot];
    with_columns(b, s, k, [&](auto map) PHIPSI_INLINE {
      L felt[6] = {}, own[6] = {};
      map.collect(z, felt);
      for (int i = 0; i < b.nv; ++i)  // κ of the joint, or ε' from ε
        own[i] = tau ? tau[b.v + i] - felt[i] : kappa_in ? kappa_in[b.v + i] : epsilon_in[b.v + i] * root_of(gain[i]);
      if (!tau && !kappa_in) merge_forces(map, gain, own);
      if (tau_out)
        for (int i = 0; i < b.nv; ++i) tau_out[b.v + i] = own[i] + felt[i];
      if (kappa_out)
        for (int i = 0; i < b.nv; ++i) kappa_out[b.v + i] = own[i];
      split_forces(map, gain, own);
      for (int i = 0; i < b.nv; ++i) z += gain[i].G * own[i];
      if (epsilon_out)
        for (int i = 0; i < b.nv; ++i) epsilon_out[b.v + i] = own[i] / root_of(gain[i]);
    });
    carried = b.parent >= 0 && b.parent_slot < 0;
    if (b.parent < 0) continue;
    z = shift_force(s.place[k].l, z);
    if (!carried) s.z.leave(b, z);
  }
  c.singular = singular;
}

// in: q, τ, f_ext (null: 0);  out: ε, κ (either may be left out)
struct DiagonalForces {
  static constexpr const char* name = "diagonal_forces";
  template <class L>
  using Work = DiagonalRates::Work<L>;
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    const L* none = nullptr;
    forces_inward(t, c, c.in[2], c.in[1], none, none, static_cast<L*>(nullptr), c.out[0], c.out[1]);
  }
};

// in: q, ε or -, κ or -, f_ext (null: 0);  out: τ
struct DiagonalTorques {
  static constexpr const char* name = "diagonal_torques";
  template <class L>
  using Work = DiagonalRates::Work<L>;
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    L* none = nullptr;
    forces_inward(t, c, c.in[3], static_cast<const L*>(nullptr), c.in[1], c.in[2], c.out[0], none, none);
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
