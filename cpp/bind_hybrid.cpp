// bind_hybrid.cpp: hybrid dynamics, as Robot's Python verbs call it: which mask, which kernel, what comes back.
#include <cstring>

#include "bind_verbs.hpp"

namespace phipsi {

namespace {

constexpr const char* doc =
    R"(Hybrid dynamics: the accelerations of some dofs and the torques of the others, from what is known of each.

At passive dofs tau is known (that of a spring, mostly zero) and a is found; at active ones a is known (what a motor
must achieve) and tau is found. M(q) a + bias(q, v) - J* f_ext = tau holds for both results, (tau, a), which are
complete: what was known is copied. "Hybrid" is meant in Featherstone's sense, a mixture of forward and inverse
dynamics; contacts that come and go have nothing to do with it. [JR93 5.4]

q (*batch, nq), v, tau and a (*batch, nv), f_ext (*batch, n, 6) → two of (*batch, nv). What tau holds at active dofs,
and a at passive ones, is not read: it may be NaN. `passive` stands in for the robot's own mask: names of joints or
bodies, or bools (nv,), or bools (*batch, nv), another mask for each state; nothing is prepared for a mask, so a motor
may fail between two steps. Joints of several dofs may be passive in part. Three sweeps, O(n): the price of
forward_dynamics, whatever the mask; with all dofs passive it is forward_dynamics, with none inverse_dynamics, bit by
bit. Where the passive dofs' D(k) is not positive there is no answer: SingularJoint, or with on_singular="nan" NaN at
what was to be found in those states. `hybrid_motion` also returns the bodies' accelerations and reaction forces.

>>> import phipsi as pp, numpy as np
>>> ship = pp.zoo.arm_satellite()                         # seven motors on a base that floats
>>> q, v = ship.random(rng=0)
>>> wish = np.r_[[np.nan] * 6, np.ones(7)]                # accelerate all joints; let the base go where it may
>>> tau, a = ship.hybrid_dynamics(q, v, np.zeros(13), wish)
>>> bool(abs(ship.inverse_dynamics(q, v, a) - tau).max() < 1e-9)
True
>>> tau, a = ship.hybrid_dynamics(q, v, np.zeros(13), wish, passive=["base", "arm/joint4"])  # joint 4 has failed
>>> float(tau[9])
0.0)";

// Which dofs are passive: the same flags in all states, or (flags = null) an array of bools with leading axes.
struct Masks {
  const uint8_t* flags = nullptr;
  nb::object rows;
  nb::object held;
  bool all = false, none = false;

  Masks(nb::handle self, Self r, const char* verb, nb::handle given) {
    const int nv = r.tree().nv;
    if (given.is_none()) {
      flags = r.passive.data();
      judge(nv);
      return;
    }
    held = nb::borrow(given);
    if (!plain(given, nv)) held = self.attr("_masks")(given, verb);
    if (!plain(held, nv))  // what _masks lets through is right but for its layout
      held = nb::module_::import_("numpy").attr("ascontiguousarray")(held);
    auto* array = reinterpret_cast<PyArrayObject*>(held.ptr());
    flags = static_cast<const uint8_t*>(PyArray_DATA(array));
    const int64_t size = PyArray_SIZE(array);
    judge(size);
    if (PyArray_NDIM(array) == 1) return;
    flags = nullptr;
    rows = held;
  }

