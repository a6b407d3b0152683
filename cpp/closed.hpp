// closed.hpp: closed chains: Ω = J M⁻¹ J* from articulated sweeps, Ω f = what closure asks for, and what f does. (RK88 II)
//
//   M⁻¹ = [1-HψK]* D⁻¹ [1-HψK], so Ω = Y D⁻¹ Y* with Y* = [1-HψK] J*: a row of J is a pair of unit forces at the contact,
//   which travel from the two bodies to the world, through joints that are free to move; at each joint they leave their
//   push y = h·F and pass on F - G y. All rows of a loop travel together. Two loops share what is on both their ways.
//   A change of forces f then changes q̈ by ν = D⁻¹ Y* f on the ways and one smoothing sweep outward.
//
// L = double: the rows of a loop lie side by side in lanes (X = vec). L = vec: states do, and X is one row.
#pragma once

#include "closure.hpp"
#include "forward_dynamics.hpp"
#include "least_norm.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

inline constexpr int most_loop_rows = 6;
inline constexpr double open_rows_turn = 30;  // how far, at most, an opening of one turns redundant rows apart

template <class L>
struct RowLanes {  // rows of a loop in one X
  static constexpr int width = lanes_of<L> == 1 ? W : 1;
  static constexpr int most = (most_loop_rows + width - 1) / width;
  static int packs(int rows) { return (rows + width - 1) / width; }
};

PHIPSI_HOT Vec6<vec> rows_side_by_side(const Vec6<double>* row, int count) {
  Vec6<vec> out = zero6<vec>();
  for (int i = 0; i < count && i < W; ++i) {
    out.w.x[i] = row[i].w.x, out.w.y[i] = row[i].w.y, out.w.z[i] = row[i].w.z;
    out.v.x[i] = row[i].v.x, out.v.y[i] = row[i].v.y, out.v.z[i] = row[i].v.z;
  }
  return out;
}
PHIPSI_HOT Vec6<vec> rows_side_by_side(const Vec6<vec>* row, int) { return row[0]; }

// The free joint's D = L diag(d) L* in halves: y = L⁻¹ F, and back: L⁻* y
template <class L, class X>
PHIPSI_HOT void free_push(const FreeFactor<L>& factor, const Vec6<X>& f, X (&y)[6]) {
  y[0] = f.v.x, y[1] = f.v.y, y[2] = f.v.z, y[3] = f.w.x, y[4] = f.w.y, y[5] = f.w.z;
#pragma GCC unroll 6
  for (int i = 1; i < 6; ++i)
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) y[i] = y[i] - y[j] * factor.lower[i * (i - 1) / 2 + j];
}
template <class L>
PHIPSI_HOT Vec6<L> free_yield(const FreeFactor<L>& factor, const L* push) {
  L y[6];
#pragma GCC unroll 6
  for (int i = 5; i >= 0; --i) {
    y[i] = push[i] * factor.d_inverse[i];
#pragma GCC unroll 6
    for (int j = i + 1; j < 6; ++j) y[i] = y[i] - y[j] * factor.lower[j * (j - 1) / 2 + i];
  }
  return {{y[3], y[4], y[5]}, {y[0], y[1], y[2]}};
}

// Where a loop's ends are: axes, the point, and the ends' points from their bodies' origins.
template <class L>
struct MeetingPoint {
  Mat3<L> R;
  Vec3<L> point, tip, contact;  // world; the tip's origin, the object's contact point
};

template <class L>
struct ClosedWork {
  vec* Y;  // pushes, loop by loop: dofs × packs
  vec* Omega;  // rows × columns in packs
  typename ForwardSweeps<true>::template Work<L> s;
  Vec3<L>*position, *u;  // of O_k, and its velocity
  FreeFactor<L>* factor;
  MeetingPoint<L>* at;
  Vec6<L>* row;  // locked directions, world axes
  L *right, *f, *still, *push, *change;  // still: what of Ω's diagonal is rounding
  L *Lambda, *reach, *common, *common_inverse, *pull;  // loop by loop: own blocks, Λ⁻¹ U, S; see solve_by_loops
  LeastNorm<L> solver;  // its last arrays are plain numbers, which lanes' alignment must not meet
  int64_t* first_push;
  int32_t* column;  // of each row in Omega

  static int64_t pushes(const Closure& c) {
    int64_t sum = 0;
    for (int i = 0; i < c.loops; ++i) sum += (int64_t)c.loop[i].dofs * RowLanes<L>::packs(c.loop[i].rows);
    return sum;
  }
  static int64_t columns(const Closure& c) {
    int64_t sum = 0;
    for (int i = 0; i < c.loops; ++i) sum += RowLanes<L>::packs(c.loop[i].rows);
    return sum;
  }

