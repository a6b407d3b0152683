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

// Two answers a link, the second one only if asked for.
nb::object link_matrices(Self r, const char* verb, KernelId id, Any q, Any passive, Any both, Any out, Any singular) {
  const Mask mask(r, verb, passive);
  const Expect expects[] = {q_of(r, q)};
  const OnSingular policy = on_singular(verb, singular);
  Invocation<1> i(r, verb, expects, {0});
  i.request().passive = mask.flags;
  const bool two = nb::cast<bool>(both);
  i.open(0, {r.tree().n, 6, 6}, out.ptr());
  if (two) i.open(1, {r.tree().n, 6, 6});
  i.run(id, policy);
  if (!two) return i.close(0);
  nb::object first = i.close(0);
  return nb::make_tuple(first, i.close(1));
}

nb::object link_inertias(Self r, Any q, Any passive, Any both, Any out, Any singular) {
  return link_matrices(r, "link_inertias", KernelId::LinkInertias, q, passive, both, out, singular);
}
nb::object link_compliances(Self r, Any q, Any passive, Any both, Any out, Any singular) {
  return link_matrices(r, "link_compliances", KernelId::LinkCompliances, q, passive, both, out, singular);
}

}  // namespace

void bind_operational(nb::class_<NativeRobot>& robot) {
  robot.def("_operational_space_compliance", operational_space_compliance, nb::arg("q").none(),
            nb::arg("frames").none(), nb::arg("passive").none(), nb::arg("out").none(), nb::arg("on_singular").none(),
            "The inverse of Lambda; see Robot.operational_space_compliance.",
            nb::sig("def _operational_space_compliance(self, q: ArrayLike, frames: str | typing.Sequence[str], "
                    "passive: ArrayLike | None, out: Array | None, on_singular: str) -> Array"));
  robot.def("_link_inertias", link_inertias, nb::arg("q").none(), nb::arg("passive").none(), nb::arg("both").none(),
            nb::arg("out").none(), nb::arg("on_singular").none(),
            "Lambda(k), and S(k) if both; see free_flying.link_inertias.",
            nb::sig("def _link_inertias(self, q: ArrayLike, passive: ArrayLike | None, both: bool, out: Array | None, "
                    "on_singular: str) "
                    "-> Array | tuple[Array, Array]"));
  robot.def("_link_compliances", link_compliances, nb::arg("q").none(), nb::arg("passive").none(),
            nb::arg("both").none(), nb::arg("out").none(), nb::arg("on_singular").none(),
            "Upsilon(k), and P(k) if both; see free_flying.link_compliances.",
            nb::sig("def _link_compliances(self, q: ArrayLike, passive: ArrayLike | None, both: bool, "
                    "out: Array | None, on_singular: str) -> Array | tuple[Array, Array]"));
}

}  // namespace phipsi
