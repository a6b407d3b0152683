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

#define PHIPSI_STRING_(x) #x
#define PHIPSI_STRING(x) PHIPSI_STRING_(x)

namespace phipsi {
namespace PHIPSI_ISA {

namespace {

template <class K, class L>
size_t work_bytes(const Tree& t) {
  Arena arena{nullptr};
  if constexpr (requires { K::template plan<L>(arena, t); })
    (void)K::template plan<L>(arena, t);
  else
    (void)typename K::template Work<L>(arena, t);
  return arena.used;
}

template <class K>
size_t memory(const Tree& t, const BatchCall& call, bool lanes) {
  if (!lanes) return work_bytes<K, double>(t);
  size_t numbers = 0;
  for (int i = 0; i < 4; ++i)
    if (call.in[i]) numbers += call.in_width[i];
  for (int i = 0; i < 2; ++i)
    if (call.out[i]) numbers += call.out_width[i] * (call.streaming ? 2 : 1);
  return numbers * sizeof(vec) + work_bytes<K, vec>(t);
}

// A state that has no answer answers NaN, whoever asked for it; the caller decides whether that is an error.
void report(const BatchCall& call, int64_t state, int body, Singular& singular) {
  if (singular.count == 0 || state < singular.first) {
    singular.first = state;
    singular.body = body;
  }
  ++singular.count;
  for (int i = 0; i < 2; ++i)
    if (call.out[i])
      for (int64_t j = 0; j < call.out_width[i]; ++j) call.out[i][state * call.out_width[i] + j] = NAN;
}

template <class K>
void one_state(const Tree& t, const BatchCall& call, int64_t state, void* memory, Singular& singular) {
  Call<double> c = {};
  for (int i = 0; i < 4; ++i) c.in[i] = call.in[i] ? call.in[i] + state * call.in_stride[i] : nullptr;
  for (int i = 0; i < 2; ++i) c.out[i] = call.out[i] ? call.out[i] + state * call.out_width[i] : nullptr;
  c.work = memory;
  c.request = &call.request;
  K::run(t, c);
  if (__builtin_expect(c.singular != 0.0, 0)) report(call, state, (int)c.singular - 1, singular);
}

// Results that will not stay in the caches anyway are put together beside the lanes and sent past the caches.
void deliver(vec* columns, int64_t width, int states, double* rows, bool streaming) {
  if (!streaming) return unpack(columns, width, states, rows);
  double* staged = reinterpret_cast<double*>(columns + width);
  unpack(columns, width, states, staged);
  stream(staged, width * states, rows);
}

// W states (or the `states` that are left), gathered into lanes and back
template <class K>
void one_block(const Tree& t, const BatchCall& call, int64_t state, int states, void* memory, Singular& singular) {
  Arena arena{static_cast<char*>(memory)};
  Call<vec> c = {};
  vec* out[2] = {};
  for (int i = 0; i < 4; ++i) {
    if (!call.in[i]) continue;
    vec* columns = arena.take<vec>(call.in_width[i]);
    pack(call.in[i] + state * call.in_stride[i], call.in_stride[i], states, call.in_width[i], columns);
    c.in[i] = columns;
  }
  for (int i = 0; i < 2; ++i)
    if (call.out[i]) c.out[i] = out[i] = arena.take<vec>(call.out_width[i] * (call.streaming ? 2 : 1));
  c.work = arena.base + arena.used;
  c.request = &call.request;
  K::run(t, c);
  for (int i = 0; i < 2; ++i)
    if (out[i]) deliver(out[i], call.out_width[i], states, call.out[i] + state * call.out_width[i], call.streaming);
  if (__builtin_expect(any(c.singular != vec{}), 0))
    for (int s = 0; s < states; ++s)
      if (c.singular[s] != 0.0) report(call, state + s, (int)c.singular[s] - 1, singular);
}

template <class K>
void run(const Tree& t, const BatchCall& call, int64_t first, int64_t last, void* memory, bool lanes, Singular& found) {
  if (!lanes)
    for (int64_t state = first; state < last; ++state) one_state<K>(t, call, state, memory, found);
  else
    for (int64_t state = first; state < last; state += W)
      one_block<K>(t, call, state, last - state < W ? (int)(last - state) : W, memory, found);
  if (call.streaming) stream_end();
}

const Kernel kernels[] = {
#define X(K) {K::name, memory<K>, run<K>},
    PHIPSI_KERNELS(X)
#undef X
};

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
  static const InstructionSet set = {PHIPSI_STRING(PHIPSI_ISA), W, streams, supported, kernels, multiply_add,
                                     2.0 * chains * W};
  return set;
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
