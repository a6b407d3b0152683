// kernels.cpp: instantiates every kernel for one state and for lanes; compiled once per instruction set (PHIPSI_ISA).
#include "kernels.hpp"

#include "coriolis.hpp"
#include "forward_dynamics.hpp"
#include "frames.hpp"
#include "generalized.hpp"
#include "inverse_dynamics.hpp"
#include "inverse_mass_matrix.hpp"
#include "manifold.hpp"
#include "mass_matrix.hpp"
#include "momentum.hpp"
#include "running.hpp"

#define PHIPSI_STRING_(x) #x
#define PHIPSI_STRING(x) PHIPSI_STRING_(x)

namespace phipsi {
namespace PHIPSI_ISA {

namespace {

const Kernel* kernels() {
  static const Kernel list[] = {
#define X(K) {K::name, memory<K>, run<K>},
      PHIPSI_KERNELS(X)
#undef X
#define X(K) make_##K(),
          PHIPSI_KERNELS_APART(X)
#undef X
  };
  return list;
}

// Twelve independent chains keep two units with a latency of four to six cycles busy.
constexpr int chains = 12;
double multiply_add(int64_t rounds) {
  vec x[chains], a = splat(0.999999), b = splat(1e-6);
  for (int i = 0; i < chains; ++i) x[i] = splat(i);
  for (int64_t r = 0; r < rounds; ++r)
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i) x[i] = x[i] * a + b;
  double sum = 0;
  for (int i = 0; i < chains; ++i) sum += x[i][0];
  return sum;
}

bool supported() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#elif defined(__AVX2__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

}  // namespace

const InstructionSet& instruction_set() {
  static const InstructionSet set = {PHIPSI_STRING(PHIPSI_ISA), W, streams, supported, kernels(), multiply_add,
                                     2.0 * chains * W};
  return set;
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
