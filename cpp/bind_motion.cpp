// bind_motion.cpp: steps through time, as simulate calls them.
#include "bind_verbs.hpp"
#include "stepping.hpp"

namespace phipsi {

namespace {

// The plan of a run, as Python's dict: numbers, and arrays of nv numbers that may be absent.
class Plan {
 public:
  Plan(Self r, nb::handle given) {
    if (!PyDict_Check(given.ptr())) raise("wrong_type", "_advance", "plan", "a dict", given);
    plan_ = nb::borrow<nb::dict>(given);
    const int nv = r.tree().nv;
    s.method = static_cast<Method>(whole("method"));
    s.law = static_cast<LawKind>(whole("law"));
    s.gravity = whole("gravity") != 0;
    s.step = nb::cast<double>(plan_["step"]);
    s.blocks = whole("blocks");
    s.every = whole("every");
    s.phase = whole("phase");
    s.hold = whole("hold");
    const std::pair<const char*, const double**> arrays[] = {
        {"kp", &s.kp},           {"kd", &s.kd},       {"effort", &s.effort},       {"driven", &s.driven},
        {"damping", &s.damping}, {"slow", &s.slow},   {"stiffness", &s.stiffness}, {"friction", &s.friction},
        {"lower", &s.lower},     {"upper", &s.upper}, {"wall", &s.wall},           {"wall_damping", &s.wall_damping}};
    for (const auto& [name, place] : arrays) *place = static_cast<const double*>(data(name, NPY_DOUBLE, nv));
    s.rest = static_cast<const double*>(data("rest", NPY_DOUBLE, r.tree().nq));
    s.coordinate = static_cast<const int32_t*>(data("coordinate", NPY_INT32, nv));
    const bool incomplete = (s.law != LawKind::table && !(s.kp && s.kd)) || (s.stiffness && !s.rest) ||
                            (s.friction && !s.slow) ||
                            (s.wall && !(s.wall_damping && s.lower && s.upper && s.coordinate));
    if (incomplete || s.blocks < 1 || s.every < 1) raise("wrong_type", "_advance", "plan", "a complete plan", given);
  }
  Stepping s;

 private:
  int64_t whole(const char* name) { return plan_.contains(name) ? nb::cast<int64_t>(plan_[name]) : 0; }
  const void* data(const char* name, int type, int64_t size) {
    if (!plan_.contains(name)) return nullptr;
    nb::object value = plan_[name];
    if (value.is_none()) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(value.ptr());
    if (!PyArray_Check(value.ptr()) || PyArray_TYPE(array) != type || !PyArray_ISCARRAY_RO(array) ||
        PyArray_SIZE(array) != size)
      raise("wrong_type", "_advance", name, "a number for each dof", value);
    return PyArray_DATA(array);  // the dict keeps it alive
  }
  nb::dict plan_;
};

int64_t rows_of(Any table) {
  if (!PyArray_Check(table.ptr())) return 1;
  auto* array = reinterpret_cast<PyArrayObject*>(table.ptr());
  return PyArray_NDIM(array) < 2 ? 1 : PyArray_DIM(array, PyArray_NDIM(array) - 2);
}

nb::tuple advance(Self r, Any q, Any v, Any table, Any held, Any goal, Any f_ext, Any plan, Any singular) {
  Plan p(r, plan);
  const int64_t nq = r.tree().nq, nv = r.tree().nv;
  p.s.rows = rows_of(table);
  Expect held_of = v_of(r, held, "held", "joint torques");
  held_of.optional = true;
  const Expect expects[] = {q_of(r, q),
                            v_of(r, v),
                            {table.ptr(), "table", "joint torques in time", p.s.rows, nv, true},
                            held_of,
                            {goal.ptr(), "goal", "configuration and velocity to reach", -1, nq + nv, true},
                            f_of(r, f_ext)};
  const OnSingular policy = on_singular("simulate", singular);
  Invocation<6> i(r, "simulate", expects, {0, 1, 2, 3, 4, 5});
  i.request().stepping = &p.s;
  i.open(0, {p.s.blocks, nq});
  i.open(1, {p.s.blocks, nv});
  i.open(2, {p.s.blocks, nv});
  i.open(3, {nv});
  i.run(KernelId::Advance, policy);
  return nb::make_tuple(i.close(0), i.close(1), i.close(2), i.close(3));
}

nb::object chart_rate(Self r, Any omega, Any v) {
  const Expect expects[] = {v_of(r, omega, "omega", "displacement"), v_of(r, v)};
  Invocation<2> i(r, "chart_rate", expects, {0, 1});
  i.open(0, {r.tree().nv});
  i.run(KernelId::ChartRate);
  return i.close(0);
}

}  // namespace

void bind_motion(nb::class_<NativeRobot>& robot) {
  robot.def("_advance", advance, nb::arg("q").none(), nb::arg("v").none(), nb::arg("table").none(),
            nb::arg("held").none(), nb::arg("goal").none(), nb::arg("f_ext").none(), nb::arg("plan").none(),
            nb::arg("on_singular").none(),
            "Many steps in one call: q, v and torques (*batch, blocks, ..) and the torques held; see motion.native.",
            nb::sig("def _advance(self, q: ArrayLike, v: ArrayLike, table: ArrayLike | None, held: ArrayLike | None, "
                    "goal: ArrayLike | None, f_ext: ArrayLike | None, plan: dict[str, typing.Any], on_singular: str) "
                    "-> tuple[Array, Array, Array, Array]"));
  robot.def("_chart_rate", chart_rate, nb::arg("omega").none(), nb::arg("v").none(),
            "The rate of \316\251 where q = q0 exp(\316\251) moves with v; see motion.steppers.",
            nb::sig("def _chart_rate(self, omega: ArrayLike, v: ArrayLike) -> Array"));
}

}  // namespace phipsi
