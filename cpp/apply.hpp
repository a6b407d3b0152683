// apply.hpp: x ↦ φx, φ*x, ψx, ψ*x, Hx, Kx, Mx …: carries out a program of such steps, sweep by sweep.
//
// L is the number type of the configuration, X that of the vectors: equal, or L = double and X = vec when one
// configuration meets W columns at once.
#pragma once

#include "configuration.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

template <class L, class X>
struct Executor {
  const Tree& t;
  const Prepared& prepared;
  const Program& program;
  Placement<L> s;
  Articulation<L> a;
  Mobility<L> y;
  X** reg;

  PHIPSI_HOT static Vec6<X> at(const X* x, int k) { return vec6_at(x + 6 * k); }

  PHIPSI_HOT bool passive(int dof) const { return !prepared.passive || prepared.passive[dof]; }

  // joints ← bodies; which: 0 all dofs, 1 passive, 2 active
  PHIPSI_HOT void collect(int k, int which, Vec6<X> f, X* out) const {
    const Body& b = t.body[k];
    with_columns(b, s.place[k].R, s.H, [&](auto map) PHIPSI_INLINE { map.collect(f, out + b.v); });
    if (which == 0 || !prepared.passive) {
      if (which == 2)
        for (int i = b.v; i < b.v + b.nv; ++i) out[i] = X{};
      return;
    }
    for (int i = b.v; i < b.v + b.nv; ++i)
      if (passive(i) != (which == 1)) out[i] = X{};
  }
  // bodies ← joints
  PHIPSI_HOT Vec6<X> spread(int k, int which, const X* v) const {
    const Body& b = t.body[k];
    Vec6<X> d = zero6<X>();
    X own[6];
    for (int i = 0; i < b.nv; ++i) own[i] = which == 0 || passive(b.v + i) == (which == 1) ? v[b.v + i] : X{};
    if (b.nv) with_columns(b, s.place[k].R, s.H, [&](auto map) PHIPSI_INLINE { d += map.spread(own); });
    return d;
  }
  PHIPSI_HOT Vec6<X> gains(int k, const X* v) const {
    const Body& b = t.body[k];
    Vec6<X> d = zero6<X>();
    for (int i = b.v; i < b.v + b.nv; ++i) d += Vec6<X>{a.G[i].w * v[i], a.G[i].v * v[i]};
    return d;
  }
  PHIPSI_HOT void gains_T(int k, Vec6<X> f, X* out) const {
    const Body& b = t.body[k];
    for (int i = 0; i < b.nv; ++i) out[i] = dot(a.G[b.v + i], f);
  }
  // τ = G H and its adjoint
  PHIPSI_HOT Vec6<X> tau(int k, Vec6<X> f) const {
    const Body& b = t.body[k];
    X own[6];
    with_columns(b, s.place[k].R, s.H, [&](auto map) PHIPSI_INLINE { map.collect(f, own); });
    Vec6<X> d = zero6<X>();
    for (int i = 0; i < b.nv; ++i) d += Vec6<X>{a.G[b.v + i].w * own[i], a.G[b.v + i].v * own[i]};
    return d;
  }
  PHIPSI_HOT Vec6<X> tau_T(int k, Vec6<X> f) const {
    const Body& b = t.body[k];
    X own[6];
    gains_T(k, f, own);
    Vec6<X> d = zero6<X>();
    if (b.nv) with_columns(b, s.place[k].R, s.H, [&](auto map) PHIPSI_INLINE { d += map.spread(own); });
    return d;
  }
  PHIPSI_HOT void block(int k, const L* D, const X* v, X* out) const {
    const Body& b = t.body[k];
    for (int i = 0; i < b.nv; ++i) {
      X sum = X{};
      for (int j = 0; j < b.nv; ++j) sum = sum + v[b.v + j] * D[b.block + b.nv * i + j];
      out[b.v + i] = sum;
    }
  }
  template <class I>
  PHIPSI_HOT static Vec6<X> times(const I& P, Vec6<X> x) {
    return {P.J * x.w + Vec3<X>{dot(P.Cx, x.v), dot(P.Cy, x.v), dot(P.Cz, x.v)},
            P.Cx * x.w.x + P.Cy * x.w.y + P.Cz * x.w.z + P.M * x.v};
  }
  PHIPSI_HOT Vec6<X> inertia(int k, Vec6<X> x) const {
    const Vec3<L> mc = s.mc[k];
    return {s.J[k] * x.w + cross(mc, x.v), x.v * t.body[k].mass + cross(x.w, mc)};
  }

  // what a child sends its parent
  PHIPSI_HOT void push(int k, Vec6<X> f, X* dst) const {
    const int p = t.body[k].parent;
    if (p >= 0) put_vec6(dst + 6 * p, at(dst, p) + shift_force(s.place[k].l, f));
  }
  PHIPSI_HOT Vec6<X> pull(int k, const X* src) const {
    const int p = t.body[k].parent;
    return p < 0 ? zero6<X>() : shift_motion(s.place[k].l, at(src, p));
  }
  PHIPSI_HOT Vec3<L> arm(int k, int frame) const { return s.place[k].R * vec3_at(program.frame_position + 3 * frame); }

