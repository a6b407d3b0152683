// small_systems.hpp: regular symmetric systems of a few unknowns, and whether they look regular (if not: least_norm.hpp).
#pragma once

#include "least_norm.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

inline constexpr int most_probed = 6;

// A = F diag(d) F*, in place; rows `wide` apart. Up to `most_probed` of them are probed for near dependence.
template <class L>
void factor_small(L* A, L* d_inverse, int n, int wide, L& suspicious) {
  L probe[2 * most_probed], felt[2] = {};  // as in least_norm.hpp
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
    if (n > most_probed) continue;
    for (int e = 0; e < 2; ++e) {
      for (int j = 0; j < i; ++j) sent[e] = sent[e] - A[i * wide + j] * probe[2 * j + e];
      probe[2 * i + e] = sent[e];
      felt[e] = felt[e] + sent[e] * sent[e] * d_inverse[i];
    }
  }
  for (const L& e : felt) suspicious = select(e > suspicious_probe, number<L>(1.0), suspicious);
}
template <class L>
void solve_small(const L* A, const L* d_inverse, int n, int wide, L* x, int step) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) x[i * step] = x[i * step] - A[i * wide + j] * x[j * step];
  for (int i = n - 1; i >= 0; --i) {
    x[i * step] = x[i * step] * d_inverse[i];
    for (int j = i + 1; j < n; ++j) x[i * step] = x[i * step] - A[j * wide + i] * x[j * step];
  }
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
