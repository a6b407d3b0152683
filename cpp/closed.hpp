// closed.hpp: closed chains: forward dynamics, and the nearest state whose loops are closed. (RK88 II)
#pragma once

#include "closed_forces.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// in: q, v, τ, f_ext (null: 0);  out: q̈, f (rows), rank
struct ClosedDynamics {
  static constexpr const char* name = "closed_dynamics";
  template <class L>
  static ClosedWork<L> plan(Arena& arena, const Tree& t, const Request& request) {
    return ClosedWork<L>(arena, t, *request.closure);
  }

  template <class L>
  static void run(const Tree& t, Call<L>& call) {
    Arena arena{static_cast<char*>(call.work)};
    const Closure& c = *call.request->closure;
    ClosedWork<L> w(arena, t, c);
    ClosedForces<L> sweeps(t, c, w);
    L singular = L{};
    sweeps.prepare(call.in[0], call.in[1], call.in[2], call.in[3], singular);
    ForwardSweeps<true>::outward_again(t, call.out[0], w.s);
    sweeps.ask([&](int i) PHIPSI_INLINE {
      Vec6<L> x = sweeps.relative_acceleration(i);
      if (c.frequency > 0) {
        x += sweeps.relative_velocity(i) * (2.0 * c.damping * c.frequency);
        x += sweeps.error(i) * (c.frequency * c.frequency);
      }
      return x;
    });
    call.out[2][0] = sweeps.solve();
    sweeps.yield(w.change);
    for (int i = 0; i < t.nv; ++i) call.out[0][i] = call.out[0][i] + w.change[i];
    for (int r = 0; r < c.rows; ++r) call.out[1][r] = w.f[r];
    call.singular = singular;
  }
};

// in: q, v (null: close the positions instead);  out: the least change in the mass metric with J v = 0 (or e = 0, to
// first order), the impulse, the rank, and what was missing
struct ClosedProjection {
  static constexpr const char* name = "closed_projection";
  template <class L>
  static ClosedWork<L> plan(Arena& arena, const Tree& t, const Request& request) {
    return ClosedWork<L>(arena, t, *request.closure);
  }

  template <class L>
  static void run(const Tree& t, Call<L>& call) {
    Arena arena{static_cast<char*>(call.work)};
    const Closure& c = *call.request->closure;
    ClosedWork<L> w(arena, t, c);
    ClosedForces<L> sweeps(t, c, w);
    for (int i = 0; i < t.nv; ++i) w.change[i] = w.push[i] = L{};
    L singular = L{};
    sweeps.prepare(call.in[0], call.in[1] ? call.in[1] : w.change, w.push, nullptr, singular);
    const bool moving = call.in[1];
    sweeps.ask([&](int i) PHIPSI_INLINE { return moving ? sweeps.relative_velocity(i) : sweeps.error(i); });
    call.out[2][0] = sweeps.solve();
    sweeps.yield(call.out[0]);
    for (int r = 0; r < c.rows; ++r) {
      call.out[1][r] = w.f[r];
      call.out[3][r] = -w.right[r];
    }
    call.singular = singular;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
