// bind.cpp: phipsi._core: the native Robot that the Python one extends, and its verbs.
#define PHIPSI_IMPORTS_NUMPY

#include "bind_docs.hpp"
#include "bind_verbs.hpp"

namespace phipsi {

namespace {

// ---- dynamics -----------------------------------------------------------------------------------------------------

nb::object inverse_dynamics(Self r, Any q, Any v, Any a, Any f_ext, Any out) {
  const Expect expects[] = {q_of(r, q), v_of(r, v), a_of(r, a), f_of(r, f_ext)};
  Invocation<4> i(r, "inverse_dynamics", expects, {0, 1, 2, 3});
  i.open(0, {r.tree().nv}, out.ptr());
  i.run(KernelId::InverseDynamics);
  return i.close(0);
}

nb::object forward_dynamics(Self r, Any q, Any v, Any tau, Any f_ext, Any out, Any singular) {
  const Expect expects[] = {q_of(r, q), v_of(r, v), tau_of(r, tau), f_of(r, f_ext)};
  const OnSingular policy = on_singular("forward_dynamics", singular);
  Invocation<4> i(r, "forward_dynamics", expects, {0, 1, 2, 3});
  i.open(0, {r.tree().nv}, out.ptr());
  i.run(KernelId::ForwardDynamics, policy);
  return i.close(0);
}

nb::object bias(Self r, Any q, Any v, Any f_ext, Any out) {
  const Expect expects[] = {q_of(r, q), v_of(r, v), f_of(r, f_ext)};
  Invocation<3> i(r, "bias", expects, {0, 1, 3});
  i.open(0, {r.tree().nv}, out.ptr());
  i.run(KernelId::InverseDynamics);
  return i.close(0);
}

nb::object reaction_forces(Self r, Any q, Any v, Any a, Any f_ext, Any out) {
  const Expect expects[] = {q_of(r, q), v_of(r, v), a_of(r, a), f_of(r, f_ext)};
  Invocation<4> i(r, "reaction_forces", expects, {0, 1, 2, 3});
  i.open(1, {r.tree().n, 6}, out.ptr());
  i.run(KernelId::InverseDynamics);
  return i.close(1);
}

// Verbs of q alone with one result.
template <KernelId id>
nb::object of_q(Self r, const char* verb, Any q, Any out, std::initializer_list<int64_t> trailing,
                OnSingular policy = OnSingular::raise) {
  const Expect expects[] = {q_of(r, q)};
  Invocation<1> i(r, verb, expects, {0});
  i.open(0, trailing, out.ptr());
  i.run(id, policy);
  return i.close(0);
}
// Verbs of q and v with one result.
template <KernelId id>
nb::object of_q_v(Self r, const char* verb, Any q, Any v, Any out, std::initializer_list<int64_t> trailing,
                  const Request& request = {}) {
  const Expect expects[] = {q_of(r, q), v_of(r, v)};
  Invocation<2> i(r, verb, expects, {0, 1});
  i.request() = request;
  i.open(0, trailing, out.ptr());
  i.run(id);
  return i.close(0);
}

nb::object gravity_torque(Self r, Any q, Any out) {
  return of_q<KernelId::InverseDynamics>(r, "gravity_torque", q, out, {r.tree().nv});
}
nb::object mass_matrix(Self r, Any q, Any out) {
  return of_q<KernelId::MassMatrix>(r, "mass_matrix", q, out, {r.tree().nv, r.tree().nv});
}
nb::object inverse_mass_matrix(Self r, Any q, Any out, Any singular) {
  return of_q<KernelId::InverseMassMatrix>(r, "inverse_mass_matrix", q, out, {r.tree().nv, r.tree().nv},
                                           on_singular("inverse_mass_matrix", singular));
}
// The mass matrix or its inverse times x: what operators call for a batch.
template <KernelId id>
nb::object mass_product(Self r, Any q, Any x) {
  const Expect expects[] = {q_of(r, q), v_of(r, x, "x", "vector of joints")};
  Invocation<2> i(r, "@", expects, {0, 2});
  i.open(0, {r.tree().nv});
  i.run(id);
  return i.close(0);
}
nb::object coriolis_matrix(Self r, Any q, Any v, Any out) {
  return of_q_v<KernelId::CoriolisMatrix>(r, "coriolis_matrix", q, v, out, {r.tree().nv, r.tree().nv});
}

// ---- kinematics ---------------------------------------------------------------------------------------------------

nb::object jacobian(Self r, Any q, Any target, Any frame, Any out) {
  const Expect expects[] = {q_of(r, q)};
  Invocation<1> i(r, "jacobian", expects, {0});
  i.request() = r.target("jacobian", target);
  i.request().axes = axes_of("jacobian", frame);
  i.open(0, {6, r.tree().nv}, out.ptr());
  i.run(KernelId::Jacobian);
  return i.close(0);
}

nb::object frame_motion(Self r, const char* verb, Any q, Any v, Any a, Any target, Any frame, int slot, Any out) {
  const Expect expects[] = {q_of(r, q), v_of(r, v), a_of(r, a)};
  Invocation<3> i(r, verb, expects, {0, 1, 2});
  i.request() = r.target(verb, target);
  i.request().axes = axes_of(verb, frame);
  i.open(slot, {6}, out.ptr());
  i.run(KernelId::FrameMotion);
  return i.close(slot);
}
// a is left out on purpose: then it is zero
nb::object frame_motion(Self r, const char* verb, Any q, Any v, Any target, Any frame, int slot, Any out) {
  const Expect expects[] = {q_of(r, q), v_of(r, v)};
  Invocation<2> i(r, verb, expects, {0, 1});
  i.request() = r.target(verb, target);
  i.request().axes = axes_of(verb, frame);
  i.open(slot, {6}, out.ptr());
  i.run(KernelId::FrameMotion);
  return i.close(slot);
}
nb::object velocity(Self r, Any q, Any v, Any target, Any frame, Any out) {
  return frame_motion(r, "velocity", q, v, target, frame, 0, out);
}
nb::object jacobian_dot_v(Self r, Any q, Any v, Any target, Any frame, Any out) {
  return frame_motion(r, "jacobian_dot_v", q, v, target, frame, 1, out);
}
nb::object acceleration(Self r, Any q, Any v, Any a, Any target, Any frame, Any out) {
  return frame_motion(r, "acceleration", q, v, a, target, frame, 1, out);
}

nb::object velocities(Self r, Any q, Any v, Any out) {
  return of_q_v<KernelId::BodyMotions>(r, "velocities", q, v, out, {r.tree().n, 6});
}
nb::object accelerations(Self r, Any q, Any v, Any a, Any out) {
  const Expect expects[] = {q_of(r, q), v_of(r, v), a_of(r, a)};
  Invocation<3> i(r, "accelerations", expects, {0, 1, 2});
  i.open(1, {r.tree().n, 6}, out.ptr());
  i.run(KernelId::BodyMotions);
  return i.close(1);
}

nb::tuple pose_arrays(Self r, Any q, Any target) {
  const Expect expects[] = {q_of(r, q)};
  Invocation<1> i(r, "pose", expects, {0});
  i.request() = r.target("pose", target);
  i.open(0, {3, 3});
  i.open(1, {3});
  i.run(KernelId::FramePose);
  return nb::make_tuple(i.close(0), i.close(1));
}
nb::tuple poses_arrays(Self r, Any q) {
  const Expect expects[] = {q_of(r, q)};
  Invocation<1> i(r, "poses", expects, {0});
  i.open(0, {r.tree().n, 3, 3});
  i.open(1, {r.tree().n, 3});
  i.run(KernelId::Poses);
  return nb::make_tuple(i.close(0), i.close(1));
}

// ---- momentum and energy ------------------------------------------------------------------------------------------

nb::object momentum(Self r, Any q, Any v, Any about, Any out) {
  Request request;
  request.about_com = about_com("momentum", about);
  return of_q_v<KernelId::Momentum>(r, "momentum", q, v, out, {6}, request);
}
nb::object centroidal_momentum_matrix(Self r, Any q, Any out) {
  return of_q<KernelId::CentroidalMomentumMatrix>(r, "centroidal_momentum_matrix", q, out, {6, r.tree().nv});
}
nb::object centroidal_momentum_matrix_dot_v(Self r, Any q, Any v, Any out) {
  return of_q_v<KernelId::CentroidalMomentumRate>(r, "centroidal_momentum_matrix_dot_v", q, v, out, {6});
}
nb::object center_of_mass(Self r, Any q, Any out) {
  return of_q<KernelId::CenterOfMass>(r, "center_of_mass", q, out, {3});
}
nb::object center_of_mass_jacobian(Self r, Any q, Any out) {
  return of_q<KernelId::CenterOfMassJacobian>(r, "center_of_mass_jacobian", q, out, {3, r.tree().nv});
}
nb::object kinetic_energy(Self r, Any q, Any v, Any out) {
  return of_q_v<KernelId::KineticEnergy>(r, "kinetic_energy", q, v, out, {});
}
nb::object potential_energy(Self r, Any q, Any out) {
  return of_q<KernelId::PotentialEnergy>(r, "potential_energy", q, out, {});
}

// ---- configurations -----------------------------------------------------------------------------------------------

nb::object integrate(Self r, Any q, Any dq, Any out) {
  const Expect expects[] = {q_of(r, q), v_of(r, dq, "dq", "displacement")};
  Invocation<2> i(r, "integrate", expects, {0, 1});
  i.open(0, {r.tree().nq}, out.ptr());
  i.run(KernelId::Integrate);
  return i.close(0);
}
nb::object difference(Self r, Any q0, Any q1, Any out) {
  const Expect expects[] = {q_of(r, q0, "q0"), q_of(r, q1, "q1")};
  Invocation<2> i(r, "difference", expects, {0, 1});
  i.open(0, {r.tree().nv}, out.ptr());
  i.run(KernelId::Difference);
  return i.close(0);
}
nb::object normalize(Self r, Any q, Any out) {
  return of_q<KernelId::Normalize>(r, "normalize", q, out, {r.tree().nq});
}
nb::object neutral(Self r) {
  npy_intp size = r.tree().nq;
  PyObject* array = PyArray_SimpleNew(1, &size, NPY_DOUBLE);
  if (!array) throw nb::python_error();
  const std::vector<double> q = r.model->neutral();
  std::copy(q.begin(), q.end(), static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array))));
  return nb::steal(array);
}

