// operational.hpp: Λ⁻¹ = B* ψ* H* D⁻¹ H ψ B of several frames: how they yield to forces on them, also where Λ is singular.
//
// The paths from the base to the frames meet at junctions. Between two of them ψ is one 6 × 6 block, made by walking
// the path once; Υ at the junctions comes along. Then for bodies i, j of frames whose paths part at c,
//   Ω(i, j) = ψ*(c, i) Υ(c) ψ(c, j)                                                                [JR95f 33] [JR95f G1]
// hops from junction to junction: O(n) for P, D, G, O(m depth) at most for the paths, O(m²) for the blocks.
#pragma once

#include "frames.hpp"
#include "freed.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// Bodies that carry frames and bodies where their paths to the base meet: parents first, at most 2 m - 1.
struct Junctions {
  int32_t *at, *body, *parent,
      *path;  // of a body: its junction, -1: none; of a junction: its body, the next one inward
  int32_t count = 0;

  Junctions(Arena& arena, const Tree& t, int frames)
      : at(arena.take<int32_t>(t.n)),
        body(arena.take<int32_t>(2 * frames + 1)),
        parent(arena.take<int32_t>(2 * frames + 1)),
        path(arena.take<int32_t>(t.n)) {}

  void find(const Tree& t, const Request& request) {
    for (int k = 0; k < t.n; ++k) at[k] = -1;
    int32_t* arriving = path;  // paths that arrive at a body, two meaning two or more
    for (int k = 0; k < t.n; ++k) arriving[k] = 0;
    for (int i = 0; i < request.frame_count; ++i)
      if (request.frames[i].body >= 0) at[request.frames[i].body] = 0;
    for (int k = t.n - 1; k >= 0; --k) {
      if (arriving[k] > 1) at[k] = 0;
      const int p = t.body[k].parent;
      if (p >= 0 && (at[k] == 0 || arriving[k] == 1)) ++arriving[p];
    }
    count = 0;
    for (int k = 0; k < t.n; ++k)
      if (at[k] == 0) {
        body[count] = k;
        int p = t.body[k].parent;
        while (p >= 0 && at[p] < 0) p = t.body[p].parent;
        parent[count] = p < 0 ? -1 : at[p];
        at[k] = count++;
      }
  }

  // Bodies after the junction's parent up to its own, outward: path[0 .. length-1]
  int walk(const Tree& t, int j) {
    const int stop = parent[j] < 0 ? -1 : body[parent[j]];
    int length = 0;
    for (int k = body[j]; k != stop; k = t.body[k].parent) path[length++] = k;
    for (int i = 0; i < length / 2; ++i) {
      const int32_t other = path[length - 1 - i];
      path[length - 1 - i] = path[i];
      path[i] = other;
    }
    return length;
  }
};

template <class L>
struct OperationalArm {
  Compliance<L>* Y;  // Υ at the junctions
  Vec6<L>*step, *X;  // of a junction, six columns: ψ* from its parent's motion to its own; Ω(junction, u) for one u
  FreedArm<L> arm;
  Junctions junctions;

  OperationalArm(Arena& arena, const Tree& t, const Request& request)
      : Y(arena.take<Compliance<L>>(2 * request.frame_count)),
        step(arena.take<Vec6<L>>(12 * request.frame_count)),
        X(arena.take<Vec6<L>>(12 * request.frame_count)),
        arm(arena, t),
        junctions(arena, t, request.frame_count) {}

  // P, D, G, and then ψ and Υ along the paths of the frames
  void prepare(const Tree& t, const L* q, const Request& request, L& singular) {
    arm.stand(t, q, request.passive);
    arm.articulate(t, singular, [](int, const ArticulatedInertia<L>&) {});
    junctions.find(t, request);
    for (int j = 0; j < junctions.count; ++j) {
      const int length = junctions.walk(t, j), from = junctions.parent[j];
      Compliance<L> own = from < 0 ? Compliance<L>{} : Y[from];
      for (int i = 0; i < length; ++i) arm.yield_at(t, junctions.path[i], own);
      Y[j] = own;
      if (from >= 0) go(t, length, step + 6 * j);
    }
  }

