// kernels_operational.cpp: compliances of frames; compiled once per instruction set (PHIPSI_ISA).
#include "operational.hpp"
#include "running.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

PHIPSI_DEFINE_KERNEL(OperationalSpaceCompliance)

}  // namespace PHIPSI_ISA
}  // namespace phipsi
