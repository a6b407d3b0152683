// kernels_motion.cpp: instantiates the steppers for one state and for lanes; compiled once per instruction set.
#include "running.hpp"
#include "steppers.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

PHIPSI_DEFINE_KERNEL(ChartRate)
PHIPSI_DEFINE_KERNEL(Advance)

}  // namespace PHIPSI_ISA
}  // namespace phipsi