  ClosedWork(Arena& arena, const Tree& t, const Closure& c)
      : Y(arena.take<vec>(pushes(c))),
        Omega(arena.take<vec>(c.rows * columns(c))),
        s(arena, t),
        position(arena.take<Vec3<L>>(t.n)),
        u(arena.take<Vec3<L>>(t.n)),
        factor(arena.take<FreeFactor<L>>(t.columns / 6 + 1)),
        at(arena.take<MeetingPoint<L>>(c.loops)),
        row(arena.take<Vec6<L>>(c.rows)),
        right(arena.take<L>(c.rows)),
        f(arena.take<L>(c.rows)),
        still(arena.take<L>(c.rows)),
        push(arena.take<L>(t.nv)),
        change(arena.take<L>(t.nv)),
        Lambda(arena.take<L>(c.by_loops ? 42 * c.loops : 0)),
        reach(arena.take<L>(c.by_loops ? (int64_t)c.rows * c.shared : 0)),
        common(arena.take<L>(c.by_loops ? (int64_t)c.shared * c.shared : 0)),
        common_inverse(arena.take<L>(c.by_loops ? c.shared : 0)),
        pull(arena.take<L>(c.by_loops ? c.shared : 0)),
        solver(arena, c.rows),
        first_push(arena.take<int64_t>(c.loops)),
        column(arena.take<int32_t>(c.rows)) {}
};

template <class L>
struct ClosedSweeps {
  using Sweeps = ForwardSweeps<true>;
  static constexpr int width = RowLanes<L>::width;
  const Tree& t;
  const Closure& c;
  ClosedWork<L>& w;
  int64_t stride;  // X's a row of Omega

  ClosedSweeps(const Tree& tree, const Closure& closure, ClosedWork<L>& work)
      : t(tree), c(closure), w(work), stride(ClosedWork<L>::columns(closure)) {
    int64_t pushes = 0;
    int32_t pack = 0;
    for (int i = 0; i < c.loops; ++i) {
      const ClosureLoop& loop = c.loop[i];
      const int packs = RowLanes<L>::packs(loop.rows);
      w.first_push[i] = pushes;
      pushes += (int64_t)loop.dofs * packs;
      for (int r = 0; r < loop.rows; ++r) w.column[loop.first + r] = pack * width + r;
      pack += packs;
    }
  }

