// spatial.hpp: 3- and 6-vectors, rotations, rigid and articulated inertia, the shift φ; all in world axes.
//
// A 6-vector is [angular; linear], a force [moment; force]. Bodies are described at their own origin O_k in world axes,
// so crossing a joint is a pure shift φ(l) = [[1, l~], [0, 1]] and never a 6×6 rotation.
// Zero3 is a 3-vector known to be zero when the kernel is compiled: a revolute axis has no linear half, and without
// -ffast-math a compiler may not drop the product with a zero that it only meets at run time.
#pragma once

#include "lanes.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

struct Zero3 {};

template <class L>
struct Vec3 {
  L x, y, z;
};

template <class L>
PHIPSI_HOT Vec3<L> zero3() {
  return {L{}, L{}, L{}};
}

// clang-format off
template <class A, class B> PHIPSI_HOT auto operator+(Vec3<A> a, Vec3<B> b) { return Vec3<decltype(a.x + b.x)>{a.x + b.x, a.y + b.y, a.z + b.z}; }
template <class A, class B> PHIPSI_HOT auto operator-(Vec3<A> a, Vec3<B> b) { return Vec3<decltype(a.x - b.x)>{a.x - b.x, a.y - b.y, a.z - b.z}; }
template <class A> PHIPSI_HOT Vec3<A> operator-(Vec3<A> a) { return {-a.x, -a.y, -a.z}; }
template <class A, class S> PHIPSI_HOT auto operator*(Vec3<A> a, S s) { return Vec3<decltype(a.x * s)>{a.x * s, a.y * s, a.z * s}; }
template <class A> PHIPSI_HOT Vec3<A>& operator+=(Vec3<A>& a, Vec3<A> b) { a.x = a.x + b.x; a.y = a.y + b.y; a.z = a.z + b.z; return a; }
template <class A, class B> PHIPSI_HOT auto dot(Vec3<A> a, Vec3<B> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class A, class B> PHIPSI_HOT auto cross(Vec3<A> a, Vec3<B> b) {
  using R = decltype(a.x * b.x);
  return Vec3<R>{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class A> PHIPSI_HOT Vec3<A> operator+(Vec3<A> a, Zero3) { return a; }
template <class A> PHIPSI_HOT Vec3<A> operator+(Zero3, Vec3<A> a) { return a; }
PHIPSI_HOT Zero3 operator+(Zero3, Zero3) { return {}; }
template <class A> PHIPSI_HOT Vec3<A>& operator+=(Vec3<A>& a, Zero3) { return a; }
template <class S> PHIPSI_HOT Zero3 operator*(Zero3, S) { return {}; }
template <class A> PHIPSI_HOT Zero3 cross(Vec3<A>, Zero3) { return {}; }
template <class A> PHIPSI_HOT Zero3 cross(Zero3, Vec3<A>) { return {}; }
// clang-format on

// A 6-vector; either half may be Zero3.
template <class A, class B>
struct Pair {
  A w;  // angular velocity, angular acceleration or moment
  B v;  // linear velocity, linear acceleration or force
};
template <class L>
using Vec6 = Pair<Vec3<L>, Vec3<L>>;

template <class L>
PHIPSI_HOT Vec6<L> zero6() {
  return {zero3<L>(), zero3<L>()};
}
template <class A, class B, class C, class D>
PHIPSI_HOT auto operator+(Pair<A, B> a, Pair<C, D> b) {
  return Pair<decltype(a.w + b.w), decltype(a.v + b.v)>{a.w + b.w, a.v + b.v};
}
template <class L>
PHIPSI_HOT Vec6<L> operator-(Vec6<L> a, Vec6<L> b) {
  return {a.w - b.w, a.v - b.v};
}
template <class A, class B, class S>
PHIPSI_HOT auto operator*(Pair<A, B> a, S s) {
  return Pair<decltype(a.w * s), decltype(a.v * s)>{a.w * s, a.v * s};
}
template <class L, class A, class B>
PHIPSI_HOT Vec6<L>& operator+=(Vec6<L>& a, Pair<A, B> b) {
  a.w += b.w;
  a.v += b.v;
  return a;
}
template <class A, class B>
PHIPSI_HOT auto dot(Vec6<A> a, Vec6<B> b) {
  return a.w.x * b.w.x + a.w.y * b.w.y + a.w.z * b.w.z + a.v.x * b.v.x + a.v.y * b.v.y + a.v.z * b.v.z;
}

// φ(l) f: the force f at a child's origin, felt at the parent's; l points from the parent's origin to the child's.
template <class L, class X>
PHIPSI_HOT Vec6<X> shift_force(Vec3<L> l, Vec6<X> f) {
  return {f.w + cross(l, f.v), f.v};
}

// φ*(l) V: the rigid motion V at the parent's origin, seen at the child's.
template <class L, class X>
PHIPSI_HOT Vec6<X> shift_motion(Vec3<L> l, Vec6<X> V) {
  return {V.w, V.v + cross(V.w, l)};
}

// ---- rotations ----------------------------------------------------------------------------------------------------

template <class L>
struct Mat3 {
  Vec3<L> x, y, z;  // columns: the frame's axes
};

template <class A, class B>
PHIPSI_HOT auto operator*(const Mat3<A>& R, Vec3<B> u) {
  using S = decltype(R.x.x * u.x);
  return Vec3<S>{R.x.x * u.x + R.y.x * u.y + R.z.x * u.z, R.x.y * u.x + R.y.y * u.y + R.z.y * u.z,
                 R.x.z * u.x + R.y.z * u.y + R.z.z * u.z};
}
template <class A, class B>
PHIPSI_HOT auto transposed_times(const Mat3<A>& R, Vec3<B> u) {
  using S = decltype(R.x.x * u.x);
  return Vec3<S>{dot(R.x, u), dot(R.y, u), dot(R.z, u)};
}
template <class A, class B>
PHIPSI_HOT auto operator*(const Mat3<A>& R, const Mat3<B>& S) {
  using T = decltype(R.x.x * S.x.x);
  return Mat3<T>{R * S.x, R * S.y, R * S.z};
}
template <class L>
PHIPSI_HOT Mat3<L> transposed(const Mat3<L>& R) {
  return {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
}
template <class A, class L>
PHIPSI_HOT Vec6<L> rotate(const Mat3<A>& R, Vec6<L> u) {
  return {R * u.w, R * u.v};
}
template <class L>
PHIPSI_HOT Mat3<L> identity3() {
  const L o = L{}, i = number<L>(1.0);
  return {{i, o, o}, {o, i, o}, {o, o, i}};
}
template <class L>
PHIPSI_HOT Vec3<L> constant3(const double* p) {
  return {number<L>(p[0]), number<L>(p[1]), number<L>(p[2])};
}
PHIPSI_HOT Vec3<double> vec3_at(const double* p) { return {p[0], p[1], p[2]}; }
// nine numbers, column after column
PHIPSI_HOT Mat3<double> mat3_at(const double* p) { return {vec3_at(p), vec3_at(p + 3), vec3_at(p + 6)}; }
template <class L>
PHIPSI_HOT Mat3<L> constant_mat3(const double* p) {
  return {constant3<L>(p), constant3<L>(p + 3), constant3<L>(p + 6)};
}

// ---- inertia ------------------------------------------------------------------------------------------------------

template <class L>
struct Sym3 {
  L xx, yy, zz, xy, xz, yz;
};
template <class A, class B>
PHIPSI_HOT auto operator*(const Sym3<A>& S, Vec3<B> u) {
  using T = decltype(S.xx * u.x);
  return Vec3<T>{S.xx * u.x + S.xy * u.y + S.xz * u.z, S.xy * u.x + S.yy * u.y + S.yz * u.z,
                 S.xz * u.x + S.yz * u.y + S.zz * u.z};
}
template <class L>
PHIPSI_HOT Sym3<L> operator+(const Sym3<L>& a, const Sym3<L>& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class L>
PHIPSI_HOT L trace(const Sym3<L>& S) {
  return S.xx + S.yy + S.zz;
}
PHIPSI_HOT Sym3<double> sym3_at(const double* p) { return {p[0], p[1], p[2], p[3], p[4], p[5]}; }

// R J Rᵀ for a constant symmetric J
template <class L>
PHIPSI_HOT Sym3<L> congruence(const Mat3<L>& R, const Sym3<double>& J) {
  // columns of R J, which is what meets the columns of R again
  const Vec3<L> a = R.x * J.xx + R.y * J.xy + R.z * J.xz;
  const Vec3<L> b = R.x * J.xy + R.y * J.yy + R.z * J.yz;
  const Vec3<L> c = R.x * J.xz + R.y * J.yz + R.z * J.zz;
  return {a.x * R.x.x + b.x * R.y.x + c.x * R.z.x, a.y * R.x.y + b.y * R.y.y + c.y * R.z.y,
          a.z * R.x.z + b.z * R.y.z + c.z * R.z.z, a.x * R.x.y + b.x * R.y.y + c.x * R.z.y,
          a.x * R.x.z + b.x * R.y.z + c.x * R.z.z, a.y * R.x.z + b.y * R.y.z + c.y * R.z.z};
}

// M(k) = [[J, mc~], [-mc~, m 1]] about the body's origin: ten numbers.
template <class L>
struct RigidInertia {
  L m;
  Vec3<L> mc;
  Sym3<L> J;
};
template <class L>
PHIPSI_HOT Vec6<L> operator*(const RigidInertia<L>& M, Vec6<L> a) {
  return {M.J * a.w + cross(M.mc, a.v), a.v * M.m + cross(a.w, M.mc)};
}

// φ(l) M φ*(l) for a rigid (composite) inertia: J' = J + (2 l·mc + m l·l) 1 - mc lᵀ - l mcᵀ - m l lᵀ
template <class L>
PHIPSI_HOT RigidInertia<L> shifted(Vec3<L> l, const RigidInertia<L>& M) {
  const Vec3<L> ml = l * M.m, half = M.mc + ml * 0.5, mc = M.mc + ml;
  const L xx = 2.0 * l.x * half.x, yy = 2.0 * l.y * half.y, zz = 2.0 * l.z * half.z;
  return {M.m,
          mc,
          {M.J.xx + yy + zz, M.J.yy + xx + zz, M.J.zz + xx + yy, M.J.xy - l.x * half.y - l.y * half.x,
           M.J.xz - l.x * half.z - l.z * half.x, M.J.yz - l.y * half.z - l.z * half.y}};
}
template <class L>
PHIPSI_HOT RigidInertia<L> operator+(const RigidInertia<L>& a, const RigidInertia<L>& b) {
  return {a.m + b.m, a.mc + b.mc, a.J + b.J};
}

template <class L>
PHIPSI_HOT RigidInertia<L>& operator+=(RigidInertia<L>& a, const RigidInertia<L>& b) {
  a = a + b;
  return a;
}

// P(k) = [[J, C], [Cᵀ, M]]: 21 numbers. Rows of C are kept because the shift works on them.
template <class L>
struct ArticulatedInertia {
  Sym3<L> J;
  Vec3<L> Cx, Cy, Cz;  // rows of C
  Sym3<L> M;
};

template <class L>
PHIPSI_HOT ArticulatedInertia<L> articulated(const RigidInertia<L>& M) {
  const L o = L{};
  return {M.J, {o, -M.mc.z, M.mc.y}, {M.mc.z, o, -M.mc.x}, {-M.mc.y, M.mc.x, o}, {M.m, M.m, M.m, o, o, o}};
}
template <class L>
PHIPSI_HOT ArticulatedInertia<L>& operator+=(ArticulatedInertia<L>& P, const RigidInertia<L>& M) {
  P.J = P.J + M.J;
  P.Cx.y = P.Cx.y - M.mc.z;
  P.Cx.z = P.Cx.z + M.mc.y;
  P.Cy.x = P.Cy.x + M.mc.z;
  P.Cy.z = P.Cy.z - M.mc.x;
  P.Cz.x = P.Cz.x - M.mc.y;
  P.Cz.y = P.Cz.y + M.mc.x;
  P.M.xx = P.M.xx + M.m;
  P.M.yy = P.M.yy + M.m;
  P.M.zz = P.M.zz + M.m;
  return P;
}
template <class L>
PHIPSI_HOT ArticulatedInertia<L>& operator+=(ArticulatedInertia<L>& P, const ArticulatedInertia<L>& Q) {
  P.J = P.J + Q.J;
  P.Cx += Q.Cx;
  P.Cy += Q.Cy;
  P.Cz += Q.Cz;
  P.M = P.M + Q.M;
  return P;
}

// P ← P - a b* - b a*
template <class L>
PHIPSI_HOT void subtract_both(Sym3<L>& S, Vec3<L> a, Vec3<L> b) {
  S.xx = S.xx - 2.0 * a.x * b.x;
  S.yy = S.yy - 2.0 * a.y * b.y;
  S.zz = S.zz - 2.0 * a.z * b.z;
  S.xy = S.xy - a.x * b.y - b.x * a.y;
  S.xz = S.xz - a.x * b.z - b.x * a.z;
  S.yz = S.yz - a.y * b.z - b.y * a.z;
}
template <class L>
PHIPSI_HOT void subtract_both(ArticulatedInertia<L>& P, Vec6<L> a, Vec6<L> b) {
  subtract_both(P.J, a.w, b.w);
  subtract_both(P.M, a.v, b.v);
  P.Cx = P.Cx - b.v * a.w.x - a.v * b.w.x;
  P.Cy = P.Cy - b.v * a.w.y - a.v * b.w.y;
  P.Cz = P.Cz - b.v * a.w.z - a.v * b.w.z;
}

// P x for x = [w; v], either half possibly Zero3
template <class L>
PHIPSI_HOT Vec3<L> times_C(const ArticulatedInertia<L>& P, Vec3<L> v) {
  return {dot(P.Cx, v), dot(P.Cy, v), dot(P.Cz, v)};
}
template <class L>
PHIPSI_HOT Vec3<L> times_Ct(const ArticulatedInertia<L>& P, Vec3<L> w) {
  return P.Cx * w.x + P.Cy * w.y + P.Cz * w.z;
}
template <class L>
PHIPSI_HOT Vec6<L> operator*(const ArticulatedInertia<L>& P, Vec6<L> x) {
  return {P.J * x.w + times_C(P, x.v), times_Ct(P, x.w) + P.M * x.v};
}
template <class L>
PHIPSI_HOT Vec6<L> operator*(const ArticulatedInertia<L>& P, Pair<Vec3<L>, Zero3> x) {
  return {P.J * x.w, times_Ct(P, x.w)};
}
template <class L>
PHIPSI_HOT Vec6<L> operator*(const ArticulatedInertia<L>& P, Pair<Zero3, Vec3<L>> x) {
  return {times_C(P, x.v), P.M * x.v};
}

// P - a bᵀ, where a bᵀ is symmetric (a = G, b = D Gᵀ)
template <class L>
PHIPSI_HOT void subtract_outer(Sym3<L>& S, Vec3<L> a, Vec3<L> b) {
  S.xx = S.xx - a.x * b.x;
  S.yy = S.yy - a.y * b.y;
  S.zz = S.zz - a.z * b.z;
  S.xy = S.xy - a.x * b.y;
  S.xz = S.xz - a.x * b.z;
  S.yz = S.yz - a.y * b.z;
}
template <class L>
PHIPSI_HOT void subtract_outer(ArticulatedInertia<L>& P, Vec6<L> a, Vec6<L> b) {
  subtract_outer(P.J, a.w, b.w);
  subtract_outer(P.M, a.v, b.v);
  P.Cx = P.Cx - b.v * a.w.x;
  P.Cy = P.Cy - b.v * a.w.y;
  P.Cz = P.Cz - b.v * a.w.z;
}

// φ(l) P φ*(l): C' = C + l~ M, J' = J + l~ Cᵀ - C' l~
template <class L>
PHIPSI_HOT ArticulatedInertia<L> shifted(Vec3<L> l, const ArticulatedInertia<L>& P) {
  ArticulatedInertia<L> Q;
  Q.M = P.M;
  Q.Cx = {P.Cx.x + l.y * P.M.xz - l.z * P.M.xy, P.Cx.y + l.y * P.M.yz - l.z * P.M.yy,
          P.Cx.z + l.y * P.M.zz - l.z * P.M.yz};
  Q.Cy = {P.Cy.x + l.z * P.M.xx - l.x * P.M.xz, P.Cy.y + l.z * P.M.xy - l.x * P.M.yz,
          P.Cy.z + l.z * P.M.xz - l.x * P.M.zz};
  Q.Cz = {P.Cz.x + l.x * P.M.xy - l.y * P.M.xx, P.Cz.y + l.x * P.M.yy - l.y * P.M.xy,
          P.Cz.z + l.x * P.M.yz - l.y * P.M.xz};
  // J'(i,j) = J(i,j) + (l × row j of C)(i) + (l × row i of C')(j)
  Q.J.xx = P.J.xx + l.y * P.Cx.z - l.z * P.Cx.y + l.y * Q.Cx.z - l.z * Q.Cx.y;
  Q.J.yy = P.J.yy + l.z * P.Cy.x - l.x * P.Cy.z + l.z * Q.Cy.x - l.x * Q.Cy.z;
  Q.J.zz = P.J.zz + l.x * P.Cz.y - l.y * P.Cz.x + l.x * Q.Cz.y - l.y * Q.Cz.x;
  Q.J.xy = P.J.xy + l.y * P.Cy.z - l.z * P.Cy.y + l.z * Q.Cx.x - l.x * Q.Cx.z;
  Q.J.xz = P.J.xz + l.y * P.Cz.z - l.z * P.Cz.y + l.x * Q.Cx.y - l.y * Q.Cx.x;
  Q.J.yz = P.J.yz + l.z * P.Cz.x - l.x * P.Cz.z + l.x * Q.Cy.y - l.y * Q.Cy.x;
  return Q;
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
