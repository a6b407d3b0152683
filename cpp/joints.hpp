// joints.hpp: one struct per joint type, and the one list of them.
//
// A joint type says, in the internal frame of its body (tree.hpp):
//   align     the internal frame: its axes in body axes, from the joint's parameters
//   shape     how H* looks to the dynamics
//   fill      the constant columns of H* in internal axes (6 numbers each), and other constants of the body
//   place     R, l: in: the joint's frame before it moves; out: after it moved by q
//   columns   H* in world axes at O_k (only for shapes dense and free); bias: the part of dH*/dt v that is not omega x
//   step      q ⊞ dv: integrate;   minus: its inverse;   neutral: the zero motion
// Adding a joint: write its struct, put its name in PHIPSI_JOINTS, give it a Python class in model/joints.py.
#pragma once

#include "spatial.hpp"
#include "tree.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// ---- rotations and screws -----------------------------------------------------------------------------------------

// columns x, y turned about z by the angle
template <class L>
PHIPSI_HOT void turn_about_z(Mat3<L>& R, L angle) {
  L s, c;
  sincos_of(angle, s, c);
  const Vec3<L> x = R.x * c + R.y * s;
  R.y = R.y * c - R.x * s;
  R.x = x;
}

template <class L>
struct Quaternion {
  L w;
  Vec3<L> u;
};
template <class L>
PHIPSI_HOT Quaternion<L> quaternion_at(const L* q) {
  return {q[0], {q[1], q[2], q[3]}};
}
template <class L>
PHIPSI_HOT Quaternion<L> unit(Quaternion<L> a) {
  const L s = 1.0 / root(a.w * a.w + dot(a.u, a.u));
  return {a.w * s, a.u * s};
}
template <class L>
PHIPSI_HOT Quaternion<L> operator*(Quaternion<L> a, Quaternion<L> b) {
  return {a.w * b.w - dot(a.u, b.u), b.u * a.w + a.u * b.w + cross(a.u, b.u)};
}
// The rotation that a quaternion points to, whatever its length (between 1e-150 and 1e150, where squares are numbers).
template <class L>
PHIPSI_HOT Mat3<L> matrix_of(Quaternion<L> a) {
  const L s = 2.0 / (a.w * a.w + dot(a.u, a.u));
  const Vec3<L> t = a.u * s;
  const L wx = a.w * t.x, wy = a.w * t.y, wz = a.w * t.z;
  const L xx = a.u.x * t.x, yy = a.u.y * t.y, zz = a.u.z * t.z;
  const L xy = a.u.x * t.y, xz = a.u.x * t.z, yz = a.u.y * t.z;
  return {
      {1.0 - (yy + zz), xy + wz, xz - wy}, {xy - wz, 1.0 - (xx + zz), yz + wx}, {xz + wy, yz - wx, 1.0 - (xx + yy)}};
}

// exp of a twist: the quaternion, and the displacement V(w) v with V = 1 + A w~ + B w~ w~
template <class L>
PHIPSI_HOT void exponential(Vec3<L> w, Vec3<L> v, Quaternion<L>& turn, Vec3<L>& shift) {
  const L t2 = dot(w, w), t = root(t2);
  L s, c;
  sincos_of(t * 0.5, s, c);
  const L k = select(t2 < number<L>(1e-8), 0.5 - t2 * (1.0 / 48.0), s / t);  // sin(t/2)/t
  turn = {c, w * k};
  const L series =
      1.0 / 6.0 - t2 * (1.0 / 120.0 - t2 * (1.0 / 5040.0 - t2 * (1.0 / 362880.0 - t2 * (1.0 / 39916800.0))));
  const L A = 2.0 * k * k, B = select(t2 < number<L>(1e-2), series, (t - 2.0 * s * c) / (t2 * t));
  const Vec3<L> wv = cross(w, v);
  shift = v + wv * A + cross(w, wv) * B;
}

