// bind_robot.cpp: reads the columns that Python hands over, and looks up names.
#include "bind_robot.hpp"

#include <stdexcept>

namespace phipsi {

namespace {

template <class T>
std::vector<T> column(const nb::dict& columns, const char* name, int type, int64_t expected) {
  if (!columns.contains(name)) raise("model", (std::string("the column '") + name + "' is missing").c_str());
  PyObject* array = PyArray_FROM_OTF(nb::object(columns[name]).ptr(), type, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST);
  if (!array) throw nb::python_error();
  nb::object held = nb::steal(array);
  auto* numbers = reinterpret_cast<PyArrayObject*>(array);
  if (expected >= 0 && PyArray_SIZE(numbers) != expected)
    raise("model", (std::string("the column '") + name + "' must have " + std::to_string(expected) + " numbers, got " +
                    std::to_string(PyArray_SIZE(numbers)))
                       .c_str());
  const T* begin = static_cast<const T*>(PyArray_DATA(numbers));
  return std::vector<T>(begin, begin + PyArray_SIZE(numbers));
}

std::vector<std::string> words(const nb::dict& columns, const char* name) {
  if (!columns.contains(name)) raise("model", (std::string("the column '") + name + "' is missing").c_str());
  std::vector<std::string> out;
  for (nb::handle word : nb::object(columns[name])) out.push_back(nb::cast<std::string>(word));
  return out;
}

Description read_description(const nb::dict& columns, int64_t n) {
  Description d;
  d.parent = column<int32_t>(columns, "parent", NPY_INT32, n);
  d.kind = column<int32_t>(columns, "kind", NPY_INT32, n);
  d.parameter_offset = column<int32_t>(columns, "parameter_offset", NPY_INT32, n + 1);
  d.parameters = column<double>(columns, "parameters", NPY_DOUBLE, d.parameter_offset.back());
  d.rotation = column<double>(columns, "rotation", NPY_DOUBLE, 9 * n);
  d.position = column<double>(columns, "position", NPY_DOUBLE, 3 * n);
  d.mass = column<double>(columns, "mass", NPY_DOUBLE, n);
  d.com = column<double>(columns, "com", NPY_DOUBLE, 3 * n);
  d.inertia = column<double>(columns, "inertia", NPY_DOUBLE, 9 * n);
  d.armature = column<double>(columns, "armature", NPY_DOUBLE, -1);
  d.gravity = column<double>(columns, "gravity", NPY_DOUBLE, 3);
  return d;
}

void add_target(NativeRobot& robot, const std::string& name, int body, const double* rotation, const double* position) {
  robot.target_index.emplace(name, static_cast<int>(robot.target_names.size()));
  robot.target_names.push_back(name);
  robot.target_body.push_back(body);
  robot.target_rotation.insert(robot.target_rotation.end(), rotation, rotation + 9);
  robot.target_position.insert(robot.target_position.end(), position, position + 3);
}

}  // namespace

std::unique_ptr<NativeRobot> describe_robot(const nb::dict& columns) {
  auto robot = std::make_unique<NativeRobot>();
  robot->body_names = words(columns, "body_names");
  robot->joint_names = words(columns, "joint_names");
  const auto n = static_cast<int64_t>(robot->body_names.size());
  if (static_cast<int64_t>(robot->joint_names.size()) != n) raise("model", "each body needs one joint name");
  try {
    robot->model = std::make_unique<Model>(read_description(columns, n));
  } catch (const std::invalid_argument& refusal) {
    raise("model", refusal.what());
  }
  robot->passive = column<uint8_t>(columns, "passive", NPY_UINT8, robot->tree().nv);
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0, 0, 0};
  for (int64_t k = 0; k < n; ++k) add_target(*robot, robot->body_names[k], static_cast<int>(k), identity, origin);
  const auto names = words(columns, "frame_names");
  const auto frames = static_cast<int64_t>(names.size());
  const auto body = column<int32_t>(columns, "frame_body", NPY_INT32, frames);
  const auto rotation = column<double>(columns, "frame_rotation", NPY_DOUBLE, 9 * frames);
  const auto position = column<double>(columns, "frame_position", NPY_DOUBLE, 3 * frames);
  for (int64_t i = 0; i < frames; ++i) {
    if (body[i] < -1 || body[i] >= n)
      raise("model", ("frame '" + names[i] + "' is on a body that is not there").c_str());
    add_target(*robot, names[i], body[i], rotation.data() + 9 * i, position.data() + 3 * i);
  }
  if (robot->target_index.count("world") == 0) add_target(*robot, "world", -1, identity, origin);
  return robot;
}

Request NativeRobot::target(const char* verb, nb::handle name) const {
  std::string key;
  if (!nb::try_cast(name, key)) raise("wrong_type", verb, "target", "the name of a frame or body", name);
  const auto found = target_index.find(key);
  if (found == target_index.end()) {
    nb::list known;
    for (const auto& word : target_names) known.append(word);
    raise("unknown_name", "frame", name, known);
  }
  const int i = found->second;
  return model->target(target_body[i], target_rotation.data() + 9 * i, target_position.data() + 3 * i);
}

}  // namespace phipsi
