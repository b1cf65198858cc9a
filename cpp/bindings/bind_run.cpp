// SPDX-License-Identifier: Apache-2.0
// Running programs and describing them: gaspipe._core.run and gaspipe._core.algorithms.
#include <algorithm>
#include <string_view>

#include "bindings.h"
#include "gaspipe/run.h"

namespace gaspipe {
namespace bindings {

const char* scalar_name(std::int32_t type) {
  constexpr const char* names[] = {"none", "int32", "uint32", "int64", "uint64", "float32", "float64"};
  return names[type];
}

namespace {

// The keys are the fields of the records in gaspipe/_description.py, which takes all and no others.
py::dict describe(const abi::Parameter& parameter) {
  constexpr const char* kinds[] = {"vertex", "integer", "real", "flag", "array", "vector", "vertices"};
  py::dict text;
  text["name"] = parameter.name;
  text["doc"] = parameter.doc;
  text["kind"] = kinds[parameter.kind];
  const bool integral = parameter.kind == abi::kVertex || parameter.kind == abi::kInteger;
  if (parameter.kind >= abi::kArray) {
    text["default"] = py::none();
  } else if (parameter.kind == abi::kFlag) {
    text["default"] = parameter.default_value != 0;
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
  text["transition_probabilities"] = instance.transition_probabilities != 0;
  text["fixed_point"] = instance.is_fixed_point != 0;
  text["idempotent"] = instance.idempotent != 0;
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
  text["rectangular"] = program.rectangular != 0;
  py::list parameters, instances;
  for (std::uint32_t i = 0; i < program.num_parameters; ++i) parameters.append(describe(program.parameters[i]));
  for (std::uint32_t i = 0; i < program.num_instances; ++i) instances.append(describe(program.instances[i]));
  text["parameters"] = parameters;
  text["instances"] = instances;
  return text;
}

// One-dimensional array of real numbers; anything else would be cast, with a warning at best.
py::array real_array(const std::string& name, const py::handle& value) {
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
  if (given.ndim() != 1) throw InputError(message(name, " has ", given.ndim(), " dimensions; one is needed"));
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

ArgumentValue vertices_argument(const std::string& name, const py::handle& value) {
  const py::array given = real_array(name, value);
  if (given.size() == 0) return Array<std::int64_t>();
  const char kind = given.dtype().kind();
  if (kind != 'i' && kind != 'u') {
    throw InputError(message(name, " has dtype ", std::string(py::str(given.dtype())), "; vertex ids are integers"));
  }
  return cast_array<std::int64_t>(given);  // a uint64 too large for it becomes negative, and is found as such
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

ArgumentValue number_argument(const std::string& name, const py::handle& value) {
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
      return vertices_argument(name, value);
    case abi::kArray:
      return array_argument(name, value);
    case abi::kFlag:
      if (!is_bool(value)) throw InputError(message(name, " is ", std::string(py::repr(value)), "; a bool is needed"));
      return std::int64_t(value.attr("__bool__")().cast<bool>());
    default:
      return number_argument(name, value);
  }
}

template <class T, class F>
py::array column(const std::vector<SuperstepLog::Record>& steps, const F& f) {
  Writable<T> values(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) values[i] = f(steps[i]);
  return to_numpy(values.freeze());
}

}  // namespace

py::dict stats_to_python(const Stats& stats) {
  py::dict all;
  all["device"] = stats.device;
  all["execution"] = stats.execution;
  all["board"] = stats.board;
  all["clock_mhz"] = stats.clock_mhz;
  all["prediction"] = prediction_to_python(stats.prediction);
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
  all["library"] = stats.card.library;
  all["bytes_to_card"] = stats.card.calls.bytes_to_card;
  all["bytes_from_card"] = stats.card.calls.bytes_from_card;
  all["edge_bytes_uploaded"] = stats.card.edge_bytes_uploaded;
  all["card_calls"] = card_calls(stats.card.calls);
  all["num_supersteps"] = stats.supersteps.size();
  all["edges_streamed"] = stats.supersteps.edges();
  using Record = SuperstepLog::Record;
  const std::vector<Record> records = stats.supersteps.records();
  all["step"] = column<std::int64_t>(records, [](const Record& r) { return r.step; });
  all["kind"] = column<std::uint8_t>(records, [](const Record& r) { return r.kind; });
  all["active_vertices"] = column<std::uint64_t>(records, [](const Record& r) { return r.active_vertices; });
  all["edges"] = column<std::uint64_t>(records, [](const Record& r) { return r.edges; });
  all["scatter_gather_seconds"] = column<double>(records, [](const Record& r) { return r.scatter_gather_seconds; });
  all["apply_seconds"] = column<double>(records, [](const Record& r) { return r.apply_seconds; });
  return all;
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
    const bool may_be_left_out = parameter->kind == abi::kArray || parameter->kind == abi::kVertices;
    if (value.is_none() && may_be_left_out) continue;
    read.emplace(name, argument(*parameter, value));
  }
  return read;
}

namespace {

// Ids that a scheduler written in Python returned.
std::vector<std::uint32_t> ids_from_python(const py::object& returned, const char* part) {
  std::vector<std::uint32_t> ids;
  try {
    for (const py::handle& id : returned) {
      const auto integer = py::reinterpret_steal<py::object>(PyNumber_Index(id.ptr()));
      if (!integer) throw py::error_already_set();
      ids.push_back(integer.cast<std::uint32_t>());
    }
  } catch (const py::cast_error&) {
    throw InputError(message("the scheduler's ", part, " returned an id below 0 or above 2^32 - 1"));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    throw InputError(
        message("the scheduler's ", part, " must return integers, found ", std::string(py::repr(returned))));
  }
  return ids;
}

}  // namespace

Scheduler read_scheduler(const py::tuple& parts) {
  if (parts.size() != 3) throw InputError(message("a scheduler has three functions, found ", parts.size()));
  for (const py::handle& part : parts) {
    if (PyCallable_Check(part.ptr()) == 0) {
      throw InputError(message("a scheduler has three functions, found ", std::string(py::repr(part))));
    }
  }
  const auto shared = [](const Partitioning& partitioning) {
    return py::cast(std::const_pointer_cast<Partitioning>(partitioning.shared_from_this()));
  };
  const auto functions = kept(parts);
  return {[functions, shared](const Partitioning& partitioning) {
            const py::gil_scoped_acquire gil;
            (*functions)[0](shared(partitioning));
          },
          [functions](const Partition& partition) {
            const py::gil_scoped_acquire gil;
            return ids_from_python((*functions)[1](partition), "arrange_sub_partitions");
          },
          [functions, shared](const Partitioning& partitioning) {
            const py::gil_scoped_acquire gil;
            return ids_from_python((*functions)[2](shared(partitioning)), "arrange_partitions");
          }};
}

const abi::Program& program_of(const ProgramOrName& which) {
  if (const auto* name = std::get_if<std::string>(&which)) return find_program(*name);
  const LoadedProgram* loaded = std::get<const LoadedProgram*>(which);
  if (loaded == nullptr) throw InputError("program is None");
  return loaded->table;
}

RunOptions read_options(const std::string& device, const std::string& execution, const std::string& number,
                        const std::string& method, int num_threads, const Partitioning* partitioning,
                        const py::object& progress, const py::object& scheduler, std::shared_ptr<LoadedCard> card) {
  RunOptions options;
  options.card = std::move(card);
  if (py::isinstance<py::tuple>(scheduler)) {
    options.own_scheduler = read_scheduler(scheduler);
  } else if (py::isinstance<py::str>(scheduler)) {
    options.scheduler = scheduler.cast<std::string>();
  } else {
    throw InputError(
        message("scheduler is ", std::string(py::repr(scheduler)), "; a name or a tuple of three functions is needed"));
  }
  options.device = device;
  options.execution = execution;
  options.number = number;
  options.method = method;
  options.num_threads = num_threads;
  if (partitioning != nullptr) options.partition = partitioning->config();
  options.interrupted = python_interrupted;
  if (!progress.is_none()) {
    options.progress = [call = kept(progress)](std::uint64_t step, const abi::Superstep& done) {
      const py::gil_scoped_acquire gil;
      (*call)(step, done.active_vertices, done.edges);
    };
  }
  return options;
}

py::tuple result_to_python(const Result& result) {
  const py::array values =
      to_numpy(dtype_of(result.type), result.values.owner(), result.values.data(), result.size, true);
  return py::make_tuple(values, stats_to_python(result.stats));
}

namespace {

py::tuple run_program(const ProgramOrName& which, const Graph& graph, const py::dict& arguments,
                      const std::string& device, const std::string& execution, const std::string& number,
                      const std::string& method, int num_threads, const Partitioning* partitioning,
                      const py::object& progress, const py::object& scheduler, std::shared_ptr<LoadedCard> card,
                      const py::object& prediction) {
  RunOptions options =
      read_options(device, execution, number, method, num_threads, partitioning, progress, scheduler, std::move(card));
  options.prediction = read_prediction(prediction);
  const abi::Program& program = program_of(which);
  const Arguments checked = read_arguments(program, arguments);
  return result_to_python([&] {
    const py::gil_scoped_release released;
    return run(program, graph, checked, options);
  }());
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<LoadedProgram>(module, "Program");
  module.def(
      "load_program",
      [](const std::string& path, const std::string& name) { return LoadedProgram{load_program(path, name)}; },
      py::arg("path"), py::arg("name"));
  module.def("run", &run_program, py::arg("program"), py::arg("graph"), py::arg("arguments"), py::arg("device"),
             py::arg("execution"), py::arg("number"), py::arg("method"), py::arg("num_threads"),
             py::arg("partitioning"), py::arg("progress"), py::arg("scheduler") = "in_order",
             py::arg("card") = py::none(), py::arg("prediction") = py::none());
  module.def("schedulers", [] {
    py::list names;
    for (const NamedScheduler& scheduler : schedulers()) names.append(scheduler.name);
    return names;
  });
  module.def(
      "number_formats",
      [](const std::string& name, const Graph& graph, const py::dict& arguments, const std::string& number) {
        const abi::Program& program = find_program(name);
        py::list names;
        for (const std::string& format : number_formats(program, graph, read_arguments(program, arguments), number)) {
          names.append(format);
        }
        return names;
      },
      py::arg("name"), py::arg("graph"), py::arg("arguments"), py::arg("number"));
  module.def("algorithms", [] {
    py::list all;
    for (const NamedProgram& program : programs()) all.append(describe(*program.table()));
    return all;
  });
  module.def("default_num_threads", &default_num_threads);
}

}  // namespace bindings
}  // namespace gaspipe
