// bind_arrays.cpp: the cold half of bind_arrays.hpp and the warm paths through it.
#include "bind_arrays.hpp"

#include <string>

namespace phipsi {

namespace {

// Trailing axes as expected?
bool fits(PyArrayObject* array, const Expect& e, Batch& axes) {
  const int own = e.vector() ? 1 : 2, count = PyArray_NDIM(array);
  if (count < own || count - own > most_axes) return false;
  const npy_intp* size = PyArray_DIMS(array);
  if (size[count - 1] != e.columns || (own == 2 && size[count - 2] != e.rows)) return false;
  axes.count = count - own;
  for (int i = 0; i < axes.count; ++i) axes.size[i] = size[i];
  return true;
}

bool ready(PyObject* value) {
  if (!PyArray_CheckExact(value)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(value);
  return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array);
}

std::string expected(const Expect& e) {
  std::string text = "(*batch, ";
  if (!e.vector()) text += std::to_string(e.rows) + ", ";
  return text + std::to_string(e.columns) + ")";
}

// A masked array would lose its mask without a word.
bool masked(PyObject* value) {
  if (!PyArray_Check(value) || PyArray_CheckExact(value)) return false;
  return PyObject_HasAttrString(value, "mask") && PyObject_HasAttrString(value, "filled");
}

nb::object steal(PyObject* object) {
  if (!object) throw nb::python_error();
  return nb::steal(object);
}

}  // namespace

nb::tuple shape_of(PyArrayObject* array) {
  nb::list sizes;
  for (int i = 0; i < PyArray_NDIM(array); ++i) sizes.append(static_cast<int64_t>(PyArray_DIM(array, i)));
  return nb::tuple(sizes);
}

nb::tuple shape_of(const Batch& axes) {
  nb::list sizes;
  for (int i = 0; i < axes.count; ++i) sizes.append(static_cast<int64_t>(axes.size[i]));
  return nb::tuple(sizes);
}

void Input::convert(const char* verb, const Expect& expect) {
  PyObject* any = expect.value == Py_None ? nullptr : PyArray_FROM_O(expect.value);
  if (!any) {  // ragged lists and the like: NumPy's words help nobody here; interrupts and their like go on
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_TypeError))
      throw nb::python_error();
    PyErr_Clear();
    raise("not_an_array", verb, expect.symbol, nb::borrow(expect.value));
  }
  if (masked(expect.value)) {
    Py_DECREF(any);
    raise("masked", verb, expect.symbol);
  }
  nb::object held = nb::steal(any);
  auto* array = reinterpret_cast<PyArrayObject*>(any);
  const char kind = PyArray_DESCR(array)->kind;
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b')
    raise("dtype", verb, expect.symbol, nb::str(nb::handle(reinterpret_cast<PyObject*>(PyArray_DESCR(array)))));
  owned_ = PyArray_FROM_OTF(any, NPY_DOUBLE, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSUREARRAY);
  if (!owned_) throw nb::python_error();
}

void Input::read(const char* verb, const Expect& expect) {
  if (expect.optional && expect.value == Py_None) return;
  if (!expect.truth && !ready(expect.value)) convert(verb, expect);
  array_ = reinterpret_cast<PyArrayObject*>(owned_ ? owned_ : expect.value);
  if (!fits(array_, expect, axes))
    raise("shape", verb, expect.symbol, expect.meaning, expected(expect).c_str(), shape_of(array_));
  data = static_cast<const double*>(PyArray_DATA(array_));
}

void Input::broadcast(const Batch& batch, const Expect& expect) {
  if (!data) return;
  if (axes == batch) {
    stride = expect.width();
    return;
  }
  if (axes.total() == 1) return;  // one row for all: stride 0
  nb::list shape;
  for (int i = 0; i < batch.count; ++i) shape.append(static_cast<int64_t>(batch.size[i]));
  if (!expect.vector()) shape.append(expect.rows);
  shape.append(expect.columns);
  nb::object spread = nb::module_::import_("numpy").attr("broadcast_to")(
      nb::borrow(reinterpret_cast<PyObject*>(array_)), nb::tuple(shape));
  PyObject* copy = PyArray_FROM_OTF(spread.ptr(), expect.truth ? NPY_BOOL : NPY_DOUBLE, NPY_ARRAY_CARRAY_RO);
  if (!copy) throw nb::python_error();
  Py_XDECREF(owned_);
  owned_ = copy;
  array_ = reinterpret_cast<PyArrayObject*>(copy);
  data = static_cast<const double*>(PyArray_DATA(array_));
  stride = expect.width();
}

