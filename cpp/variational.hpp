// variational.hpp: the stepper that keeps energy and momentum: discrete mechanics with the midpoint's Lagrangian.
//
//   L_d(q0, q1) = h L(q_m, ξ),  q1 = q0 exp(hξ),  q_m = q0 exp(hξ/2)
//   μ = M(q_m) ξ,  F = ∂L/∂q at q_m (ξ fixed) + forces,  X = hξ/2,  G = dexp*(-X) F,  π = μ + h/2 G
//   p0 + h Ad*(exp -X) F = dexp⁻¹*(hξ) π           solved for ξ by ξ += M(q_m)⁻¹ residual
//   p1 = Ad*(exp hξ) [p0 + h Ad*(exp -X) F]        exact for whatever ξ
// Joints with q̇ = v: p0 = μ - h/2 F, p1 = p0 + h F. Free joints turn in SO(3) and go straight. The momenta of free and
// spherical joints are kept in the parent's frame, where nothing but a force changes them: that of a free base cannot
// drift. Symplectic, of order two, and what is symmetric is conserved.
#pragma once

#include "acting.hpp"
#include "forward_dynamics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// ---- covectors of a group of motions: ⟨y, [x, z]⟩ = ⟨co_bracket(x, y), z⟩ -----------------------------------------

template <class L>
PHIPSI_HOT Vec6<L> co_bracket(Vec6<L> x, Vec6<L> y) {
  return {cross(y.w, x.w) + cross(y.v, x.v), cross(y.v, x.w)};
}

// Σ (-ad*x)^k y / (k + 1)!
template <class L>
PHIPSI_HOT Vec6<L> co_dexp_minus(Vec6<L> x, Vec6<L> y) {
  Vec6<L> sum = y, power = y;
  for (int k = 1; k <= 12; ++k) {
    power = co_bracket(x, power) * (-1.0 / (k + 1));
    sum += power;
    if (!any(dot(power, power) > dot(sum, sum) * 1e-34)) break;
  }
  return sum;
}

// The inverse of dexp, Σ B_k/k! (ad*x)^k: as ad (ad² + t²)² = 0 for a turn by t, its even part is 1 + α ad² + β ad⁴.
template <class L>
PHIPSI_HOT Vec6<L> co_dexp_inverse(Vec6<L> x, Vec6<L> y) {
  const L t2 = dot(x.w, x.w);
  constexpr double f1 = 1.0 / 12, f2 = -1.0 / 720, f3 = 1.0 / 30240, f4 = -1.0 / 1209600, f5 = 1.0 / 47900160,
                   f6 = -691.0 / 1307674368000, f7 = 1.0 / 74724249600;
  const L t4 = t2 * t2;
  const L alpha = f1 - t4 * (f3 - t2 * (2 * f4 - t2 * (3 * f5 - t2 * (4 * f6 - t2 * (5 * f7)))));
  const L beta = f2 - t2 * (2 * f3 - t2 * (3 * f4 - t2 * (4 * f5 - t2 * (5 * f6 - t2 * (6 * f7)))));
  const Vec6<L> once = co_bracket(x, y), twice = co_bracket(x, once);
  const Vec6<L> fourth = co_bracket(x, co_bracket(x, twice));
  Vec6<L> sum = y;
  sum += once * -0.5;
  sum += twice * alpha;
  sum += fourth * beta;
  return sum;
}

// Ad*(exp x) y
template <class L>
PHIPSI_HOT Vec6<L> co_adjoint(Vec6<L> x, Vec6<L> y) {
  Quaternion<L> turn;
  Vec3<L> shift;
  exponential(x.w, x.v, turn, shift);
  const Mat3<L> R = matrix_of(turn);
  return {transposed_times(R, y.w - cross(shift, y.v)), transposed_times(R, y.v)};
}

// ---- μ = M ξ and F = ∂L/∂q, two sweeps ----------------------------------------------------------------------------

template <class L>
struct Momenta {
  Place<L>* place;
  Vec6<L>*H, *V, *A, *momentum, *force;  // A: the motion that the parent hands on
  Momenta(Arena& arena, const Tree& t)
      : place(arena.take<Place<L>>(t.n)),
        H(arena.take<Vec6<L>>(t.columns)),
        V(arena.take<Vec6<L>>(t.n)),
        A(arena.take<Vec6<L>>(t.n)),
        momentum(arena.take<Vec6<L>>(t.n)),
        force(arena.take<Vec6<L>>(t.n)) {}

  PHIPSI_HOT void outward(const Tree& t, int k, const L* q, const L* xi, const L* f_ext) {
    const Body& b = t.body[k];
    cross_joint(t, b, q, place, H, place[k], [&](auto map, const Mat3<L>& R, Vec3<L> l) PHIPSI_INLINE {
      A[k] = b.parent < 0 ? zero6<L>() : shift_motion(l, V[b.parent]);
      V[k] = A[k];
      V[k] += map.spread(xi + b.v);
      const RigidInertia<L> M = inertia_in_world(b, R);
      const Vec3<L> g = constant3<L>(t.gravity);
      momentum[k] = M * V[k];
      force[k] = {cross(M.mc, g), g * b.mass};
      if (f_ext) force[k] += vec6_at(f_ext + 6 * k);
    });
  }

