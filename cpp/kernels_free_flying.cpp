// kernels_free_flying.cpp: inertias and compliances felt at every link; compiled once per instruction set (PHIPSI_ISA).
#include "free_flying.hpp"
#include "running.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

PHIPSI_DEFINE_KERNEL(LinkInertias)
PHIPSI_DEFINE_KERNEL(LinkCompliances)

}  // namespace PHIPSI_ISA
}  // namespace phipsi
