// bind_operators.cpp: phipsi._core.Configuration: what bound operators call.
#include <algorithm>
#include <string>

#include "bind_docs.hpp"
#include "bind_robot.hpp"
#include "operators.hpp"

namespace phipsi {

namespace {

[[noreturn]] void refuse(const std::string& why) { raise("model", ("an operator program " + why).c_str()); }

// A program read from arrays, checked so that the executor need not.
struct ReadProgram {
  std::vector<Row> rows;
  std::vector<double> constants;
  std::vector<int32_t> spaces, order, first;
  std::vector<double> positions;
  Program program{};

  ReadProgram(const NativeRobot& robot, nb::handle program_rows, nb::handle numbers, const std::vector<int>& space,
              const std::vector<std::string>& frames) {
    read_rows(program_rows);
    read_constants(numbers);
    spaces.assign(space.begin(), space.end());
    place_frames(robot, frames);
    check();
    program.row = rows.data(), program.rows = static_cast<int64_t>(rows.size());
    program.constants = constants.data();
    program.space = spaces.data(), program.registers = static_cast<int32_t>(spaces.size());
    program.frames = static_cast<int32_t>(frames.size());
    program.frame_position = positions.data();
    program.frame_order = order.data();
    program.frame_first = first.data();
    program.level = level();
  }

 private:
  void read_rows(nb::handle value) {
    PyObject* array = PyArray_FROM_OTF(value.ptr(), NPY_INT32, NPY_ARRAY_CARRAY_RO);
    if (!array) throw nb::python_error();
    nb::object held = nb::steal(array);
    auto* table = reinterpret_cast<PyArrayObject*>(array);
    if (PyArray_NDIM(table) != 2 || PyArray_DIM(table, 1) != 4) refuse("has four numbers a row");
    const auto* p = static_cast<const int32_t*>(PyArray_DATA(table));
    for (npy_intp i = 0; i < PyArray_DIM(table, 0); ++i, p += 4)
      rows.push_back({static_cast<Op>(p[0]), p[1], p[2], p[3]});
  }
  void read_constants(nb::handle value) {
    PyObject* array = PyArray_FROM_OTF(value.ptr(), NPY_DOUBLE, NPY_ARRAY_CARRAY_RO);
    if (!array) throw nb::python_error();
    nb::object held = nb::steal(array);
    auto* list = reinterpret_cast<PyArrayObject*>(array);
    const auto* p = static_cast<const double*>(PyArray_DATA(list));
    constants.assign(p, p + PyArray_SIZE(list));
  }

  // Frames on the world move with nothing: they belong to no body.
  void place_frames(const NativeRobot& robot, const std::vector<std::string>& frames) {
    const int n = robot.tree().n;
    first.assign(n + 2, 0);
    std::vector<int> body;
    for (const std::string& name : frames) {
      const Request target = robot.target("B", nb::cast(name));
      body.push_back(target.body);
      positions.insert(positions.end(), target.position, target.position + 3);
      if (target.body >= 0) ++first[target.body + 1];
    }
    for (int k = 0; k < n; ++k) first[k + 1] += first[k];
    order.assign(first[n], 0);
    std::vector<int32_t> next(first.begin(), first.end());
    for (size_t i = 0; i < body.size(); ++i)
      if (body[i] >= 0) order[next[body[i]]++] = static_cast<int32_t>(i);
  }

  void check() const {
    constexpr Space bodies = Space::bodies, joints = Space::joints, frames = Space::frames;
    const auto count = static_cast<int32_t>(spaces.size());
    if (count < 2) refuse("has at least two registers, input and output");
    for (int32_t space : spaces)
      if (space < 0 || space > 2) refuse("knows the spaces 0, 1 and 2 only");
    bool up = false, begun = false, answered = false;
    for (const Row& row : rows) {
      if (row.op == Op::up || row.op == Op::down) {
        up = row.op == Op::up;
        begun = true;
        continue;
      }
      if (!begun) refuse("begins with a sweep");
      if (row.dst < 0 || row.dst >= count || row.src < 0 || row.src >= count)
        refuse("names a register that is not there");
      if (row.dst == 0 || (row.dst == row.src && row.op != Op::zero)) refuse("does not write to its input");
      answered |= row.dst == 1;
      const Space dst = static_cast<Space>(spaces[row.dst]), src = static_cast<Space>(spaces[row.src]);
      const int code = static_cast<int>(row.op);
      bool fits = false;
      switch (code / 10) {
        case 1:
          fits = code <= 13 && (dst == src || row.op == Op::zero) && dst != frames;
          if ((row.op == Op::axpy || row.op == Op::scale) &&
              (row.index < 0 || row.index >= static_cast<int32_t>(constants.size())))
            refuse("names a constant that is not there");
          break;
        case 2:
          fits = code <= 25 && (code % 2 == 0 ? dst == joints && src == bodies : dst == bodies && src == joints);
          break;
        case 3: fits = code <= 37 && dst == bodies && src == bodies; break;
        case 4:
          fits = code == 40 ? dst == bodies && src == joints : code == 41 && dst == joints && src == bodies;
          break;
        case 5: fits = code <= 52 && dst == joints && src == joints; break;
        case 6: fits = code <= 63 && up && dst == bodies && src == bodies; break;
        case 7: fits = code <= 73 && !up && dst == bodies && src == bodies; break;
        case 8:
          fits = code == 80 ? dst == bodies && src == frames : code == 81 && dst == frames && src == bodies;
          break;
        default: break;
      }
      if (!fits) refuse("has a step (operation " + std::to_string(code) + ") where it does not belong");
    }
    if (!answered) refuse("writes its output, register 1");
  }

