// kinematics.hpp: q, v, a → orientations R, shifts l, joint maps H*, velocities V and accelerations α of the bodies.
#pragma once

#include "joints.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// ---- calls and their memory ---------------------------------------------------------------------------------------

// The arrays of one call for one state (L = double) or W of them (L = vec). Absent inputs are null.
template <class L>
struct Call {
  const L* in[most_inputs];
  L* out[most_outputs];
  const uint8_t* flags;  // the mask of this state, or of all of them
  const L* mask;  // lanes with masks of their own (flags is null then): zero where a dof is active
  void* work;
  const Request* request;
  L singular;  // out: 1 + index of the first body found with D(k) not positive, 0 if none
};

// Hands out a workspace piece by piece; without memory behind it, it only counts.
struct Arena {
  char* base;
  size_t used = 0;
  template <class T>
  T* take(size_t count) {
    T* here = base ? reinterpret_cast<T*>(base + used) : nullptr;
    used += count * sizeof(T);
    return here;
  }
};

// ---- where the bodies are -----------------------------------------------------------------------------------------

template <class L>
struct Place {
  Mat3<L> R;  // the internal frame's axes in the world
  Vec3<L> l;  // from the parent's origin to this body's, world axes
};

// The joint's frame on the parent, before the joint moves
template <class L>
PHIPSI_HOT void before_joint(const Body& b, const Place<L>* place, Mat3<L>& R, Vec3<L>& l) {
  if (b.parent < 0) {
    R = constant_mat3<L>(b.rotation);
    l = constant3<L>(b.position);
  } else {
    const Mat3<L>& Rp = place[b.parent].R;
    l = Rp * vec3_at(b.position);
    R = Rp * mat3_at(b.rotation);
  }
}
template <class L>
PHIPSI_HOT void place_body(const Tree& t, const Body& b, const L* q, const Place<L>* place, Mat3<L>& R, Vec3<L>& l) {
  before_joint(b, place, R, l);
  with_joint(b.kind, [&](auto joint) PHIPSI_INLINE { joint.place(b, t.fixed_columns + 6 * b.v, q + b.q, R, l); });
}

// ---- H*: how a joint moves its body -------------------------------------------------------------------------------
// Each map knows H* (spread: rates → relative motion [Dw; Dv]) and H (collect: force → joint torques).

struct NoMap {
  static constexpr int m = 0;
  template <class X>
  PHIPSI_HOT Pair<Zero3, Zero3> spread(const X*) const {
    return {};
  }
  template <class X>
  PHIPSI_HOT void collect(Vec6<X>, X*) const {}
};

template <class L>
struct AngularMap {
  Vec3<L> z;
  template <class X>
  PHIPSI_HOT Pair<Vec3<X>, Zero3> spread(const X* v) const {
    return {z * v[0], {}};
  }
  template <class X>
  PHIPSI_HOT void collect(Vec6<X> f, X* out) const {
    out[0] = dot(z, f.w);
  }
};

template <class L>
struct LinearMap {
  Vec3<L> z;
  template <class X>
  PHIPSI_HOT Pair<Zero3, Vec3<X>> spread(const X* v) const {
    return {{}, z * v[0]};
  }
  template <class X>
  PHIPSI_HOT void collect(Vec6<X> f, X* out) const {
    out[0] = dot(z, f.v);
  }
};

template <class L>
struct DenseMap {
  const Vec6<L>* h;
  int m;
  template <class X>
  PHIPSI_HOT Vec6<X> spread(const X* v) const {
    Vec6<X> d = {h[0].w * v[0], h[0].v * v[0]};
    for (int i = 1; i < m; ++i) d += Vec6<X>{h[i].w * v[i], h[i].v * v[i]};
    return d;
  }
  template <class X>
  PHIPSI_HOT void collect(Vec6<X> f, X* out) const {
    for (int i = 0; i < m; ++i) out[i] = dot(h[i], f);
  }
};

template <class L>
struct FreeMap {
  Mat3<L> R;
  template <class X>
  PHIPSI_HOT Vec6<X> spread(const X* v) const {
    return {R * Vec3<X>{v[0], v[1], v[2]}, R * Vec3<X>{v[3], v[4], v[5]}};
  }
  template <class X>
  PHIPSI_HOT void collect(Vec6<X> f, X* out) const {
    const Vec3<X> n = transposed_times(R, f.w), g = transposed_times(R, f.v);
    out[0] = n.x, out[1] = n.y, out[2] = n.z, out[3] = g.x, out[4] = g.y, out[5] = g.z;
  }
};

template <class L, class F>
PHIPSI_HOT void with_map(const Body& b, const Mat3<L>& R, const Vec6<L>* H, F&& f) {
  switch (b.shape) {
    case Shape::none: f(NoMap{}); break;
    case Shape::angular: f(AngularMap<L>{R.z}); break;
    case Shape::linear: f(LinearMap<L>{R.z}); break;
    case Shape::dense: f(DenseMap<L>{H + b.column, b.nv}); break;
    case Shape::free: f(FreeMap<L>{R}); break;
  }
}

