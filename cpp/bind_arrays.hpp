// bind_arrays.hpp: NumPy arrays in and out: shapes, broadcasting, conversion, and the errors they can meet.
//
// The common case, C-contiguous float64 arrays of matching shape, touches only fields of the array objects. Everything
// else goes through NumPy itself, so that "array-like" means what NumPy users expect.
#pragma once

#include <nanobind/nanobind.h>

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL phipsi_numpy
#ifndef PHIPSI_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <initializer_list>

#include "batch.hpp"

namespace phipsi {

namespace nb = nanobind;

constexpr int most_axes = 64;  // as NumPy

// The leading axes of an array.
struct Batch {
  int count = 0;
  npy_intp size[most_axes];
  npy_intp total() const {
    npy_intp product = 1;
    for (int i = 0; i < count; ++i) product *= size[i];
    return product;
  }
  bool operator==(const Batch& other) const {
    if (count != other.count) return false;
    for (int i = 0; i < count; ++i)
      if (size[i] != other.size[i]) return false;
    return true;
  }
};

// Raises what phipsi.errors.<factory>(arguments...) returns.
template <class... Args>
[[noreturn]] void raise(const char* factory, Args&&... arguments) {
  nb::object error = nb::module_::import_("phipsi.errors").attr(factory)(std::forward<Args>(arguments)...);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

nb::tuple shape_of(PyArrayObject* array);
nb::tuple shape_of(const Batch& axes);

// What a verb expects of one argument: symbol, meaning, and the trailing shape (rows = -1: a vector).
struct Expect {
  PyObject* value;
  const char *symbol, *meaning;
  int64_t rows, columns;
  bool optional = false;  // None: absent
  bool truth = false;  // a C-contiguous array of bools, which `data` only points to
  bool vector() const { return rows < 0; }
  int64_t width() const { return vector() ? columns : rows * columns; }
};

// One argument, read: data is null if the argument was None.
class Input {
 public:
  Input() = default;
  Input(const Input&) = delete;
  ~Input() { Py_XDECREF(owned_); }

  void read(const char* verb, const Expect& expect);
  // Makes the data step through the batch: by the row's width, by zero, or after NumPy's own broadcasting.
  void broadcast(const Batch& batch, const Expect& expect);

  const double* data = nullptr;
  int64_t stride = 0;
  Batch axes;
  bool overlaps(const double* begin, const double* end) const {
    return data && array_ && data < end && begin < data + PyArray_SIZE(array_);
  }

 private:
  void convert(const char* verb, const Expect& expect);
  PyArrayObject* array_ = nullptr;  // borrowed from the caller, or the same as owned_
  PyObject* owned_ = nullptr;
};

// The common batch axes of all inputs.
Batch batch_axes(const char* verb, const Input* inputs, const Expect* expects, int count);

// A result: a new array, or the caller's out= (a temporary if it overlaps an input).
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  ~Output() {
    Py_XDECREF(result_);
    Py_XDECREF(scratch_);
  }
  // trailing axes: at most two; scalars have none
  void open(const char* verb, const Batch& batch, std::initializer_list<int64_t> trailing, PyObject* out,
            const Input* inputs, int input_count);
  // The same, as a part of a flat array that several results share.
  void open_in(PyObject* shared, int64_t offset, const Batch& batch, std::initializer_list<int64_t> trailing);
  nb::object close();
  double* data = nullptr;
  int64_t width = 1;

 private:
  PyObject *result_ = nullptr, *scratch_ = nullptr;
  bool given_ = false;  // the caller's out=
};

}  // namespace phipsi