// the rotation vector of a unit quaternion, shortest way
template <class L>
PHIPSI_HOT Vec3<L> logarithm(Quaternion<L> a) {
  const L flip = select(a.w < L{}, number<L>(-1.0), number<L>(1.0)), w = a.w * flip;
  const L s2 = dot(a.u, a.u), s = root(s2);
  const L k = select(s2 < number<L>(1e-8), 2.0 / w - s2 * (2.0 / 3.0) / (w * w * w), 2.0 * angle_of(s, w) / s);
  return a.u * (k * flip);
}
// V(w)⁻¹ p = p - w~ p / 2 + c w~ w~ p, c = (1 - (t/2) cot(t/2)) / t²
template <class L>
PHIPSI_HOT Vec3<L> logarithm_shift(Vec3<L> w, Vec3<L> p) {
  const L t2 = dot(w, w), t = root(t2);
  L s, cosine;
  sincos_of(t * 0.5, s, cosine);
  const L series = 1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0 + t2 * (1.0 / 1209600.0)));
  const L c = select(t2 < number<L>(1e-2), series, (1.0 - 0.5 * t * cosine / s) / t2);
  const Vec3<L> wp = cross(w, p);
  return p - wp * 0.5 + cross(w, wp) * c;
}

// ---- what most joints share ---------------------------------------------------------------------------------------

// The internal z axis along `axis` (unit); the other two by cyclic order where the axis is a coordinate axis, so that
// common robots get exact permutations.
inline void align_z(const double* axis, double* A) {
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (fabs(axis[i]) > fabs(axis[k])) k = i;
  double x[3] = {0, 0, 0};
  x[(k + 1) % 3] = 1.0;  // the next coordinate axis, made orthogonal to the joint's
  const double along = axis[(k + 1) % 3];
  double norm = 0;
  for (int i = 0; i < 3; ++i) {
    x[i] -= along * axis[i];
    norm += x[i] * x[i];
  }
  norm = sqrt(norm);
  for (int i = 0; i < 3; ++i) {
    x[i] /= norm;
    A[i] = x[i];
    A[6 + i] = axis[i];
  }
  for (int i = 0; i < 3; ++i)  // y = z × x
    A[3 + i] = axis[(i + 1) % 3] * x[(i + 2) % 3] - axis[(i + 2) % 3] * x[(i + 1) % 3];
}

inline void align_nothing(double* A) {
  for (int i = 0; i < 9; ++i) A[i] = i % 4 == 0 ? 1.0 : 0.0;
}

// q is a vector space with q̇ = v
struct Flat {
  template <class L>
  PHIPSI_HOT static void step(const Body& b, const double*, const L* q, const L* dv, L* out) {
    for (int i = 0; i < b.nv; ++i) out[i] = q[i] + dv[i];
  }
  template <class L>
  PHIPSI_HOT static void minus(const Body& b, const double*, const L* q0, const L* q1, L* dv) {
    for (int i = 0; i < b.nv; ++i) dv[i] = q1[i] - q0[i];
  }
  static void neutral(const Body& b, double* q) {
    for (int i = 0; i < b.nq; ++i) q[i] = 0.0;
  }
};

// columns that are constant in the child
struct ChildFixed {
  template <class L>
  PHIPSI_HOT static void columns(const Body& b, const double* constant, const L*, const Mat3<L>& R, Vec6<L>* h) {
    for (int i = 0; i < b.nv; ++i) h[i] = {R * vec3_at(constant + 6 * i), R * vec3_at(constant + 6 * i + 3)};
  }
  template <class L>
  PHIPSI_HOT static void bias(const Vec6<L>*, const L*, Vec3<L>&) {}
};

inline void put_column(double* columns, int i, double wx, double wy, double wz, double vx, double vy, double vz) {
  const double h[6] = {wx, wy, wz, vx, vy, vz};
  for (int j = 0; j < 6; ++j) columns[6 * i + j] = h[j];
}

// ---- the joints ---------------------------------------------------------------------------------------------------

struct Fixed : Flat, ChildFixed {
  static constexpr const char *name = "fixed", *parameters = "", *q_labels = "", *v_labels = "";
  static constexpr int nq = 0, nv = 0;
  static constexpr Shape shape = Shape::none;
  static void align(const double*, double* A) { align_nothing(A); }
  static void fill(const double*, Body&, double*) {}
  template <class L>
  PHIPSI_HOT static void place(const Body&, const double*, const L*, Mat3<L>&, Vec3<L>&) {}
};