  void sweep(const Tree& t, const L* q, const L* xi, const L* f_ext, L* mu, L* F) {
    for (int k = 0; k < t.n; ++k) outward(t, k, q, xi, f_ext);
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      const Vec6<L> turned = co_bracket(A[k], momentum[k]) + force[k];
      with_map(b, place[k].R, H, [&](auto map) PHIPSI_INLINE {
        map.collect(momentum[k], mu + b.v);
        if (F) map.collect(turned, F + b.v);
      });
      if (F && b.kind == kind_Universal) {  // its first axis is carried around by the second angle
        const Vec6<L>* h = H + b.column;
        F[b.v + 1] = F[b.v + 1] + dot(momentum[k].w, cross(h[0].w, h[1].w)) * xi[b.v];
      }
      if (b.parent < 0) continue;
      momentum[b.parent] += shift_force(place[k].l, momentum[k]);
      force[b.parent] += shift_force(place[k].l, force[k]);
    }
    if (t.rooted)
      for (int i = 0; i < t.nv; ++i) mu[i] = mu[i] + xi[i] * t.armature[i];
  }
};

// ---- one step -----------------------------------------------------------------------------------------------------

template <class L>
struct Midpoint {
  Momenta<L> momenta;
  L *p, *xi, *last, *older, *omega, *mu, *F, *residual, *delta, *before, *moved;
  L* world;  // momenta of bodies that float, in the world: nothing but a force changes them, not even rounding
  Midpoint(Arena& arena, const Tree& t)
      : momenta(arena, t),
        p(arena.take<L>(t.nv)),
        xi(arena.take<L>(t.nv)),
        last(arena.take<L>(t.nv)),
        older(arena.take<L>(t.nv)),
        omega(arena.take<L>(t.nv)),
        mu(arena.take<L>(t.nv)),
        F(arena.take<L>(t.nv)),
        residual(arena.take<L>(t.nv)),
        delta(arena.take<L>(t.nv)),
        before(arena.take<L>(t.nv)),
        moved(arena.take<L>(t.nv)),
        world(arena.take<L>(t.nv)) {}