// ---- the module's own functions -----------------------------------------------------------------------------------

nb::list list_joint_types() {
  nb::list types;
  for (const JointType& type : joint_types()) {
    nb::dict row;
    row["name"] = type.name;
    row["nq"] = type.nq;
    row["nv"] = type.nv;
    row["parameters"] = type.parameters;
    row["q_labels"] = nb::str(type.q_labels.c_str()).attr("split")();
    row["v_labels"] = nb::str(type.v_labels.c_str()).attr("split")();
    types.append(row);
  }
  return types;
}

void choose_threads(nb::handle count) {
  int64_t value = 0;
  if (!nb::try_cast(count, value) || PyBool_Check(count.ptr()) || value < 1)
    raise("wrong_type", "set_threads", "count", "a whole number of threads, at least 1", count);
  set_threads(static_cast<int>(value > 1024 ? 1024 : value));
}

// The flops of one state of a robot in its neutral configuration, at unit velocity and torque.
int64_t flops(Self r, const std::string& verb) {
  const KernelId ids[] = {KernelId::InverseDynamics, KernelId::ForwardDynamics, KernelId::MassMatrix};
  const char* names[] = {"inverse_dynamics", "forward_dynamics", "mass_matrix"};
  const std::vector<double> q = r.model->neutral(), ones(r.tree().nv, 1.0);
  const int64_t nv = r.tree().nv;
  BatchCall call;
  call.in[0] = q.data(), call.in_width[0] = r.tree().nq;
  call.out_width[0] = verb == "mass_matrix" ? nv * nv : nv;
  for (int i = 1; i < 3 && verb != "mass_matrix"; ++i) call.in[i] = ones.data(), call.in_width[i] = nv;
  for (int i = 0; i < 3; ++i)
    if (verb == names[i]) return count_flops(ids[i], r.tree(), call);
  nb::list allowed;
  for (const char* name : names) allowed.append(name);
  raise("option", "flops", "verb", verb, allowed);
}

}  // namespace

}  // namespace phipsi

