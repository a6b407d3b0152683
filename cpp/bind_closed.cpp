// bind_closed.cpp: the loops of a closed chain as the kernels want them, and the verbs that run on them.
#include "bind_verbs.hpp"
#include "closure.hpp"

namespace phipsi {

namespace {

constexpr int whole_numbers = 5;                    // a loop: tip, object, by_tip, rows, turns
constexpr int numbers = 3 * 12 + 36 + 6;            // three poses, locked, two axes

struct NativeClosure {
  std::vector<ClosureLoop> loop;
  std::vector<int32_t> body, first_step;
  std::vector<ClosureStep> step;
  std::vector<ClosureShare> share;
  std::vector<uint8_t> touched;
  Closure flat{};

  void finish(const Tree& t) {
    std::vector<std::vector<ClosureStep>> through(t.n);
    int32_t rows = 0;
    for (size_t i = 0; i < loop.size(); ++i) {
      loop[i].first = rows;
      rows += loop[i].rows;
      walk(t, static_cast<int32_t>(i), through);
    }
    touched.assign(t.n, 0);
    for (int k = 0; k < t.n; ++k) {
      const int parent = t.body[k].parent;
      touched[k] = !through[k].empty() || (parent >= 0 && touched[parent]);
    }
    for (int k = t.n - 1; k >= 0; --k) {
      if (through[k].empty()) continue;
      body.push_back(k);
      first_step.push_back(static_cast<int32_t>(step.size()));
      step.insert(step.end(), through[k].begin(), through[k].end());
    }
    first_step.push_back(static_cast<int32_t>(step.size()));
    count_shares(t, through);
    flat.loops = static_cast<int32_t>(loop.size());
    flat.rows = rows;
    flat.loop = loop.data();
    flat.bodies = static_cast<int32_t>(body.size());
    flat.body = body.data();
    flat.first_step = first_step.data();
    flat.step = step.data();
    flat.share = share.data();
    flat.touched = touched.data();
    flat.by_loops = loop.size() > 1 && rows >= 4 * flat.shared;
  }

 private:
  void count_shares(const Tree& t, const std::vector<std::vector<ClosureStep>>& through) {
    std::vector<std::vector<ClosureShare>> of_loop(loop.size());
    for (int k = t.n - 1; k >= 0; --k) {
      if (through[k].size() < 2 || t.body[k].nv == 0) continue;
      for (const ClosureStep& step : through[k]) of_loop[step.loop].push_back({k, step.dof, flat.shared});
      flat.shared += t.body[k].nv;
    }
    for (size_t i = 0; i < loop.size(); ++i) {
      loop[i].first_share = static_cast<int32_t>(share.size());
      loop[i].shares = static_cast<int32_t>(of_loop[i].size());
      share.insert(share.end(), of_loop[i].begin(), of_loop[i].end());
    }
  }

