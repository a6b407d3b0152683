// least_norm.hpp: A x = b with A symmetric and not negative: by L D L* where A is regular, else the least x there is.
//
// In lanes all states are eliminated alike, without pivoting; a state that looks singular is done again by itself. Without
// pivoting, small eigenvalues may hide in several pivots that are only fairly small, so two probes w are sent along: if
// S = A scaled to a unit diagonal has a small eigenvalue λ with vector u, w* S⁻¹ w is at least (u·w)²/λ. By itself: pivots by the part of their diagonal that is left (no unit is preferred), Q R of the factor,
// x = Q R⁻* R⁻¹ Q* b, and one refinement.
#pragma once

#include "kinematics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

inline constexpr double suspicious_part = 1e-6;  // of the diagonal: a pivot below is looked at with care
inline constexpr double dependent_part = 1e-12;  // below, at least: the row is a combination of the others
inline constexpr double suspicious_probe = 1e5;  // w* S⁻¹ w above: looked at with care
inline constexpr double still_part =
    1e-24;  // of what both ends do by themselves: their motion relative to each other is rounding
inline constexpr double stuck_part = 1e-20;  // of the largest diagonal: nothing moves in this direction

// Numbers between -1.5 and 1.5, none of them near zero, with no pattern that a mechanism could have
PHIPSI_HOT double probe_number(int i, int which) {
  const double turns = (i + 1) * (which == 0 ? 0.61803398874989485 : 0.41421356237309505);
  const double part = turns - (int64_t)turns;
  return part < 0.5 ? part - 1.5 : part + 0.5;
}

// The square root to a few per cent, for numbers that are not negative: half the exponent
PHIPSI_HOT vec rough_root(vec x) { return (vec)(((ivec)x >> 1) + INT64_C(0x1ff7a3bea91d9b1b)); }
PHIPSI_HOT double rough_root(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits >> 1) + INT64_C(0x1ff7a3bea91d9b1b);
  memcpy(&x, &bits, sizeof bits);
  return x;
}

// One state: memory for m rows, 3 m² + 5 m numbers.
struct OneLeastNorm {
  double *A, *F, *R, *b, *left, *y, *z, *still;
  int32_t* order;
  int m = 0, rank = 0;
  double dependent = dependent_part;

  OneLeastNorm(Arena& arena, int64_t rows)
      : A(arena.take<double>(rows * rows)),
        F(arena.take<double>(rows * rows)),
        R(arena.take<double>(rows * rows)),
        b(arena.take<double>(rows)),
        left(arena.take<double>(rows)),
        y(arena.take<double>(rows)),
        z(arena.take<double>(rows)),
        still(arena.take<double>(rows)),
        order(arena.take<int32_t>(2 * ((rows + 1) / 2))) {}

  // A = F F*, F: m × rank; rows stay where they are, columns come in the order of the pivots
  void factor() {
    double largest = 0;
    for (int i = 0; i < m; ++i) {
      left[i] = A[i * m + i];
      if (left[i] > largest) largest = left[i];
      order[i] = 0;  // 1: taken
    }
    for (rank = 0; rank < m; ++rank) {
      int best = -1;
      double part = dependent;
      for (int i = 0; i < m; ++i) {
        const double all = A[i * m + i];
        if (order[i] || !(all > stuck_part * largest) || !(all > still[i]) || !(left[i] > part * all)) continue;
        part = left[i] / all;
        best = i;
      }
      if (best < 0) return;
      order[best] = 1;
      const double root = sqrt(left[best]);
      for (int i = 0; i < m; ++i) {
        double x = A[i * m + best];
        for (int k = 0; k < rank; ++k) x -= F[i * m + k] * F[best * m + k];
        x /= root;
        F[i * m + rank] = order[i] && i != best ? 0.0 : x;
        if (i != best) left[i] -= x * x;
      }
      F[best * m + rank] = root;
    }
  }
  // F ← Q, R: modified Gram-Schmidt, twice
  void orthogonalise() {
    for (int i = 0; i < rank * rank; ++i) R[i] = 0;
    for (int j = 0; j < rank; ++j) {
      for (int round = 0; round < 2; ++round)
        for (int k = 0; k < j; ++k) {
          double sum = 0;
          for (int i = 0; i < m; ++i) sum += F[i * m + k] * F[i * m + j];
          for (int i = 0; i < m; ++i) F[i * m + j] -= sum * F[i * m + k];
          R[k * rank + j] += sum;
        }
      double sum = 0;
      for (int i = 0; i < m; ++i) sum += F[i * m + j] * F[i * m + j];
      const double length = sqrt(sum);
      R[j * rank + j] = length;
      for (int i = 0; i < m; ++i) F[i * m + j] /= length;
    }
  }
  // x += Q R⁻* R⁻¹ Q* r, with A = Q (R R*) Q*
  void add_solution(const double* r, double* x) {
    for (int k = 0; k < rank; ++k) {
      double sum = 0;
      for (int i = 0; i < m; ++i) sum += F[i * m + k] * r[i];
      y[k] = sum;
    }
    for (int k = rank - 1; k >= 0; --k) {
      for (int j = k + 1; j < rank; ++j) y[k] -= R[k * rank + j] * y[j];
      y[k] /= R[k * rank + k];
    }
    for (int k = 0; k < rank; ++k) {
      for (int j = 0; j < k; ++j) y[k] -= R[j * rank + k] * y[j];
      y[k] /= R[k * rank + k];
    }
    for (int i = 0; i < m; ++i)
      for (int k = 0; k < rank; ++k) x[i] += F[i * m + k] * y[k];
  }
  // b → x
  void solve(double* x) {
    factor();
    orthogonalise();
    for (int i = 0; i < m; ++i) x[i] = 0;
    add_solution(b, x);
    for (int i = 0; i < m; ++i) {
      double sum = b[i];
      for (int k = 0; k < m; ++k) sum -= A[i * m + k] * x[k];
      z[i] = sum;
    }
    add_solution(z, x);
  }
};

