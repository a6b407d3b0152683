// forward_dynamics.hpp: q̈ = [1-HψK]* D⁻¹ {τ - H ψ [K τ + P 𝔞 + b - f_ext]} - …: three sweeps (the FD4 of RK88).
//
//   base → tips  R, l, omega and the bias accelerations a(k)
//   tips → base  P, D, G (riccati.hpp); z⁺ = z + G ε + P⁺ a, ε = τ - H z, ν = D⁻¹ ε; shift both to the parent
//   base → tips  x = φ* α(parent) + a;  q̈ = ν - G* x;  α = x + H* q̈
// Gravity is the base's pseudo-acceleration. Without v, gravity and f_ext the same sweeps apply the inverse mass matrix.
#pragma once

#include "riccati.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// biased: with 𝔞, b, gravity and f_ext; else only what τ does, [1-HψK]* D⁻¹ [1-HψK] τ
template <bool biased>
struct ForwardSweeps {
  template <class L>
  struct Work {
    Place<L>* place;
    Vec3<L>* w;
    Vec6<L>*a, *H;
    Gain<L>* gain;
    L* nu;
    Gather<L, ArticulatedInertia<L>> P;
    Gather<L, Vec6<L>> z;
    FreeFactor<L>* factor = nullptr;  // where those of free joints are kept, by column / 6, if somebody asks
    Work(Arena& arena, const Tree& t)
        : place(arena.take<Place<L>>(t.n)),
          w(arena.take<Vec3<L>>(biased ? t.n : 0)),
          a(arena.take<Vec6<L>>(t.n)),
          H(arena.take<Vec6<L>>(t.columns)),
          gain(arena.take<Gain<L>>(t.nv)),
          nu(arena.take<L>(t.nv)),
          P(arena, t),
          z(arena, t) {}
  };

  template <class L>
  PHIPSI_HOT static void outward(const Tree& t, int k, const L* q, const L* v, Work<L>& s) {
    const Body& b = t.body[k];
    if constexpr (!biased) {
      cross_joint(t, b, q, s.place, s.H, s.place[k], [](auto, const Mat3<L>&, Vec3<L>) PHIPSI_INLINE {});
      return;
    }
    const Vec3<L> wp = b.parent < 0 ? zero3<L>() : s.w[b.parent];
    cross_joint(t, b, q, s.place, s.H, s.place[k], [&](auto map, const Mat3<L>&, Vec3<L> l) PHIPSI_INLINE {
      const auto d = map.spread(v + b.v);
      const Vec3<L> w = wp + d.w;
      s.w[k] = w;
      s.a[k] = velocity_product(wp, w, l, d);
    });
    add_joint_bias(b, s.H, v + b.v, s.a[k]);
  }

  // Takes the dofs of body k out of P and z.
  template <class L>
  PHIPSI_HOT static void take_out(const Tree& t, int k, const L* tau, ArticulatedInertia<L>& P, Vec6<L>& z, Work<L>& s,
                                  L& singular) {
    const Body& b = t.body[k];
    const double* armature = t.rooted ? t.armature + b.v : nullptr;
    Gain<L>* gain = s.gain + b.v;
    L* nu = s.nu + b.v;
    const Mat3<L>& R = s.place[k].R;
    switch (b.shape) {
      case Shape::none: break;
      case Shape::angular: {
        const AngularMap<L> map{R.z};
        eliminate(map, armature, k, P, gain, singular);
        innovate(map, gain, tau + b.v, z, nu);
        break;
      }
      case Shape::linear: {
        const LinearMap<L> map{R.z};
        eliminate(map, armature, k, P, gain, singular);
        innovate(map, gain, tau + b.v, z, nu);
        break;
      }
      case Shape::dense: {
        const DenseMap<L> map{s.H + b.column, b.nv};
        eliminate(map, armature, k, P, gain, singular);
        innovate(map, gain, tau + b.v, z, nu);
        break;
      }
      case Shape::free: {  // α(k) = P⁻¹(R τ - z) whatever the parent does; ν keeps it for the last sweep
        FreeFactor<L> own;
        FreeFactor<L>& factor = s.factor ? s.factor[b.column / 6] : own;
        factor.factor(P, k, singular);
        const Vec6<L> f = FreeMap<L>{R}.spread(tau + b.v);
        put_vec6(nu, factor.solve(f - z));
        P = ArticulatedInertia<L>{};
        z = f;
        break;
      }
    }
  }

  template <class L>
  static void inward(const Tree& t, const L* tau, const L* f_ext, Work<L>& s, L& singular) {
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
      if constexpr (biased) {
        z += gyroscopic_force(M, s.w[k]);
        if (f_ext) z = z - vec6_at(f_ext + 6 * k);
      }
      if (b.slot >= 0) {
        P += s.P.slot[b.slot];
        z += s.z.slot[b.slot];
      }
      take_out(t, k, tau, P, z, s, singular);
      carried = b.parent >= 0 && b.parent_slot < 0;
      if (b.parent < 0) continue;
      if constexpr (biased)
        if (b.shape != Shape::free) z += P * s.a[k];
      P = shifted(s.place[k].l, P);
      z = shift_force(s.place[k].l, z);
      if (carried) continue;
      s.P.leave(b, P);
      s.z.leave(b, z);
    }
  }

  template <class L>
  static void outward_again(const Tree& t, L* acceleration, Work<L>& s) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      const Place<L>& here = s.place[k];
      const Vec3<L> base = biased ? -constant3<L>(t.gravity) : zero3<L>();
      Vec6<L> alpha = b.parent < 0 ? Vec6<L>{zero3<L>(), base} : shift_motion(here.l, s.a[b.parent]);
      if constexpr (biased) alpha += s.a[k];
      const Gain<L>* gain = s.gain + b.v;
      const L* nu = s.nu + b.v;
      switch (b.shape) {
        case Shape::none: break;
        case Shape::angular: smooth(AngularMap<L>{here.R.z}, gain, nu, alpha, acceleration + b.v); break;
        case Shape::linear: smooth(LinearMap<L>{here.R.z}, gain, nu, alpha, acceleration + b.v); break;
        case Shape::dense: smooth(DenseMap<L>{s.H + b.column, b.nv}, gain, nu, alpha, acceleration + b.v); break;
        case Shape::free: {
          const Vec6<L> own = vec6_at(nu);
          FreeMap<L>{here.R}.collect(own - alpha, acceleration + b.v);
          alpha = own;
          break;
        }
      }
      s.a[k] = alpha;  // a(k) has served
    }
  }

  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> s(arena, t);
    for (int k = 0; k < t.n; ++k) outward(t, k, c.in[0], c.in[1], s);
    L singular = L{};
    inward(t, c.in[2], c.in[3], s, singular);
    outward_again(t, c.out[0], s);
    c.singular = singular;
  }
};

// in: q, v, τ, f_ext (null: 0);  out: q̈
struct ForwardDynamics : ForwardSweeps<true> {
  static constexpr const char* name = "forward_dynamics";
};

// in: q, -, x;  out: the inverse of the mass matrix, times x
struct MassSolve : ForwardSweeps<false> {
  static constexpr const char* name = "mass_solve";
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