  PHIPSI_HOT void linear(const Row& row, int k) const {
    const bool joints = program.space[row.dst] == (int)Space::joints;
    const Body& b = t.body[k];
    const int begin = joints ? b.v : 6 * k, end = joints ? b.v + b.nv : 6 * k + 6;
    X* dst = reg[row.dst];
    const X* src = reg[row.src];
    const double c = row.op == Op::axpy || row.op == Op::scale ? program.constants[row.index] : 1.0;
    for (int i = begin; i < end; ++i)
      dst[i] = row.op == Op::axpy ? dst[i] + src[i] * c : row.op == Op::zero ? X{} : src[i] * c;
  }

  PHIPSI_HOT void step(const Row& row, int k) const {
    X* dst = reg[row.dst];
    const X* src = reg[row.src];
    switch (row.op) {
      case Op::copy:
      case Op::axpy:
      case Op::scale:
      case Op::zero: linear(row, k); break;
      case Op::H: collect(k, 0, at(src, k), dst); break;
      case Op::H_p: collect(k, 1, at(src, k), dst); break;
      case Op::H_a: collect(k, 2, at(src, k), dst); break;
      case Op::H_T: put_vec6(dst + 6 * k, spread(k, 0, src)); break;
      case Op::H_p_T: put_vec6(dst + 6 * k, spread(k, 1, src)); break;
      case Op::H_a_T: put_vec6(dst + 6 * k, spread(k, 2, src)); break;
      case Op::M: put_vec6(dst + 6 * k, inertia(k, at(src, k))); break;
      case Op::P: put_vec6(dst + 6 * k, times(a.P[k], at(src, k))); break;
      case Op::P_plus: {
        const Vec6<X> f = times(a.P[k], at(src, k));
        put_vec6(dst + 6 * k, f - tau(k, f));
        break;
      }
      case Op::Upsilon: put_vec6(dst + 6 * k, swapped(times(y.Upsilon[k], swapped(at(src, k))))); break;
      case Op::tau: put_vec6(dst + 6 * k, tau(k, at(src, k))); break;
      case Op::tau_T: put_vec6(dst + 6 * k, tau_T(k, at(src, k))); break;
      case Op::tau_bar: put_vec6(dst + 6 * k, at(src, k) - tau(k, at(src, k))); break;
      case Op::tau_bar_T: put_vec6(dst + 6 * k, at(src, k) - tau_T(k, at(src, k))); break;
      case Op::G: put_vec6(dst + 6 * k, gains(k, src)); break;
      case Op::G_T: gains_T(k, at(src, k), dst + t.body[k].v); break;
      case Op::D: block(k, a.D, src, dst); break;
      case Op::D_inv: block(k, a.D_inv, src, dst); break;
      case Op::armature: {
        const Body& b = t.body[k];
        for (int i = b.v; i < b.v + b.nv; ++i) dst[i] = src[i] * t.armature[i];
        break;
      }
      case Op::phi: {
        const Vec6<X> f = at(dst, k) + at(src, k);
        put_vec6(dst + 6 * k, f);
        push(k, f, dst);
        break;
      }
      case Op::E_phi: push(k, at(src, k), dst); break;
      case Op::psi: {
        const Vec6<X> f = at(dst, k) + at(src, k);
        put_vec6(dst + 6 * k, f);
        if (t.body[k].parent >= 0) push(k, f - tau(k, f), dst);
        break;
      }
      case Op::E_psi: push(k, at(src, k) - tau(k, at(src, k)), dst); break;
      case Op::phi_T: put_vec6(dst + 6 * k, at(src, k) + pull(k, dst)); break;
      case Op::E_phi_T: put_vec6(dst + 6 * k, pull(k, src)); break;
      case Op::psi_T: {
        const Vec6<X> V = pull(k, dst);
        put_vec6(dst + 6 * k, at(src, k) + (V - tau_T(k, V)));
        break;
      }
      case Op::E_psi_T: {
        const Vec6<X> V = pull(k, src);
        put_vec6(dst + 6 * k, V - tau_T(k, V));
        break;
      }
      case Op::B: {
        Vec6<X> f = zero6<X>();
        for (int i = program.frame_first[k]; i < program.frame_first[k + 1]; ++i) {
          const int frame = program.frame_order[i];
          f += shift_force(arm(k, frame), at(src, frame));
        }
        put_vec6(dst + 6 * k, f);
        break;
      }
      case Op::B_T:
        for (int i = program.frame_first[k]; i < program.frame_first[k + 1]; ++i) {
          const int frame = program.frame_order[i];
          put_vec6(dst + 6 * frame, shift_motion(arm(k, frame), at(src, k)));
        }
        break;
      case Op::up:
      case Op::down: break;
    }
  }

  static bool gathers(Op op) { return op == Op::phi || op == Op::E_phi || op == Op::psi || op == Op::E_psi; }

  int64_t size(int32_t r) const {
    switch (static_cast<Space>(program.space[r])) {
      case Space::bodies: return 6 * (int64_t)t.n;
      case Space::joints: return t.nv;
      default: return 6 * (int64_t)program.frames;
    }
  }

  void run() const {
    for (int64_t first = 0; first < program.rows;) {
      const bool up = program.row[first].op == Op::up;
      int64_t last = first + 1;
      for (; last < program.rows && program.row[last].op != Op::up && program.row[last].op != Op::down; ++last) {
        const Row& row = program.row[last];
        if (!gathers(row.op) && row.op != Op::B_T) continue;
        for (int64_t i = 0; i < size(row.dst); ++i) reg[row.dst][i] = X{};
      }
      for (int i = 0; i < t.n; ++i)
        for (int64_t r = first + 1; r < last; ++r) step(program.row[r], up ? t.n - 1 - i : i);
      first = last;
    }
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
