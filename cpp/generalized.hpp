// generalized.hpp: the Jacobians of a robot some of whose dofs have no motor: J_G of frames, J_D of the passive dofs.
//
// P, D, G of the passive dofs with the active ones locked (any mask, dof by dof) serve both:
//   J_G = B* [1 - Ω M] φ* H_a*, row by row: a unit force at the frame makes the passive dofs move; what the locked
//         active ones then feel is a row, h·z(k) - (P(k) h)·α(k).  Six force columns a frame, O(n) each.     [JR93 6.11]
//   J_D = -S_ap*, column by column: the force P(k) h of a unit acceleration travels to the base through the passive
//         dofs, and their motions come back.  Only bodies that carry passive dofs are asked.                 [JR93 6.13]
#pragma once

#include "frames.hpp"
#include "riccati.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// The robot cut in two by a mask, and what eliminating its passive dofs leaves.
template <class L>
struct PassiveArm {
  Kinematics<L> s;
  Vec6<L>* h;  // columns of the passive dofs, body after body
  Gain<L>* gain;  // theirs
  L* nu;  // theirs, in one column
  Vec6<L>* U;  // P(k) h of each active dof
  Vec6<L>*z, *alpha;  // one column on its way
  Gather<L, ArticulatedInertia<L>> P;
  double* armature;  // of the passive dofs (plain numbers last: lanes want their alignment)
  int32_t* first;  // of a body's passive dofs among all passive ones; n + 1
  int32_t* row;  // of a dof among those on its side of the mask
  char *carries, *on_path;  // whether a passive dof is at the body or beyond; whether z is not zero

  PassiveArm(Arena& arena, const Tree& t)
      : s(arena, t, false),
        h(arena.take<Vec6<L>>(t.nv)),
        gain(arena.take<Gain<L>>(t.nv)),
        nu(arena.take<L>(t.nv)),
        U(arena.take<Vec6<L>>(t.nv)),
        z(arena.take<Vec6<L>>(t.n)),
        alpha(arena.take<Vec6<L>>(t.n)),
        P(arena, t),
        armature(arena.take<double>(t.nv)),
        first(arena.take<int32_t>(t.n + 1)),
        row(arena.take<int32_t>(t.nv)),
        carries(arena.take<char>(t.n)),
        on_path(arena.take<char>(t.n)) {}

  int passive_dofs(const Tree& t) const { return first[t.n]; }
  int active_dofs(const Tree& t) const { return t.nv - first[t.n]; }
  DenseMap<L> map(int k) const { return {h + first[k], first[k + 1] - first[k]}; }

  void cut(const Tree& t, const uint8_t* passive) {
    int p = 0, a = 0;
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      first[k] = p;
      for (int i = b.v; i < b.v + b.nv; ++i) {
        row[i] = passive[i] ? p : a;
        if (!passive[i]) {
          ++a;
          continue;
        }
        h[p] = s.H[i];
        armature[p++] = t.armature[i];
      }
    }
    first[t.n] = p;
  }

  // tips → base: P, D, G
  void articulate(const Tree& t, const uint8_t* passive, L& singular) {
    ArticulatedInertia<L> sum;
    bool carried = false;
    for (int k = t.n - 1; k >= 0; --k) carries[k] = on_path[k] = 0;
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      const RigidInertia<L> M = inertia_in_world(b, s.place[k].R);
      if (carried)
        sum += M;
      else
        sum = articulated(M);
      if (b.slot >= 0) sum += P.slot[b.slot];
      for (int i = b.v; i < b.v + b.nv; ++i)
        if (!passive[i]) U[i] = sum * s.H[i];
      const DenseMap<L> own = map(k);
      eliminate(own, armature + first[k], k, sum, gain + first[k], singular);
      bool rotors = false;
      for (int i = first[k]; i < first[k + 1]; ++i) rotors |= armature[i] != 0.0;
      // a free joint hands on nothing, not even rounding; but its rotors turn in the parent
      if (own.m == 6 && !rotors) sum = ArticulatedInertia<L>{};
      if (own.m > 0) carries[k] = 1;
      carried = b.parent >= 0 && b.parent_slot < 0;
      if (b.parent < 0) continue;
      if (carries[k]) carries[b.parent] = 1;
      sum = shifted(s.place[k].l, sum);
      if (!carried) P.leave(b, sum);
    }
  }

  // Carries z from body k to the base; where `force` it pushes the bodies, else it is what their acceleration costs.
  void inward(const Tree& t, int k, Vec6<L> f, bool force) {
    for (;; k = t.body[k].parent) {
      on_path[k] = 1;
      z[k] = f;
      for (int i = first[k + 1] - 1; i >= first[k]; --i) {
        const L push = dot(h[i], f);
        f = f - Vec6<L>{gain[i].G.w * push, gain[i].G.v * push};
        nu[i] = force ? push * gain[i].d_inverse : -(push * gain[i].d_inverse);
      }
      if (t.body[k].parent < 0) return;
      f = shift_force(s.place[k].l, f);
    }
  }
  void leave_path(const Tree& t, int k) {
    for (; k >= 0; k = t.body[k].parent) on_path[k] = 0;
  }

  // The motions of the passive dofs of body k, which its α⁺ receives.
  template <class F>
  PHIPSI_HOT void move(int k, Vec6<L>& x, F&& report) const {
    for (int i = first[k]; i < first[k + 1]; ++i) {
      const L own = on_path[k] ? nu[i] - dot(gain[i].G, x) : -dot(gain[i].G, x);
      x += Vec6<L>{h[i].w * own, h[i].v * own};
      report(i, own);
    }
  }
  PHIPSI_HOT Vec6<L> arriving(const Tree& t, int k) const {
    const int p = t.body[k].parent;
    return p < 0 ? zero6<L>() : shift_motion(s.place[k].l, alpha[p]);
  }

  void prepare(const Tree& t, const Call<L>& c, L& singular) {
    s.sweep(t, c.in[0], nullptr, nullptr);
    cut(t, c.request->passive);
    articulate(t, c.request->passive, singular);
  }
};