NB_MODULE(_core, m) {
  using namespace phipsi;
  if (_import_array() < 0) throw nb::python_error();
  if (!isa_problem().empty()) {
    nb::list allowed;
    for (const auto& name : available_isas()) allowed.append(name);
    raise("option", "import phipsi", "PHIPSI_ISA", isa_problem(), allowed);
  }
  if (!threads_problem().empty())
    raise("wrong_type", "import phipsi", "PHIPSI_NUM_THREADS", "a whole number of threads, at least 1",
          threads_problem());
  // robots that a program keeps in a cache outlive the module at exit; that is not worth a page of warnings
  nb::set_leak_warnings(false);
  m.doc() = "The hot room: every kernel, for one state or for many.";

  nb::class_<NativeRobot> robot(m, "Robot", "The native robot: flat arrays and the verbs that run on them.");
  robot.def(
      "__init__",
      [](NativeRobot* self, nb::kwargs columns) {
        nb::dict dict = nb::borrow<nb::dict>(columns);
        new (self) NativeRobot(std::move(*describe_robot(dict)));
      },
      nb::sig("def __init__(self, **columns: typing.Any) -> None"));
  robot.def_prop_ro("n", [](Self r) { return r.tree().n; }, "Bodies.");
  robot.def_prop_ro("nq", [](Self r) { return r.tree().nq; }, "Numbers in a configuration q.");
  robot.def_prop_ro("nv", [](Self r) { return r.tree().nv; }, "Degrees of freedom: numbers in v, a and tau.");

  // None is let in, so that it meets the same sentences as any other wrong value
  const auto q = nb::arg("q").none(), v = nb::arg("v").none(), a = nb::arg("a").none(), tau = nb::arg("tau").none();
  const auto target = nb::arg("target").none(), dq = nb::arg("dq").none();
  const auto q0 = nb::arg("q0").none(), q1 = nb::arg("q1").none();
  const auto f_ext = nb::arg("f_ext") = nb::none();
  const auto out = nb::arg("out") = nb::none();
  const auto singular = nb::arg("on_singular").none() = nb::steal(PyUnicode_InternFromString("raise"));
  const auto frame = nb::arg("frame").none() = "world_aligned";
  const nb::kw_only named;
#define SIG(name, arguments) \
  nb::sig("def " name "(self, " arguments ", *, out: Array | None = None) -> Array")
#define SIG_SINGULAR(name, arguments) \
  nb::sig("def " name "(self, " arguments \
          ", *, out: Array | None = None, on_singular: typing.Literal['raise', 'nan'] = 'raise') -> Array")
#define FRAME_ARGUMENT ", frame: typing.Literal['world_aligned', 'body', 'world'] = 'world_aligned'"

  robot.def("inverse_dynamics", inverse_dynamics, q, v, a, f_ext, named, out, docs::inverse_dynamics,
            SIG("inverse_dynamics", "q: ArrayLike, v: ArrayLike, a: ArrayLike, f_ext: ArrayLike | None = None"));
  robot.def(
      "forward_dynamics", forward_dynamics, q, v, tau, f_ext, named, out, singular, docs::forward_dynamics,
      SIG_SINGULAR("forward_dynamics", "q: ArrayLike, v: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None"));
  robot.def("bias", bias, q, v, f_ext, named, out, docs::bias,
            SIG("bias", "q: ArrayLike, v: ArrayLike, f_ext: ArrayLike | None = None"));
  robot.def("reaction_forces", reaction_forces, q, v, a, f_ext, named, out, docs::reaction_forces,
            SIG("reaction_forces", "q: ArrayLike, v: ArrayLike, a: ArrayLike, f_ext: ArrayLike | None = None"));
  robot.def("gravity_torque", gravity_torque, q, named, out, docs::gravity_torque,
            SIG("gravity_torque", "q: ArrayLike"));
  robot.def("mass_matrix", mass_matrix, q, named, out, docs::mass_matrix, SIG("mass_matrix", "q: ArrayLike"));
  robot.def("inverse_mass_matrix", inverse_mass_matrix, q, named, out, singular, docs::inverse_mass_matrix,
            SIG_SINGULAR("inverse_mass_matrix", "q: ArrayLike"));
  robot.def("_mass_times", mass_product<KernelId::MassTimes>, q, nb::arg("x").none(),
            "The mass matrix times x; see Configuration.mass.",
            nb::sig("def _mass_times(self, q: ArrayLike, x: ArrayLike) -> Array"));
  robot.def("_mass_solve", mass_product<KernelId::MassSolve>, q, nb::arg("x").none(),
            "The inverse of the mass matrix times x; see Configuration.mass.",
            nb::sig("def _mass_solve(self, q: ArrayLike, x: ArrayLike) -> Array"));
  robot.def("coriolis_matrix", coriolis_matrix, q, v, named, out, docs::coriolis_matrix,
            SIG("coriolis_matrix", "q: ArrayLike, v: ArrayLike"));

  robot.def("jacobian", jacobian, q, target, frame, named, out, docs::jacobian,
            SIG("jacobian", "q: ArrayLike, target: str" FRAME_ARGUMENT));
  robot.def("jacobian_dot_v", jacobian_dot_v, q, v, target, frame, named, out, docs::jacobian_dot_v,
            SIG("jacobian_dot_v", "q: ArrayLike, v: ArrayLike, target: str" FRAME_ARGUMENT));
  robot.def("velocity", velocity, q, v, target, frame, named, out, docs::velocity,
            SIG("velocity", "q: ArrayLike, v: ArrayLike, target: str" FRAME_ARGUMENT));
  robot.def("acceleration", acceleration, q, v, a, target, frame, named, out, docs::acceleration,
            SIG("acceleration", "q: ArrayLike, v: ArrayLike, a: ArrayLike, target: str" FRAME_ARGUMENT));
  robot.def("velocities", velocities, q, v, named, out, docs::velocities,
            SIG("velocities", "q: ArrayLike, v: ArrayLike"));
  robot.def("accelerations", accelerations, q, v, a, named, out, docs::accelerations,
            SIG("accelerations", "q: ArrayLike, v: ArrayLike, a: ArrayLike"));
  robot.def("_pose", pose_arrays, q, target, "Rotation (*batch, 3, 3) and position (*batch, 3) of a frame.",
            nb::sig("def _pose(self, q: ArrayLike, target: str) -> tuple[Array, Array]"));
  robot.def("_poses", poses_arrays, q, "Rotations (*batch, n, 3, 3) and positions (*batch, n, 3) of the bodies.",
            nb::sig("def _poses(self, q: ArrayLike) -> tuple[Array, Array]"));

  robot.def("momentum", momentum, q, v, nb::arg("about").none() = "world", named, out, docs::momentum,
            SIG("momentum", "q: ArrayLike, v: ArrayLike, about: typing.Literal['world', 'com'] = 'world'"));
  robot.def("centroidal_momentum_matrix", centroidal_momentum_matrix, q, named, out, docs::centroidal_momentum_matrix,
            SIG("centroidal_momentum_matrix", "q: ArrayLike"));
  robot.def("centroidal_momentum_matrix_dot_v", centroidal_momentum_matrix_dot_v, q, v, named, out,
            docs::centroidal_momentum_matrix_dot_v,
            SIG("centroidal_momentum_matrix_dot_v", "q: ArrayLike, v: ArrayLike"));
  robot.def("center_of_mass", center_of_mass, q, named, out, docs::center_of_mass,
            SIG("center_of_mass", "q: ArrayLike"));
  robot.def("center_of_mass_jacobian", center_of_mass_jacobian, q, named, out, docs::center_of_mass_jacobian,
            SIG("center_of_mass_jacobian", "q: ArrayLike"));
  robot.def("kinetic_energy", kinetic_energy, q, v, named, out, docs::kinetic_energy,
            SIG("kinetic_energy", "q: ArrayLike, v: ArrayLike"));
  robot.def("potential_energy", potential_energy, q, named, out, docs::potential_energy,
            SIG("potential_energy", "q: ArrayLike"));

  robot.def("integrate", integrate, q, dq, named, out, docs::integrate,
            SIG("integrate", "q: ArrayLike, dq: ArrayLike"));
  robot.def("difference", difference, q0, q1, named, out, docs::difference,
            SIG("difference", "q0: ArrayLike, q1: ArrayLike"));
  robot.def("normalize", normalize, q, named, out, docs::normalize, SIG("normalize", "q: ArrayLike"));
  robot.def("neutral", neutral, docs::neutral, nb::sig("def neutral(self) -> Array"));

  bind_operators(m, robot);
  bind_generalized(robot);
  bind_closed(m, robot);
  bind_operational(robot);
  bind_hybrid(robot);
  bind_motion(robot);
  bind_diagonal(robot);

  m.def("joint_types", list_joint_types, "The joint types of the kernels, in the order of their numbers.",
        nb::sig("def joint_types() -> list[dict[str, typing.Any]]"));
  m.def("set_threads", choose_threads, nb::arg("count").none(), docs::set_threads,
        nb::sig("def set_threads(count: int) -> None"));
  m.def("get_threads", get_threads, "How many threads a batch may use.");
  m.def("isa", isa, "The instruction set in use.");
  m.def("available_isas", available_isas, "The instruction sets of this build that this machine has, widest first.");
  m.def("fma_peak", fma_peak, nb::call_guard<nb::gil_scoped_release>(),
        "GFLOP/s of independent double multiply-adds on this core, measured now.");
  m.def("flops", flops, nb::arg("robot"), nb::arg("verb"), docs::flops);
  m.attr("__version__") = PHIPSI_VERSION;
}
