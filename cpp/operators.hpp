// operators.hpp: a configuration that operators act from: prepared level by level when first needed, kept for good.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "batch.hpp"
#include "program.hpp"

namespace phipsi {

// What each instruction set offers.
struct OperatorSet {
  int lanes;
  int64_t (*level_numbers)(const Tree&, int level, bool lanes);
  size_t (*prepare_memory)(const Tree&, bool lanes);
  void (*prepare)(const Tree&, const Prepared&, int level, int64_t first_block, int64_t last_block, void* memory,
                  Singular&);
  size_t (*apply_memory)(const Tree&, const Prepared&, const Program&, const ApplyCall&);
  int64_t (*apply_blocks)(const Prepared&, const ApplyCall&);
  void (*apply)(const Tree&, const Prepared&, const Program&, const ApplyCall&, int64_t first_block, int64_t last_block,
                void* memory);
};
const OperatorSet& operators();

namespace baseline { const OperatorSet& operator_set(); }
namespace avx2 { const OperatorSet& operator_set(); }
namespace avx512 { const OperatorSet& operator_set(); }
namespace neon { const OperatorSet& operator_set(); }

class Configuration {
 public:
  Configuration(const Tree& tree, std::vector<double> q, int64_t states, std::vector<uint8_t> passive);
  // Computes what is missing up to `level`; the states in which some D(k) is not positive are told every time.
  Singular prepare(int level);
  void apply(const Program& program, const ApplyCall& call) const;
  int64_t states() const { return prepared_.states; }

 private:
  struct Free {
    void operator()(double* p) const { ::operator delete(p, std::align_val_t{64}); }
  };
  void prepare_level(int level);

  const Tree& tree_;
  std::vector<double> q_;
  std::vector<uint8_t> passive_;
  std::unique_ptr<double[], Free> buffer_[3];
  Prepared prepared_{};
  std::mutex preparing_;
  int ready_ = -1;
  Singular singular_;
};

}  // namespace phipsi
