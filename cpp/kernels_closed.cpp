// kernels_closed.cpp: closed chains, for one state and for lanes of states; compiled once per instruction set.
#include "closed.hpp"
#include "running.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

PHIPSI_DEFINE_KERNEL(ClosedDynamics)
PHIPSI_DEFINE_KERNEL(ClosedProjection)

}  // namespace PHIPSI_ISA
}  // namespace phipsi
