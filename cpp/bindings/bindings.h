// SPDX-License-Identifier: Apache-2.0
// What the binding files share: NumPy arrays to and from shared arrays, and the threads of a call from Python.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "gaspipe/abi.h"
#include "gaspipe/array.h"
#include "gaspipe/card.h"
#include "gaspipe/csr.h"
#include "gaspipe/run.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace bindings {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_boards(py::module_& module);
void bind_graph(py::module_& module);
void bind_partition(py::module_& module);
void bind_domains(py::module_& module);
void bind_files(py::module_& module);
void bind_generate(py::module_& module);
void bind_options(py::module_& module);
void bind_run(py::module_& module);
void bind_frontier(py::module_& module);
void bind_prediction(py::module_& module);
void bind_card(py::module_& module);
void bind_accelerator(py::module_& module);
void bind_shape(py::module_& module);
void bind_write(py::module_& module);
void bind_convert(py::module_& module);
void bind_local_store(py::module_& module);
void bind_pe_array(py::module_& module);
void bind_distributed(py::module_& module);
void bind_dicts(py::module_& module);

// A NumPy array's memory, kept alive by the result. The array must be C-contiguous and of type T.
template <class T>
Array<T> borrow(const py::array& array) {
  if (array.size() == 0) return Array<T>();
  std::shared_ptr<const void> owner(new py::object(array), [](const void* held) {
    const py::gil_scoped_acquire gil;
    delete static_cast<const py::object*>(held);
  });
  return Array<T>(std::move(owner), static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size()));
}

void set_read_only(const py::array& array);
// A read-only NumPy array over shared memory.
py::array to_numpy(const py::dtype& type, const std::shared_ptr<const void>& owner, const void* data, std::size_t size,
                   bool writeable = false);
template <class T>
py::array to_numpy(const Array<T>& array) {
  return to_numpy(py::dtype::of<T>(), array.owner(), array.data(), array.size());
}
// One that its user may change, as answers.
template <class T>
py::array moved_to_numpy(const Array<T>& array) {
  return to_numpy(py::dtype::of<T>(), array.owner(), array.data(), array.size(), true);
}
py::dtype dtype_of(abi::Scalar type);

py::dict card_calls(const CardCounts& counts);

// A Python object that outlives its caller's frame, and may end on a thread without the GIL.
template <class Object>
std::shared_ptr<Object> kept(const Object& object) {
  return std::shared_ptr<Object>(new Object(object), [](Object* held) {
    const py::gil_scoped_acquire gil;
    delete held;
  });
}

// A program of a library that was loaded; it lives as long as the process.
struct LoadedProgram {
  const abi::Program& table;
};
using ProgramOrName = std::variant<const LoadedProgram*, std::string>;
const abi::Program& program_of(const ProgramOrName& which);

// A run as Python asks for it and gets it (arguments.cpp, bind_options.cpp, stats.cpp, bind_run.cpp).
Arguments read_arguments(const abi::Program& program, const py::dict& arguments);
// From None (0) or an integer. InputError for what is no number of threads.
constexpr long kMostThreads = 4096;
bool read_flag(const char* name, const py::handle& value);  // of Python or NumPy; nothing else passes for one
int read_count(const char* name, const py::handle& value);
// From None, or a dict of options, all of them there.
std::optional<PredictionOptions> read_prediction(const py::object& asked);
py::object prediction_to_python(const std::optional<Prediction>& predicted);
py::dict stats_to_python(const Stats& stats);
py::tuple result_to_python(const Result& result);
const char* scalar_name(std::int32_t type);

py::object weights_to_numpy(const Weights& weights);
// From None or a C-contiguous array of int32, int64, float32 or float64.
Weights weights_from_numpy(const py::object& array);
template <class T>
Array<T> copied(const Array<T>& array) {
  Writable<T> copy(array.size());
  std::copy(array.begin(), array.end(), copy.data());
  return copy.freeze();
}

// Looks for Ctrl-C; what a handler raises stays set as the Python error.
bool python_interrupted();

// Calls progress(phase, done, total); empty if that is None. An exception of it stays set as the Python error.
Workers::Report report_to(const py::object& progress);

// Calls f(workers) without the GIL, interruptible by Ctrl-C.
template <class F>
auto without_gil(int num_threads, F&& f, Workers::Report report = {}) {
  Workers workers(num_threads, python_interrupted, std::move(report));
  const py::gil_scoped_release released;
  return f(workers);
}

// Likewise, where the library's own steps are what `progress` is told of.
template <class F>
auto in_steps(int num_threads, const py::object& progress, F&& f) {
  return without_gil(
      num_threads,
      [&](Workers& workers) {
        workers.tell_steps();
        auto result = f(workers);
        workers.end_phase();
        return result;
      },
      report_to(progress));
}

}  // namespace bindings
}  // namespace gaspipe
