// steppers.hpp: many steps through time in one call: semi-implicit Euler, RK4, and the midpoint of variational.hpp.
//
// Steps are taken in the chart q = q0 exp(Ω) at the step's beginning (group.hpp), so q stays on its manifold and every
// method keeps its order there.
#pragma once

#include "variational.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// ---- steps --------------------------------------------------------------------------------------------------------

// in: q, v, torques (a table, a row or null), held torques (null: none), [q_goal, v_goal] (null: none), f_ext (or null)
// out: q, v after each block, and the law's torques at each block's beginning; the torques held at the end
struct Advance {
  static constexpr const char* name = "advance";
  template <class L>
  struct Work {
    Acting<L> acting;
    Midpoint<L> mid;
    L *q, *v, *stage_q, *stage_v, *omega, *rate, *a, *sum_v, *sum_a, *tau;
    Work(Arena& arena, const Tree& t)
        : acting(arena, t),
          mid(arena, t),
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

  // ask(q, v) makes the law speak again; fresh: v is the velocity at q, else only the momentum p is known
  template <class L, class F>
  static void midpoint(const Tree& t, const Stepping& s, const L* f_ext, Work<L>& w, bool fresh, L& singular, F&& ask) {
    Midpoint<L>& m = w.mid;
    for (int i = 0; i < t.nv; ++i) {
      const L now = m.xi[i];
      m.xi[i] = fresh ? w.v[i] : now * 3.0 - m.last[i] * 3.0 + m.older[i];  // a parabola through the last three
      m.older[i] = m.last[i];
      m.last[i] = fresh ? w.v[i] : now;
    }
    L active = number<L>(1.0), size = number<L>(1e300), speed = L{};
    for (int round = 0; round < 40 && any(active > number<L>(0.5)); ++round) {
      m.half(t, s.step, w.q, w.stage_q);
      ask(w.stage_q, m.xi);
      w.acting.forces(t, s, w.stage_q, m.xi, w.tau);
      m.momenta.sweep(t, w.stage_q, m.xi, f_ext, m.mu, m.F);
      for (int i = 0; i < t.nv; ++i) m.F[i] = m.F[i] + w.tau[i];
      m.balance(t, s.step, w.stage_q, nullptr);
      m.solve(t, w.stage_q, m.residual, m.delta, w.acting.work, singular);
      const L before = size;
      size = m.square(t, m.delta);
      m.mix(t, round > 0, active);
      speed = m.square(t, m.xi);
      const L stalled = select(size > before * 0.1, select(size <= speed * 1e-27, L{}, active), active);
      active = select(size <= speed * 1e-31, L{}, stalled);
    }
    // a state whose equation has no solution within reach of the step has none
    const L lost = select(active > number<L>(0.5), select(size <= speed * 1e-18, L{}, number<L>(NAN)), L{});
    for (int i = 0; i < t.nv; ++i) m.xi[i] = m.xi[i] + lost;
    if (fresh) {  // as if there had been two steps before, on a straight line
      for (int i = 0; i < t.nv; ++i) {
        const L v = m.last[i];
        m.last[i] = v * 2.0 - m.xi[i];
        m.older[i] = v * 4.0 - m.xi[i] * 3.0;
      }
    }
    m.half(t, s.step, w.q, w.stage_q);
    m.balance(t, s.step, w.stage_q, m.p);
    m.whole(t, s.step, w.stage_q, w.q);
    m.bring_from_world(t, w.q);
  }

  // p at q, v; and v back
  template <class L>
  static void momentum_of(const Tree& t, Work<L>& w) {
    w.mid.momenta.sweep(t, w.q, w.v, static_cast<const L*>(nullptr), w.mid.p, static_cast<L*>(nullptr));
    w.mid.keep_in_world(t, w.q);
  }
  template <class L>
  static void velocity_of(const Tree& t, Work<L>& w, L& singular) {
    Midpoint<L>& m = w.mid;
    m.solve(t, w.q, m.p, w.v, w.acting.work, singular);
    // once more for what rounding left, so that M v is p to the last bits
    m.momenta.sweep(t, w.q, w.v, static_cast<const L*>(nullptr), m.mu, static_cast<L*>(nullptr));
    for (int i = 0; i < t.nv; ++i) m.residual[i] = m.p[i] - m.mu[i];
    m.solve(t, w.q, m.residual, m.delta, w.acting.work, singular);
    for (int i = 0; i < t.nv; ++i) w.v[i] = w.v[i] + m.delta[i];
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
    const bool mid = s.method == Method::midpoint, stages = !sampled && s.law != LawKind::table;
    for (int64_t block = 0; block < s.blocks; ++block) {
      if (mid) momentum_of(t, w);
      for (int64_t step = 0; step < s.every; ++step) {
        if (sampled && phase >= s.hold) {
          phase = 0;
          ++row;
        }
        const int64_t last = s.rows - 1;
        const L* now = table ? table + (row < last ? row : last) * t.nv : nullptr;
        if (s.law == LawKind::table || (sampled ? phase == 0 : !mid || step == 0)) {
          if (mid && sampled && step > 0 && s.law != LawKind::table) velocity_of(t, w, singular);
          w.acting.ask(t, s, now, goal, w.q, w.v);
        }
        ++phase;
        if (step == 0)
          for (int i = 0; i < t.nv; ++i) c.out[2][block * t.nv + i] = w.acting.law[i];
        const auto ask = [&](const L* q, const L* v) {
          if (stages) w.acting.ask(t, s, now, goal, q, v);
        };
        if (s.method == Method::euler)
          euler(t, s, f_ext, w, singular);
        else if (s.method == Method::rk4)
          rk4(t, s, f_ext, w, singular, ask);
        else
          midpoint(t, s, f_ext, w, step == 0, singular, ask);
      }
      if (mid) velocity_of(t, w, singular);
      for (int i = 0; i < t.nq; ++i) c.out[0][block * t.nq + i] = w.q[i];
      for (int i = 0; i < t.nv; ++i) c.out[1][block * t.nv + i] = w.v[i];
    }
    for (int i = 0; i < t.nv; ++i) c.out[3][i] = w.acting.law[i];
    c.singular = singular;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
