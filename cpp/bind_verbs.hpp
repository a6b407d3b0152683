// bind_verbs.hpp: what the verbs of a robot expect of their arguments and options.
#pragma once

#include "bind_robot.hpp"

namespace phipsi {

using Self = const NativeRobot&;
using Any = nb::handle;

inline Expect q_of(const NativeRobot& r, nb::handle x, const char* symbol = "q") {
  return {x.ptr(), symbol, "configuration", -1, r.tree().nq};
}
inline Expect v_of(const NativeRobot& r, nb::handle x, const char* symbol = "v", const char* meaning = "velocity") {
  return {x.ptr(), symbol, meaning, -1, r.tree().nv};
}
inline Expect a_of(const NativeRobot& r, nb::handle x) { return v_of(r, x, "a", "acceleration"); }
inline Expect tau_of(const NativeRobot& r, nb::handle x) { return v_of(r, x, "tau", "joint torques"); }
inline Expect f_of(const NativeRobot& r, nb::handle x) {
  return {x.ptr(), "f_ext", "external force on each body, at its origin, world axes", r.tree().n, 6, true};
}

inline OnSingular on_singular(const char* verb, nb::handle wish) {
  static PyObject* const usual = PyUnicode_InternFromString("raise");
  if (wish.ptr() == usual) return OnSingular::raise;
  std::string word;
  if (nb::try_cast(wish, word)) {
    if (word == "raise") return OnSingular::raise;
    if (word == "nan") return OnSingular::nan;
  }
  nb::list allowed;
  allowed.append("raise");
  allowed.append("nan");
  raise("option", verb, "on_singular", wish, allowed);
}

inline Axes axes_of(const char* verb, nb::handle wish) {
  std::string word;
  if (nb::try_cast(wish, word)) {
    if (word == "world_aligned") return Axes::world_aligned;
    if (word == "body") return Axes::body;
    if (word == "world") return Axes::world;
  }
  nb::list allowed;
  for (const char* name : {"world_aligned", "body", "world"}) allowed.append(name);
  raise("option", verb, "frame", wish, allowed);
}

inline bool about_com(const char* verb, nb::handle wish) {
  std::string word;
  if (nb::try_cast(wish, word)) {
    if (word == "world") return false;
    if (word == "com") return true;
  }
  nb::list allowed;
  allowed.append("world");
  allowed.append("com");
  raise("option", verb, "about", wish, allowed);
}

// A mask that Python has read: a C-contiguous array of nv bools. None: no mask.
struct Mask {
  const uint8_t* flags = nullptr;
  int64_t passive = 0, active = 0;
  Mask(Self r, const char* verb, nb::handle given) {
    if (given.is_none()) return;
    auto* array = reinterpret_cast<PyArrayObject*>(given.ptr());
    if (!PyArray_Check(given.ptr()) || PyArray_TYPE(array) != NPY_BOOL || !PyArray_IS_C_CONTIGUOUS(array) ||
        PyArray_SIZE(array) != r.tree().nv)
      raise("wrong_type", verb, "passive", "an array of nv bools", given);
    flags = static_cast<const uint8_t*>(PyArray_DATA(array));
    for (int i = 0; i < r.tree().nv; ++i) (flags[i] ? passive : active)++;
  }
};

inline std::vector<Request> frames_of(Self r, const char* verb, nb::handle targets) {
  std::vector<Request> frames;
  if (PyUnicode_Check(targets.ptr())) return {r.target(verb, targets)};
  if (!PyList_Check(targets.ptr()) && !PyTuple_Check(targets.ptr()))
    raise("wrong_type", verb, "target", "the name of a frame or body, or a list of names", targets);
  for (nb::handle name : targets) frames.push_back(r.target(verb, name));
  return frames;
}

}  // namespace phipsi