  int32_t level() const {
    int32_t needed = 0;
    for (const Row& row : rows) {
      const int code = static_cast<int>(row.op);
      if (row.op == Op::Upsilon) needed = 2;
      const bool articulated = (code >= 31 && code <= 51) || row.op == Op::psi || row.op == Op::E_psi ||
                               row.op == Op::psi_T || row.op == Op::E_psi_T;
      if (articulated) needed = std::max(needed, 1);
    }
    return needed;
  }
};

class NativeConfiguration {
 public:
  NativeConfiguration(nb::object robot, nb::handle q, nb::handle passive)
      : robot_(std::move(robot)), native_(nb::cast<const NativeRobot*>(robot_)) {
    const Expect expects[] = {{q.ptr(), "q", "configuration", -1, native_->tree().nq}};
    Input input;
    input.read("at", expects[0]);
    batch_ = input.axes;
    q_.assign(input.data, input.data + batch_.total() * native_->tree().nq);
    if (!passive.is_none()) {
      PyObject* mask = PyArray_FROM_OTF(passive.ptr(), NPY_BOOL, NPY_ARRAY_CARRAY_RO);
      if (!mask) throw nb::python_error();
      nb::object held = nb::steal(mask);
      auto* bools = reinterpret_cast<PyArrayObject*>(mask);
      if (PyArray_NDIM(bools) != 1 || PyArray_SIZE(bools) != native_->tree().nv)
        raise("shape", "at", "passive", "which dofs are free to move",
              ("(" + std::to_string(native_->tree().nv) + ",)").c_str(), shape_of(bools));
      const auto* p = static_cast<const uint8_t*>(PyArray_DATA(bools));
      passive_.assign(p, p + PyArray_SIZE(bools));
    }
    state_ = std::make_unique<Configuration>(native_->tree(), q_, batch_.total(), passive_);
  }

  nb::tuple batch() const { return shape_of(batch_); }

  nb::object run(nb::handle rows, nb::handle constants, const std::vector<int>& spaces,
                 const std::vector<std::string>& frames, nb::handle x, bool columns) {
    const ReadProgram read(*native_, rows, constants, spaces, frames);
    int64_t k = 1;
    PyArrayObject* vectors = array_of(x, columns, k);
    nb::object held = nb::steal(reinterpret_cast<PyObject*>(vectors));
    const int64_t x_width = width(spaces[0], frames.size()), y_width = width(spaces[1], frames.size());
    Expect expect{reinterpret_cast<PyObject*>(vectors), "x", "the vectors an operator acts on", columns ? x_width : -1,
                  columns ? k : x_width};
    Input input;
    input.read("@", expect);
    const Batch joint = joined(input.axes);
    Configuration* state = state_.get();
    std::unique_ptr<Configuration> wider;
    if (batch_.total() != 1 && !(batch_ == joint)) {
      wider = widened(joint);
      state = wider.get();
    }
    input.broadcast(joint, expect);
    if (input.axes.total() == joint.total()) input.stride = expect.width();  // the same rows under other axes

    Output output;
    const Input* inputs = &input;
    if (columns)
      output.open("@", joint, {y_width, k}, nullptr, inputs, 1);
    else
      output.open("@", joint, {y_width}, nullptr, inputs, 1);
    ApplyCall call{input.data, output.data, x_width, y_width, k, input.stride, joint.total()};
    const Singular found = carry_out(*state, read.program, call);
    if (found.count != 0) raise_singular(found, state->states());
    return output.close();
  }

