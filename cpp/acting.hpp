// acting.hpp: what acts on the joints of a moving robot: the laws that need no Python, and what joints do by themselves.
#pragma once

#include "forward_dynamics.hpp"
#include "group.hpp"
#include "inverse_dynamics.hpp"
#include "stepping.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

template <class L>
PHIPSI_HOT L between(L x, double low, double high) {
  const L a = number<L>(low), b = number<L>(high);
  return select(x < a, a, select(x > b, b, x));
}

// ---- forces -------------------------------------------------------------------------------------------------------

// What acts on the joints: the law's torques, and those that joints make by themselves.
template <class L>
struct Acting {
  L *law, *way, *wish;  // nv each
  char* work;  // for the sweeps

  Acting(Arena& arena, const Tree& t)
      : law(arena.take<L>(t.nv)), way(arena.take<L>(t.nv)), wish(arena.take<L>(t.nv > t.nq ? t.nv : t.nq)) {
    Arena forward{nullptr}, inverse{nullptr};
    (void)typename ForwardDynamics::template Work<L>(forward, t);
    (void)typename InverseDynamics::template Work<L>(inverse, t);
    const size_t most = forward.used > inverse.used ? forward.used : inverse.used;
    work = arena.take<char>((most + 63) / 64 * 64);
  }

  void inverse_dynamics(const Tree& t, const L* q, const L* v, const L* a, L* tau) {
    Call<L> c = {};
    c.in[0] = q, c.in[1] = v, c.in[2] = a;
    c.out[0] = tau;
    c.work = work;
    InverseDynamics::run(t, c);
  }

  // kp (q_goal - q) + kd (v_goal - v)
  void proportional(const Tree& t, const Stepping& s, const L* goal, const L* q, const L* v, L* out) {
    way_between(t, q, goal, way);
    for (int i = 0; i < t.nv; ++i) out[i] = s.kp[i] * way[i] + s.kd[i] * (goal[t.nq + i] - v[i]);
  }

  // The law's torques into `law`; row: of the table, or the torques added to those of the other laws.
  void ask(const Tree& t, const Stepping& s, const L* row, const L* goal, const L* q, const L* v) {
    if (s.law == LawKind::table) {
      for (int i = 0; i < t.nv; ++i) law[i] = row ? row[i] : L{};
    } else {
      proportional(t, s, goal, q, v, wish);
      if (s.law == LawKind::computed_torque) {
        inverse_dynamics(t, q, v, wish, law);
      } else if (s.gravity) {
        inverse_dynamics(t, q, nullptr, nullptr, law);
        for (int i = 0; i < t.nv; ++i) law[i] = law[i] + wish[i];
      } else {
        for (int i = 0; i < t.nv; ++i) law[i] = wish[i];
      }
      if (row)
        for (int i = 0; i < t.nv; ++i) law[i] = law[i] + row[i];
    }
    if (s.effort)
      for (int i = 0; i < t.nv; ++i) law[i] = between(law[i], -s.effort[i], s.effort[i]);
    if (s.driven)
      for (int i = 0; i < t.nv; ++i) law[i] = law[i] * s.driven[i];
  }

  // τ = law + what the joints do by themselves
  void forces(const Tree& t, const Stepping& s, const L* q, const L* v, L* tau) {
    for (int i = 0; i < t.nv; ++i) tau[i] = law[i];
    if (s.damping)
      for (int i = 0; i < t.nv; ++i) tau[i] = tau[i] - v[i] * s.damping[i];
    if (s.friction)
      for (int i = 0; i < t.nv; ++i) tau[i] = tau[i] - between(v[i] * (1.0 / s.slow[i]), -1.0, 1.0) * s.friction[i];
    if (s.stiffness) {
      L* rest = wish;
      spring(t, s, q, rest);
      for (int i = 0; i < t.nv; ++i) tau[i] = tau[i] - way[i] * s.stiffness[i];
    }
    if (s.wall)
      for (int i = 0; i < t.nv; ++i)
        if (s.coordinate[i] >= 0) tau[i] = tau[i] + stop(s, i, q[s.coordinate[i]], v[i]);
  }

  void spring(const Tree& t, const Stepping& s, const L* q, L* rest) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      for (int i = 0; i < b.nq; ++i) rest[i] = number<L>(s.rest[b.q + i]);
      with_joint(b.kind, [&](auto joint)
                             PHIPSI_INLINE { joint.minus(b, t.inverse_columns + 6 * b.v, rest, q + b.q, way + b.v); });
    }
  }

  // A wall at each limit pushes and damps, and never pulls.
  PHIPSI_HOT L stop(const Stepping& s, int i, L q, L v) {
    const L under = s.lower[i] - q, over = q - s.upper[i];
    const L up = under * s.wall[i] - v * s.wall_damping[i], down = over * s.wall[i] + v * s.wall_damping[i];
    const L zero = L{};
    const L raise = select(under > zero, select(up > zero, up, zero), zero);
    const L lower = select(over > zero, select(down > zero, down, zero), zero);
    return raise - lower;
  }

  void accelerate(const Tree& t, const Stepping& s, const L* q, const L* v, const L* f_ext, L* tau, L* a, L& singular) {
    forces(t, s, q, v, tau);
    Call<L> c = {};
    c.in[0] = q, c.in[1] = v, c.in[2] = tau, c.in[3] = f_ext;
    c.out[0] = a;
    c.work = work;
    ForwardDynamics::run(t, c);
    singular = select(singular != L{}, singular, c.singular);
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
