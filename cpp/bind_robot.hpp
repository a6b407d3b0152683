// bind_robot.hpp: the native robot: flat arrays, names, and how one of its verbs is carried out.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind_arrays.hpp"
#include "model.hpp"

namespace phipsi {

struct NativeRobot {
  std::unique_ptr<Model> model;
  std::vector<std::string> body_names, joint_names, target_names;
  std::vector<int> target_body;
  std::vector<double> target_rotation, target_position;  // 9 and 3 a target, row by row
  std::unordered_map<std::string, int> target_index;
  std::vector<uint8_t> passive;  // the robot's own mask; nv

  const Tree& tree() const { return model->tree(); }
  Request target(const char* verb, nb::handle name) const;
};

// Reads the constructor's keyword arguments.
std::unique_ptr<NativeRobot> describe_robot(const nb::dict& columns);

// The operators' side of the module.
void bind_operators(nb::module_& m, nb::class_<NativeRobot>& robot);
// Generalized and disturbance Jacobians.
void bind_generalized(nb::class_<NativeRobot>& robot);
// Compliances of frames.
void bind_operational(nb::class_<NativeRobot>& robot);
// Hybrid dynamics.
void bind_hybrid(nb::class_<NativeRobot>& robot);
// Steps through time.
void bind_motion(nb::class_<NativeRobot>& robot);
// Diagonalized dynamics.
void bind_diagonal(nb::class_<NativeRobot>& robot);

// Closed chains.
void bind_closed(nb::module_& m, nb::class_<NativeRobot>& robot);

enum class OnSingular { raise, nan };

// Runs f while other Python threads may run. Not by a destructor: when the interpreter ends, Python takes a daemon thread
// down inside PyEval_RestoreThread, and that unwinding may not meet a noexcept function.
template <class F>
auto without_gil(F&& f) {
  decltype(f()) result{};
  std::exception_ptr failure;
  PyThreadState* thread = PyEval_SaveThread();
  try {
    result = f();
  } catch (...) {
    failure = std::current_exception();
  }
  PyEval_RestoreThread(thread);
  if (failure) std::rethrow_exception(failure);
  return result;
}

// Carries out one verb: reads the arguments, finds the batch, runs the kernel, raises what has to be raised.
template <int N>
class Invocation {
 public:
  Invocation(const NativeRobot& robot, const char* verb, const Expect (&expects)[N], const int (&slots)[N])
      : robot_(robot), verb_(verb) {
    for (int i = 0; i < N; ++i) inputs_[i].read(verb, expects[i]);
    batch_ = batch_axes(verb, inputs_, expects, N);
    for (int i = 0; i < N; ++i) {
      inputs_[i].broadcast(batch_, expects[i]);
      if (expects[i].truth) {
        call_.mask = reinterpret_cast<const uint8_t*>(inputs_[i].data);
        call_.mask_stride = inputs_[i].stride;
        continue;
      }
      call_.in[slots[i]] = inputs_[i].data;
      call_.in_width[slots[i]] = expects[i].width();
      call_.in_stride[slots[i]] = inputs_[i].stride;
    }
  }

  void open(int slot, std::initializer_list<int64_t> trailing, PyObject* out = nullptr) {
    outputs_[slot].open(verb_, batch_, trailing, out, inputs_, N);
    call_.out[slot] = outputs_[slot].data;
    call_.out_width[slot] = outputs_[slot].width;
  }
  // Results in slots 0, 1, ... Large ones share one piece of memory: an allocator gives several such pieces back to the
  // system after each call, and paging them in again costs more than a kernel.
  void open_together(std::initializer_list<std::initializer_list<int64_t>> trailing) {
    constexpr int64_t large = (int64_t{1} << 16) / static_cast<int64_t>(sizeof(double));
    const int64_t states = batch_.total();
    int64_t numbers = 0;
    int slot = 0;
    for (const auto& own : trailing) numbers += states * product(own);
    nb::object shared;
    if (numbers >= large && batch_.count <= most_axes - 2) {
      npy_intp size = numbers;
      shared = nb::steal(PyArray_SimpleNew(1, &size, NPY_DOUBLE));
      if (!shared.is_valid()) throw nb::python_error();
    }
    int64_t offset = 0;
    for (const auto& own : trailing) {
      if (!shared.is_valid()) {
        open(slot++, own);
        continue;
      }
      outputs_[slot].open_in(shared.ptr(), offset, batch_, own);
      call_.out[slot] = outputs_[slot].data;
      call_.out_width[slot++] = product(own);
      offset += states * product(own);
    }
  }
  // An output that the kernel does not write: the rows of an argument, broadcast.
  void fill(int slot, int argument) {
    const int64_t stride = call_.in_stride[argument], width = call_.out_width[slot], states = batch_.total();
    double* to = call_.out[slot];
    if (stride == width)
      std::copy_n(call_.in[argument], states * width, to);
    else
      for (int64_t i = 0; i < states; ++i) std::copy_n(call_.in[argument] + i * stride, width, to + i * width);
    call_.out[slot] = nullptr;
  }
  // An argument that the kernel does not read, though it is checked.
  void forget(int argument) { call_.in[argument] = nullptr; }
  Request& request() { return call_.request; }
  const BatchCall& call() const { return call_; }
  int64_t states() const { return batch_.total(); }

  Singular run(KernelId id, OnSingular on_singular = OnSingular::raise) {
    const int64_t states = batch_.total();
    Singular found;
    if (states * robot_.tree().n < 512)
      found = phipsi::run(id, robot_.tree(), call_, states);
    else
      found = without_gil([&] { return phipsi::run(id, robot_.tree(), call_, states); });
    if (found.count != 0 && on_singular == OnSingular::raise) raise_singular(found, states);
    return found;
  }

  nb::object close(int slot) { return outputs_[slot].close(); }

 private:
  static int64_t product(std::initializer_list<int64_t> sizes) {
    int64_t all = 1;
    for (int64_t size : sizes) all *= size;
    return all;
  }
  [[noreturn]] void raise_singular(const Singular& found, int64_t states) const {
    nb::list index;
    int64_t rest = found.first, block = states;
    for (int i = 0; i < batch_.count; ++i) {
      block /= batch_.size[i];
      index.append(rest / block);
      rest %= block;
    }
    raise("singular_joint", robot_.joint_names[found.body].c_str(), found.body, found.count, states, nb::tuple(index),
          call_.mask || call_.request.passive);
  }

  const NativeRobot& robot_;
  const char* verb_;
  Input inputs_[N];
  Output outputs_[most_outputs];
  Batch batch_;
  BatchCall call_;
};

}  // namespace phipsi
