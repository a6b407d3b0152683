// frames.hpp: poses, velocities, accelerations and Jacobians of frames and bodies.
#pragma once

#include "kinematics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

template <class L>
PHIPSI_HOT void put_pose(Mat3<L> R, Vec3<L> p, L* rotation, L* position) {
  const Vec3<L> axis[3] = {R.x, R.y, R.z};
  for (int j = 0; j < 3; ++j) rotation[j] = axis[j].x, rotation[3 + j] = axis[j].y, rotation[6 + j] = axis[j].z;
  position[0] = p.x, position[1] = p.y, position[2] = p.z;
}

// in: q;  out: R (n × 3 × 3), p (n × 3): the body frames
struct Poses {
  static constexpr const char* name = "poses";
  template <class L>
  using Work = Kinematics<L>;
  template <class L>
  static Work<L> plan(Arena& arena, const Tree& t) {
    return Work<L>(arena, t, false);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], nullptr, nullptr);
    for (int k = 0; k < t.n; ++k) {
      const Mat3<L> body_axes = s.place[k].R * transposed(mat3_at(t.body[k].align));
      put_pose(body_axes, s.position[k], c.out[0] + 9 * k, c.out[1] + 3 * k);
    }
  }
};

// A frame on a body (or on the world): its pose, and its motion as the body carries it
template <class L>
struct Target {
  Mat3<L> R;
  Vec3<L> p, r;  // in the world; from the body's origin
  Target(const Request& request, const Kinematics<L>& s) {
    const Mat3<double> rotation = mat3_at(request.rotation);
    if (request.body < 0) {
      R = identity3<L>() * rotation;
      r = p = constant3<L>(request.position);
    } else {
      const Mat3<L>& body = s.place[request.body].R;
      R = body * rotation;
      r = body * vec3_at(request.position);
      p = s.position[request.body] + r;
    }
  }
};

struct FramePose {
  static constexpr const char* name = "pose";
  template <class L>
  static Kinematics<L> plan(Arena& arena, const Tree& t) {
    return Kinematics<L>(arena, t, false);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], nullptr, nullptr);
    const Target<L> target(*c.request, s);
    put_pose(target.R, target.p, c.out[0], c.out[1]);
  }
};

// in: q;  out: J (6 × nv) with V(target) = J v
//   world_aligned: velocity of the frame's origin, world axes;  body: the same in the frame's axes;
//   world: velocity of the point of the body that is at the world's origin
struct Jacobian {
  static constexpr const char* name = "jacobian";
  template <class L>
  static Kinematics<L> plan(Arena& arena, const Tree& t) {
    return Kinematics<L>(arena, t, false);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], nullptr, nullptr);
    const Target<L> target(*c.request, s);
    const int64_t nv = t.nv;
    for (int64_t i = 0; i < 6 * nv; ++i) c.out[0][i] = L{};
    const Vec3<L> point = c.request->axes == Axes::world ? zero3<L>() : target.p;
    for (int k = c.request->body; k >= 0; k = t.body[k].parent) {
      const Body& b = t.body[k];
      for (int i = b.v; i < b.v + b.nv; ++i) {
        Vec6<L> column = shift_motion(point - s.position[k], s.H[i]);
        if (c.request->axes == Axes::body)
          column = {transposed_times(target.R, column.w), transposed_times(target.R, column.v)};
        L x[6];
        put_vec6(x, column);
        for (int r = 0; r < 6; ++r) c.out[0][r * nv + i] = x[r];
      }
    }
  }
};

// in: q, v, a (null: 0);  out: V(target) and its time derivative in the same sense (a = 0: J̇ v); either may be null
struct FrameMotion {
  static constexpr const char* name = "frame_motion";
  template <class L>
  static Kinematics<L> plan(Arena& arena, const Tree& t) {
    return Kinematics<L>(arena, t, true);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], c.in[1], c.in[2]);
    const int k = c.request->body;
    Vec6<L> V = zero6<L>(), alpha = zero6<L>();
    if (k >= 0) {
      const Target<L> target(*c.request, s);
      const Vec3<L> w = s.V[k].w;
      V = shift_motion(target.r, s.V[k]);
      alpha = shift_motion(target.r, s.alpha[k]);
      alpha.v += cross(w, cross(w, target.r));
      express(c.request->axes, target, V, alpha);
    }
    if (c.out[0]) put_vec6(c.out[0], V);
    if (c.out[1]) put_vec6(c.out[1], alpha);
  }
  template <class L>
  PHIPSI_HOT static void express(Axes axes, const Target<L>& target, Vec6<L>& V, Vec6<L>& alpha) {
    if (axes == Axes::body) {  // d/dt (Rᵀ x) = Rᵀ (ẋ - omega x x)
      alpha.v = alpha.v - cross(V.w, V.v);
      V = {transposed_times(target.R, V.w), transposed_times(target.R, V.v)};
      alpha = {transposed_times(target.R, alpha.w), transposed_times(target.R, alpha.v)};
    } else if (axes == Axes::world) {  // v₀ = v - omega x p
      alpha.v = alpha.v - cross(alpha.w, target.p) - cross(V.w, V.v);
      V.v = V.v - cross(V.w, target.p);
    }
  }
};

// in: q, v, a (null: 0);  out: V (n × 6), α (n × 6); either may be null
struct BodyMotions {
  static constexpr const char* name = "body_motions";
  template <class L>
  static Kinematics<L> plan(Arena& arena, const Tree& t) {
    return Kinematics<L>(arena, t, true);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], c.in[1], c.in[2]);
    for (int k = 0; k < t.n; ++k) {
      if (c.out[0]) put_vec6(c.out[0] + 6 * k, s.V[k]);
      if (c.out[1]) put_vec6(c.out[1] + 6 * k, s.alpha[k]);
    }
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
