// kernels_hybrid.cpp: instantiates hybrid dynamics, once per instruction set.
#include "hybrid.hpp"
#include "running.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

PHIPSI_DEFINE_KERNEL(HybridDynamics)

}  // namespace PHIPSI_ISA
}  // namespace phipsi
