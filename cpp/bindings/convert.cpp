// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bindings.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace bindings {

// By its attributes it would take longer than to make the array.
void set_read_only(const py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

py::array to_numpy(const py::dtype& type, const std::shared_ptr<const void>& owner, const void* data, std::size_t size,
                   bool writeable) {
  auto* held = new std::shared_ptr<const void>(owner);
  const py::capsule keeper(held, [](void* p) { delete static_cast<std::shared_ptr<const void>*>(p); });
  py::array array(type, {static_cast<py::ssize_t>(size)}, data, keeper);
  if (!writeable) set_read_only(array);
  return array;
}

py::dtype dtype_of(abi::Scalar type) {
  switch (type) {
    case abi::kInt32:
      return py::dtype::of<std::int32_t>();
    case abi::kUint32:
      return py::dtype::of<std::uint32_t>();
    case abi::kInt64:
      return py::dtype::of<std::int64_t>();
    case abi::kUint64:
      return py::dtype::of<std::uint64_t>();
    case abi::kFloat32:
      return py::dtype::of<float>();
    default:
      return py::dtype::of<double>();
  }
}

py::object weights_to_numpy(const Weights& weights) {
  return std::visit(
      [](const auto& values) -> py::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
          return py::none();
        } else {
          return to_numpy(values);
        }
      },
      weights);
}

namespace {
template <class T>
bool take(const py::array& array, Weights* weights) {
  if (!py::isinstance<py::array_t<T>>(array)) return false;
  *weights = borrow<T>(array);
  return true;
}
}  // namespace

Weights weights_from_numpy(const py::object& object) {
  Weights weights;
  if (object.is_none()) return weights;
  const auto array = py::cast<py::array>(object);
  const bool known = take<std::int32_t>(array, &weights) || take<std::int64_t>(array, &weights) ||
                     take<float>(array, &weights) || take<double>(array, &weights);
  if (!known) throw InputError("weights must be int32, int64, float32 or float64");
  return weights;
}

bool python_interrupted() {
  const py::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

Workers::Report report_to(const py::object& progress) {
  if (progress.is_none()) return {};
  return [call = kept(progress)](const char* phase, std::uint64_t done, std::uint64_t total) {
    const py::gil_scoped_acquire gil;
    try {
      (*call)(phase, done, total > 0 ? py::object(py::int_(total)) : py::object(py::none()));
    } catch (py::error_already_set& error) {
      error.restore();
      return false;
    }
    return true;
  };
}

}  // namespace bindings
}  // namespace gaspipe
