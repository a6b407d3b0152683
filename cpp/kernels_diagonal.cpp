// kernels_diagonal.cpp: instantiates the kernels of diagonalized dynamics; compiled once per instruction set.
#include "diagonal_motion.hpp"
#include "running.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

PHIPSI_DEFINE_KERNEL(DiagonalRates)
PHIPSI_DEFINE_KERNEL(DiagonalVelocities)
PHIPSI_DEFINE_KERNEL(DiagonalDynamics)
PHIPSI_DEFINE_KERNEL(DiagonalCoriolis)
PHIPSI_DEFINE_KERNEL(DiagonalForces)
PHIPSI_DEFINE_KERNEL(DiagonalTorques)

}  // namespace PHIPSI_ISA
}  // namespace phipsi
