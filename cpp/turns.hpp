// turns.hpp: by which vector to turn: from one attitude to another, or from one axis to another, up to half a turn.
#pragma once

#include "spatial.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

template <class L>
Vec3<L> scaled_turn(Vec3<L> x, L sine, L cosine) {
  const auto small = sine < 1e-7;
  const L factor = select(small, number<L>(1.0), angle_of(sine, cosine) / select(small, number<L>(1.0), sine));
  return x * factor;
}
template <class L>
Vec3<L> choose(L test, Vec3<L> a, Vec3<L> b) {  // test > 0: a
  const auto yes = test > 0.0;
  return {select(yes, a.x, b.x), select(yes, a.y, b.y), select(yes, a.z, b.z)};
}
// x, but where sine and cosine say half a turn: π about `axis`, whose length does not matter
template <class L>
Vec3<L> or_half_turn(Vec3<L> x, L sine, L cosine, Vec3<L> axis) {
  const L half = select(sine < 1e-7, -cosine, number<L>(-1.0));
  return choose(half, axis * (3.14159265358979323846 / root(dot(axis, axis))), x);
}
template <class L>
Vec3<L> rotation_vector(const Mat3<L>& R) {
  const Vec3<L> x = Vec3<L>{R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x} * 0.5;
  const L sine = root(dot(x, x)), cosine = (R.x.x + R.y.y + R.z.z - 1.0) * 0.5;
  // half a turn: the longest column of R + 1, which is 2 a a*
  const Vec3<L> a = {R.x.x + 1.0, R.x.y, R.x.z}, b = {R.y.x, R.y.y + 1.0, R.y.z}, c = {R.z.x, R.z.y, R.z.z + 1.0};
  const Vec3<L> ab = choose(R.x.x - R.y.y, a, b);
  const Vec3<L> axis = choose(dot(ab, ab) - dot(c, c), ab, c);
  return or_half_turn(scaled_turn(x, sine, cosine), sine, cosine, axis);
}
template <class L>
Vec3<L> between(Vec3<L> a, Vec3<L> b) {
  const Vec3<L> x = cross(a, b);
  const L sine = root(dot(x, x)), cosine = dot(a, b), o = L{};
  const Vec3<L> across = choose(0.5 - a.x * a.x, Vec3<L>{o, a.z, -a.y}, Vec3<L>{-a.z, o, a.x});
  return or_half_turn(scaled_turn(x, sine, cosine), sine, cosine, across);
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