 private:
  int64_t width(int space, size_t frames) const {
    return space == 0   ? 6 * static_cast<int64_t>(native_->tree().n)
           : space == 1 ? native_->tree().nv
                        : 6 * static_cast<int64_t>(frames);
  }

  static PyArrayObject* array_of(nb::handle x, bool columns, int64_t& k) {
    PyObject* array = PyArray_FROM_OTF(x.ptr(), NPY_DOUBLE, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_ENSUREARRAY);
    if (!array) throw nb::python_error();
    auto* vectors = reinterpret_cast<PyArrayObject*>(array);
    if (columns && PyArray_NDIM(vectors) >= 2) k = PyArray_DIM(vectors, PyArray_NDIM(vectors) - 1);
    return vectors;
  }

  Batch joined(const Batch& other) const {
    Input ends[2];
    ends[0].axes = batch_;
    ends[1].axes = other;
    static const double present = 0;
    ends[0].data = ends[1].data = &present;
    const Expect names[] = {{nullptr, "s", "", -1, 0}, {nullptr, "x", "", -1, 0}};
    return batch_axes("@", ends, names, 2);
  }

  // The same configurations repeated along further axes.
  std::unique_ptr<Configuration> widened(const Batch& joint) const {
    npy_intp shape[most_axes + 1];
    for (int i = 0; i < batch_.count; ++i) shape[i] = batch_.size[i];
    shape[batch_.count] = native_->tree().nq;
    PyObject* array = PyArray_SimpleNewFromData(batch_.count + 1, shape, NPY_DOUBLE, const_cast<double*>(q_.data()));
    if (!array) throw nb::python_error();
    nb::object held = nb::steal(array);
    Expect expect{array, "q", "configuration", -1, native_->tree().nq};
    Input input;
    input.read("@", expect);
    input.broadcast(joint, expect);
    std::vector<double> q(input.data, input.data + joint.total() * native_->tree().nq);
    return std::make_unique<Configuration>(native_->tree(), std::move(q), joint.total(), passive_);
  }

  // The lock is taken without the interpreter's, so that two threads preparing one configuration cannot wait for each other.
  static Singular carry_out(Configuration& state, const Program& program, const ApplyCall& call) {
    return without_gil([&] {
      const Singular found = state.prepare(program.level);
      if (found.count == 0 && call.states > 0) state.apply(program, call);
      return found;
    });
  }

  [[noreturn]] void raise_singular(const Singular& found, int64_t states) const {
    nb::list index;
    if (batch_.count > 0 || states > 1) index.append(found.first);
    raise("singular_joint", native_->joint_names[found.body].c_str(), found.body, found.count, states,
          nb::tuple(index));
  }

  nb::object robot_;
  const NativeRobot* native_;
  Batch batch_;
  std::vector<double> q_;
  std::vector<uint8_t> passive_;
  std::unique_ptr<Configuration> state_;
};

}  // namespace

void bind_operators(nb::module_& m, nb::class_<NativeRobot>& robot) {
  nb::class_<NativeConfiguration>(m, "Configuration",
                                  "What operators need of a configuration, computed when first needed.")
      .def(nb::init<nb::object, nb::handle, nb::handle>(), nb::arg("robot"), nb::arg("q").none(),
           nb::arg("passive").none() = nb::none(),
           nb::sig("def __init__(self, robot: Robot, q: ArrayLike, passive: ArrayLike | None = None) -> None"))
      .def_prop_ro("batch", &NativeConfiguration::batch, "The batch axes of q.",
                   nb::sig("def batch(self) -> tuple[int, ...]"))
      .def("run", &NativeConfiguration::run, nb::arg("program"), nb::arg("constants"), nb::arg("spaces"),
           nb::arg("frames"), nb::arg("x"), nb::arg("columns"), docs::run_program,
           nb::sig("def run(self, program: Rows, constants: Array, spaces: list[int], "
                   "frames: list[str], x: ArrayLike, columns: bool) -> Array"));

  robot.def(
      "_configuration",
      [](nb::object self, nb::handle q, nb::handle passive) {
        return new NativeConfiguration(std::move(self), q, passive);
      },
      nb::arg("q").none(), nb::arg("passive").none() = nb::none(), nb::rv_policy::take_ownership,
      "The native configuration behind robot.at(q, passive).",
      nb::sig("def _configuration(self, q: ArrayLike, passive: ArrayLike | None = None) -> Configuration"));
}

}  // namespace phipsi
