// batch.hpp: runs a kernel over a batch: lanes × threads × instruction set.
#pragma once

#include <string>
#include <vector>

#include "kernels.hpp"

namespace phipsi {

// Runs it for all `states`. Safe to call from several threads at once; the robot is only read.
Singular run(KernelId id, const Tree& tree, const BatchCall& call, int64_t states);

void set_threads(int count);
int get_threads();
std::string threads_problem();  // what PHIPSI_NUM_THREADS says, if that is not a number of threads

// The instruction set in use: chosen when the library is loaded, the widest this machine has, or what the environment
// variable PHIPSI_ISA names (isa_problem then says if that cannot be).
std::string isa();
std::string isa_problem();
std::vector<std::string> available_isas();

// Measured now, on this core: the most flops a second (in units of 1e9) that multiply-adds on independent data reach.
double fma_peak();
// Flops that one state takes, counted by running the very same source on a number type that counts.
int64_t count_flops(KernelId id, const Tree& tree, const BatchCall& one_state);

}  // namespace phipsi
