// bind_diagonal.cpp: what phipsi.diagonal calls: v ↔ ν, ξ; Coriolis terms; right-hand sides; τ ↔ ε, κ.
#include "bind_verbs.hpp"

namespace phipsi {

namespace {

// ν, or ξ where the caller says so
Expect rates_of(Self r, Any x, bool plain) {
  return plain ? v_of(r, x, "xi", "un-normalised diagonalizing rates") : v_of(r, x, "nu", "diagonalizing rates");
}
Expect forces_of(Self r, Any x, bool plain) {
  return plain ? v_of(r, x, "kappa", "un-normalised diagonalizing forces")
               : v_of(r, x, "epsilon", "diagonalizing forces");
}

nb::object rates(Self r, const char* verb, Any q, Any v, bool plain, Any out, Any singular) {
  const Expect expects[] = {q_of(r, q), v_of(r, v)};
  const OnSingular policy = on_singular(verb, singular);
  Invocation<2> i(r, verb, expects, {0, 1});
  i.open(plain, {r.tree().nv}, out.ptr());
  i.run(KernelId::DiagonalRates, policy);
  return i.close(plain);
}

nb::object velocities(Self r, const char* verb, Any q, Any x, bool plain, Any out, Any singular) {
  const Expect expects[] = {q_of(r, q), rates_of(r, x, plain)};
  const OnSingular policy = on_singular(verb, singular);
  Invocation<2> i(r, verb, expects, {0, plain ? 2 : 1});
  i.open(0, {r.tree().nv}, out.ptr());
  i.run(KernelId::DiagonalVelocities, policy);
  return i.close(0);
}

nb::object coriolis(Self r, const char* verb, Any q, Any x, bool plain, Any out, Any singular) {
  const Expect expects[] = {q_of(r, q), rates_of(r, x, plain)};
  const OnSingular policy = on_singular(verb, singular);
  Invocation<2> i(r, verb, expects, {0, plain ? 2 : 1});
  i.open(plain, {r.tree().nv}, out.ptr());
  i.run(KernelId::DiagonalCoriolis, policy);
  return i.close(plain);
}

// P(k) and its rate as body k sees it, when the robot moves with v
nb::object inertias(Self r, const char* verb, Any q, Any v) {
  const Expect expects[] = {q_of(r, q), v_of(r, v)};
  Invocation<2> i(r, verb, expects, {0, 3});
  i.open(2, {r.tree().n, 36});
  i.open(3, {r.tree().n, 36});
  i.run(KernelId::DiagonalCoriolis);
  nb::object P = i.close(2);
  return nb::make_tuple(P, i.close(3));
}

nb::object dynamics(Self r, const char* verb, Any q, Any x, Any tau, Any f_ext, bool plain, Any out_v, Any out_x,
                    Any singular) {
  const Expect expects[] = {q_of(r, q), rates_of(r, x, plain), tau_of(r, tau), f_of(r, f_ext)};
  const OnSingular policy = on_singular(verb, singular);
  Invocation<4> i(r, verb, expects, {0, plain ? 2 : 1, 3, 4});
  const int rate = plain ? 1 : 2;
  i.open(0, {r.tree().nv}, out_v.ptr());
  i.open(rate, {r.tree().nv}, out_x.ptr());
  i.run(KernelId::DiagonalDynamics, policy);
  nb::object v = i.close(0);
  return nb::make_tuple(v, i.close(rate));
}

nb::object forces(Self r, const char* verb, Any q, Any tau, Any f_ext, bool plain, Any out, Any singular) {
  const Expect expects[] = {q_of(r, q), tau_of(r, tau), f_of(r, f_ext)};
  const OnSingular policy = on_singular(verb, singular);
  Invocation<3> i(r, verb, expects, {0, 1, 2});
  i.open(plain, {r.tree().nv}, out.ptr());
  i.run(KernelId::DiagonalForces, policy);
  return i.close(plain);
}

nb::object torques(Self r, const char* verb, Any q, Any x, Any f_ext, bool plain, Any out, Any singular) {
  const Expect expects[] = {q_of(r, q), forces_of(r, x, plain), f_of(r, f_ext)};
  const OnSingular policy = on_singular(verb, singular);
  Invocation<3> i(r, verb, expects, {0, plain ? 2 : 1, 3});
  i.open(0, {r.tree().nv}, out.ptr());
  i.run(KernelId::DiagonalTorques, policy);
  return i.close(0);
}

}  // namespace

#define PHIPSI_TAIL nb::arg("plain"), nb::arg("out").none(), nb::arg("on_singular").none()
#define PHIPSI_SIG(name, arguments) \
  nb::sig("def " name "(self, verb: str, q: ArrayLike, " arguments ", plain: bool, out: Array | None, " \
          "on_singular: str) -> Array")

void bind_diagonal(nb::class_<NativeRobot>& robot) {
  const auto verb = nb::arg("verb");
  const auto q = nb::arg("q").none(), v = nb::arg("v").none(), x = nb::arg("x").none(), tau = nb::arg("tau").none(),
             f_ext = nb::arg("f_ext").none();
  robot.def("_diagonal_rates", rates, verb, q, v, PHIPSI_TAIL, "ν (plain: ξ); see phipsi.diagonal.rates.",
            PHIPSI_SIG("_diagonal_rates", "v: ArrayLike"));
  robot.def("_diagonal_velocities", velocities, verb, q, x, PHIPSI_TAIL,
            "v from ν (plain: ξ); see phipsi.diagonal.velocities.", PHIPSI_SIG("_diagonal_velocities", "x: ArrayLike"));
  robot.def("_diagonal_coriolis", coriolis, verb, q, x, PHIPSI_TAIL,
            "C(θ, ν) (plain: C(θ, ξ)); see phipsi.diagonal.coriolis.",
            PHIPSI_SIG("_diagonal_coriolis", "x: ArrayLike"));
  robot.def("_diagonal_inertias", inertias, verb, q, v, "P and its local rate, 36 numbers a body; see algebra.blocks.",
            nb::sig("def _diagonal_inertias(self, verb: str, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]"));
  robot.def("_diagonal_dynamics", dynamics, verb, q, x, tau, f_ext, nb::arg("plain"), nb::arg("out_v").none(),
            nb::arg("out_x").none(), nb::arg("on_singular").none(), "v and ν̇ (plain: ξ̇); see phipsi.diagonal.dynamics.",
            nb::sig("def _diagonal_dynamics(self, verb: str, q: ArrayLike, x: ArrayLike, tau: ArrayLike, "
                    "f_ext: ArrayLike | None, plain: bool, out_v: Array | None, out_x: Array | None, on_singular: str) "
                    "-> tuple[Array, Array]"));
  robot.def("_diagonal_forces", forces, verb, q, tau, f_ext, PHIPSI_TAIL,
            "ε (plain: κ) from τ; see phipsi.diagonal.forces.",
            PHIPSI_SIG("_diagonal_forces", "tau: ArrayLike, f_ext: ArrayLike | None"));
  robot.def("_diagonal_torques", torques, verb, q, x, f_ext, PHIPSI_TAIL,
            "τ from ε (plain: κ); see phipsi.diagonal.torques.",
            PHIPSI_SIG("_diagonal_torques", "x: ArrayLike, f_ext: ArrayLike | None"));
}

#undef PHIPSI_TAIL
#undef PHIPSI_SIG

}  // namespace phipsi