  // Joints with q = [quaternion, position]: their momentum is kept in the parent's frame, about its origin
  PHIPSI_HOT static bool floats(const Body& b) { return b.kind == kind_Free || b.kind == kind_Spherical; }
  PHIPSI_HOT static Mat3<L> turned(const Body& b, const L* q) { return matrix_of(quaternion_at(q + b.q)); }
  PHIPSI_HOT static Vec3<L> place(const Body& b, const L* q) {
    return b.kind == kind_Free ? Vec3<L>{q[b.q + 4], q[b.q + 5], q[b.q + 6]} : zero3<L>();
  }
  PHIPSI_HOT static Vec6<L> to_world(const Body& b, const L* q, Vec6<L> y) {
    const Mat3<L> R = turned(b, q);
    const Vec3<L> force = R * y.v;
    return {R * y.w + cross(place(b, q), force), force};
  }
  void keep_in_world(const Tree& t, const L* q) {
    for (int k = 0; k < t.n; ++k)
      if (floats(t.body[k])) add_world(t, t.body[k], to_world(t.body[k], q, covector(t, t.body[k], p)), false);
  }
  PHIPSI_HOT void add_world(const Tree& t, const Body& b, Vec6<L> y, bool add) {
    const double* columns = group_columns(t, b);
    for (int i = 0; i < b.nv; ++i) world[b.v + i] = (add ? world[b.v + i] : L{}) + lowered(columns + 6 * i, y);
  }
  void bring_from_world(const Tree& t, const L* q) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      if (!floats(b)) continue;
      const Vec6<L> y = covector(t, b, world);
      const Mat3<L> R = turned(b, q);
      const Vec6<L> own = {transposed_times(R, y.w - cross(place(b, q), y.v)), transposed_times(R, y.v)};
      const double* columns = group_columns(t, b);
      for (int i = 0; i < b.nv; ++i) p[b.v + i] = lowered(columns + 6 * i, own);
    }
  }
  PHIPSI_HOT static Vec6<L> covector(const Tree& t, const Body& b, const L* y) {
    return lifted(group_rows(t, b), b.nv, y + b.v);
  }

  // q_m; a free body goes straight while it turns: x_m = x0 + h/2 R_m v, so that its speed does not stir its spin
  void half(const Tree& t, double h, const L* q, L* out) {
    for (int i = 0; i < t.nv; ++i) omega[i] = xi[i] * (0.5 * h);
    step_along(t, q, omega, out);
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      if (b.kind != kind_Free) continue;
      const Vec3<L> x = place(b, q) + turned(b, out) * Vec3<L>{omega[b.v + 3], omega[b.v + 4], omega[b.v + 5]};
      out[b.q + 4] = x.x, out[b.q + 5] = x.y, out[b.q + 6] = x.z;
    }
  }
  // q0 → q1, in place
  void whole(const Tree& t, double h, const L* middle, L* q) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      L x[3] = {};
      if (b.kind == kind_Free)
        for (int i = 0; i < 3; ++i) x[i] = middle[b.q + 4 + i] * 2.0 - q[b.q + 4 + i];
      for (int i = b.v; i < b.v + b.nv; ++i) omega[i] = xi[i] * h;
      with_joint(b.kind, [&](auto joint) PHIPSI_INLINE {
        joint.step(b, t.fixed_columns + 6 * b.v, q + b.q, omega + b.v, q + b.q);
      });
      if (b.kind == kind_Free)
        for (int i = 0; i < 3; ++i) q[b.q + 4 + i] = x[i];
    }
  }

  // What remains of p0's equation; with `out`, p1 too (in `world` of joints that float). middle: q_m
  void balance(const Tree& t, double h, const L* middle, L* out) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      if (!in_group(b)) {
        for (int i = b.v; i < b.v + b.nv; ++i) {
          residual[i] = p[i] + F[i] * (0.5 * h) - mu[i];
          if (out) out[i] = p[i] + F[i] * h;
        }
        continue;
      }
      if (out && floats(b)) {
        add_world(t, b, to_world(b, middle, covector(t, b, F) * h), true);
        continue;
      }
      const Vec6<L> X = lifted(group_columns(t, b), b.nv, xi + b.v) * (0.5 * h), m = covector(t, b, mu);
      const Vec6<L> f = covector(t, b, F), own = covector(t, b, p);
      if (b.kind == kind_Free)
        free_balance(b, h, middle, X, m, f, own);
      else
        group_balance(t, b, h, X, m, f, own, out);
    }
  }

  void group_balance(const Tree& t, const Body& b, double h, Vec6<L> X, Vec6<L> m, Vec6<L> f, Vec6<L> own, L* out) {
    const double* columns = group_columns(t, b);
    const Vec6<L> G = co_dexp_minus(X, f), pushed = own + (f - co_bracket(X, G)) * h, turn = X * 2.0;
    const Vec6<L> rest = pushed - co_dexp_inverse(turn, m + G * (0.5 * h));
    for (int i = 0; i < b.nv; ++i) residual[b.v + i] = lowered(columns + 6 * i, rest);
    if (!out) return;
    const Vec6<L> after = co_adjoint(turn, pushed);
    for (int i = 0; i < b.nv; ++i) out[b.v + i] = lowered(columns + 6 * i, after);
  }

  // Turning is a group's motion under the moment F + μ_v × v; going straight is not.
  void free_balance(const Body& b, double h, const L* middle, Vec6<L> X, Vec6<L> m, Vec6<L> f, Vec6<L> own) {
    const Vec3<L> v = {xi[b.v + 3], xi[b.v + 4], xi[b.v + 5]}, none = zero3<L>();
    const Vec6<L> turn = {X.w, none}, moment = {f.w + cross(m.v, v), none};
    const Vec6<L> G = co_dexp_minus(turn, moment);
    const Vec6<L> pushed = Vec6<L>{own.w, none} + (moment - co_bracket(turn, G)) * h;
    const Vec6<L> rest = pushed - co_dexp_inverse(turn * 2.0, Vec6<L>{m.w, none} + G * (0.5 * h));
    const Vec3<L> force = vec3_of(world + b.v + 3);
    const Vec3<L> straight = transposed_times(turned(b, middle), force) + f.v * (0.5 * h) - m.v;
    put_vec6(residual + b.v, Vec6<L>{rest.w, straight});
  }
  PHIPSI_HOT static Vec3<L> vec3_of(const L* x) { return {x[0], x[1], x[2]}; }

  // x = M(q)⁻¹ b
  void solve(const Tree& t, const L* q, const L* b, L* x, char* work, L& singular) {
    Call<L> c = {};
    c.in[0] = q, c.in[2] = b;
    c.out[0] = x;
    c.work = work;
    MassSolve::run(t, c);
    singular = select(singular != L{}, singular, c.singular);
  }

  // ξ += δ, mixed with the last step so that the part they have in common cancels (Anderson's, of depth one).
  void mix(const Tree& t, bool second, L active) {
    L along = L{}, change = L{};
    if (second)
      for (int i = 0; i < t.nv; ++i) {
        const L d = delta[i] - before[i];
        along = along + delta[i] * d;
        change = change + d * d;
      }
    const L zero = L{}, tiny = number<L>(1e-300);
    const L share = between(select(change > tiny, along / select(change > tiny, change, tiny), zero), -2.0, 2.0);
    for (int i = 0; i < t.nv; ++i) {
      const L step = delta[i] - (second ? (moved[i] + delta[i] - before[i]) * share : zero);
      before[i] = delta[i];
      moved[i] = step;
      xi[i] = select(active > number<L>(0.5), xi[i] + step, xi[i]);
    }
  }

  PHIPSI_HOT L square(const Tree& t, const L* x) {
    L sum = L{};
    for (int i = 0; i < t.nv; ++i) sum = sum + x[i] * x[i];
    return sum;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
