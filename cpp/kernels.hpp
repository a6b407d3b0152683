// kernels.hpp: the list of kernels, and what each instruction set offers of them.
#pragma once

#include <cstddef>

#include "tree.hpp"

namespace phipsi {

#define PHIPSI_KERNELS(X) \
  X(InverseDynamics) X(ForwardDynamics) X(MassMatrix) X(InverseMassMatrix) X(CoriolisMatrix) X(Poses) X(FramePose) \
  X(Jacobian) X(FrameMotion) X(BodyMotions) X(Momentum) X(CentroidalMomentumMatrix) X(CentroidalMomentumRate) \
  X(CenterOfMass) X(CenterOfMassJacobian) X(KineticEnergy) X(PotentialEnergy) X(Integrate) X(Difference) X(Normalize) \
  X(GeneralizedJacobian) X(DisturbanceJacobian) X(MassTimes) X(MassSolve)

// Kernels that a file of their own instantiates, kernels_<subject>.cpp: a subject a line.
#define PHIPSI_KERNELS_APART(X) \
  X(OperationalSpaceCompliance) X(LinkInertias) X(LinkCompliances) \
  X(HybridDynamics) \
  X(ChartRate) X(Advance) \
  X(DiagonalRates) X(DiagonalVelocities) X(DiagonalDynamics) X(DiagonalCoriolis) X(DiagonalForces) X(DiagonalTorques) \
  X(ClosedDynamics) X(ClosedProjection)

enum class KernelId : int {
#define X(K) K,
  PHIPSI_KERNELS(X) PHIPSI_KERNELS_APART(X)
#undef X
};

struct Kernel {
  const char* name;
  // bytes that a thread needs, one state at a time or in lanes
  size_t (*memory)(const Tree&, const BatchCall&, bool lanes);
  // states first .. last-1 of the batch; memory is aligned to 64 bytes
  void (*run)(const Tree&, const BatchCall&, int64_t first, int64_t last, void* memory, bool lanes, Singular&);
};

struct InstructionSet {
  const char* name;
  int lanes;
  bool streams;  // has stores that bypass the caches
  bool (*supported)();
  const Kernel* kernels;  // by KernelId
  double (*multiply_add)(int64_t rounds);  // a loop of independent fused multiply-adds; flops a round: see kernels.cpp
  double flops_per_round;
};

namespace baseline { const InstructionSet& instruction_set(); }
namespace avx2 { const InstructionSet& instruction_set(); }
namespace avx512 { const InstructionSet& instruction_set(); }
namespace neon { const InstructionSet& instruction_set(); }

}  // namespace phipsi
