// diagonal_whole.hpp: spherical and translational joints without rotors, taken out whole where only ξ is asked for.
//
// H* is then R in one half and nothing in the other, so that G* = R* [1, K] for a spherical joint, K = J⁻¹ C, and
// G* = R* [K, 1] for a translational one, K = M⁻¹ C*: D is never formed, and P⁺ has the other half alone, T - C* K.
// "own" is the half that the joint moves, "other" the one it does not.
#pragma once

#include "riccati.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// P as the joint sees it: [[own, c], [c*, other]], c by columns
template <class L>
struct Halves {
  Sym3<L> own, other;
  Mat3<L> c;
};
template <bool linear, class L>
PHIPSI_HOT Halves<L> halves_of(const ArticulatedInertia<L>& P) {
  if constexpr (linear)
    return {P.M, P.J, {P.Cx, P.Cy, P.Cz}};
  else
    return {P.J, P.M, transposed(Mat3<L>{P.Cx, P.Cy, P.Cz})};
}
template <bool linear, class L>
PHIPSI_HOT ArticulatedInertia<L> of_other(const Sym3<L>& other) {
  ArticulatedInertia<L> P{};
  (linear ? P.J : P.M) = other;
  return P;
}
template <bool linear, class L>
PHIPSI_HOT Vec3<L>& own_half(Vec6<L>& x) {
  return linear ? x.v : x.w;
}
template <bool linear, class L>
PHIPSI_HOT Vec3<L>& other_half(Vec6<L>& x) {
  return linear ? x.w : x.v;
}

// S = L diag(d) L*, and K = S⁻¹ c
template <class L>
struct WholeGain {
  L yx, zx, zy, d_inverse[3];
  Mat3<L> K;

  PHIPSI_HOT void factor(const Sym3<L>& S, int body, L& singular) {
    const L size = trace(S);  // what pivots must stand out from grows as in eliminate(DenseMap)
    require_positive(S.xx, size, body, singular);
    d_inverse[0] = 1.0 / S.xx;
    yx = S.xy * d_inverse[0], zx = S.xz * d_inverse[0];
    const L yy = S.yy - yx * S.xy, yz = S.yz - yx * S.xz, size_y = size + yx * yx * size;
    require_positive(yy, size_y, body, singular);
    d_inverse[1] = 1.0 / yy;
    zy = yz * d_inverse[1];
    const L zz = S.zz - zx * S.xz - zy * yz;
    require_positive(zz, size + zx * zx * size + zy * zy * size_y, body, singular);
    d_inverse[2] = 1.0 / zz;
  }
  PHIPSI_HOT Vec3<L> solve(Vec3<L> f) const {
    const L y = f.y - yx * f.x, z = (f.z - zx * f.x - zy * y) * d_inverse[2], v = y * d_inverse[1] - zy * z;
    return {f.x * d_inverse[0] - yx * v - zx * z, v, z};
  }
};

// S - a* b - b* a, which is symmetric
template <class L>
PHIPSI_HOT Sym3<L> less_both(const Sym3<L>& S, const Mat3<L>& a, const Mat3<L>& b) {
  return {S.xx - 2.0 * dot(a.x, b.x),           S.yy - 2.0 * dot(a.y, b.y),
          S.zz - 2.0 * dot(a.z, b.z),           S.xy - dot(a.x, b.y) - dot(a.y, b.x),
          S.xz - dot(a.x, b.z) - dot(a.z, b.x), S.yz - dot(a.y, b.z) - dot(a.z, b.y)};
}

// P⁺ = T - c* K
template <bool linear, class L>
[[gnu::noinline]] void eliminate_whole(ArticulatedInertia<L>& P, int body, WholeGain<L>& gain, L& singular) {
  const auto [own, other, c] = halves_of<linear>(P);
  gain.factor(own, body, singular);
  const Mat3<L> K = {gain.solve(c.x), gain.solve(c.y), gain.solve(c.z)};
  P = of_other<linear>(Sym3<L>{other.xx - dot(c.x, K.x), other.yy - dot(c.y, K.y), other.zz - dot(c.z, K.z),
                               other.xy - dot(c.x, K.y), other.xz - dot(c.x, K.z), other.yz - dot(c.y, K.z)});
  gain.K = K;
}

// v = ξ - G* V⁺; V⁺ becomes V
template <bool linear, class L>
PHIPSI_HOT void smooth_whole(const Mat3<L>& R, const WholeGain<L>& gain, const L* xi, Vec6<L>& V, L* v) {
  const Vec3<L> own = R * Vec3<L>{xi[0], xi[1], xi[2]} - gain.K * other_half<linear>(V);
  const Vec3<L> rates = transposed_times(R, own - own_half<linear>(V));
  own_half<linear>(V) = own;
  v[0] = rates.x, v[1] = rates.y, v[2] = rates.z;
}

// Is it one of them? On a robot without rotors, and for joints that have none on a robot with.
template <bool plain>
PHIPSI_HOT bool whole(const Tree& t, const Body& b) {
  if (!plain || (b.kind != kind_Spherical && b.kind != kind_Translational)) return false;
  const double* armature = t.armature + b.v;
  return !t.rooted || (armature[0] == 0.0 && armature[1] == 0.0 && armature[2] == 0.0);
}
// f(a constant): true for a translational joint
struct Angular {
  static constexpr bool linear = false;
};
struct Linear {
  static constexpr bool linear = true;
};
template <class F>
PHIPSI_HOT void with_half(const Body& b, F&& f) {
  if (b.kind == kind_Translational)
    f(Linear{});
  else
    f(Angular{});
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