  // Both ends' bodies up to the world, or to a free joint, later ones first: as ClosedSweeps::send goes
  void walk(const Tree& t, int32_t i, std::vector<std::vector<ClosureStep>>& through) {
    int a = loop[i].tip.body, b = loop[i].object.body;
    int32_t dofs = 0;
    const auto parent = [&](int k) { return t.body[k].shape == Shape::free ? -1 : t.body[k].parent; };
    while (a >= 0 || b >= 0) {
      if (a == b) b = -1;
      int& k = a > b ? a : b;
      through[k].push_back({i, dofs});
      dofs += t.body[k].nv;
      k = parent(k);
    }
    loop[i].dofs = dofs;
  }
};

nb::object array_of(nb::handle given, int type) {
  PyObject* array = PyArray_FROM_OTF(given.ptr(), type, NPY_ARRAY_CARRAY_RO);
  if (!array) throw nb::python_error();
  return nb::steal(array);
}

void make_closure(NativeClosure* place, Self r, nb::handle whole, nb::handle values, double frequency, double damping) {
  const nb::object a = array_of(whole, NPY_INT32), b = array_of(values, NPY_DOUBLE);
  auto *ints = reinterpret_cast<PyArrayObject*>(a.ptr()), *doubles = reinterpret_cast<PyArrayObject*>(b.ptr());
  const int64_t loops = PyArray_SIZE(ints) / whole_numbers;
  if (PyArray_SIZE(ints) != loops * whole_numbers || PyArray_SIZE(doubles) != loops * numbers)
    raise("model", "a closure takes 5 whole numbers and 78 numbers for each loop");
  auto* closure = new (place) NativeClosure;
  const auto* n = static_cast<const int32_t*>(PyArray_DATA(ints));
  const auto* x = static_cast<const double*>(PyArray_DATA(doubles));
  for (int64_t i = 0; i < loops; ++i, n += whole_numbers, x += numbers) {
    ClosureLoop loop{};
    loop.tip = r.model->target(n[0], x, x + 9);
    loop.object = r.model->target(n[1], x + 12, x + 21);
    loop.closed = r.model->target(n[1], x + 24, x + 33);
    loop.by_tip = n[2];
    loop.rows = n[3];
    loop.turns = n[4];
    std::copy(x + 36, x + 72, loop.locked);
    std::copy(x + 72, x + 75, loop.axis_tip);
    std::copy(x + 75, x + 78, loop.axis_object);
    closure->loop.push_back(loop);
  }
  closure->finish(r.tree());
  closure->flat.frequency = frequency;
  closure->flat.damping = damping;
}

nb::object closed_dynamics(Self r, const NativeClosure& closure, Any q, Any v, Any tau, Any f_ext) {
  const Expect expects[] = {q_of(r, q), v_of(r, v), tau_of(r, tau), f_of(r, f_ext)};
  Invocation<4> i(r, "forward_dynamics", expects, {0, 1, 2, 3});
  i.request().closure = &closure.flat;
  i.open(0, {r.tree().nv});
  i.open(1, {closure.flat.rows});
  i.open(2, {});
  i.run(KernelId::ClosedDynamics);
  return nb::make_tuple(i.close(0), i.close(1), i.close(2));
}

nb::object closed_projection(Self r, const NativeClosure& closure, const char* verb, Any q, Any v) {
  Expect velocity = v_of(r, v);
  velocity.optional = true;
  const Expect expects[] = {q_of(r, q), velocity};
  Invocation<2> i(r, verb, expects, {0, 1});
  i.request().closure = &closure.flat;
  i.open(0, {r.tree().nv});
  i.open(1, {closure.flat.rows});
  i.open(2, {});
  i.open(3, {closure.flat.rows});
  i.run(KernelId::ClosedProjection);
  return nb::make_tuple(i.close(0), i.close(1), i.close(2), i.close(3));
}

}  // namespace

void bind_closed(nb::module_& m, nb::class_<NativeRobot>& robot) {
  nb::class_<NativeClosure>(m, "Closure", "The loops of a closed chain, as the kernels read them; see ClosedRobot.")
      .def("__init__", make_closure, nb::arg("robot"), nb::arg("whole"), nb::arg("values"), nb::arg("frequency"),
           nb::arg("damping"),
           nb::sig("def __init__(self, robot: Robot, whole: typing.Any, values: ArrayLike, frequency: float, "
                   "damping: float) -> None"));
  robot.def("_closed_dynamics", closed_dynamics, nb::arg("closure"), nb::arg("q").none(), nb::arg("v").none(),
            nb::arg("tau").none(), nb::arg("f_ext").none(),
            "Accelerations, contact forces and the rank of Ω; see ClosedRobot.forward_dynamics.",
            nb::sig("def _closed_dynamics(self, closure: Closure, q: ArrayLike, v: ArrayLike, tau: ArrayLike, "
                    "f_ext: ArrayLike | None) -> tuple[Array, Array, Array]"));
  robot.def("_closed_projection", closed_projection, nb::arg("closure"), nb::arg("verb"), nb::arg("q").none(),
            nb::arg("v").none(),
            "The least change that closes velocities, or with v None positions to first order; impulse, rank, error.",
            nb::sig("def _closed_projection(self, closure: Closure, verb: str, q: ArrayLike, v: ArrayLike | None) -> "
                    "tuple[Array, Array, Array, Array]"));
}

}  // namespace phipsi
