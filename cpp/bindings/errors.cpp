// SPDX-License-Identifier: Apache-2.0
// The one place where C++ errors become Python's: the classes of error.h under the same names, below gaspipe.Error, and
// OSError where the system refuses a file.
#include "bindings.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace bindings {
namespace {

// Owned by the module for the life of the process.
struct Classes {
  PyObject *error, *input, *format, *capacity, *device, *rank;
};
Classes classes;

PyObject* make_class(py::module_& module, const char* name, PyObject* bases, const char* doc) {
  PyObject* made = PyErr_NewExceptionWithDoc(("gaspipe." + std::string(name)).c_str(), doc, bases, nullptr);
  if (made == nullptr) throw py::error_already_set();
  module.add_object(name, py::reinterpret_borrow<py::object>(made));
  return made;
}

// A path is any bytes.
py::object file_path(const std::string& path) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}

}  // namespace

void bind_errors(py::module_& module) {
  classes.error = make_class(module, "Error", PyExc_Exception, "Base of all errors raised by gaspipe.");
  const py::tuple value_error = py::make_tuple(py::handle(classes.error), py::handle(PyExc_ValueError));
  classes.input = make_class(module, "InputError", value_error.ptr(), "An argument's value, shape or dtype is wrong.");
  classes.format =
      make_class(module, "GraphFormatError", value_error.ptr(), "A file cannot be parsed; names file and line.");
  classes.capacity = make_class(module, "CapacityError", classes.error,
                                "A graph or an answer does not fit the device or the number format.");
  classes.device =
      make_class(module, "DeviceError", classes.error, "A board, bitstream or kernel is missing or failed.");
  classes.rank = make_class(module, "RankError", classes.error,
                            "Another rank of a run over several domains could not go on; says which, and why.");

  py::register_local_exception_translator([](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const Cancelled&) {
      // The signal's handler has raised already (KeyboardInterrupt, as a rule).
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const FileError& error) {
      const py::tuple arguments = py::make_tuple(error.code, error.reason, file_path(error.path));
      PyErr_SetObject(PyExc_OSError, arguments.ptr());  // Python chooses the class by the number
    } catch (const InputError& error) {
      PyErr_SetString(classes.input, error.what());
    } catch (const GraphFormatError& error) {
      PyErr_SetString(classes.format, error.what());
    } catch (const CapacityError& error) {
      PyErr_SetString(classes.capacity, error.what());
    } catch (const DeviceError& error) {
      PyErr_SetString(classes.device, error.what());
    } catch (const RankError& error) {
      PyErr_SetString(classes.rank, error.what());
    } catch (const Error& error) {
      PyErr_SetString(classes.error, error.what());
    } catch (const std::bad_alloc&) {
      PyErr_SetString(
          PyExc_MemoryError,
          "the system has no more memory for this call, or a limit of the process allows no more; a smaller "
          "graph takes less, and so does one whose edges stay in a file: Graph.load(file, memory=\"1 GB\")");
    }
  });
}

}  // namespace bindings
}  // namespace gaspipe
