// SPDX-License-Identifier: Apache-2.0
// Running programs, and what they say of themselves: gaspipe._core.run and gaspipe._core.algorithms.
#include <algorithm>
#include <string_view>

#include "bindings.h"
#include "gaspipe/run.h"

namespace gaspipe {
namespace bindings {
namespace {

const char* scalar_name(std::int32_t type) {
  constexpr const char* names[] = {"none", "int32", "uint32", "int64", "uint64", "float32", "float64"};
  return names[type];
}

py::dict describe(const abi::Parameter& parameter) {
  constexpr const char* kinds[] = {"vertex", "integer", "real", "array"};
  py::dict text;
  text["name"] = parameter.name;
  text["doc"] = parameter.doc;
  text["kind"] = kinds[parameter.kind];
  const bool integral = parameter.kind == abi::kVertex || parameter.kind == abi::kInteger;
  if (parameter.kind == abi::kArray) {
    text["default"] = py::none();
  } else if (integral) {
    text["default"] = static_cast<std::int64_t>(parameter.default_value);
  } else {
    text["default"] = parameter.default_value;
  }
  text["low"] = parameter.low;
  text["high"] = parameter.high;
  text["open_low"] = parameter.open_low != 0;
  text["open_high"] = parameter.open_high != 0;
  return text;
}

py::dict describe(const abi::Instance& instance) {
  py::dict text;
  text["number"] = instance.number;
  text["value_type"] = scalar_name(instance.value_type);
  text["property_type"] = scalar_name(instance.property_type);
  text["edge_type"] = scalar_name(instance.edge_type);
  text["fixed_point"] = instance.is_fixed_point != 0;
  text["idempotent"] = instance.idempotent != 0;
  text["final_once_set"] = instance.final_once_set != 0;
  text["has_priority"] = instance.has_priority != 0;
  text["filters"] = instance.filters != 0;
  text["num_extras"] = instance.num_extras;
  text["num_aux"] = instance.num_aux;
  return text;
}

py::dict describe(const abi::Program& program) {
  constexpr const char* views[] = {"forward", "reverse", "undirected"};
  py::dict text;
  text["name"] = program.name;
  text["summary"] = program.summary;
  text["details"] = program.details;
  text["field"] = program.field;
  text["field_doc"] = program.field_doc;
  text["reference"] = program.reference;
  text["view"] = views[program.view];
  py::list parameters, instances;
  for (std::uint32_t i = 0; i < program.num_parameters; ++i) parameters.append(describe(program.parameters[i]));
  for (std::uint32_t i = 0; i < program.num_instances; ++i) instances.append(describe(program.instances[i]));
  text["parameters"] = parameters;
  text["instances"] = instances;
  return text;
}

ArgumentValue argument(const std::string& name, const py::handle& value) {
  // NumPy's bools are no subclass of Python's, and before 2.1 they pass for integers.
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  if (type == "bool" || type == "numpy.bool" || type == "numpy.bool_")
    throw InputError(name + " is a bool; a number is needed");
  const bool is_sequence = py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value) ||
                           (py::isinstance<py::array>(value) && py::reinterpret_borrow<py::array>(value).ndim() > 0);
  if (is_sequence) {
    // Anything but real numbers would be cast, with a warning at best.
    const auto given = py::array::ensure(value);
    const bool is_real = given && std::string_view("biuf").find(given.dtype().kind()) != std::string_view::npos;
    if (given && !is_real) {
      throw InputError(message(name, " has dtype ", std::string(py::str(given.dtype())), "; real numbers are needed"));
    }
    const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(value);
    if (!array) {
      PyErr_Clear();
      throw InputError(name + " cannot be read as an array of float64");
    }
    if (array.ndim() != 1)
      throw InputError(message(name, " has ", array.ndim(), " dimensions; one is needed, with a number per vertex"));
    return borrow<double>(array);
  }
  if (PyIndex_Check(value.ptr())) {
    const auto integer = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    int overflow = 0;
    const long long number = integer ? PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow) : 0;
    if (!integer || PyErr_Occurred()) throw py::error_already_set();
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

template <class T, class F>
py::array column(const std::vector<abi::Superstep>& steps, const F& f) {
  Writable<T> values(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) values[i] = f(steps[i]);
  return to_numpy(values.freeze());
}

py::dict stats_to_python(const Stats& stats) {
  py::dict all;
  all["device"] = stats.device;
  all["method"] = stats.method;
  all["number"] = stats.number;
  all["scale_bits"] = stats.scale_bits;
  all["attempts"] = stats.attempts;
  all["num_threads"] = stats.num_threads;
  all["converged"] = stats.converged;
  all["seconds"] = stats.seconds;
  all["prepare_seconds"] = stats.prepare_seconds;
  all["capacity"] = stats.partition.capacity;
  all["compute_units"] = stats.partition.compute_units;
  all["partitioner"] = stats.partition.partitioner;
  all["num_edges"] = stats.num_edges;
  using Step = abi::Superstep;
  all["pushed"] = column<std::uint8_t>(stats.supersteps, [](const Step& s) { return s.kind == abi::kPushStep; });
  all["active_vertices"] = column<std::uint64_t>(stats.supersteps, [](const Step& s) { return s.active_vertices; });
  all["edges"] = column<std::uint64_t>(stats.supersteps, [](const Step& s) { return s.edges; });
  all["scatter_gather_seconds"] =
      column<double>(stats.supersteps, [](const Step& s) { return s.scatter_gather_seconds; });
  all["apply_seconds"] = column<double>(stats.supersteps, [](const Step& s) { return s.apply_seconds; });
  return all;
}

py::tuple run_program(const std::string& name, const Graph& graph, const py::dict& arguments, const std::string& number,
                      const std::string& method, int num_threads, const Partitioning* partitioning,
                      const py::object& progress) {
  RunOptions options;
  options.number = number;
  options.method = method;
  options.num_threads = num_threads;
  if (partitioning != nullptr) options.partition = partitioning->config();
  options.interrupted = python_interrupted;
  if (!progress.is_none()) {
    options.progress = [&progress](std::uint64_t step, const abi::Superstep& done) {
      const py::gil_scoped_acquire gil;
      progress(step, done.active_vertices, done.edges);
    };
  }
  const abi::Program& program = find_program(name);
  const auto is_array = [&](const std::string& parameter) {
    return std::any_of(program.parameters, program.parameters + program.num_parameters,
                       [&](const abi::Parameter& p) { return parameter == p.name && p.kind == abi::kArray; });
  };
  Arguments checked;
  for (const auto& [key, value] : arguments) {
    const auto parameter = key.cast<std::string>();
    if (value.is_none() && is_array(parameter)) continue;  // not given
    checked.emplace(parameter, argument(parameter, value));
  }
  const Result result = [&] {
    const py::gil_scoped_release released;
    return run(program, graph, checked, options);
  }();
  const py::array values =
      to_numpy(dtype_of(result.type), result.values.owner(), result.values.data(), graph.num_vertices(), true);
  return py::make_tuple(values, stats_to_python(result.stats));
}

}  // namespace

void bind_run(py::module_& module) {
  module.def("run", &run_program, py::arg("name"), py::arg("graph"), py::arg("arguments"), py::arg("number"),
             py::arg("method"), py::arg("num_threads"), py::arg("partitioning"), py::arg("progress"));
  module.def("algorithms", [] {
    py::list all;
    for (const abi::Program* program : programs()) all.append(describe(*program));
    return all;
  });
  module.def("default_num_threads", &default_num_threads);
}

}  // namespace bindings
}  // namespace gaspipe