  // ---- base → tips: places, velocities, a(k) ----------------------------------------------------------------------
  void outward(const L* q, const L* v) {
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      const bool root = b.parent < 0;
      const Vec3<L> wp = root ? zero3<L>() : w.s.w[b.parent];
      cross_joint(t, b, q, w.s.place, w.s.H, w.s.place[k], [&](auto map, const Mat3<L>&, Vec3<L> l) PHIPSI_INLINE {
        const auto d = map.spread(v + b.v);
        const Vec3<L> here = wp + d.w;
        const Vec3<L> l_dot = cross(wp, l) + d.v;
        w.s.w[k] = here;
        w.s.a[k] = velocity_product(wp, here, l, d);
        w.u[k] = root ? l_dot : w.u[b.parent] + l_dot;
        w.position[k] = root ? l : w.position[b.parent] + l;
      });
      add_joint_bias(b, w.s.H, v + b.v, w.s.a[k]);
    }
  }

  // ---- where the loops are ------------------------------------------------------------------------------------------
  Mat3<L> rotation(const Request& frame) const {
    const Mat3<double> own = mat3_at(frame.rotation);
    return frame.body < 0 ? identity3<L>() * own : w.s.place[frame.body].R * own;
  }
  Vec3<L> origin(const Request& frame) const {
    if (frame.body < 0) return constant3<L>(frame.position);
    return w.position[frame.body] + w.s.place[frame.body].R * vec3_at(frame.position);
  }
  Vec3<L> body_origin(int body) const { return body < 0 ? zero3<L>() : w.position[body]; }

  void meet() {
    for (int i = 0; i < c.loops; ++i) {
      const ClosureLoop& loop = c.loop[i];
      MeetingPoint<L>& at = w.at[i];
      at.R = rotation(loop.by_tip ? loop.tip : loop.object);
      at.tip = origin(loop.tip);
      at.contact = origin(loop.closed);
      at.point = loop.by_tip ? at.contact : at.tip;
      for (int r = 0; r < loop.rows; ++r) {
        const double* e = loop.locked + 6 * r;
        w.row[loop.first + r] = {at.R * vec3_at(e), at.R * vec3_at(e + 3)};
      }
    }
  }

  // ---- what moves not at all: Ω's diagonal, if the two ends moved by themselves, times the square of rounding -----------
  static L size(Vec3<L> x) {
    return select(x.x < 0.0, -x.x, x.x) + select(x.y < 0.0, -x.y, x.y) + select(x.z < 0.0, -x.z, x.z);
  }
  void weigh(int i) {
    const ClosureLoop& loop = c.loop[i];
    const L reach = size(w.at[i].point);
    L turn = L{}, move = L{};
    const int ends[2] = {loop.tip.body, loop.object.body};
    for (int k : ends)
      while (k >= 0) {
        const Body& b = t.body[k];
        const L arm = reach + size(w.position[k]), square = arm * arm;
        for (int j = 0; j < b.nv; ++j) {
          const L d = d_inverse(b, j);
          switch (b.shape) {
            case Shape::none: break;
            case Shape::angular:
              turn = turn + d;
              move = move + d * square;
              break;
            case Shape::linear: move = move + d; break;
            case Shape::dense: {
              const Vec6<L>& h = w.s.H[b.column + j];
              const L about = d * dot(h.w, h.w);
              turn = turn + about;
              move = move + d * dot(h.v, h.v) + about * square;
              break;
            }
            case Shape::free:
              turn = turn + d;
              move = move + d + d * square;
              break;
          }
        }
        k = b.shape == Shape::free ? -1 : b.parent;
      }
    for (int r = 0; r < loop.rows; ++r) {
      const double* e = loop.locked + 6 * r;
      w.still[loop.first + r] = (e[0] != 0 || e[1] != 0 || e[2] != 0 ? turn : move) * still_part;
    }
  }

  // ---- the pushes of all rows, from the contacts to the world -------------------------------------------------------
  void send(int i) {
    const ClosureLoop& loop = c.loop[i];
    const int packs = RowLanes<L>::packs(loop.rows);
    Vec6<vec> F[2][RowLanes<L>::most];
    int k[2] = {loop.tip.body, loop.object.body};
    for (int end = 0; end < 2; ++end)
      for (int p = 0; p < packs; ++p) {
        F[end][p] = rows_side_by_side(w.row + loop.first + p * width, loop.rows - p * width);
        if (k[end] >= 0) F[end][p] = shift_force(w.at[i].point - w.position[k[end]], F[end][p]);
        if (end == 1) F[end][p] = zero6<vec>() - F[end][p];
      }
    vec* y = w.Y + w.first_push[i];
    while (k[0] >= 0 || k[1] >= 0) {
      if (k[0] == k[1]) {
        for (int p = 0; p < packs; ++p) F[0][p] += F[1][p];
        k[1] = -1;
      }
      const int end = k[0] > k[1] ? 0 : 1;
      const Body& b = t.body[k[end]];
      pass(k[end], F[end], packs, y);
      y += b.nv * packs;
      if (b.shape != Shape::free && b.parent >= 0)
        for (int p = 0; p < packs; ++p) F[end][p] = shift_force(w.s.place[k[end]].l, F[end][p]);
      k[end] = b.shape == Shape::free ? -1 : b.parent;
    }
  }
  PHIPSI_HOT void pass(int k, Vec6<vec>* F, int packs, vec* y) const {
    const Body& b = t.body[k];
    const Gain<L>* gain = w.s.gain + b.v;
    const Vec3<L> z = w.s.place[k].R.z;
    switch (b.shape) {
      case Shape::none: break;
      case Shape::angular:
        for (int p = 0; p < packs; ++p) {
          y[p] = dot(z, F[p].w);
          F[p] = F[p] - Vec6<vec>{gain[0].G.w * y[p], gain[0].G.v * y[p]};
        }
        break;
      case Shape::linear:
        for (int p = 0; p < packs; ++p) {
          y[p] = dot(z, F[p].v);
          F[p] = F[p] - Vec6<vec>{gain[0].G.w * y[p], gain[0].G.v * y[p]};
        }
        break;
      case Shape::dense:
        for (int i = b.nv - 1; i >= 0; --i)
          for (int p = 0; p < packs; ++p) {
            const vec own = dot(w.s.H[b.column + i], F[p]);
            y[i * packs + p] = own;
            F[p] = F[p] - Vec6<vec>{gain[i].G.w * own, gain[i].G.v * own};
          }
        break;
      case Shape::free:
        for (int p = 0; p < packs; ++p) {
          vec own[6];
          free_push(w.factor[b.column / 6], F[p], own);
          for (int i = 0; i < 6; ++i) y[i * packs + p] = own[i];
        }
        break;
    }
  }
  PHIPSI_HOT L d_inverse(const Body& b, int i) const {
    return b.shape == Shape::free ? w.factor[b.column / 6].d_inverse[i] : w.s.gain[b.v + i].d_inverse;
  }

  // ---- Ω = Y D⁻¹ Y*, lower blocks: what is on the ways of both loops --------------------------------------------------
  PHIPSI_HOT L push_of(const vec* y, int r) const {
    if constexpr (lanes_of<L> == 1)
      return reinterpret_cast<const double*>(y)[r];
    else
      return y[r];
  }
  void gather() {
    for (int64_t i = 0; i < c.rows * stride; ++i) w.Omega[i] = vec{};
    for (int x = 0; x < c.bodies; ++x) {
      const Body& b = t.body[c.body[x]];
      for (int m = c.first_step[x]; m < c.first_step[x + 1]; ++m)
        for (int n = c.first_step[x]; n <= m; ++n)
          if (b.nv == 1)
            add<1>(b, c.step[m], c.step[n]);
          else if (b.nv == 6)
            add<6>(b, c.step[m], c.step[n]);
          else
            add<0>(b, c.step[m], c.step[n]);
    }
  }
  template <int known>  // dofs, if the compiler is to know them
  void add(const Body& body, ClosureStep one, ClosureStep other) {
    const int dofs = known > 0 ? known : body.nv;
    const ClosureLoop &a = c.loop[one.loop], &b = c.loop[other.loop];
    const int packs_a = RowLanes<L>::packs(a.rows), packs_b = RowLanes<L>::packs(b.rows);
    const bool own = one.loop == other.loop;
    const vec* ya = w.Y + w.first_push[one.loop] + (int64_t)one.dof * packs_a;
    const vec* yb = w.Y + w.first_push[other.loop] + (int64_t)other.dof * packs_b;
    vec* to = w.Omega + a.first * stride + w.column[b.first] / width;
    L d[6];
#pragma GCC unroll 6
    for (int i = 0; i < dofs; ++i) d[i] = d_inverse(body, i);
    for (int r = 0; r < a.rows; ++r, to += stride) {
      L push[6];
#pragma GCC unroll 6
      for (int i = 0; i < dofs; ++i) push[i] = push_of(ya + i * packs_a, r) * d[i];
      const int last = own ? (r + width) / width : packs_b;  // of a loop with itself, the lower half
      for (int p = 0; p < last; ++p) {
        vec sum = to[p];
#pragma GCC unroll 6
        for (int i = 0; i < dofs; ++i) sum += yb[i * packs_b + p] * push[i];
        to[p] = sum;
      }
    }
  }

  // ---- what closure asks for ------------------------------------------------------------------------------------------
  // The relative motion of rows at a loop, of bodies that move with V (angular w, linear u at their origins).
  PHIPSI_HOT Vec6<L> relative_velocity(int i) const {
    const ClosureLoop& loop = c.loop[i];
    const Vec3<L> p = w.at[i].point;
    const Vec6<L> a = velocity_at(loop.tip.body, p), b = velocity_at(loop.object.body, p);
    return a - b;
  }
  PHIPSI_HOT Vec6<L> velocity_at(int body, Vec3<L> p) const {
    if (body < 0) return zero6<L>();
    return {w.s.w[body], w.u[body] + cross(w.s.w[body], p - w.position[body])};
  }
  PHIPSI_HOT Vec6<L> alpha_of(int body) const {  // less gravity, the world's too
    if (body < 0) return {zero3<L>(), -constant3<L>(t.gravity)};
    return w.s.a[body];
  }

  // d/dt of R* (relative motion), in world axes: [ẋ - ω × x], from the bodies' α
  PHIPSI_HOT Vec6<L> relative_acceleration(int i) const {
    const ClosureLoop& loop = c.loop[i];
    const int seen = loop.by_tip ? loop.object.body : loop.tip.body,
              from = loop.by_tip ? loop.tip.body : loop.object.body;
    const Vec3<L> none = zero3<L>();
    const Vec3<L> w_s = seen < 0 ? none : w.s.w[seen], u_s = seen < 0 ? none : w.u[seen];
    const Vec3<L> w_f = from < 0 ? none : w.s.w[from], u_f = from < 0 ? none : w.u[from];
    const Vec6<L> A_s = alpha_of(seen), A_f = alpha_of(from);
    const Vec3<L> arm = w.at[i].point - body_origin(seen), r = w.at[i].point - body_origin(from);
    const Vec3<L> swing = cross(w_s, arm), r_dot = u_s + swing - u_f;
    const Vec3<L> x_w = w_s - w_f, x_v = r_dot - cross(w_f, r);
    Vec6<L> d = {A_s.w - A_f.w,
                 A_s.v + cross(A_s.w, arm) + cross(w_s, swing) - A_f.v - cross(A_f.w, r) - cross(w_f, r_dot)};
    d = d - Vec6<L>{cross(w_f, x_w), cross(w_f, x_v)};
    return loop.by_tip ? zero6<L>() - d : d;
  }

  // What is missing to closure, world axes: see geometry.py
  Vec6<L> error(int i) const {
    const ClosureLoop& loop = c.loop[i];
    Vec3<L> turn = zero3<L>();
    if (loop.turns == 3) {
      turn = rotation_vector(rotation(loop.tip) * transposed(rotation(loop.closed)));
    } else if (loop.turns == 2) {
      turn = between(rotation(loop.object) * vec3_at(loop.axis_object), rotation(loop.tip) * vec3_at(loop.axis_tip));
    }
    return {turn, w.at[i].tip - w.at[i].contact};
  }
  static Vec3<L> scaled_turn(Vec3<L> x, L sine, L cosine) {
    const auto small = sine < 1e-7;
    const L factor = select(small, number<L>(1.0), angle_of(sine, cosine) / select(small, number<L>(1.0), sine));
    return x * factor;
  }
  static Vec3<L> choose(L test, Vec3<L> a, Vec3<L> b) {  // test > 0: a
    const auto yes = test > 0.0;
    return {select(yes, a.x, b.x), select(yes, a.y, b.y), select(yes, a.z, b.z)};
  }
  // x, but where sine and cosine say half a turn: π about `axis`, whose length does not matter
  static Vec3<L> or_half_turn(Vec3<L> x, L sine, L cosine, Vec3<L> axis) {
    const L half = select(sine < 1e-7, -cosine, number<L>(-1.0));
    return choose(half, axis * (3.14159265358979323846 / root(dot(axis, axis))), x);
  }
  static Vec3<L> rotation_vector(const Mat3<L>& R) {
    const Vec3<L> x = Vec3<L>{R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x} * 0.5;
    const L sine = root(dot(x, x)), cosine = (R.x.x + R.y.y + R.z.z - 1.0) * 0.5;
    // half a turn: the longest column of R + 1, which is 2 a a*
    const Vec3<L> a = {R.x.x + 1.0, R.x.y, R.x.z}, b = {R.y.x, R.y.y + 1.0, R.y.z}, c = {R.z.x, R.z.y, R.z.z + 1.0};
    const Vec3<L> ab = choose(R.x.x - R.y.y, a, b);
    const Vec3<L> axis = choose(dot(ab, ab) - dot(c, c), ab, c);
    return or_half_turn(scaled_turn(x, sine, cosine), sine, cosine, axis);
  }
  static Vec3<L> between(Vec3<L> a, Vec3<L> b) {
    const Vec3<L> x = cross(a, b);
    const L sine = root(dot(x, x)), cosine = dot(a, b), o = L{};
    const Vec3<L> across = choose(0.5 - a.x * a.x, Vec3<L>{o, a.z, -a.y}, Vec3<L>{-a.z, o, a.x});
    return or_half_turn(scaled_turn(x, sine, cosine), sine, cosine, across);
  }

  template <class F>
  PHIPSI_HOT void ask(F&& of_loop) {
    for (int i = 0; i < c.loops; ++i) {
      const Vec6<L> x = of_loop(i);
      for (int r = c.loop[i].first; r < c.loop[i].first + c.loop[i].rows; ++r) w.right[r] = -dot(w.row[r], x);
    }
  }

  // ---- Ω f = right, and what f does -----------------------------------------------------------------------------------
  L solve() {
    if (c.by_loops && solve_by_loops()) return number<L>(c.rows);
    gather();
    const L* entries = reinterpret_cast<const L*>(w.Omega);
    const int64_t wide = stride * width;
    return w.solver.solve([&](int r, int k) PHIPSI_INLINE { return entries[r * wide + w.column[k]]; }, w.still,
                          [&] { return resolution(); }, c.rows, w.right, w.f);
  }

  // Ω = diag[Λ_i] + U Δ U*: Λ_i of what only loop i passes through, U Δ U* of the shared dofs. Where all Λ_i are regular,
  //   f = Λ⁻¹ (r - U w),  S w = U* Λ⁻¹ r,  S = Δ⁻¹ + U* Λ⁻¹ U
  // is O(ℓ): w moves what the loops share, an object and perhaps a base. [RK88 II 6.11, text] [SM03 49]
  bool solve_by_loops() {
    const int s = c.shared;
    for (int i = 0; i < 42 * c.loops; ++i) w.Lambda[i] = L{};
    for (int i = 0; i < s * s; ++i) w.common[i] = L{};
    for (int i = 0; i < s; ++i) w.pull[i] = L{};
    for (int x = 0; x < c.bodies; ++x) {
      const Body& b = t.body[c.body[x]];
      if (c.first_step[x + 1] == c.first_step[x] + 1) add_own(b, c.step[c.first_step[x]]);
    }
    L suspicious = L{};
    for (int i = 0; i < c.loops; ++i) {
      const ClosureLoop& loop = c.loop[i];
      L *A = w.Lambda + 42 * i, *d = A + 36, *f = w.f + loop.first, *B = w.reach + (int64_t)loop.first * s;
      for (int r = 0; r < loop.rows; ++r)
        suspicious = select(A[7 * r] <= w.still[loop.first + r], number<L>(1.0), suspicious);
      factor_small(A, d, loop.rows, 6, suspicious);
      for (int r = 0; r < loop.rows; ++r) f[r] = w.right[loop.first + r];
      solve_small(A, d, loop.rows, 6, f, 1);
      each_share(loop, [&](const ClosureShare&, int column, const vec* y) {
        for (int r = 0; r < loop.rows; ++r) B[r * s + column] = push_of(y, r);
        solve_small(A, d, loop.rows, 6, B + column, s);
      });
      each_share(loop, [&](const ClosureShare&, int row, const vec* y) {
        L sum = L{};
        for (int r = 0; r < loop.rows; ++r) sum = sum + push_of(y, r) * f[r];
        w.pull[row] = w.pull[row] + sum;
        each_share(loop, [&](const ClosureShare&, int column, const vec*) {
          if (column > row) return;
          L product = L{};
          for (int r = 0; r < loop.rows; ++r) product = product + push_of(y, r) * B[r * s + column];
          w.common[row * s + column] = w.common[row * s + column] + product;
        });
      });
    }
    if (any(suspicious != L{})) return false;
    for (int i = 0; i < c.loops; ++i)  // Δ⁻¹, written by every loop that meets the body
      for (int x = 0; x < c.loop[i].shares; ++x) {
        const ClosureShare& share = c.share[c.loop[i].first_share + x];
        const Body& b = t.body[share.body];
        for (int k = 0; k < b.nv; ++k) w.common_inverse[share.column + k] = 1.0 / d_inverse(b, k);
      }
    for (int k = 0; k < s; ++k) w.common[k * s + k] = w.common[k * s + k] + w.common_inverse[k];
    factor_small(w.common, w.common_inverse, s, s, suspicious);
    if (any(suspicious != L{})) return false;
    solve_small(w.common, w.common_inverse, s, s, w.pull, 1);
    for (int i = 0; i < c.loops; ++i) {
      const ClosureLoop& loop = c.loop[i];
      const L* B = w.reach + (int64_t)loop.first * s;
      each_share(loop, [&](const ClosureShare&, int column, const vec*) {
        for (int r = 0; r < loop.rows; ++r)
          w.f[loop.first + r] = w.f[loop.first + r] - B[r * s + column] * w.pull[column];
      });
    }
    return true;
  }
  void add_own(const Body& b, ClosureStep step) {
    const ClosureLoop& loop = c.loop[step.loop];
    const int packs = RowLanes<L>::packs(loop.rows);
    L* A = w.Lambda + 42 * step.loop;
    for (int i = 0; i < b.nv; ++i) {
      const vec* y = w.Y + w.first_push[step.loop] + (int64_t)(step.dof + i) * packs;
      const L d = d_inverse(b, i);
      for (int r = 0; r < loop.rows; ++r) {
        const L own = push_of(y, r) * d;
        for (int k = 0; k <= r; ++k) A[r * 6 + k] = A[r * 6 + k] + own * push_of(y, k);
      }
    }
  }
  template <class F>
  PHIPSI_HOT void each_share(const ClosureLoop& loop, F&& f) const {
    const int i = (int)(&loop - c.loop), packs = RowLanes<L>::packs(loop.rows);
    for (int x = loop.first_share; x < loop.first_share + loop.shares; ++x) {
      const ClosureShare& share = c.share[x];
      for (int k = 0; k < t.body[share.body].nv; ++k)
        f(share, share.column + k, w.Y + w.first_push[i] + (int64_t)(share.dof + k) * packs);
    }
  }
  // A = F diag(d) F*, in place; rows `wide` apart
  static void factor_small(L* A, L* d_inverse, int n, int wide, L& suspicious) {
    L probe[2 * most_loop_rows], felt[2] = {};  // as in least_norm.hpp
    for (int i = 0; i < n; ++i) {
      L d = A[i * wide + i];
      L sent[2] = {rough_root(d) * probe_number(i, 0), rough_root(d) * probe_number(i, 1)};
      const L limit = d * suspicious_part;
      for (int j = 0; j < i; ++j)
        for (int k = 0; k < j; ++k) A[i * wide + j] = A[i * wide + j] - A[i * wide + k] * A[j * wide + k];
      for (int j = 0; j < i; ++j) {
        const L scaled = A[i * wide + j] * d_inverse[j];
        d = d - scaled * A[i * wide + j];
        A[i * wide + j] = scaled;
      }
      suspicious = select(d <= limit, number<L>(1.0), suspicious);
      d_inverse[i] = 1.0 / d;
      if (n > most_loop_rows) continue;
      for (int e = 0; e < 2; ++e) {
        for (int j = 0; j < i; ++j) sent[e] = sent[e] - A[i * wide + j] * probe[2 * j + e];
        probe[2 * i + e] = sent[e];
        felt[e] = felt[e] + sent[e] * sent[e] * d_inverse[i];
      }
    }
    for (const L& e : felt) suspicious = select(e > suspicious_probe, number<L>(1.0), suspicious);
  }
  static void solve_small(const L* A, const L* d_inverse, int n, int wide, L* x, int step) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) x[i * step] = x[i * step] - A[i * wide + j] * x[j * step];
    for (int i = n - 1; i >= 0; --i) {
      x[i * step] = x[i * step] * d_inverse[i];
      for (int j = i + 1; j < n; ++j) x[i * step] = x[i * step] - A[j * wide + i] * x[j * step];
    }
  }

  // How finely the rank can be told: constraints that are redundant where the loops are closed are not quite so where
  // they are open by e (in the stages of a step, say), but independent of each other by no more than about e.
  L resolution() {
    L most = L{};
    for (int i = 0; i < c.loops; ++i) {
      const Vec6<L> x = error(i);
      for (int r = c.loop[i].first; r < c.loop[i].first + c.loop[i].rows; ++r) {
        const L e = dot(w.row[r], x);
        most = select(e * e > most, e * e, most);
      }
    }
    most = most * open_rows_turn * open_rows_turn;
    most = select(most > dependent_part, most, number<L>(dependent_part));
    return select(most < suspicious_part, most, number<L>(suspicious_part));
  }

  // Y* f on the ways, then base → tips: Δq̈ = D⁻¹ Y* f - G* Δα⁺
  void yield(L* change) {
    for (int x = 0; x < c.bodies; ++x) {
      const Body& b = t.body[c.body[x]];
      for (int i = 0; i < b.nv; ++i) {
        L sum = L{};
        for (int m = c.first_step[x]; m < c.first_step[x + 1]; ++m) {
          const ClosureLoop& loop = c.loop[c.step[m].loop];
          const int packs = RowLanes<L>::packs(loop.rows);
          const vec* y = w.Y + w.first_push[c.step[m].loop] + (int64_t)(c.step[m].dof + i) * packs;
          for (int r = 0; r < loop.rows; ++r) sum = sum + push_of(y, r) * w.f[loop.first + r];
        }
        w.push[b.v + i] = sum;
      }
    }
    int x = c.bodies - 1;  // the bodies on the ways, base first
    for (int k = 0; k < t.n; ++k) {
      const Body& b = t.body[k];
      L* out = change + b.v;
      if (!c.touched[k]) {
        for (int i = 0; i < b.nv; ++i) out[i] = L{};
        w.s.a[k] = zero6<L>();
        continue;
      }
      const Place<L>& here = w.s.place[k];
      const bool on_way = x >= 0 && c.body[x] == k;
      if (on_way) --x;
      Vec6<L> alpha = b.parent < 0 ? zero6<L>() : shift_motion(here.l, w.s.a[b.parent]);
      const Gain<L>* gain = w.s.gain + b.v;
      L nu[6] = {};
      if (on_way)
        for (int i = 0; i < b.nv; ++i)
          nu[i] = b.shape == Shape::free ? w.push[b.v + i] : w.push[b.v + i] * gain[i].d_inverse;
      switch (b.shape) {
        case Shape::none: break;
        case Shape::angular: smooth(AngularMap<L>{here.R.z}, gain, nu, alpha, out); break;
        case Shape::linear: smooth(LinearMap<L>{here.R.z}, gain, nu, alpha, out); break;
        case Shape::dense: smooth(DenseMap<L>{w.s.H + b.column, b.nv}, gain, nu, alpha, out); break;
        case Shape::free: {
          const Vec6<L> own = free_yield(w.factor[b.column / 6], nu);
          FreeMap<L>{here.R}.collect(own - alpha, out);
          alpha = own;
          break;
        }
      }
      w.s.a[k] = alpha;
    }
  }
};

