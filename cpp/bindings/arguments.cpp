// SPDX-License-Identifier: Apache-2.0
// The arguments of an algorithm from Python, by the kinds of its parameters.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "bindings.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace bindings {
namespace {

// Array of real numbers; anything else would be cast, with a warning at best.
py::array real_array(const std::string& name, const py::handle& value, int num_dimensions = 1) {
  const auto given = py::array::ensure(value);
  if (!given) {
    PyErr_Clear();
    throw InputError(name + " cannot be read as an array");
  }
  if (given.ndim() == 0) throw InputError(message(name, " must be an array, found ", Py_TYPE(value.ptr())->tp_name));
  const bool is_real = std::string_view("biuf").find(given.dtype().kind()) != std::string_view::npos;
  if (!is_real && given.size() > 0) {
    throw InputError(message(name, " has dtype ", std::string(py::str(given.dtype())), "; real numbers are needed"));
  }
  if (given.ndim() != num_dimensions) {
    throw InputError(
        message(name, " has ", given.ndim(), " dimensions; ", num_dimensions == 1 ? "one is" : "two are", " needed"));
  }
  return given;
}

template <class T>
Array<T> cast_array(const py::array& array) {
  return borrow<T>(py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(array));
}

// In the type that holds every value of its dtype, of at least 32 bits.
ArgumentValue vector_argument(const std::string& name, const py::handle& value) {
  const py::array given = real_array(name, value);
  const char kind = given.dtype().kind();
  const auto size = given.itemsize();
  if (kind == 'f' && size <= 4) return cast_array<float>(given);
  if (kind == 'f' && size == 8) return cast_array<double>(given);
  if (kind == 'b' || size < 4 || (kind == 'i' && size == 4)) return cast_array<std::int32_t>(given);
  if (kind == 'i' || (kind == 'u' && size == 4)) return cast_array<std::int64_t>(given);
  if (kind == 'u') return cast_array<std::uint64_t>(given);
  throw InputError(message(name, " has dtype ", std::string(py::str(given.dtype())),
                           "; allowed are bool, integers, float16, float32 and float64"));
}

// An id above 2^63 - 1, which would become a negative one.
void refuse_huge_ids(const std::string& name, const py::array& given) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const auto ids = cast_array<std::uint64_t>(given);
  const auto* const huge = std::find_if(ids.begin(), ids.end(), [](std::uint64_t id) { return id > kLargest; });
  if (huge == ids.end()) return;
  const auto at = static_cast<std::size_t>(huge - ids.begin());
  const std::string place = given.ndim() == 2 ? message(at / 2, ", ", at % 2) : message(at);
  throw InputError(message(name, "[", place, "] is ", *huge, "; no graph has so many vertices"));
}

ArgumentValue ids_argument(const std::string& name, const py::array& given) {
  if (given.size() == 0) return Array<std::int64_t>();
  const char kind = given.dtype().kind();
  if (kind != 'i' && kind != 'u') {
    throw InputError(message(name, " has dtype ", std::string(py::str(given.dtype())), "; vertex ids are integers"));
  }
  if (kind == 'u' && given.itemsize() == 8) refuse_huge_ids(name, given);
  return cast_array<std::int64_t>(given);
}

ArgumentValue pairs_argument(const std::string& name, const py::handle& value) {
  const auto flat = py::array::ensure(value);
  if (flat && flat.ndim() == 1 && flat.size() == 0) return Array<std::int64_t>();  // an empty list
  PyErr_Clear();
  const py::array given = real_array(name, value, 2);
  if (given.shape(1) != 2) {
    throw InputError(
        message(name, " has the shape (", given.shape(0), ", ", given.shape(1), "); pairs need (number of pairs, 2)"));
  }
  return ids_argument(name, given);
}

ArgumentValue array_argument(const std::string& name, const py::handle& value) {
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(real_array(name, value));
  return borrow<double>(array);
}

// NumPy's bools are no subclass of Python's, and before 2.1 they pass for integers.
bool is_bool(const py::handle& value) {
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  return type == "bool" || type == "numpy.bool" || type == "numpy.bool_";
}

ArgumentValue number_argument(const std::string& name, const py::handle& value, bool may_be_real) {
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  if (is_bool(value)) throw InputError(name + " is a bool; a number is needed");
  const bool is_sequence = py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value) ||
                           (py::isinstance<py::array>(value) && py::reinterpret_borrow<py::array>(value).ndim() > 0);
  if (is_sequence) throw InputError(message(name, " is of type ", type, "; one number is needed"));
  if (PyIndex_Check(value.ptr())) {
    const auto integer = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    int overflow = 0;
    const long long number = integer ? PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow) : 0;
    if (!integer || PyErr_Occurred()) throw py::error_already_set();
    if (overflow != 0 && may_be_real) {
      const double rounded = PyLong_AsDouble(integer.ptr());
      if (!PyErr_Occurred()) return rounded;
      PyErr_Clear();
    }
    if (overflow != 0) throw InputError(message(name, " is ", std::string(py::str(value)), "; that is out of range"));
    return static_cast<std::int64_t>(number);
  }
  if (PyNumber_Check(value.ptr()) && !PyComplex_Check(value.ptr())) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (!PyErr_Occurred()) return number;
    PyErr_Clear();
  }
  throw InputError(message(name, " is of type ", type, "; a number is needed"));
}

ArgumentValue argument(const abi::Parameter& parameter, const py::handle& value) {
  const std::string name = parameter.name;
  switch (parameter.kind) {
    case abi::kVector:
      return vector_argument(name, value);
    case abi::kVertices:
      return ids_argument(name, real_array(name, value));
    case abi::kPairs:
      return pairs_argument(name, value);
    case abi::kArray:
      return array_argument(name, value);
    case abi::kFlag:
      return std::int64_t(read_flag(parameter.name, value));
    default:
      return number_argument(name, value, parameter.kind == abi::kReal);
  }
}

}  // namespace

bool read_flag(const char* name, const py::handle& value) {
  if (!is_bool(value)) throw InputError(message(name, " is ", std::string(py::repr(value)), "; a bool is needed"));
  return value.attr("__bool__")().cast<bool>();
}

Arguments read_arguments(const abi::Program& program, const py::dict& arguments) {
  Arguments read;
  for (const auto& [key, value] : arguments) {
    const auto name = key.cast<std::string>();
    const auto* parameter = std::find_if(program.parameters, program.parameters + program.num_parameters,
                                         [&](const abi::Parameter& p) { return name == p.name; });
    if (parameter == program.parameters + program.num_parameters) {
      throw InputError(message(program.name, " has no parameter \"", name, "\""));
    }
    const bool may_be_left_out = parameter->kind >= abi::kArray && parameter->kind != abi::kVector;
    if (value.is_none() && may_be_left_out) continue;
    read.emplace(name, argument(*parameter, value));
  }
  return read;
}

}  // namespace bindings
}  // namespace gaspipe