  void go(const Tree& t, int length, Vec6<L>* x) const {
    for (int c = 0; c < 6; ++c) x[c] = unit(c);
    for (int i = 0; i < length; ++i) {
      const int k = junctions.path[i];
      arm.with_free(t, k, [&](auto map) PHIPSI_INLINE {
        for (int c = 0; c < 6; ++c) {
          x[c] = shift_motion(arm.place[k].l, x[c]);
          pass(map, arm.gain + t.body[k].v, x[c]);
        }
      });
    }
  }

  PHIPSI_HOT static Vec6<L> unit(int c) {
    L e[6] = {};
    e[c] = number<L>(1.0);
    return vec6_at(e);
  }
  // The columns of a 6 × 6 block, weighted
  PHIPSI_HOT static Vec6<L> sum(const Vec6<L>* columns, Vec6<L> x) {
    return columns[0] * x.w.x + columns[1] * x.w.y + columns[2] * x.w.z + columns[3] * x.v.x + columns[4] * x.v.y +
           columns[5] * x.v.z;
  }
  PHIPSI_HOT static Vec6<L> collect(const Vec6<L>* columns, Vec6<L> f) {
    return {{dot(columns[0], f), dot(columns[1], f), dot(columns[2], f)},
            {dot(columns[3], f), dot(columns[4], f), dot(columns[5], f)}};
  }

  // X(j) = Ω(j, u) for every junction j
  void answer(int u) {
    for (int j = 0; j < junctions.count; ++j) junctions.path[j] = 0;
    Vec6<L> f[6];
    for (int c = 0; c < 6; ++c) f[c] = unit(c);
    for (int j = u; j >= 0; j = junctions.parent[j]) {  // forces ψ(j, u) on the way to the base
      junctions.path[j] = 1;
      for (int c = 0; c < 6; ++c) {
        X[6 * j + c] = Y[j] * f[c];
        if (junctions.parent[j] >= 0) f[c] = collect(step + 6 * j, f[c]);
      }
    }
    for (int j = 0; j < junctions.count; ++j) {
      if (junctions.path[j]) continue;
      const int p = junctions.parent[j];
      for (int c = 0; c < 6; ++c) X[6 * j + c] = p < 0 ? zero6<L>() : sum(step + 6 * j, X[6 * p + c]);
    }
  }

  PHIPSI_HOT Vec3<L> offset(const Request& frame) const { return arm.place[frame.body].R * vec3_at(frame.position); }

  // out: 6m × 6m
  void compliance(const Request& request, L* out) {
    const int64_t m = request.frame_count, width = 6 * m;
    for (int64_t i = 0; i < width * width; ++i) out[i] = L{};
    int u = -1;
    for (int64_t j = 0; j < m; ++j) {
      const Request& pushed = request.frames[j];
      if (pushed.body < 0) continue;
      if (junctions.at[pushed.body] != u) answer(u = junctions.at[pushed.body]);
      const Vec3<L> r = offset(pushed);
      for (int64_t i = j; i < m; ++i) {
        const Request& seen = request.frames[i];
        if (seen.body < 0) continue;
        const Vec6<L>* columns = X + 6 * junctions.at[seen.body];
        const Vec3<L> s = offset(seen);
        for (int c = 0; c < 6; ++c) {
          L x[6];
          put_vec6(x, shift_motion(s, sum(columns, shift_force(r, unit(c)))));
          for (int e = i == j ? c : 0; e < 6; ++e)
            out[(6 * i + e) * width + 6 * j + c] = out[(6 * j + c) * width + 6 * i + e] = x[e];
        }
      }
    }
  }
};

// in: q;  out: Λ⁻¹ (6m × 6m) of the m frames of the request, for forces and motions at their origins, world axes
struct OperationalSpaceCompliance {
  static constexpr const char* name = "operational_space_compliance";
  template <class L>
  static OperationalArm<L> plan(Arena& arena, const Tree& t, const Request& request) {
    return OperationalArm<L>(arena, t, request);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    OperationalArm<L> w = plan<L>(arena, t, *c.request);
    L singular = L{};
    w.prepare(t, c.in[0], *c.request, singular);
    w.compliance(*c.request, c.out[0]);
    c.singular = singular;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
