// steppers.hpp: many steps through time in one call: the laws and passive forces that need no Python, Euler and RK4.
//
// Steps are taken in the chart q = q0 exp(Ω) at the step's beginning (group.hpp), so q stays on its manifold and every
// method keeps its order there.
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
  char* work;           // for the sweeps

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

// ---- steps --------------------------------------------------------------------------------------------------------

// in: q, v, torques (a table, a row or null), held torques (null: none), [q_goal, v_goal] (null: none), f_ext (or null)
// out: q, v after each block, and the law's torques at each block's beginning; the torques held at the end
struct Advance {
  static constexpr const char* name = "advance";
  template <class L>
  struct Work {
    Acting<L> acting;
    L *q, *v, *stage_q, *stage_v, *omega, *rate, *a, *sum_v, *sum_a, *tau;
    Work(Arena& arena, const Tree& t)
        : acting(arena, t),
          q(arena.take<L>(t.nq)),
          v(arena.take<L>(t.nv)),
          stage_q(arena.take<L>(t.nq)),
          stage_v(arena.take<L>(t.nv)),
          omega(arena.take<L>(t.nv)),
          rate(arena.take<L>(t.nv)),
          a(arena.take<L>(t.nv)),
          sum_v(arena.take<L>(t.nv)),
          sum_a(arena.take<L>(t.nv)),
          tau(arena.take<L>(t.nv)) {}
  };

  template <class L>
  static void euler(const Tree& t, const Stepping& s, const L* f_ext, Work<L>& w, L& singular) {
    w.acting.accelerate(t, s, w.q, w.v, f_ext, w.tau, w.a, singular);
    for (int i = 0; i < t.nv; ++i) {
      w.v[i] = w.v[i] + w.a[i] * s.step;
      w.omega[i] = w.v[i] * s.step;
    }
    step_along(t, w.q, w.omega, w.q);
  }

  // ask(q, v) makes the law speak again
  template <class L, class F>
  static void rk4(const Tree& t, const Stepping& s, const L* f_ext, Work<L>& w, L& singular, F&& ask) {
    static constexpr double weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}, reach[3] = {0.5, 0.5, 1.0};
    const int nv = t.nv;
    w.acting.accelerate(t, s, w.q, w.v, f_ext, w.tau, w.a, singular);
    for (int i = 0; i < nv; ++i) {
      w.rate[i] = w.v[i];
      w.sum_v[i] = w.v[i] * weight[0];
      w.sum_a[i] = w.a[i] * weight[0];
    }
    for (int stage = 1; stage < 4; ++stage) {
      const double h = s.step * reach[stage - 1];
      for (int i = 0; i < nv; ++i) {
        w.omega[i] = w.rate[i] * h;
        w.stage_v[i] = w.v[i] + w.a[i] * h;
      }
      step_along(t, w.q, w.omega, w.stage_q);
      chart_rate(t, w.omega, w.stage_v, w.rate);
      ask(w.stage_q, w.stage_v);
      w.acting.accelerate(t, s, w.stage_q, w.stage_v, f_ext, w.tau, w.a, singular);
      for (int i = 0; i < nv; ++i) {
        w.sum_v[i] = w.sum_v[i] + w.rate[i] * weight[stage];
        w.sum_a[i] = w.sum_a[i] + w.a[i] * weight[stage];
      }
    }
    for (int i = 0; i < nv; ++i) {
      w.omega[i] = w.sum_v[i] * s.step;
      w.v[i] = w.v[i] + w.sum_a[i] * s.step;
    }
    step_along(t, w.q, w.omega, w.q);
  }

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> w(arena, t);
    const Stepping& s = *c.request->stepping;
    const L *table = c.in[2], *goal = c.in[4], *f_ext = c.in[5];
    const bool sampled = s.hold > 0;
    L singular = L{};
    for (int i = 0; i < t.nq; ++i) w.q[i] = c.in[0][i];
    for (int i = 0; i < t.nv; ++i) w.v[i] = c.in[1][i];
    for (int i = 0; i < t.nv; ++i) w.acting.law[i] = c.in[3] ? c.in[3][i] : L{};
    int64_t phase = s.phase, row = 0;
    for (int64_t block = 0; block < s.blocks; ++block) {
      for (int64_t step = 0; step < s.every; ++step) {
        if (sampled && phase >= s.hold) {
          phase = 0;
          ++row;
        }
        const int64_t last = s.rows - 1;
        const L* now = table ? table + (row < last ? row : last) * t.nv : nullptr;
        if (!sampled || phase == 0 || s.law == LawKind::table) w.acting.ask(t, s, now, goal, w.q, w.v);
        ++phase;
        if (step == 0)
          for (int i = 0; i < t.nv; ++i) c.out[2][block * t.nv + i] = w.acting.law[i];
        if (s.method == Method::euler) {
          euler(t, s, f_ext, w, singular);
        } else {
          rk4(t, s, f_ext, w, singular, [&](const L* q, const L* v) {
            if (!sampled && s.law != LawKind::table) w.acting.ask(t, s, now, goal, q, v);
          });
        }
      }
      for (int i = 0; i < t.nq; ++i) c.out[0][block * t.nq + i] = w.q[i];
      for (int i = 0; i < t.nv; ++i) c.out[1][block * t.nv + i] = w.v[i];
    }
    for (int i = 0; i < t.nv; ++i) c.out[3][i] = w.acting.law[i];
    c.singular = singular;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