struct Revolute : Flat, ChildFixed {
  static constexpr const char *name = "revolute", *parameters = "axis:3", *q_labels = "angle", *v_labels = "rate";
  static constexpr int nq = 1, nv = 1;
  static constexpr Shape shape = Shape::angular;
  static void align(const double* axis, double* A) { align_z(axis, A); }
  static void fill(const double*, Body&, double* columns) { put_column(columns, 0, 0, 0, 1, 0, 0, 0); }
  template <class L>
  PHIPSI_HOT static void place(const Body&, const double*, const L* q, Mat3<L>& R, Vec3<L>&) {
    turn_about_z(R, q[0]);
  }
};

struct Prismatic : Flat, ChildFixed {
  static constexpr const char *name = "prismatic", *parameters = "axis:3", *q_labels = "slide", *v_labels = "speed";
  static constexpr int nq = 1, nv = 1;
  static constexpr Shape shape = Shape::linear;
  static void align(const double* axis, double* A) { align_z(axis, A); }
  static void fill(const double*, Body&, double* columns) { put_column(columns, 0, 0, 0, 0, 0, 0, 1); }
  template <class L>
  PHIPSI_HOT static void place(const Body&, const double*, const L* q, Mat3<L>& R, Vec3<L>& l) {
    l += R.z * q[0];
  }
};

struct Helical : Flat, ChildFixed {
  static constexpr const char *name = "helical", *parameters = "axis:3 pitch:1", *q_labels = "angle",
                              *v_labels = "rate";
  static constexpr int nq = 1, nv = 1;
  static constexpr Shape shape = Shape::dense;
  static void align(const double* axis, double* A) { align_z(axis, A); }
  static void fill(const double* parameters, Body&, double* columns) {
    put_column(columns, 0, 0, 0, 1, 0, 0, parameters[3]);
  }
  template <class L>
  PHIPSI_HOT static void place(const Body&, const double* columns, const L* q, Mat3<L>& R, Vec3<L>& l) {
    l += R.z * (q[0] * columns[5]);
    turn_about_z(R, q[0]);
  }
};

struct Cylindrical : Flat, ChildFixed {
  static constexpr const char *name = "cylindrical", *parameters = "axis:3", *q_labels = "angle slide",
                              *v_labels = "rate speed";
  static constexpr int nq = 2, nv = 2;
  static constexpr Shape shape = Shape::dense;
  static void align(const double* axis, double* A) { align_z(axis, A); }
  static void fill(const double*, Body&, double* columns) {
    put_column(columns, 0, 0, 0, 1, 0, 0, 0);
    put_column(columns, 1, 0, 0, 0, 0, 0, 1);
  }
  template <class L>
  PHIPSI_HOT static void place(const Body&, const double*, const L* q, Mat3<L>& R, Vec3<L>& l) {
    l += R.z * q[1];
    turn_about_z(R, q[0]);
  }
};

// Rot(axis1, q1) Rot(axis2, q2). The internal z axis is axis2; before the joint moves, R holds the parent's placement
// turned by A2, and `extra` = A1ᵀ A2 leads from the frame aligned with axis1 to that aligned with axis2.
struct Universal : Flat {
  static constexpr const char *name = "universal", *parameters = "axis1:3 axis2:3", *q_labels = "angle1 angle2",
                              *v_labels = "rate1 rate2";
  static constexpr int nq = 2, nv = 2;
  static constexpr Shape shape = Shape::dense;
  static void align(const double* parameters, double* A) { align_z(parameters + 3, A); }
  static void fill(const double* parameters, Body& b, double* columns) {
    double A1[9], A2[9];
    align_z(parameters, A1);
    align_z(parameters + 3, A2);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        b.extra[3 * j + i] = 0;
        for (int k = 0; k < 3; ++k) b.extra[3 * j + i] += A1[3 * i + k] * A2[3 * j + k];
      }
    put_column(columns, 0, b.extra[2], b.extra[5], b.extra[8], 0, 0, 0);  // axis1 in the frame of axis2, at q2 = 0
    put_column(columns, 1, 0, 0, 1, 0, 0, 0);
  }
  template <class L>
  PHIPSI_HOT static void place(const Body& b, const double*, const L* q, Mat3<L>& R, Vec3<L>&) {
    const Mat3<double> lead = mat3_at(b.extra);
    Mat3<L> first = R * transposed(lead);
    turn_about_z(first, q[0]);
    R = first * lead;
    turn_about_z(R, q[1]);
  }
  // axis1 is fixed in the parent: turn the child's axes back by q2 first
  template <class L>
  PHIPSI_HOT static void columns(const Body&, const double* constant, const L* q, const Mat3<L>& R, Vec6<L>* h) {
    L s, c;
    sincos_of(q[1], s, c);
    const double x = constant[0], y = constant[1], z = constant[2];
    h[0] = {R.x * (c * x + s * y) + R.y * (c * y - s * x) + R.z * z, zero3<L>()};
    h[1] = {R.z, zero3<L>()};
  }
  // axis2 is carried around by the first rotation: omega(k) x h2 v2 = omega(parent) x h2 v2 + h1 v1 x h2 v2
  template <class L>
  PHIPSI_HOT static void bias(const Vec6<L>* h, const L* v, Vec3<L>& angular) {
    angular += cross(h[0].w * v[0], h[1].w * v[1]);
  }
};