// in: q, v, τ, f_ext (null: 0);  out: q̈, f (rows), rank
struct ClosedDynamics {
  static constexpr const char* name = "closed_dynamics";
  template <class L>
  static ClosedWork<L> plan(Arena& arena, const Tree& t, const Request& request) {
    return ClosedWork<L>(arena, t, *request.closure);
  }

  template <class L>
  static void run(const Tree& t, Call<L>& call) {
    Arena arena{static_cast<char*>(call.work)};
    const Closure& c = *call.request->closure;
    ClosedWork<L> w(arena, t, c);
    ClosedSweeps<L> sweeps(t, c, w);
    sweeps.outward(call.in[0], call.in[1]);
    sweeps.meet();
    w.s.factor = w.factor;
    L singular = L{};
    ForwardSweeps<true>::inward(t, call.in[2], call.in[3], w.s, singular);
    ForwardSweeps<true>::outward_again(t, call.out[0], w.s);
    for (int i = 0; i < c.loops; ++i) {
      sweeps.weigh(i);
      sweeps.send(i);
    }
    sweeps.ask([&](int i) PHIPSI_INLINE {
      Vec6<L> x = sweeps.relative_acceleration(i);
      if (c.frequency > 0) {
        x += sweeps.relative_velocity(i) * (2.0 * c.damping * c.frequency);
        x += sweeps.error(i) * (c.frequency * c.frequency);
      }
      return x;
    });
    call.out[2][0] = sweeps.solve();
    sweeps.yield(w.change);
    for (int i = 0; i < t.nv; ++i) call.out[0][i] = call.out[0][i] + w.change[i];
    for (int r = 0; r < c.rows; ++r) call.out[1][r] = w.f[r];
    call.singular = singular;
  }
};

