// closed_forces.hpp: Ω f = what closure asks for: loop by loop where each is regular, else dense and by rank.
#pragma once

#include "closed_sweeps.hpp"
#include "small_systems.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

template <class L>
struct ClosedForces : ClosedSweeps<L> {
  using Sweeps = ClosedSweeps<L>;
  using Sweeps::c, Sweeps::d_inverse, Sweeps::error, Sweeps::gather, Sweeps::push_of, Sweeps::stride, Sweeps::t,
      Sweeps::w, Sweeps::width;
  using Sweeps::Sweeps;

  L solve() {
    if (c.by_loops && solve_by_loops()) return number<L>(c.rows);
    gather();
    const L* entries = reinterpret_cast<const L*>(w.Omega);
    const int64_t wide = stride * width;
    return w.solver.solve([&](int r, int k) PHIPSI_INLINE { return entries[r * wide + w.column[k]]; }, w.still,
                          [&] { return resolution(); }, c.rows, w.right, w.f);
  }

  // Ω = diag[Λ_i] + U Δ U*: Λ_i of what only loop i passes through, U Δ U* of the shared dofs. Where all Λ_i are regular,
  //   f = Λ⁻¹ (r - U w),  S w = U* Λ⁻¹ r,  S = Δ⁻¹ + U* Λ⁻¹ U
  // is O(ℓ): w moves what the loops share, an object and perhaps a base. [RK88 II 6.11, text] [SM03 49]
  bool solve_by_loops() {
    const int s = c.shared;
    for (int i = 0; i < 42 * c.loops; ++i) w.Lambda[i] = L{};
    for (int i = 0; i < s * s; ++i) w.common[i] = L{};
    for (int i = 0; i < s; ++i) w.pull[i] = L{};
    for (int x = 0; x < c.bodies; ++x) {
      const Body& b = t.body[c.body[x]];
      if (c.first_step[x + 1] == c.first_step[x] + 1) add_own(b, c.step[c.first_step[x]]);
    }
    L suspicious = L{};
    for (int i = 0; i < c.loops; ++i) {
      const ClosureLoop& loop = c.loop[i];
      L *A = w.Lambda + 42 * i, *d = A + 36, *f = w.f + loop.first, *B = w.reach + (int64_t)loop.first * s;
      for (int r = 0; r < loop.rows; ++r)
        suspicious = select(A[7 * r] <= w.still[loop.first + r], number<L>(1.0), suspicious);
      factor_small(A, d, loop.rows, 6, suspicious);
      for (int r = 0; r < loop.rows; ++r) f[r] = w.right[loop.first + r];
      solve_small(A, d, loop.rows, 6, f, 1);
      each_share(loop, [&](const ClosureShare&, int column, const vec* y) {
        for (int r = 0; r < loop.rows; ++r) B[r * s + column] = push_of(y, r);
        solve_small(A, d, loop.rows, 6, B + column, s);
      });
      each_share(loop, [&](const ClosureShare&, int row, const vec* y) {
        L sum = L{};
        for (int r = 0; r < loop.rows; ++r) sum = sum + push_of(y, r) * f[r];
        w.pull[row] = w.pull[row] + sum;
        each_share(loop, [&](const ClosureShare&, int column, const vec*) {
          if (column > row) return;
          L product = L{};
          for (int r = 0; r < loop.rows; ++r) product = product + push_of(y, r) * B[r * s + column];
          w.common[row * s + column] = w.common[row * s + column] + product;
        });
      });
    }
    if (any(suspicious != L{})) return false;
    for (int i = 0; i < c.loops; ++i)  // Δ⁻¹, written by every loop that meets the body
      for (int x = 0; x < c.loop[i].shares; ++x) {
        const ClosureShare& share = c.share[c.loop[i].first_share + x];
        const Body& b = t.body[share.body];
        for (int k = 0; k < b.nv; ++k) w.common_inverse[share.column + k] = 1.0 / d_inverse(b, k);
      }
    for (int k = 0; k < s; ++k) w.common[k * s + k] = w.common[k * s + k] + w.common_inverse[k];
    factor_small(w.common, w.common_inverse, s, s, suspicious);
    if (any(suspicious != L{})) return false;
    solve_small(w.common, w.common_inverse, s, s, w.pull, 1);
    for (int i = 0; i < c.loops; ++i) {
      const ClosureLoop& loop = c.loop[i];
      const L* B = w.reach + (int64_t)loop.first * s;
      each_share(loop, [&](const ClosureShare&, int column, const vec*) {
        for (int r = 0; r < loop.rows; ++r)
          w.f[loop.first + r] = w.f[loop.first + r] - B[r * s + column] * w.pull[column];
      });
    }
    return true;
  }
  void add_own(const Body& b, ClosureStep step) {
    const ClosureLoop& loop = c.loop[step.loop];
    const int packs = RowLanes<L>::packs(loop.rows);
    L* A = w.Lambda + 42 * step.loop;
    for (int i = 0; i < b.nv; ++i) {
      const vec* y = w.Y + w.first_push[step.loop] + (int64_t)(step.dof + i) * packs;
      const L d = d_inverse(b, i);
      for (int r = 0; r < loop.rows; ++r) {
        const L own = push_of(y, r) * d;
        for (int k = 0; k <= r; ++k) A[r * 6 + k] = A[r * 6 + k] + own * push_of(y, k);
      }
    }
  }
  template <class F>
  PHIPSI_HOT void each_share(const ClosureLoop& loop, F&& f) const {
    const int i = (int)(&loop - c.loop), packs = RowLanes<L>::packs(loop.rows);
    for (int x = loop.first_share; x < loop.first_share + loop.shares; ++x) {
      const ClosureShare& share = c.share[x];
      for (int k = 0; k < t.body[share.body].nv; ++k)
        f(share, share.column + k, w.Y + w.first_push[i] + (int64_t)(share.dof + k) * packs);
    }
  }
  // How finely the rank can be told: constraints that are redundant where the loops are closed are not quite so where
  // they are open by e (in the stages of a step, say), but independent of each other by no more than about e.
  L resolution() {
    L most = L{};
    for (int i = 0; i < c.loops; ++i) {
      const Vec6<L> x = error(i);
      for (int r = c.loop[i].first; r < c.loop[i].first + c.loop[i].rows; ++r) {
        const L e = dot(w.row[r], x);
        most = select(e * e > most, e * e, most);
      }
    }
    most = most * open_rows_turn * open_rows_turn;
    most = select(most > dependent_part, most, number<L>(dependent_part));
    return select(most < suspicious_part, most, number<L>(suspicious_part));
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
