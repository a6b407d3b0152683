// manifold.hpp: moving about in q: q ⊞ dq, its inverse, and quaternions of unit length.
#pragma once

#include "kinematics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

struct NoWork {};

// in: q, dv;  out: q moved by the exponential of the joints' twists dv
struct Integrate {
  static constexpr const char* name = "integrate";
  template <class L>
  static NoWork plan(Arena&, const Tree&) {
    return {};
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      with_joint(b.kind, [&](auto joint) PHIPSI_INLINE {
        joint.step(b, t.fixed_columns + 6 * b.v, c.in[0] + b.q, c.in[1] + b.v, c.out[0] + b.q);
      });
    }
  }
};

// in: q0, q1;  out: dv with q0 ⊞ dv = q1, by the shortest way
struct Difference {
  static constexpr const char* name = "difference";
  template <class L>
  static NoWork plan(Arena&, const Tree&) {
    return {};
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      with_joint(b.kind, [&](auto joint) PHIPSI_INLINE {
        joint.minus(b, t.inverse_columns + 6 * b.v, c.in[0] + b.q, c.in[1] + b.q, c.out[0] + b.v);
      });
    }
  }
};

// in: q;  out: the same configuration with quaternions of unit length
struct Normalize {
  static constexpr const char* name = "normalize";
  template <class L>
  static NoWork plan(Arena&, const Tree&) {
    return {};
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    for (int i = 0; i < t.nq; ++i) c.out[0][i] = c.in[0][i];
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      if (b.nq == b.nv || b.nq < 4) continue;  // those with a quaternion start with it
      const Quaternion<L> a = unit(quaternion_at(c.in[0] + b.q));
      L* out = c.out[0] + b.q;
      out[0] = a.w, out[1] = a.u.x, out[2] = a.u.y, out[3] = a.u.z;
    }
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
