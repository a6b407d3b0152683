// bind_generalized.cpp: the Jacobians of robots with passive dofs, as Robot's Python verbs call them.
#include "bind_verbs.hpp"

namespace phipsi {

namespace {

nb::object generalized_jacobian(Self r, Any q, Any targets, Any passive, Any frame, Any out, Any singular) {
  const char* verb = "generalized_jacobian";
  const Mask mask(r, verb, passive);
  const std::vector<Request> frames = frames_of(r, verb, targets);
  const Expect expects[] = {q_of(r, q)};
  const OnSingular policy = on_singular(verb, singular);
  Invocation<1> i(r, verb, expects, {0});
  i.request().axes = axes_of(verb, frame);
  i.request().passive = mask.flags;
  i.request().frames = frames.data();
  i.request().frame_count = static_cast<int32_t>(frames.size());
  i.open(0, {6 * static_cast<int64_t>(frames.size()), mask.active}, out.ptr());
  i.run(KernelId::GeneralizedJacobian, policy);
  return i.close(0);
}

nb::object disturbance_jacobian(Self r, Any q, Any passive, Any out, Any singular) {
  const Mask mask(r, "disturbance_jacobian", passive);
  const Expect expects[] = {q_of(r, q)};
  const OnSingular policy = on_singular("disturbance_jacobian", singular);
  Invocation<1> i(r, "disturbance_jacobian", expects, {0});
  i.request().passive = mask.flags;
  i.open(0, {mask.passive, mask.active}, out.ptr());
  i.run(KernelId::DisturbanceJacobian, policy);
  return i.close(0);
}

}  // namespace

void bind_generalized(nb::class_<NativeRobot>& robot) {
  robot.def("_generalized_jacobian", generalized_jacobian, nb::arg("q").none(), nb::arg("targets").none(),
            nb::arg("passive").none(), nb::arg("frame").none(), nb::arg("out").none(), nb::arg("on_singular").none(),
            "J_G of the dofs that are not passive; see Robot.generalized_jacobian.",
            nb::sig("def _generalized_jacobian(self, q: ArrayLike, targets: str | typing.Sequence[str], "
                    "passive: ArrayLike, frame: str, out: Array | None, on_singular: str) -> Array"));
  robot.def("_disturbance_jacobian", disturbance_jacobian, nb::arg("q").none(), nb::arg("passive").none(),
            nb::arg("out").none(), nb::arg("on_singular").none(), "J_D; see Robot.disturbance_jacobian.",
            nb::sig("def _disturbance_jacobian(self, q: ArrayLike, passive: ArrayLike, out: Array | None, "
                    "on_singular: str) -> Array"));
}

}  // namespace phipsi
