// batch.cpp: cuts a batch into blocks of lanes, hands them to threads, and picks the instruction set at load time.
#include "batch.hpp"

#include "operators.hpp"
#include "spread.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace phipsi {

namespace {

// ---- instruction set ----------------------------------------------------------------------------------------------

std::vector<const InstructionSet*> supported_sets() {
  std::vector<const InstructionSet*> sets;
  const auto add = [&](const InstructionSet& set) {
    if (set.supported()) sets.push_back(&set);
  };
#if PHIPSI_HAVE_AVX512
  add(avx512::instruction_set());
#endif
#if PHIPSI_HAVE_AVX2
  add(avx2::instruction_set());
#endif
#if PHIPSI_HAVE_NEON
  add(neon::instruction_set());
#endif
#if PHIPSI_HAVE_BASELINE
  add(baseline::instruction_set());
#endif
  return sets;
}

struct Choice {
  const InstructionSet* set = nullptr;
  std::string problem;
  Choice() {
    const auto sets = supported_sets();
    set = sets.front();
    const char* wish = std::getenv("PHIPSI_ISA");
    if (!wish || !*wish) return;
    for (const auto* s : sets)
      if (std::string(wish) == s->name) {
        set = s;
        return;
      }
    problem = wish;
  }
};
const Choice& choice() {
  static const Choice chosen;
  return chosen;
}
const InstructionSet& active = *choice().set;

// The operators of the same instruction set; some set is always built, though it need not be the baseline.
const OperatorSet& active_operators() {
#if PHIPSI_HAVE_AVX512
  if (&active == &avx512::instruction_set()) return avx512::operator_set();
#endif
#if PHIPSI_HAVE_AVX2
  if (&active == &avx2::instruction_set()) return avx2::operator_set();
#endif
#if PHIPSI_HAVE_NEON
  if (&active == &neon::instruction_set()) return neon::operator_set();
#endif
#if PHIPSI_HAVE_BASELINE
  if (&active == &baseline::instruction_set()) return baseline::operator_set();
#endif
  std::abort();  // `active` is one of those that were built
}

// ---- memory -------------------------------------------------------------------------------------------------------

// Each thread keeps its workspace between calls, unless it was needed for something very large.
constexpr size_t keep_at_most = size_t{64} << 20;

class Workspace {
 public:
  void* at_least(size_t bytes) {
    if (bytes > size_) {
      release();
      memory_ = ::operator new(bytes, std::align_val_t{64});
      size_ = bytes;
    }
    return memory_;
  }
  void trim() {
    if (size_ > keep_at_most) release();
  }
  ~Workspace() { release(); }

 private:
  void release() {
    if (memory_) ::operator delete(memory_, std::align_val_t{64});
    memory_ = nullptr;
    size_ = 0;
  }
  void* memory_ = nullptr;
  size_t size_ = 0;
};
thread_local Workspace workspace;

// ---- threads ------------------------------------------------------------------------------------------------------

int usable_cores() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

// PHIPSI_NUM_THREADS: a whole number from 1 on, or nothing; `problem` keeps anything else for an error.
struct ThreadWish {
  int count = usable_cores();
  std::string problem;
  ThreadWish() {
    const char* wish = std::getenv("PHIPSI_NUM_THREADS");
    if (!wish || !*wish) return;
    char* end = nullptr;
    const long value = std::strtol(wish, &end, 10);
    if (*end == 0 && value >= 1)
      count = static_cast<int>(std::min(value, 1024L));
    else
      problem = wish;
  }
};
const ThreadWish& thread_wish() {
  static const ThreadWish wish;
  return wish;
}

std::atomic<int> thread_count{thread_wish().count};

// Helpers that wait for work. One job at a time; a second caller that finds them busy works alone.
class Pool {
 public:
  template <class F>
  void run(int helpers, F&& job) {
    std::unique_lock<std::mutex> only(busy_, std::try_to_lock);
    if (!only.owns_lock()) return job();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      helpers = enlist(helpers);
      job_ = [](void* f) { (*static_cast<std::remove_reference_t<F>*>(f))(); };
      argument_ = &job;
      wanted_ = running_ = helpers;
      ++generation_;
    }
    wake_.notify_all();
    job();
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
  }

  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
      ++generation_;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

