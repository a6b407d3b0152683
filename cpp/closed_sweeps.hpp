// closed_sweeps.hpp: what closed chains are made of: where loops meet, what their rows push, Ω = Y D⁻¹ Y*, and what forces do.
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
#include "turns.hpp"

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

  // All that comes before the forces: kinematics, the articulated bodies, and the pushes of the loops' rows.
  void prepare(const L* q, const L* v, const L* tau, const L* f_ext, L& singular) {
    outward(q, v);
    meet();
    w.s.factor = w.factor;
    Sweeps::inward(t, tau, f_ext, w.s, singular);
    for (int i = 0; i < c.loops; ++i) {
      weigh(i);
      send(i);
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
  template <class F>
  PHIPSI_HOT void ask(F&& of_loop) {
    for (int i = 0; i < c.loops; ++i) {
      const Vec6<L> x = of_loop(i);
      for (int r = c.loop[i].first; r < c.loop[i].first + c.loop[i].rows; ++r) w.right[r] = -dot(w.row[r], x);
    }
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

}  // namespace PHIPSI_ISA
}  // namespace phipsi
