// operators.cpp: prepares configurations and applies programs, block by block, over the threads.
#include "operators.hpp"

#include <algorithm>

#include "spread.hpp"

namespace phipsi {

namespace {

constexpr int64_t lanes_limit = int64_t{4} << 20;  // bytes of a block's level 0; beyond it one state at a time

int64_t blocks_of(const Prepared& p) {
  const int width = p.lanes ? operators().lanes : 1;
  return (p.states + width - 1) / width;
}

}  // namespace

Configuration::Configuration(const Tree& tree, std::vector<double> q, int64_t states, std::vector<uint8_t> passive)
    : tree_(tree), q_(std::move(q)), passive_(std::move(passive)) {
  prepared_.states = states;
  prepared_.q = q_.data();
  prepared_.passive = passive_.empty() ? nullptr : passive_.data();
  const int64_t bytes = operators().level_numbers(tree, 0, true) * 8 * operators().lanes;
  prepared_.lanes = states > 1 && bytes <= lanes_limit;
}

void Configuration::prepare_level(int level) {
  const OperatorSet& set = operators();
  const int64_t width = prepared_.lanes ? set.lanes : 1, blocks = blocks_of(prepared_);
  prepared_.numbers[level] = set.level_numbers(tree_, level, prepared_.lanes);
  const int64_t count = std::max<int64_t>(1, prepared_.numbers[level] * width * blocks);
  buffer_[level].reset(static_cast<double*>(::operator new(count * sizeof(double), std::align_val_t{64})));
  prepared_.level[level] = buffer_[level].get();
  const Singular found = spread(blocks, width * tree_.n, set.prepare_memory(tree_, prepared_.lanes),
                                [&](int64_t first, int64_t last, void* memory, Singular& singular) {
                                  set.prepare(tree_, prepared_, level, first, last, memory, singular);
                                });
  if (level == 1) singular_ = found;
}

Singular Configuration::prepare(int level) {
  std::lock_guard<std::mutex> lock(preparing_);
  for (; ready_ < level; ++ready_) prepare_level(ready_ + 1);
  return level > 0 ? singular_ : Singular{};
}

void Configuration::apply(const Program& program, const ApplyCall& call) const {
  const OperatorSet& set = operators();
  const int64_t blocks = set.apply_blocks(prepared_, call);
  const int64_t work = static_cast<int64_t>(set.lanes) * tree_.n * std::max<int64_t>(1, program.rows / 4);
  spread(blocks, work, set.apply_memory(tree_, prepared_, program, call),
         [&](int64_t first, int64_t last, void* memory, Singular&) {
           set.apply(tree_, prepared_, program, call, first, last, memory);
         });
}

}  // namespace phipsi