struct Spherical : ChildFixed {
  static constexpr const char *name = "spherical", *parameters = "", *q_labels = "w x y z",
                              *v_labels = "rate_x rate_y rate_z";
  static constexpr int nq = 4, nv = 3;
  static constexpr Shape shape = Shape::dense;
  static void align(const double*, double* A) { align_nothing(A); }
  static void fill(const double*, Body&, double* columns) {
    for (int i = 0; i < 3; ++i) put_column(columns, i, i == 0, i == 1, i == 2, 0, 0, 0);
  }
  template <class L>
  PHIPSI_HOT static void place(const Body&, const double*, const L* q, Mat3<L>& R, Vec3<L>&) {
    R = R * matrix_of(quaternion_at(q));
  }
  template <class L>
  PHIPSI_HOT static void step(const Body&, const double*, const L* q, const L* dv, L* out) {
    Quaternion<L> turn;
    Vec3<L> nothing;
    exponential({dv[0], dv[1], dv[2]}, zero3<L>(), turn, nothing);
    const Quaternion<L> r = unit(quaternion_at(q) * turn);
    out[0] = r.w, out[1] = r.u.x, out[2] = r.u.y, out[3] = r.u.z;
  }
  template <class L>
  PHIPSI_HOT static void minus(const Body&, const double*, const L* q0, const L* q1, L* dv) {
    Quaternion<L> a = quaternion_at(q0);
    a.u = -a.u;
    const Vec3<L> w = logarithm(unit(a * quaternion_at(q1)));
    dv[0] = w.x, dv[1] = w.y, dv[2] = w.z;
  }
  static void neutral(const Body& b, double* q) {
    for (int i = 0; i < b.nq; ++i) q[i] = i == 0 ? 1.0 : 0.0;
  }
};