 private:
  // A system that grants no more threads gets the work done by those there are.
  int enlist(int helpers) {
    try {
      while (static_cast<int>(threads_.size()) < helpers)
        threads_.emplace_back([this, i = static_cast<int>(threads_.size()), seen = generation_] { serve(i, seen); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {}
    return std::min(helpers, static_cast<int>(threads_.size()));
  }

  void serve(int index, uint64_t seen) {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
      if (stop_) return;
      if (index >= wanted_) continue;
      lock.unlock();
      job_(argument_);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex busy_, mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  void (*job_)(void*) = nullptr;
  void* argument_ = nullptr;
  int wanted_ = 0, running_ = 0;
  uint64_t generation_ = 0;
  bool stop_ = false;
};

// Threads do not survive fork(), so a child starts a pool of its own. The pool is never destroyed: at exit its threads
// may be in any state, and the system takes them down.
Pool*& pool() {
  static Pool* current = [] {
#if !defined(_WIN32)
    pthread_atfork(nullptr, nullptr, [] { pool() = new Pool; });
#endif
    return new Pool;
  }();
  return current;
}

constexpr size_t lanes_memory_limit = size_t{48} << 20;  // beyond it one state at a time: lanes would spill every cache
constexpr int64_t stream_from = int64_t{24} << 20;  // results beyond this would only push each other out of the caches

void merge(Singular& total, const Singular& part) {
  if (part.count == 0) return;
  if (total.count == 0 || part.first < total.first) {
    total.first = part.first;
    total.body = part.body;
  }
  total.count += part.count;
}

}  // namespace

Singular spread_chunks(int64_t chunks, size_t bytes, void (*job)(void*, int64_t, void*, Singular&), void* argument) {
  Singular found;
  const int threads = static_cast<int>(std::min<int64_t>(thread_count.load(), chunks));
  if (threads <= 1) {
    void* memory = workspace.at_least(bytes);
    for (int64_t i = 0; i < chunks; ++i) job(argument, i, memory, found);
    workspace.trim();
    return found;
  }
  std::atomic<int64_t> next{0};
  std::atomic<bool> starved{false};
  std::mutex merging;
  pool()->run(threads - 1, [&] {
    Singular mine;
    void* memory = nullptr;
    try {
      memory = workspace.at_least(bytes);
    } catch (const std::bad_alloc&) {  // the others do this thread's share
      starved = true;
      return;
    }
    for (int64_t i; (i = next.fetch_add(1)) < chunks;) job(argument, i, memory, mine);
    workspace.trim();
    std::lock_guard<std::mutex> lock(merging);
    merge(found, mine);
  });
  if (starved && next.load() < chunks) throw std::bad_alloc();
  return found;
}

Singular run(KernelId id, const Tree& tree, const BatchCall& asked, int64_t states) {
  const Kernel& kernel = active.kernels[static_cast<int>(id)];
  if (states <= 0) return {};
  BatchCall call = asked;
  int64_t results = 0;
  for (int i = 0; i < most_outputs; ++i)
    if (call.out[i]) results += states * call.out_width[i] * static_cast<int64_t>(sizeof(double));
  call.streaming = active.streams && results > stream_from;
  const bool lanes = states > 1 && kernel.memory(tree, call, true) <= lanes_memory_limit;
  const size_t bytes = kernel.memory(tree, call, lanes);
  if (states == 1) {
    Singular found;
    kernel.run(tree, call, 0, 1, workspace.at_least(bytes), false, found);
    workspace.trim();
    return found;
  }
  const int64_t width = lanes ? active.lanes : 1;
  return spread((states + width - 1) / width, width * tree.n, bytes,
                [&](int64_t first, int64_t last, void* memory, Singular& found) {
                  kernel.run(tree, call, first * width, std::min(states, last * width), memory, lanes, found);
                });
}

const OperatorSet& operators() {
  static const OperatorSet& set = active_operators();
  return set;
}

void set_threads(int count) { thread_count = std::clamp(count, 1, 1024); }
int get_threads() { return thread_count; }
std::string threads_problem() { return thread_wish().problem; }

std::string isa() { return active.name; }
std::string isa_problem() { return choice().problem; }
std::vector<std::string> available_isas() {
  std::vector<std::string> names;
  for (const auto* set : supported_sets()) names.emplace_back(set->name);
  return names;
}

double fma_peak() {
  using clock = std::chrono::steady_clock;
  constexpr int64_t rounds = 200000;
  double best = 0;
  volatile double sink = 0;
  for (int i = 0; i < 20; ++i) {
    const auto start = clock::now();
    sink = sink + active.multiply_add(rounds);
    const double seconds = std::chrono::duration<double>(clock::now() - start).count();
    best = std::max(best, 1e-9 * active.flops_per_round * rounds / seconds);
  }
  return best;
}

}  // namespace phipsi
