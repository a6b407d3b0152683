// lanes.hpp: one number, or W of them side by side; the only file that knows SIMD.
//
// Every algorithm is a template over the number type L. L = double computes one state; L = vec computes W states at
// once, lane by lane, with the same source. Lanes run across the batch, so every lane walks the same robot and the
// branches on joint types cost one test per W states.
//
// This file is compiled once per instruction set, inside the namespace PHIPSI_ISA names, so that no inline function of
// one instruction set can be merged with that of another by the linker. Nothing here may call templates of the standard
// library for the same reason.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#ifndef PHIPSI_ISA
#define PHIPSI_ISA baseline
#endif

#define PHIPSI_HOT [[gnu::always_inline]] inline
#define PHIPSI_INLINE __attribute__((always_inline))  // the same for lambdas

namespace phipsi {
namespace PHIPSI_ISA {

#if defined(__AVX512F__)
inline constexpr int W = 8;
#elif defined(__AVX2__)
inline constexpr int W = 4;
#else
inline constexpr int W = 2;
#endif

typedef double vec __attribute__((vector_size(8 * W)));
typedef int64_t ivec __attribute__((vector_size(8 * W)));

template <class L>
inline constexpr int lanes_of = 1;
template <>
inline constexpr int lanes_of<vec> = W;

// ---- loading and storing rows of a batch --------------------------------------------------------------------------

PHIPSI_HOT vec load(const double* p) {
  vec x;
  memcpy(&x, p, sizeof x);
  return x;
}

// Bytes, as numbers.
typedef uint8_t bytes __attribute__((vector_size(W)));
PHIPSI_HOT vec load(const uint8_t* p) {
  bytes x;
  memcpy(&x, p, sizeof x);
  return __builtin_convertvector(x, vec);
}

PHIPSI_HOT void store(double* p, vec x) { memcpy(p, &x, sizeof x); }

PHIPSI_HOT vec splat(double x) { return x - vec{}; }

// A constant as an L.
template <class L>
PHIPSI_HOT L number(double x) {
  return L{x};
}
template <>
PHIPSI_HOT vec number<vec>(double x) {
  return splat(x);
}

// The first `count` numbers at p, zeros behind them; never reads past them.
PHIPSI_HOT vec load_first(const double* p, int count) {
#if defined(__AVX512F__)
  return (vec)_mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1u), p);
#else
  vec x = {};
  for (int i = 0; i < count; ++i) x[i] = p[i];
  return x;
#endif
}

PHIPSI_HOT vec load_first(const uint8_t* p, int count) {
  vec x = {};
  for (int i = 0; i < count; ++i) x[i] = p[i];
  return x;
}

PHIPSI_HOT void store_first(double* p, vec x, int count) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_pd(p, (__mmask8)((1u << count) - 1u), (__m512d)x);
#else
  for (int i = 0; i < count; ++i) p[i] = x[i];
#endif
}

// A W×W transpose by log2(W) rounds of pairwise block exchanges.
PHIPSI_HOT void transpose(vec (&r)[W]) {
#pragma GCC unroll 3
  for (int step = 1; step < W; step *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < W; ++i) {
      if (i & step) continue;
      const vec a = r[i], b = r[i + step];
      ivec low, high;
      for (int e = 0; e < W; ++e) {
        low[e] = (e & step) ? W + e - step : e;
        high[e] = (e & step) ? W + e : e + step;
      }
#if defined(__clang__)
      for (int e = 0; e < W; ++e) {
        r[i][e] = low[e] < W ? a[low[e] % W] : b[low[e] % W];
        r[i + step][e] = high[e] < W ? a[high[e] % W] : b[high[e] % W];
      }
#else
      r[i] = __builtin_shuffle(a, b, low);
      r[i + step] = __builtin_shuffle(a, b, high);
#endif
    }
  }
}