// q = [angle, x, y]; v is the child's twist. Internal axes: z the normal, x the x axis.
struct Planar : ChildFixed {
  static constexpr const char *name = "planar", *parameters = "normal:3 x_axis:3", *q_labels = "angle x y",
                              *v_labels = "rate speed_x speed_y";
  static constexpr int nq = 3, nv = 3;
  static constexpr Shape shape = Shape::dense;
  static void align(const double* parameters, double* A) {
    const double *z = parameters, *x = parameters + 3;
    for (int i = 0; i < 3; ++i) {
      A[i] = x[i];
      A[3 + i] = z[(i + 1) % 3] * x[(i + 2) % 3] - z[(i + 2) % 3] * x[(i + 1) % 3];
      A[6 + i] = z[i];
    }
  }
  static void fill(const double*, Body&, double* columns) {
    put_column(columns, 0, 0, 0, 1, 0, 0, 0);
    put_column(columns, 1, 0, 0, 0, 1, 0, 0);
    put_column(columns, 2, 0, 0, 0, 0, 1, 0);
  }
  template <class L>
  PHIPSI_HOT static void place(const Body&, const double*, const L* q, Mat3<L>& R, Vec3<L>& l) {
    l += R.x * q[1] + R.y * q[2];
    turn_about_z(R, q[0]);
  }
  template <class L>
  PHIPSI_HOT static void step(const Body&, const double*, const L* q, const L* dv, L* out) {
    const L half = dv[0] * 0.5;
    L s, c, s0, c0;
    sincos_of(half, s, c);
    const L k = select(half * half < number<L>(1e-9), 1.0 - half * half * (1.0 / 6.0), s / half);  // sin(half)/half
    const L x = k * (c * dv[1] - s * dv[2]), y = k * (s * dv[1] + c * dv[2]);
    sincos_of(q[0], s0, c0);
    out[0] = q[0] + dv[0];
    out[1] = q[1] + c0 * x - s0 * y;
    out[2] = q[2] + s0 * x + c0 * y;
  }
  template <class L>
  PHIPSI_HOT static void minus(const Body&, const double*, const L* q0, const L* q1, L* dv) {
    const L turn = q1[0] - q0[0];
    L s, c, s0, c0;
    sincos_of(turn, s, c);
    // the shortest way round: an angle of a full turn is the same pose
    const L wrapped = select(absolute(turn) > number<L>(3.14159265358979312), angle_of(s, c), turn),
            half = wrapped * 0.5;
    sincos_of(q0[0], s0, c0);
    sincos_of(half, s, c);
    const L dx = q1[1] - q0[1], dy = q1[2] - q0[2], x = c0 * dx + s0 * dy, y = c0 * dy - s0 * dx;
    const L a = select(half * half < number<L>(1e-9), 1.0 - half * half * (1.0 / 3.0), half * c / s);  // half cot(half)
    dv[0] = wrapped;
    dv[1] = a * x + half * y;
    dv[2] = a * y - half * x;
  }
  static void neutral(const Body& b, double* q) { Flat::neutral(b, q); }
};

struct Translational : Flat, ChildFixed {
  static constexpr const char *name = "translational", *parameters = "", *q_labels = "x y z",
                              *v_labels = "speed_x speed_y speed_z";
  static constexpr int nq = 3, nv = 3;
  static constexpr Shape shape = Shape::dense;
  static void align(const double*, double* A) { align_nothing(A); }
  static void fill(const double*, Body&, double* columns) {
    for (int i = 0; i < 3; ++i) put_column(columns, i, 0, 0, 0, i == 0, i == 1, i == 2);
  }
  template <class L>
  PHIPSI_HOT static void place(const Body&, const double*, const L* q, Mat3<L>& R, Vec3<L>& l) {
    l += R * Vec3<L>{q[0], q[1], q[2]};
  }
};

struct Free : ChildFixed {
  static constexpr const char *name = "free", *parameters = "", *q_labels = "w x y z position_x position_y position_z",
                              *v_labels = "rate_x rate_y rate_z speed_x speed_y speed_z";
  static constexpr int nq = 7, nv = 6;
  static constexpr Shape shape = Shape::free;
  static void align(const double*, double* A) { align_nothing(A); }
  static void fill(const double*, Body&, double* columns) {
    for (int i = 0; i < 6; ++i) put_column(columns, i, i == 0, i == 1, i == 2, i == 3, i == 4, i == 5);
  }
  template <class L>
  PHIPSI_HOT static void place(const Body&, const double*, const L* q, Mat3<L>& R, Vec3<L>& l) {
    l += R * Vec3<L>{q[4], q[5], q[6]};
    R = R * matrix_of(quaternion_at(q));
  }
  template <class L>
  PHIPSI_HOT static void move(const L* q, Vec3<L> w, Vec3<L> v, L* out) {
    Quaternion<L> turn;
    Vec3<L> shift;
    exponential(w, v, turn, shift);
    const Quaternion<L> a = unit(quaternion_at(q)), r = unit(a * turn);
    const Vec3<L> p = matrix_of(a) * shift;
    out[0] = r.w, out[1] = r.u.x, out[2] = r.u.y, out[3] = r.u.z;
    out[4] = q[4] + p.x, out[5] = q[5] + p.y, out[6] = q[6] + p.z;
  }
  template <class L>
  PHIPSI_HOT static Vec6<L> between(const L* q0, const L* q1) {
    Quaternion<L> a = unit(quaternion_at(q0));
    const Vec3<L> p = transposed_times(matrix_of(a), Vec3<L>{q1[4] - q0[4], q1[5] - q0[5], q1[6] - q0[6]});
    a.u = -a.u;
    const Vec3<L> w = logarithm(unit(a * quaternion_at(q1)));
    return {w, logarithm_shift(w, p)};
  }
  template <class L>
  PHIPSI_HOT static void step(const Body&, const double*, const L* q, const L* dv, L* out) {
    move(q, {dv[0], dv[1], dv[2]}, {dv[3], dv[4], dv[5]}, out);
  }
  template <class L>
  PHIPSI_HOT static void minus(const Body&, const double*, const L* q0, const L* q1, L* dv) {
    const Vec6<L> d = between(q0, q1);
    dv[0] = d.w.x, dv[1] = d.w.y, dv[2] = d.w.z, dv[3] = d.v.x, dv[4] = d.v.y, dv[5] = d.v.z;
  }
  static void neutral(const Body& b, double* q) { Spherical::neutral(b, q); }
};