template <class L>
struct LeastNorm {
  L *factor, *d_inverse, *probe;
  double* one_x;
  OneLeastNorm one;

  LeastNorm(Arena& arena, int64_t rows)
      : factor(arena.take<L>(rows * rows)),
        d_inverse(arena.take<L>(rows)),
        probe(arena.take<L>(2 * rows)),
        one_x(arena.take<double>(rows)),
        one(arena, rows) {}

  // entry(i, j): A, j <= i;  still: diagonals that are rounding;  dependent(): below which part of its diagonal a pivot is taken for zero.  Returns the rank.
  template <class E, class D>
  L solve(E&& entry, const L* still, D&& dependent, int m, const L* b, L* x) {
    L suspicious = L{}, felt[2] = {};
    for (int i = 0; i < m; ++i) {  // row by row: A = F diag(d) F*
      L* Fi = factor + (int64_t)i * m;
      L d = entry(i, i);
      const L scale = rough_root(d);
      suspicious = select(d <= still[i], number<L>(1.0), suspicious);
      L sent[2] = {scale * probe_number(i, 0), scale * probe_number(i, 1)};
      const L limit = d * suspicious_part;
      L y = b[i];
      for (int j = 0; j < i; ++j) {
        const L* Fj = factor + (int64_t)j * m;
        L sum = entry(i, j);
        for (int k = 0; k < j; ++k) sum = sum - Fi[k] * Fj[k];
        Fi[j] = sum;  // times d(j), until the row is done
      }
      for (int j = 0; j < i; ++j) {
        const L scaled = Fi[j] * d_inverse[j];
        d = d - scaled * Fi[j];
        Fi[j] = scaled;
      }
      // the sums above need rows scaled once: F(j, k) of finished rows is, F(i, k) of this one was times d(k)
      suspicious = select(d <= limit, number<L>(1.0), suspicious);
      d_inverse[i] = 1.0 / d;
      for (int j = 0; j < i; ++j) {
        y = y - Fi[j] * x[j];
        sent[0] = sent[0] - Fi[j] * probe[2 * j];
        sent[1] = sent[1] - Fi[j] * probe[2 * j + 1];
      }
      x[i] = y;
      for (int e = 0; e < 2; ++e) {
        probe[2 * i + e] = sent[e];
        felt[e] = felt[e] + sent[e] * sent[e] * d_inverse[i];
      }
    }
    for (int i = m - 1; i >= 0; --i) {
      x[i] = x[i] * d_inverse[i];
      for (int j = i + 1; j < m; ++j) x[i] = x[i] - factor[(int64_t)j * m + i] * x[j];
    }
    for (const L& e : felt) suspicious = select(e > suspicious_probe, number<L>(1.0), suspicious);
    L rank = number<L>(m);
    if (__builtin_expect(any(suspicious != L{}), 0)) carefully(entry, still, dependent(), m, b, x, suspicious, rank);
    return rank;
  }

 private:
  static double lane(double x, int) { return x; }
  static double lane(vec x, int s) { return x[s]; }
  static void put(double& x, int, double value) { x = value; }
  static void put(vec& x, int s, double value) { x[s] = value; }

  template <class E>
  void carefully(E&& entry, const L* still, L dependent, int m, const L* b, L* x, L suspicious, L& rank) {
    one.m = m;
    for (int s = 0; s < lanes_of<L>; ++s) {
      if (lane(suspicious, s) == 0.0) continue;
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) one.A[i * m + j] = one.A[j * m + i] = lane(entry(i, j), s);
        one.b[i] = lane(b[i], s);
        one.still[i] = lane(still[i], s);
      }
      one.dependent = lane(dependent, s);
      one.solve(one_x);
      for (int i = 0; i < m; ++i) put(x[i], s, one_x[i]);
      put(rank, s, one.rank);
    }
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