// in: q;  out: J_G (6 m × Na) of the m frames of the request
struct GeneralizedJacobian {
  static constexpr const char* name = "generalized_jacobian";
  template <class L>
  using Work = PassiveArm<L>;

  // Column r of the unit forces at the target, at the origin of its body.
  template <class L>
  static Vec6<L> unit_force(int r, Axes axes, const Target<L>& target, Vec3<L> origin) {
    L unit[6] = {};
    unit[r] = number<L>(1.0);
    Vec6<L> f = vec6_at(unit);
    if (axes == Axes::body) f = {target.R * f.w, target.R * f.v};
    return shift_force((axes == Axes::world ? zero3<L>() : target.p) - origin, f);
  }

  template <class L>
  static void one_row(const Tree& t, const uint8_t* passive, Work<L>& w, L* out) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      Vec6<L> x = w.arriving(t, k);
      w.move(k, x, [](int, L) {});
      w.alpha[k] = x;
      for (int i = b.v; i < b.v + b.nv; ++i) {
        if (passive[i]) continue;
        const L felt = -dot(w.U[i], x);
        out[w.row[i]] = w.on_path[k] ? felt + dot(w.s.H[i], w.z[k]) : felt;
      }
    }
  }

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> w(arena, t);
    L singular = L{};
    w.prepare(t, c, singular);
    const int64_t columns = w.active_dofs(t);
    for (int32_t m = 0; m < c.request->frame_count; ++m) {
      const Request& frame = c.request->frames[m];
      L* out = c.out[0] + 6 * m * columns;
      if (frame.body < 0) {
        for (int64_t i = 0; i < 6 * columns; ++i) out[i] = L{};
        continue;
      }
      const Target<L> target(frame, w.s);
      for (int r = 0; r < 6; ++r) {
        w.inward(t, frame.body, unit_force(r, c.request->axes, target, w.s.position[frame.body]), true);
        one_row(t, c.request->passive, w, out + r * columns);
      }
      w.leave_path(t, frame.body);
    }
    c.singular = singular;
  }
};

// in: q;  out: J_D (Np × Na)
struct DisturbanceJacobian {
  static constexpr const char* name = "disturbance_jacobian";
  template <class L>
  using Work = PassiveArm<L>;

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> w(arena, t);
    L singular = L{};
    w.prepare(t, c, singular);
    const int64_t columns = w.active_dofs(t);
    for (int source = 0; source < t.n; ++source) {
      const Body& b = t.body[source];
      for (int j = b.v; j < b.v + b.nv; ++j) {
        if (c.request->passive[j]) continue;
        w.inward(t, source, w.U[j], false);
        for (int k = 0; k < t.n; ++k) {
          if (!w.carries[k]) continue;
          Vec6<L> x = w.arriving(t, k);
          w.move(k, x, [&](int i, L own) { c.out[0][i * columns + w.row[j]] = own; });
          if (k == source) x += w.s.H[j];
          w.alpha[k] = x;
        }
        w.leave_path(t, source);
      }
    }
    c.singular = singular;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
