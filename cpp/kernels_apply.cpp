// kernels_apply.cpp: configurations and programs for one state, for lanes of states, and for lanes of columns; compiled
// once per instruction set.
#include "apply.hpp"
#include "operators.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

namespace {

int64_t numbers(const Tree& t, int level, bool lanes) {
  return lanes ? (int64_t)level_numbers<vec>(t, level) : (int64_t)level_numbers<double>(t, level);
}

size_t prepare_memory(const Tree& t, bool lanes) { return ((size_t)t.nq + 1) * (lanes ? sizeof(vec) : sizeof(double)); }

int block_width(const Prepared& p) { return p.lanes ? W : 1; }

void pieces(const Prepared& p, int64_t block, char* (&piece)[3]) {
  for (int i = 0; i < 3; ++i)
    piece[i] = reinterpret_cast<char*>(p.level[i] ? p.level[i] + block * p.numbers[i] * block_width(p) : nullptr);
}

void mark(int64_t state, int body, Singular& found) {
  if (found.count == 0 || state < found.first) {
    found.first = state;
    found.body = body;
  }
  ++found.count;
}

void prepare(const Tree& t, const Prepared& p, int level, int64_t first, int64_t last, void* memory, Singular& found) {
  for (int64_t block = first; block < last; ++block) {
    char* piece[3];
    pieces(p, block, piece);
    const int64_t state = block * block_width(p);
    if (!p.lanes) {
      double singular = 0;
      prepare_block<double>(t, p, level, p.q + state * t.nq, piece, singular);
      if (singular != 0) mark(state, (int)singular - 1, found);
      continue;
    }
    const int states = p.states - state < W ? (int)(p.states - state) : W;
    vec* q = static_cast<vec*>(memory);
    if (level == 0) pack(p.q + state * t.nq, t.nq, states, t.nq, q);
    vec singular = {};
    prepare_block<vec>(t, p, level, q, piece, singular);
    for (int s = 0; s < states; ++s)
      if (singular[s] != 0) mark(state + s, (int)singular[s] - 1, found);
  }
}

// ---- applying -----------------------------------------------------------------------------------------------------

int64_t register_numbers(const Tree& t, const Program& program) {
  int64_t sum = 0;
  for (int r = 0; r < program.registers; ++r) {
    const Space space = static_cast<Space>(program.space[r]);
    sum += space == Space::bodies ? 6 * (int64_t)t.n : space == Space::joints ? t.nv : 6 * (int64_t)program.frames;
  }
  return sum;
}

// One configuration and several vectors: the lanes are vectors.
bool lanes_are_columns(const Prepared& p, const ApplyCall& call) {
  return p.states == 1 && call.states * call.columns > 1;
}

int64_t apply_blocks(const Prepared& p, const ApplyCall& call) {
  if (lanes_are_columns(p, call))
    return call.columns == 1 ? (call.states + W - 1) / W : call.states * ((call.columns + W - 1) / W);
  return (call.states + block_width(p) - 1) / block_width(p);
}

size_t apply_memory(const Tree& t, const Prepared& p, const Program& program, const ApplyCall& call) {
  const bool vectors = p.lanes || lanes_are_columns(p, call);
  const int64_t ends = p.lanes ? (call.x_width + call.y_width) * call.columns : call.x_width + call.y_width;
  return (register_numbers(t, program) + ends) * (vectors ? sizeof(vec) : sizeof(double)) +
         (size_t)program.registers * sizeof(void*) + 64;
}

// Registers and the executor for one block.
template <class L, class X>
struct Bench {
  X** reg;
  Arena arena;
  Bench(const Tree& t, const Program& program, void* memory) : arena{static_cast<char*>(memory)} {
    X* begin = arena.take<X>(register_numbers(t, program));
    reg = reinterpret_cast<X**>(arena.take<char>(((size_t)program.registers * sizeof(void*) + 63) / 64 * 64));
    for (int r = 0; r < program.registers; ++r) {
      reg[r] = begin;
      const Space space = static_cast<Space>(program.space[r]);
      begin += space == Space::bodies ? 6 * (int64_t)t.n : space == Space::joints ? t.nv : 6 * (int64_t)program.frames;
    }
  }
  void run(const Tree& t, const Prepared& p, const Program& program, int64_t block) {
    char* piece[3];
    pieces(p, block, piece);
    Arena first{piece[0]}, second{piece[1]}, third{piece[2]};
    const Executor<L, X> executor{
        t, p, program, Placement<L>(first, t), Articulation<L>(second, t), Mobility<L>(third, t), reg};
    executor.run();
  }
};

void apply_states(const Tree& t, const Prepared& p, const Program& program, const ApplyCall& call, int64_t block,
                  void* memory) {
  Bench<vec, vec> bench(t, program, memory);
  const int64_t state = block * W, xs = call.x_width * call.columns, ys = call.y_width * call.columns;
  const int states = call.states - state < W ? (int)(call.states - state) : W;
  vec *x = bench.arena.take<vec>(xs), *y = bench.arena.take<vec>(ys);
  pack(call.x + state * call.x_stride, call.x_stride, states, xs, x);
  for (int64_t c = 0; c < call.columns; ++c) {
    for (int64_t i = 0; i < call.x_width; ++i) bench.reg[0][i] = x[i * call.columns + c];
    bench.run(t, p, program, block);
    for (int64_t i = 0; i < call.y_width; ++i) y[i * call.columns + c] = bench.reg[1][i];
  }
  unpack(y, ys, states, call.y + state * ys);
}

void apply_single(const Tree& t, const Prepared& p, const Program& program, const ApplyCall& call, int64_t state,
                  void* memory) {
  Bench<double, double> bench(t, program, memory);
  const double* x = call.x + state * call.x_stride;
  double* y = call.y + state * call.y_width * call.columns;
  for (int64_t c = 0; c < call.columns; ++c) {
    for (int64_t i = 0; i < call.x_width; ++i) bench.reg[0][i] = x[i * call.columns + c];
    bench.run(t, p, program, p.states == 1 ? 0 : state);
    for (int64_t i = 0; i < call.y_width; ++i) y[i * call.columns + c] = bench.reg[1][i];
  }
}

void apply_columns(const Tree& t, const Prepared& p, const Program& program, const ApplyCall& call, int64_t block,
                   void* memory) {
  Bench<double, vec> bench(t, program, memory);
  if (call.columns == 1) {
    const int64_t first = block * W;
    const int count = call.states - first < W ? (int)(call.states - first) : W;
    pack(call.x + first * call.x_stride, call.x_stride, count, call.x_width, bench.reg[0]);
    bench.run(t, p, program, 0);
    unpack(bench.reg[1], call.y_width, count, call.y + first * call.y_width);
    return;
  }
  const int64_t a_state = (call.columns + W - 1) / W, state = block / a_state, first = block % a_state * W;
  const int count = call.columns - first < W ? (int)(call.columns - first) : W;
  const double* x = call.x + state * call.x_stride + first;
  double* y = call.y + state * call.y_width * call.columns + first;
  for (int64_t i = 0; i < call.x_width; ++i) bench.reg[0][i] = load_first(x + i * call.columns, count);
  bench.run(t, p, program, 0);
  for (int64_t i = 0; i < call.y_width; ++i) store_first(y + i * call.columns, bench.reg[1][i], count);
}

void apply(const Tree& t, const Prepared& p, const Program& program, const ApplyCall& call, int64_t first, int64_t last,
           void* memory) {
  for (int64_t block = first; block < last; ++block) {
    if (lanes_are_columns(p, call))
      apply_columns(t, p, program, call, block, memory);
    else if (p.lanes)
      apply_states(t, p, program, call, block, memory);
    else
      apply_single(t, p, program, call, block, memory);
  }
}

}  // namespace

const OperatorSet& operator_set() {
  static const OperatorSet set = {W, numbers, prepare_memory, prepare, apply_memory, apply_blocks, apply};
  return set;
}

}  // namespace PHIPSI_ISA
}  // namespace phipsi
