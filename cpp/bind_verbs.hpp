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

}  // namespace phipsi
