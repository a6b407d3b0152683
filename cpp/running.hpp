// running.hpp: carries a kernel out, state by state or in lanes: what every kernels*.cpp instantiates.
#pragma once

#include "kernels.hpp"
#include "kinematics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// What a thread needs for kernel K: most plan for the tree alone, some for what the call asks of it too.
template <class K, class L>
size_t work_bytes(const Tree& t, const Request& request) {
  Arena arena{nullptr};
  if constexpr (requires { K::template plan<L>(arena, t, request); })
    (void)K::template plan<L>(arena, t, request);
  else if constexpr (requires { K::template plan<L>(arena, t); })
    (void)K::template plan<L>(arena, t);
  else
    (void)typename K::template Work<L>(arena, t);
  return arena.used;
}

template <class K>
size_t memory(const Tree& t, const BatchCall& call, bool lanes) {
  if (!lanes) return work_bytes<K, double>(t, call.request);
  size_t numbers = 0;
  for (int i = 0; i < most_inputs; ++i)
    if (call.in[i]) numbers += call.in_width[i];
  for (int i = 0; i < most_outputs; ++i)
    if (call.out[i]) numbers += call.out_width[i] * (call.streaming ? 2 : 1);
  if (call.mask) numbers += t.nv;
  return numbers * sizeof(vec) + work_bytes<K, vec>(t, call.request);
}

// A state that has no answer answers NaN, whoever asked for it; the caller decides whether that is an error.
inline void report(const BatchCall& call, int64_t state, int body, Singular& singular) {
  if (singular.count == 0 || state < singular.first) {
    singular.first = state;
    singular.body = body;
  }
  ++singular.count;
  for (int i = 0; i < most_outputs; ++i)
    if (call.out[i])
      for (int64_t j = 0; j < call.out_width[i]; ++j) call.out[i][state * call.out_width[i] + j] = NAN;
}

template <class K>
void one_state(const Tree& t, const BatchCall& call, int64_t state, void* memory, Singular& singular) {
  Call<double> c = {};
  for (int i = 0; i < most_inputs; ++i) c.in[i] = call.in[i] ? call.in[i] + state * call.in_stride[i] : nullptr;
  for (int i = 0; i < most_outputs; ++i) c.out[i] = call.out[i] ? call.out[i] + state * call.out_width[i] : nullptr;
  c.flags = call.mask ? call.mask + state * call.mask_stride : call.request.passive;
  c.work = memory;
  c.request = &call.request;
  K::run(t, c);
  if (__builtin_expect(c.singular != 0.0, 0)) report(call, state, (int)c.singular - 1, singular);
}

// Results that will not stay in the caches anyway are put together beside the lanes and sent past the caches.
inline void deliver(vec* columns, int64_t width, int states, double* rows, bool streaming) {
  if (!streaming) return unpack(columns, width, states, rows);
  double* staged = reinterpret_cast<double*>(columns + width);
  unpack(columns, width, states, staged);
  stream(staged, width * states, rows);
}

inline bool same_mask(const Tree& t, const BatchCall& call, int64_t state, int states) {
  const uint8_t* first = call.mask + state * call.mask_stride;
  for (int s = 1; s < states && call.mask_stride != 0; ++s)
    if (memcmp(first, first + s * call.mask_stride, t.nv) != 0) return false;
  return true;
}

// W states (or the `states` that are left), gathered into lanes and back
template <class K>
void one_block(const Tree& t, const BatchCall& call, int64_t state, int states, void* memory, Singular& singular) {
  Arena arena{static_cast<char*>(memory)};
  Call<vec> c = {};
  vec* out[most_outputs] = {};
  for (int i = 0; i < most_inputs; ++i) {
    if (!call.in[i]) continue;
    vec* columns = arena.take<vec>(call.in_width[i]);
    pack(call.in[i] + state * call.in_stride[i], call.in_stride[i], states, call.in_width[i], columns);
    c.in[i] = columns;
  }
  if (call.mask && !same_mask(t, call, state, states)) {
    vec* columns = arena.take<vec>(t.nv);
    pack(call.mask + state * call.mask_stride, call.mask_stride, states, t.nv, columns);
    c.mask = columns;
  } else {
    c.flags = call.mask ? call.mask + state * call.mask_stride : call.request.passive;
  }
  for (int i = 0; i < most_outputs; ++i)
    if (call.out[i]) c.out[i] = out[i] = arena.take<vec>(call.out_width[i] * (call.streaming ? 2 : 1));
  c.work = arena.base + arena.used;
  c.request = &call.request;
  K::run(t, c);
  for (int i = 0; i < most_outputs; ++i)
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

// Kernels of the list PHIPSI_KERNELS_APART: PHIPSI_DEFINE_KERNEL(K) in the file that instantiates K.
#define X(K) Kernel make_##K();
PHIPSI_KERNELS_APART(X)
#undef X
#define PHIPSI_DEFINE_KERNEL(K) \
  Kernel make_##K() { return {K::name, memory<K>, run<K>}; }

}  // namespace PHIPSI_ISA
}  // namespace phipsi