// columns[i] lane s = rows[s * stride + i]: `states` (1..W) rows of `width` numbers become `width` lane vectors.
// Lanes without a state of their own repeat the last one: they compute something valid that nobody stores.
template <class T>
inline void pack(const T* rows, int64_t stride, int states, int64_t width, vec* columns) {
  if (stride == 0) {
    for (int64_t i = 0; i < width; ++i) columns[i] = splat(rows[i]);
    return;
  }
  const T* row[W];
  for (int s = 0; s < W; ++s) row[s] = rows + (s < states ? s : states - 1) * stride;
  vec tile[W];
  for (int64_t next = 0; width >= W && next < width; next += W) {
    const int64_t i = next + W <= width ? next : width - W;  // the last tile ends with the rows
#pragma GCC unroll 8
    for (int s = 0; s < W; ++s) tile[s] = load(row[s] + i);
    transpose(tile);
#pragma GCC unroll 8
    for (int j = 0; j < W; ++j) columns[i + j] = tile[j];
  }
  if (width >= W) return;
  const int count = (int)width;
#pragma GCC unroll 8
  for (int s = 0; s < W; ++s) tile[s] = load_first(row[s], count);
  transpose(tile);
#pragma GCC unroll 8
  for (int j = 0; j < W - 1; ++j)
    if (j < count) columns[j] = tile[j];
}

// The other way round; what the lanes without a state computed is dropped.
inline void unpack(const vec* columns, int64_t width, int states, double* rows) {
  vec tile[W];
  int64_t i = 0;
  for (; i + W <= width; i += W) {
#pragma GCC unroll 8
    for (int j = 0; j < W; ++j) tile[j] = columns[i + j];
    transpose(tile);
#pragma GCC unroll 8
    for (int s = 0; s < W; ++s)
      if (s < states) store(rows + s * width + i, tile[s]);
  }
  if (i == width) return;
  const int count = (int)(width - i);
#pragma GCC unroll 8
  for (int j = 0; j < W; ++j) tile[j] = columns[i + (j < count ? j : 0)];
  transpose(tile);
#pragma GCC unroll 8
  for (int s = 0; s < W; ++s)
    if (s < states) store_first(rows + s * width + i, tile[s], count);
}

// Copies past the caches, for results too large to stay in them: the lines need not be read before they are written.
#if defined(__AVX2__)
inline constexpr bool streams = true;
#else
inline constexpr bool streams = false;
#endif
inline void stream(const double* from, int64_t count, double* to) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i < count && ((uintptr_t)(to + i) & 63) != 0; ++i) to[i] = from[i];
  for (; i + 8 <= count; i += 8) _mm512_stream_pd(to + i, _mm512_loadu_pd(from + i));
#elif defined(__AVX2__)
  for (; i < count && ((uintptr_t)(to + i) & 31) != 0; ++i) to[i] = from[i];
  for (; i + 4 <= count; i += 4) _mm256_stream_pd(to + i, _mm256_loadu_pd(from + i));
#endif
  for (; i < count; ++i) to[i] = from[i];
}
// After streaming, before another thread may look.
inline void stream_end() {
#if defined(__AVX2__)
  _mm_sfence();
#endif
}

// ---- choosing -----------------------------------------------------------------------------------------------------

PHIPSI_HOT bool any(bool mask) { return mask; }

PHIPSI_HOT bool any(ivec mask) {
#if defined(__AVX512F__)
  return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd((__m256d)mask) != 0;
#else
  return (mask[0] | mask[1]) != 0;
#endif
}

// mask ? a : b, lane by lane
PHIPSI_HOT double select(bool mask, double a, double b) { return mask ? a : b; }
PHIPSI_HOT vec select(ivec mask, vec a, vec b) { return mask ? a : b; }

PHIPSI_HOT double absolute(double x) { return fabs(x); }
PHIPSI_HOT vec absolute(vec x) { return (vec)((ivec)x & INT64_MAX); }

PHIPSI_HOT double root(double x) { return sqrt(x); }
PHIPSI_HOT vec root(vec x) {
#if defined(__AVX512F__)
  return (vec)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
  return (vec)_mm256_sqrt_pd((__m256d)x);
#else
  for (int i = 0; i < W; ++i) x[i] = sqrt(x[i]);
  return x;
#endif
}

// atan2 is needed by logarithms only (robot.difference): lane by lane through the C library.
PHIPSI_HOT double angle_of(double sine, double cosine) { return atan2(sine, cosine); }
inline vec angle_of(vec sine, vec cosine) {
  for (int i = 0; i < W; ++i) sine[i] = atan2(sine[i], cosine[i]);
  return sine;
}

// ---- sine and cosine ----------------------------------------------------------------------------------------------
// Cody and Waite's reduction by three parts of pi/2 (33 bits each, so that n times a part is exact for |n| < 2^20),
// then the minimax polynomials of fdlibm's k_sin.c and k_cos.c on [-pi/4, pi/4]; about one ulp. Larger arguments go
// to the C library.