// in: q, v (null: close the positions instead);  out: the least change in the mass metric with J v = 0 (or e = 0, to
// first order), the impulse, the rank, and what was missing
struct ClosedProjection {
  static constexpr const char* name = "closed_projection";
  template <class L>
  static ClosedWork<L> plan(Arena& arena, const Tree& t, const Request& request) {
    return ClosedWork<L>(arena, t, *request.closure);
  }

  template <class L>
  static void run(const Tree& t, Call<L>& call) {
    Arena arena{static_cast<char*>(call.work)};
    const Closure& c = *call.request->closure;
    ClosedWork<L> w(arena, t, c);
    ClosedSweeps<L> sweeps(t, c, w);
    for (int i = 0; i < t.nv; ++i) w.change[i] = w.push[i] = L{};
    sweeps.outward(call.in[0], call.in[1] ? call.in[1] : w.change);
    sweeps.meet();
    w.s.factor = w.factor;
    L singular = L{};
    ForwardSweeps<true>::inward(t, w.push, static_cast<const L*>(nullptr), w.s, singular);
    for (int i = 0; i < c.loops; ++i) {
      sweeps.weigh(i);
      sweeps.send(i);
    }
    const bool moving = call.in[1];
    sweeps.ask([&](int i) PHIPSI_INLINE { return moving ? sweeps.relative_velocity(i) : sweeps.error(i); });
    call.out[2][0] = sweeps.solve();
    sweeps.yield(call.out[0]);
    for (int r = 0; r < c.rows; ++r) {
      call.out[1][r] = w.f[r];
      call.out[3][r] = -w.right[r];
    }
    call.singular = singular;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