// Constant columns that span a Lie algebra of motions. If they commute, q̇ = v and the motion is the product of their
// exponentials; if not, q is a whole pose [quaternion, position] and v moves it within the group they generate.
struct Custom : ChildFixed {
  static constexpr const char *name = "custom", *parameters = "columns:6m", *q_labels = "", *v_labels = "";
  static constexpr int nq = -1, nv = -1;
  static constexpr Shape shape = Shape::dense;
  static bool flat(const Body& b) { return b.nq == b.nv; }
  static void align(const double*, double* A) { align_nothing(A); }
  static void fill(const double* parameters, Body& b, double* columns) {
    for (int i = 0; i < 6 * b.nv; ++i) columns[i] = parameters[i];
  }
  template <class L>
  PHIPSI_HOT static void place(const Body& b, const double* columns, const L* q, Mat3<L>& R, Vec3<L>& l) {
    if (!flat(b)) return Free::place(b, columns, q, R, l);
    for (int i = 0; i < b.nv; ++i) {
      Quaternion<L> turn;
      Vec3<L> shift;
      const double* h = columns + 6 * i;
      exponential(constant3<L>(h) * q[i], constant3<L>(h + 3) * q[i], turn, shift);
      l += R * shift;
      R = R * matrix_of(turn);
    }
  }
  template <class L>
  PHIPSI_HOT static void step(const Body& b, const double* columns, const L* q, const L* dv, L* out) {
    if (flat(b)) return Flat::step(b, columns, q, dv, out);
    Vec6<L> d = zero6<L>();
    for (int i = 0; i < b.nv; ++i)
      d += Vec6<L>{constant3<L>(columns + 6 * i) * dv[i], constant3<L>(columns + 6 * i + 3) * dv[i]};
    Free::move(q, d.w, d.v, out);
  }
  // `rows`: the pseudo-inverse of H*
  template <class L>
  PHIPSI_HOT static void minus(const Body& b, const double* rows, const L* q0, const L* q1, L* dv) {
    if (flat(b)) return Flat::minus(b, rows, q0, q1, dv);
    const Vec6<L> d = Free::between(q0, q1);
    for (int i = 0; i < b.nv; ++i) dv[i] = dot(vec3_at(rows + 6 * i), d.w) + dot(vec3_at(rows + 6 * i + 3), d.v);
  }
  static void neutral(const Body& b, double* q) {
    if (flat(b))
      Flat::neutral(b, q);
    else
      Spherical::neutral(b, q);
  }
};

// ---- the list -----------------------------------------------------------------------------------------------------

#define PHIPSI_JOINTS(X) \
  X(Fixed) X(Revolute) X(Prismatic) X(Helical) X(Cylindrical) X(Universal) X(Spherical) X(Planar) X(Translational) \
  X(Free) X(Custom)

enum JointKind : int32_t {
#define X(J) kind_##J,
  PHIPSI_JOINTS(X)
#undef X
      joint_kinds
};

// f(Joint{}) for the joint of that kind
template <class F>
PHIPSI_HOT void with_joint(int32_t kind, F&& f) {
  switch (kind) {
#define X(J) \
  case kind_##J: \
    f(J{}); \
    break;
    PHIPSI_JOINTS(X)
#undef X
    default: __builtin_unreachable();
  }
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