namespace trig {
inline constexpr double limit = 1.0e6, two_over_pi = 6.36619772367581382433e-01, shifter = 6755399441055744.0;
inline constexpr double half_pi_1 = 1.57079632673412561417e+00, half_pi_2 = 6.07710050630396597660e-11,
                        half_pi_3 = 2.02226624879595063154e-21;
inline constexpr double S1 = -1.66666666666666324348e-01, S2 = 8.33333333332248946124e-03,
                        S3 = -1.98412698298579493134e-04, S4 = 2.75573137070700676789e-06,
                        S5 = -2.50507602534068634195e-08, S6 = 1.58969099521155010221e-10;
inline constexpr double C1 = 4.16666666666666019037e-02, C2 = -1.38888888888741095749e-03,
                        C3 = 2.48015872894767294178e-05, C4 = -2.75573143513906633035e-07,
                        C5 = 2.08757232129817482790e-09, C6 = -1.13596475577881948265e-11;

// Summed in pairs (Estrin's scheme): the chain of dependent operations is what a sine costs inside a sweep.
template <class L>
PHIPSI_HOT void polynomials(L r, L& s, L& c) {
  const L z = r * r, z2 = z * z;
  const L sine = (S1 + z * S2) + z2 * ((S3 + z * S4) + z2 * (S5 + z * S6));
  const L cosine = (C1 + z * C2) + z2 * ((C3 + z * C4) + z2 * (C5 + z * C6));
  s = r + r * z * sine;
  c = (1.0 - 0.5 * z) + z2 * cosine;
}

template <class L>
PHIPSI_HOT L reduce(L x, L turns) {
  return ((x - turns * half_pi_1) - turns * half_pi_2) - turns * half_pi_3;
}
}  // namespace trig

// Far from zero (or not a number), and out of the way: x[0] → sine x[1], cosine x[2]
[[gnu::noinline, gnu::cold]] inline void sincos_far(double* x) {
  x[1] = sin(x[0]);
  x[2] = cos(x[0]);
}
[[gnu::noinline, gnu::cold]] inline void sincos_far(vec* x) {
  for (int i = 0; i < W; ++i) {
    if (fabs(x[0][i]) <= trig::limit) continue;  // the lanes near zero have theirs, whoever their neighbours are
    x[1][i] = sin(x[0][i]);
    x[2][i] = cos(x[0][i]);
  }
}

PHIPSI_HOT void sincos_of(double x, double& s, double& c) {
  if (__builtin_expect(!(fabs(x) <= trig::limit), 0)) {
    double far[3] = {x};
    sincos_far(far);
    s = far[1];
    c = far[2];
    return;
  }
  const double shifted = x * trig::two_over_pi + trig::shifter;
  uint64_t quadrant;
  memcpy(&quadrant, &shifted, sizeof quadrant);
  double sr, cr;
  trig::polynomials(trig::reduce(x, shifted - trig::shifter), sr, cr);
  const bool swap = quadrant & 1;
  const double s0 = swap ? cr : sr, c0 = swap ? sr : cr;
  s = (quadrant & 2) ? -s0 : s0;
  c = ((quadrant + 1) & 2) ? -c0 : c0;
}

PHIPSI_HOT void sincos_of(vec x, vec& s, vec& c) {
  const vec shifted = x * trig::two_over_pi + trig::shifter;
  const ivec quadrant = (ivec)shifted;
  vec sr, cr;
  trig::polynomials(trig::reduce(x, shifted - trig::shifter), sr, cr);
  const ivec swap = (quadrant & 1) != 0;
  const vec s0 = select(swap, cr, sr), c0 = select(swap, sr, cr);
  // the sign bit flips in quadrants 2, 3 (sine) and 1, 2 (cosine): bit 1 of the quadrant, moved to the sign's place
  s = (vec)((ivec)s0 ^ ((quadrant & 2) << 62));
  c = (vec)((ivec)c0 ^ (((quadrant + 1) & 2) << 62));
  if (__builtin_expect(any(absolute(x) > splat(trig::limit)), 0)) {
    vec far[3] = {x, s, c};
    sincos_far(far);
    s = far[1];
    c = far[2];
  }
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
