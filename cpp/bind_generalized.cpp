// bind_generalized.cpp: the Jacobians of robots with passive dofs, as Robot's Python verbs call them.
#include "bind_verbs.hpp"

namespace phipsi {

namespace {

// A mask that Python has read: a C-contiguous array of nv bools.
struct Mask {
  const uint8_t* flags;
  int64_t passive = 0, active = 0;
  Mask(Self r, nb::handle given) {
    auto* array = reinterpret_cast<PyArrayObject*>(given.ptr());
    if (!PyArray_Check(given.ptr()) || PyArray_TYPE(array) != NPY_BOOL || !PyArray_IS_C_CONTIGUOUS(array) ||
        PyArray_SIZE(array) != r.tree().nv)
      raise("wrong_type", "generalized_jacobian", "passive", "an array of nv bools", given);
    flags = static_cast<const uint8_t*>(PyArray_DATA(array));
    for (int i = 0; i < r.tree().nv; ++i) (flags[i] ? passive : active)++;
  }
};

std::vector<Request> frames_of(Self r, const char* verb, nb::handle targets) {
  std::vector<Request> frames;
  if (PyUnicode_Check(targets.ptr())) return {r.target(verb, targets)};
  if (!PyList_Check(targets.ptr()) && !PyTuple_Check(targets.ptr()))
    raise("wrong_type", verb, "target", "the name of a frame or body, or a list of names", targets);
  for (nb::handle name : targets) frames.push_back(r.target(verb, name));
  return frames;
}

nb::object generalized_jacobian(Self r, Any q, Any targets, Any passive, Any frame, Any out, Any singular) {
  const char* verb = "generalized_jacobian";
  const Mask mask(r, passive);
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
  const Mask mask(r, passive);
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
