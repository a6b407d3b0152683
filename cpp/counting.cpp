// counting.cpp: how many flops a kernel needs: the same source, run on a number that counts its operations.
//
// A product, a sum, a quotient and a root count one each (a fused multiply-add therefore two); changes of sign,
// comparisons, choices and constants count nothing.
#define PHIPSI_ISA counting
#include "batch.hpp"
#include "lanes.hpp"

#include <memory>

namespace phipsi {
namespace counting {

struct Counted {
  double x;
  static thread_local int64_t flops;
};
thread_local int64_t Counted::flops = 0;

inline double plain(Counted a) { return a.x; }
inline double plain(double a) { return a; }
inline Counted counted(double x) {
  ++Counted::flops;
  return {x};
}
#define PHIPSI_COUNT(op) \
  inline Counted operator op(Counted a, Counted b) { return counted(a.x op b.x); } \
  inline Counted operator op(Counted a, double b) { return counted(a.x op b); } \
  inline Counted operator op(double a, Counted b) { return counted(a op b.x); }
PHIPSI_COUNT(+)
PHIPSI_COUNT(-)
PHIPSI_COUNT(*)
PHIPSI_COUNT(/)
#undef PHIPSI_COUNT
inline Counted operator-(Counted a) { return {-a.x}; }
inline bool operator<(Counted a, Counted b) { return a.x < b.x; }
inline bool operator<=(Counted a, Counted b) { return a.x <= b.x; }
inline bool operator>(Counted a, Counted b) { return a.x > b.x; }
inline bool operator==(Counted a, Counted b) { return a.x == b.x; }

template <>
inline Counted number<Counted>(double x) {
  return {x};
}
inline Counted select(bool mask, Counted a, Counted b) { return mask ? a : b; }
inline Counted absolute(Counted a) { return {fabs(a.x)}; }
inline Counted root(Counted a) { return counted(sqrt(a.x)); }
inline Counted angle_of(Counted s, Counted c) { return counted(atan2(s.x, c.x)); }
inline void sincos_of(Counted x, Counted& s, Counted& c) {
  const Counted turns = (x * trig::two_over_pi + trig::shifter) - trig::shifter;
  trig::polynomials(trig::reduce(x, turns), s, c);
  s.x = sin(x.x);
  c.x = cos(x.x);
}

}  // namespace counting
}  // namespace phipsi

#include "forward_dynamics.hpp"
#include "inverse_dynamics.hpp"
#include "mass_matrix.hpp"

namespace phipsi {

namespace {
template <class K>
int64_t count(const Tree& tree, const BatchCall& call) {
  using counting::Counted;
  counting::Arena sizes{nullptr};
  (void)typename K::template Work<Counted>(sizes, tree);
  std::unique_ptr<char[]> memory(new char[sizes.used + 1]);
  std::unique_ptr<Counted[]> in[most_inputs], out[most_outputs];
  counting::Call<Counted> c = {};
  for (int i = 0; i < most_inputs; ++i) {
    if (!call.in[i]) continue;
    in[i].reset(new Counted[call.in_width[i] + 1]);
    for (int64_t j = 0; j < call.in_width[i]; ++j) in[i][j] = {call.in[i][j]};
    c.in[i] = in[i].get();
  }
  for (int i = 0; i < most_outputs; ++i) {
    if (call.out_width[i] == 0) continue;
    out[i].reset(new Counted[call.out_width[i] + 1]);
    c.out[i] = out[i].get();
  }
  c.work = memory.get();
  c.request = &call.request;
  Counted::flops = 0;
  K::run(tree, c);
  return Counted::flops;
}
}  // namespace

int64_t count_flops(KernelId id, const Tree& tree, const BatchCall& one_state) {
  switch (id) {
    case KernelId::InverseDynamics: return count<counting::InverseDynamics>(tree, one_state);
    case KernelId::ForwardDynamics: return count<counting::ForwardDynamics>(tree, one_state);
    case KernelId::MassMatrix: return count<counting::MassMatrix>(tree, one_state);
    default: return -1;
  }
}

}  // namespace phipsi
