// bind_operational.cpp: compliances of frames, as Robot's Python verbs call them.
#include "bind_verbs.hpp"

namespace phipsi {

namespace {

nb::object operational_space_compliance(Self r, Any q, Any targets, Any passive, Any out, Any singular) {
  const char* verb = "operational_space_compliance";
  const Mask mask(r, verb, passive);
  const std::vector<Request> frames = frames_of(r, verb, targets);
  const Expect expects[] = {q_of(r, q)};
  const OnSingular policy = on_singular(verb, singular);
  Invocation<1> i(r, verb, expects, {0});
  i.request().passive = mask.flags;
  i.request().frames = frames.data();
  i.request().frame_count = static_cast<int32_t>(frames.size());
  const auto width = 6 * static_cast<int64_t>(frames.size());
  i.open(0, {width, width}, out.ptr());
  i.run(KernelId::OperationalSpaceCompliance, policy);
  return i.close(0);
}

}  // namespace

void bind_operational(nb::class_<NativeRobot>& robot) {
  robot.def("_operational_space_compliance", operational_space_compliance, nb::arg("q").none(),
            nb::arg("frames").none(), nb::arg("passive").none(), nb::arg("out").none(), nb::arg("on_singular").none(),
            "The inverse of Lambda; see Robot.operational_space_compliance.",
            nb::sig("def _operational_space_compliance(self, q: ArrayLike, frames: str | typing.Sequence[str], "
                    "passive: ArrayLike | None, out: Array | None, on_singular: str) -> Array"));
}

}  // namespace phipsi