Batch batch_axes(const char* verb, const Input* inputs, const Expect* expects, int count) {
  Batch batch = inputs[0].axes;
  bool same = true;
  for (int i = 1; i < count; ++i)
    if (inputs[i].data && !(inputs[i].axes == batch)) same = false;
  if (same) return batch;
  for (int i = 1; i < count; ++i) {
    if (!inputs[i].data) continue;
    const Batch& other = inputs[i].axes;
    Batch joint;
    joint.count = other.count > batch.count ? other.count : batch.count;
    for (int a = 1; a <= joint.count; ++a) {  // from the last axis on
      const npy_intp x = a <= batch.count ? batch.size[batch.count - a] : 1;
      const npy_intp y = a <= other.count ? other.size[other.count - a] : 1;
      if (x != y && x != 1 && y != 1) {
        nb::dict shapes;
        for (int j = 0; j < count; ++j)
          if (inputs[j].data) shapes[expects[j].symbol] = shape_of(inputs[j].axes);
        raise("broadcast", verb, shapes);
      }
      joint.size[joint.count - a] = x == 1 ? y : x;
    }
    batch = joint;
  }
  return batch;
}

void Output::open(const char* verb, const Batch& batch, std::initializer_list<int64_t> trailing, PyObject* out,
                  const Input* inputs, int input_count) {
  npy_intp shape[most_axes + 2];
  if (batch.count + static_cast<int>(trailing.size()) > most_axes) raise("too_many_axes", verb, batch.count, most_axes);
  int count = 0;
  for (; count < batch.count; ++count) shape[count] = batch.size[count];
  for (int64_t size : trailing) {
    shape[count++] = size;
    width *= size;
  }
  if (!out || out == Py_None) {
    result_ = PyArray_SimpleNew(count, shape, NPY_DOUBLE);
    if (!result_) throw nb::python_error();
    data = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(result_)));
    return;
  }
  given_ = true;
  nb::list wanted;
  for (int i = 0; i < count; ++i) wanted.append(static_cast<int64_t>(shape[i]));
  const auto refuse = [&](const std::string& problem) { raise("out", verb, nb::tuple(wanted), problem.c_str()); };
  if (!PyArray_CheckExact(out)) refuse(std::string("a ") + Py_TYPE(out)->tp_name);
  auto* array = reinterpret_cast<PyArrayObject*>(out);
  if (PyArray_TYPE(array) != NPY_DOUBLE)
    refuse(std::string("dtype ") + nb::str(nb::handle(reinterpret_cast<PyObject*>(PyArray_DESCR(array)))).c_str());
  bool same = PyArray_NDIM(array) == count;
  for (int i = 0; same && i < count; ++i) same = PyArray_DIM(array, i) == shape[i];
  if (!same) refuse(std::string("shape ") + nb::str(shape_of(array)).c_str());
  if (!PyArray_ISWRITEABLE(array)) refuse("a read-only array");
  if (!PyArray_ISCARRAY(array)) refuse("an array that is not C-contiguous");
  result_ = nb::borrow(out).release().ptr();
  data = static_cast<double*>(PyArray_DATA(array));
  for (int i = 0; i < input_count; ++i)
    if (inputs[i].overlaps(data, data + PyArray_SIZE(array))) {
      scratch_ = PyArray_SimpleNew(count, shape, NPY_DOUBLE);
      if (!scratch_) throw nb::python_error();
      data = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(scratch_)));
      return;
    }
}

void Output::open_in(PyObject* shared, int64_t offset, const Batch& batch, std::initializer_list<int64_t> trailing) {
  npy_intp shape[most_axes + 2];
  int count = 0;
  for (; count < batch.count; ++count) shape[count] = batch.size[count];
  for (int64_t size : trailing) {
    shape[count++] = size;
    width *= size;
  }
  data = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(shared))) + offset;
  result_ = PyArray_New(&PyArray_Type, count, shape, NPY_DOUBLE, nullptr, data, 0, NPY_ARRAY_CARRAY, nullptr);
  if (!result_) throw nb::python_error();
  Py_INCREF(shared);
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(result_), shared) != 0) throw nb::python_error();
}

nb::object Output::close() {
  if (scratch_ &&
      PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(result_), reinterpret_cast<PyArrayObject*>(scratch_)) != 0)
    throw nb::python_error();
  PyObject* result = result_;
  result_ = nullptr;
  // one number comes out as NumPy's scalar, as from NumPy's own functions
  if (!given_ && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(result)) == 0)
    result = PyArray_Return(reinterpret_cast<PyArrayObject*>(result));
  return steal(result);
}

}  // namespace phipsi