// Places the body and hands its map to f: one branch on the joint type for all that the first sweep does with it.
// World columns of dense joints are written to H; the other shapes read theirs off R.
template <class L, class F>
PHIPSI_HOT void cross_joint(const Tree& t, const Body& b, const L* q, Place<L>* place, Vec6<L>* H, Place<L>& here,
                            F&& f) {
  Mat3<L> R;
  Vec3<L> l;
  before_joint(b, place, R, l);
  with_joint(b.kind, [&](auto joint) PHIPSI_INLINE {
    using J = decltype(joint);
    const double* constant = t.fixed_columns + 6 * b.v;
    Mat3<L> turned = R;
    Vec3<L> shift = l;
    joint.place(b, constant, q + b.q, turned, shift);
    here = {turned, shift};
    if constexpr (J::shape == Shape::none) {
      f(NoMap{}, turned, shift);
    } else if constexpr (J::shape == Shape::angular) {
      f(AngularMap<L>{turned.z}, turned, shift);
    } else if constexpr (J::shape == Shape::linear) {
      f(LinearMap<L>{turned.z}, turned, shift);
    } else if (b.shape == Shape::free) {
      f(FreeMap<L>{turned}, turned, shift);
    } else {
      joint.columns(b, constant, q + b.q, turned, H + b.column);
      f(DenseMap<L>{H + b.column, b.nv}, turned, shift);
    }
  });
}

// All columns of H*(k) written out, whatever the shape: for kernels that are not hot.
template <class L>
PHIPSI_HOT void write_columns(const Tree& t, const Body& b, const L* q, const Mat3<L>& R, Vec6<L>* h) {
  with_joint(b.kind, [&](auto joint) PHIPSI_INLINE { joint.columns(b, t.fixed_columns + 6 * b.v, q + b.q, R, h); });
}

// a(k) of the 'I' set (inertial derivatives): what of α(k) - φ* α(parent) is due to v alone.
//   angular: omega(p) x Dw (and the turning of a universal joint's second axis)
//   linear:  omega(p) x (omega(p) x l + Dv) + omega(k) x Dv
template <class L, class A, class B>
PHIPSI_HOT Vec6<L> velocity_product(Vec3<L> parent_w, Vec3<L> w, Vec3<L> l, Pair<A, B> d) {
  const Vec3<L> l_dot = cross(parent_w, l) + d.v;
  Vec6<L> a = {zero3<L>(), cross(parent_w, l_dot) + cross(w, d.v)};
  a.w += cross(parent_w, d.w);
  return a;
}
template <class L>
PHIPSI_HOT void add_joint_bias(const Body& b, const Vec6<L>* H, const L* v, Vec6<L>& a) {
  if (b.kind != kind_Universal) return;
  Universal::bias(H + b.column, v, a.w);
}

// ---- the general sweep, base → tips -------------------------------------------------------------------------------

// Everything about each body's motion; the fused kernels carry less. A robot without dofs may have a null v and be
// asked for its motion all the same: so `moving` says what is wanted, not the pointer.
template <class L>
struct Kinematics {
  bool moving;
  Place<L>* place;
  Vec3<L>* position;  // of O_k in the world
  Vec6<L>* H;         // nv columns of H*, world axes
  Vec6<L>* V;         // only if moving
  Vec6<L>* alpha;     // only if moving: inertial derivatives of V; a may still be null (zero)

  Kinematics(Arena& arena, const Tree& t, bool moving)
      : moving(moving),
        place(arena.take<Place<L>>(t.n)),
        position(arena.take<Vec3<L>>(t.n)),
        H(arena.take<Vec6<L>>(t.nv)),
        V(arena.take<Vec6<L>>(moving ? t.n : 0)),
        alpha(arena.take<Vec6<L>>(moving ? t.n : 0)) {}

  void sweep(const Tree& t, const L* q, const L* v, const L* a) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      Place<L>& here = place[k];
      place_body(t, b, q, place, here.R, here.l);
      position[k] = b.parent < 0 ? here.l : position[b.parent] + here.l;
      write_columns(t, b, q, here.R, H + b.v);
      if (moving) move(t, k, v, a);
    }
  }

  PHIPSI_HOT void move(const Tree& t, int k, const L* v, const L* a) {
    const Body& b = t.body[k];
    const Vec6<L> Vp = b.parent < 0 ? zero6<L>() : V[b.parent];
    const Vec6<L> ap = b.parent < 0 ? zero6<L>() : alpha[b.parent];
    Vec6<L> d = zero6<L>(), dd = zero6<L>();
    for (int i = 0; i < b.nv; ++i) d += H[b.v + i] * v[b.v + i];
    if (a)
      for (int i = 0; i < b.nv; ++i) dd += H[b.v + i] * a[b.v + i];
    V[k] = shift_motion(place[k].l, Vp) + d;
    Vec6<L> product = velocity_product(Vp.w, V[k].w, place[k].l, d);
    if (b.kind == kind_Universal) Universal::bias(H + b.v, v + b.v, product.w);
    alpha[k] = shift_motion(place[k].l, ap) + dd + product;
  }
};

// M(k) about O_k in world axes
template <class L>
PHIPSI_HOT RigidInertia<L> inertia_in_world(const Body& b, const Mat3<L>& R) {
  return {number<L>(b.mass), R * vec3_at(b.mc), congruence(R, sym3_at(b.J))};
}

// b(k) = [omega x J omega; omega x (omega x mc)]
template <class L>
PHIPSI_HOT Vec6<L> gyroscopic_force(const RigidInertia<L>& M, Vec3<L> w) {
  return {cross(w, M.J * w), cross(w, cross(w, M.mc))};
}

template <class L>
PHIPSI_HOT Vec6<L> vec6_at(const L* p) {
  return {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
}
template <class L>
PHIPSI_HOT void put_vec6(L* p, Vec6<L> x) {
  p[0] = x.w.x, p[1] = x.w.y, p[2] = x.w.z, p[3] = x.v.x, p[4] = x.v.y, p[5] = x.v.z;
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