 private:
  static bool plain(nb::handle given, int nv) {
    if (!PyArray_CheckExact(given.ptr())) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(given.ptr());
    const int axes = PyArray_NDIM(array);
    return PyArray_TYPE(array) == NPY_BOOL && PyArray_IS_C_CONTIGUOUS(array) && axes > 0 &&
           PyArray_DIM(array, axes - 1) == nv;
  }
  // All flags set, or none: bytes that are equal to the ones before them
  void judge(int64_t size) {
    all = size == 0 || !std::memchr(flags, 0, size);
    none = size == 0 || (flags[0] == 0 && std::memcmp(flags, flags + 1, size - 1) == 0);
  }
};

// q, v, τ, f_ext, a, mask
struct Asked {
  const char* verb;
  Self r;
  Masks masks;
  OnSingular policy;
  Expect expects[6];
  Asked(const char* verb, nb::handle self, Any q, Any v, Any tau, Any a, Any passive, Any f_ext, Any singular)
      : verb(verb),
        r(nb::cast<Self>(self)),
        masks(self, r, verb, passive),
        policy(on_singular(verb, singular)),
        expects{q_of(r, q),
                v_of(r, v),
                tau_of(r, tau),
                f_of(r, f_ext),
                a_of(r, a),
                {masks.rows.is_valid() ? masks.rows.ptr() : Py_None, "passive", "which dofs have no motor", -1,
                 r.tree().nv, true, true}} {}
};

// A state without an answer: NaN where one was sought; what was known stays.
void keep_known(const Asked& asked, const BatchCall& call, int64_t states) {
  const int nv = asked.r.tree().nv;
  for (int64_t s = 0; s < states; ++s)
    for (int i = 0; i < nv; ++i) {
      const bool passive = (call.mask ? call.mask + s * call.mask_stride : asked.masks.flags)[i] != 0;
      const int known = passive ? 0 : 1, source = passive ? 2 : 4;
      call.out[known][s * nv + i] = call.in[source][s * call.in_stride[source] + i];
    }
}

template <class I>
void run_hybrid(I& i, const Asked& asked) {
  i.request().passive = asked.masks.flags;
  if (i.run(KernelId::HybridDynamics, asked.policy).count != 0) keep_known(asked, i.call(), i.states());
}

nb::object hybrid_dynamics(nb::handle self, Any q, Any v, Any tau, Any a, Any passive, Any f_ext, Any singular) {
  const Asked asked("hybrid_dynamics", self, q, v, tau, a, passive, f_ext, singular);
  const int64_t nv = asked.r.tree().nv;
  const bool inverse = asked.masks.none;
  const int slots[] = {0, 1, inverse ? 4 : 2, 3, inverse ? 2 : 4, 5};
  Invocation<6> i(asked.r, asked.verb, asked.expects, slots);
  if (asked.masks.all || inverse) {  // the very kernels that these extremes are
    i.forget(4);
    i.open_together({{nv}, {nv}});
    i.fill(1, 2);
    i.run(inverse ? KernelId::InverseDynamics : KernelId::ForwardDynamics, asked.policy);
    nb::object found = i.close(0), known = i.close(1);
    return inverse ? nb::make_tuple(found, known) : nb::make_tuple(known, found);
  }
  i.open_together({{nv}, {nv}});
  run_hybrid(i, asked);
  nb::object torques = i.close(0), accelerations = i.close(1);
  return nb::make_tuple(torques, accelerations);
}

nb::object hybrid_motion(nb::handle self, Any q, Any v, Any tau, Any a, Any passive, Any f_ext, Any singular) {
  const Asked asked("hybrid_motion", self, q, v, tau, a, passive, f_ext, singular);
  const int64_t nv = asked.r.tree().nv, n = asked.r.tree().n;
  Invocation<6> i(asked.r, asked.verb, asked.expects, {0, 1, 2, 3, 4, 5});
  i.open_together({{nv}, {nv}, {n, 6}, {n, 6}});
  run_hybrid(i, asked);
  nb::object found[4];
  for (int slot = 0; slot < 4; ++slot) found[slot] = i.close(slot);
  return nb::make_tuple(found[0], found[1], found[2], found[3]);
}

}  // namespace

void bind_hybrid(nb::class_<NativeRobot>& robot) {
  const auto q = nb::arg("q").none(), v = nb::arg("v").none(), tau = nb::arg("tau").none(), a = nb::arg("a").none();
  const auto passive = nb::arg("passive") = nb::none(), f_ext = nb::arg("f_ext") = nb::none();
  const auto singular = nb::arg("on_singular").none() = nb::steal(PyUnicode_InternFromString("raise"));
#define ARGUMENTS \
  "q: ArrayLike, v: ArrayLike, tau: ArrayLike, a: ArrayLike, passive: str | typing.Sequence[str] | ArrayLike | None " \
  "= None, f_ext: ArrayLike | None = None, on_singular: typing.Literal['raise', 'nan'] = 'raise'"
  robot.def("hybrid_dynamics", hybrid_dynamics, q, v, tau, a, passive, f_ext, singular, doc,
            nb::sig("def hybrid_dynamics(self, " ARGUMENTS ") -> tuple[Array, Array]"));
  robot.def("_hybrid_motion", hybrid_motion, q, v, tau, a, passive, f_ext, singular,
            "Torques, accelerations, those of the bodies, reaction forces; see Robot.hybrid_motion.",
            nb::sig("def _hybrid_motion(self, " ARGUMENTS ") -> tuple[Array, Array, Array, Array]"));
}

}  // namespace phipsi
