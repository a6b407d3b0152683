// spread.hpp: hands blocks of work to the threads, in chunks that are worth it.
#pragma once

#include <algorithm>
#include <type_traits>

#include "tree.hpp"

namespace phipsi {

inline constexpr int64_t chunk_work = 8192;  // bodies × states that are worth handing to a thread

// job(argument, chunk, memory, singular) for every chunk; each thread has `bytes` of memory of its own.
Singular spread_chunks(int64_t chunks, size_t bytes, void (*job)(void*, int64_t, void*, Singular&), void* argument);

// job(first, last, memory, singular) for ranges that together are all the blocks; block_work: bodies × states of one.
template <class Job>
Singular spread(int64_t blocks, int64_t block_work, size_t bytes, Job&& job) {
  const int64_t chunk = std::max<int64_t>(1, chunk_work / std::max<int64_t>(1, block_work));
  struct Task {
    Job& job;
    int64_t blocks, chunk;
  } task{job, blocks, chunk};
  return spread_chunks((blocks + chunk - 1) / chunk, bytes,
                       [](void* argument, int64_t i, void* memory, Singular& found) {
                         const Task& task = *static_cast<Task*>(argument);
                         task.job(i * task.chunk, std::min(task.blocks, (i + 1) * task.chunk), memory, found);
                       },
                       &task);
}

}  // namespace phipsi
