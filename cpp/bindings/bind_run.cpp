// SPDX-License-Identifier: Apache-2.0
// Running programs and describing them: gaspipe._core.run and gaspipe._core.algorithms; those of the CPU likewise.
#include "bindings.h"
#include "gaspipe/block_algorithms.h"
#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/kernel_algorithms.h"
#include "gaspipe/on_demand.h"
#include "gaspipe/run.h"
#include "gaspipe/schedule.h"

namespace gaspipe {
namespace bindings {

const char* scalar_name(std::int32_t type) {
  constexpr const char* names[] = {"none", "int32", "uint32", "int64", "uint64", "float32", "float64"};
  return names[type];
}

namespace {

// The keys are the fields of the records in gaspipe/_description.py, which takes all and no others.
py::dict describe(const abi::Parameter& parameter) {
  constexpr const char* kinds[] = {"vertex", "integer", "real", "flag", "array", "vector", "vertices", "pairs"};
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
  text["fields"] = py::list();
  text["has_blocks"] = false;
  text["kernels"] = "";
  return text;
}

py::dict describe(const CpuAlgorithm& algorithm) {
  py::list fields;
  for (const AnswerField& field : algorithm.fields) {
    py::dict text;
    text["name"] = field.name;
    text["doc"] = field.doc;
    text["dtype"] = field.dtype;
    text["shape"] = field.shape;
    text["has_vertices"] = field.has_vertices;
    fields.append(text);
  }
  py::dict text = describe(algorithm.program);
  text["fields"] = fields;
  text["has_blocks"] = has_blocks(algorithm);
  text["kernels"] = kernels_for(algorithm);
  return text;
}

}  // namespace

const abi::Program& program_of(const ProgramOrName& which) {
  if (const auto* name = std::get_if<std::string>(&which)) return find_program(*name);
  const LoadedProgram* loaded = std::get<const LoadedProgram*>(which);
  if (loaded == nullptr) throw InputError("program is None");
  return loaded->table;
}

py::tuple result_to_python(const Result& result) {
  const py::array values =
      to_numpy(dtype_of(result.type), result.values.owner(), result.values.data(), result.size, true);
  return py::make_tuple(values, stats_to_python(result.stats));
}

namespace {

py::tuple run_program(const ProgramOrName& which, const Graph& graph, const py::dict& arguments, RunOptions options,
                      std::shared_ptr<LoadedCard> card, const std::vector<std::string>& devices,
                      const std::vector<std::shared_ptr<LoadedCard>>& cards) {
  options.card = std::move(card);
  options.devices = devices;
  options.cards = cards;
  const abi::Program& program = program_of(which);
  const Arguments checked = read_arguments(program, arguments);
  return result_to_python([&] {
    const py::gil_scoped_release released;
    return run(program, graph, checked, options);
  }());
}

}  // namespace

namespace {

// The fields of the answer by name, numbers as Python's own; how it was found; and what to say of one that has not
// converged.
py::tuple run_cpu(const std::string& name, const Graph& graph, const py::dict& arguments, RunOptions options,
                  std::shared_ptr<LoadedCard> card, const py::object& progress) {
  options.card = std::move(card);
  options.report = report_to(progress);
  const CpuAlgorithm& algorithm = find_cpu_algorithm(name);
  const Arguments checked = read_arguments(algorithm.program, arguments);
  const CpuResult result = [&] {
    const py::gil_scoped_release released;
    return run_on_device(algorithm, graph, checked, options);
  }();
  py::dict values;
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const AnswerField& field = algorithm.fields[i];
    const AnswerValue& value = result.values[i];
    py::array array = to_numpy(py::dtype(field.dtype), value.owner, value.data, value.size, true);
    const bool is_number = *field.shape == '\0';
    if (is_number) {
      values[field.name] = array.attr("item")();
    } else if (value.num_columns == 0) {
      values[field.name] = array;
    } else {
      values[field.name] = array.reshape({py::ssize_t(value.size / value.num_columns), py::ssize_t(value.num_columns)});
    }
  }
  return py::make_tuple(values, stats_to_python(result.stats), result.remedy);
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<LoadedProgram>(module, "Program");
  module.def(
      "load_program",
      [](const std::string& path, const std::string& name) { return LoadedProgram{load_program(path, name)}; },
      py::arg("path"), py::arg("name"));
  module.def(
      "set_missing_compiler",
      [](const py::function& compile) {
        set_missing_compiler([held = kept(compile)](const std::string& what, const std::vector<MissingCode>& parts) {
          const py::gil_scoped_acquire gil;
          py::list sources;
          for (const MissingCode& part : parts) sources.append(py::make_tuple(part.name, part.source));
          return py::cast<std::vector<std::string>>((*held)(what, sources));
        });
      },
      py::arg("compile"));
  module.def("run", &run_program, py::arg("program"), py::arg("graph"), py::arg("arguments"), py::arg("options"),
             py::arg("card") = py::none(), py::arg("devices") = std::vector<std::string>(),
             py::arg("cards") = std::vector<std::shared_ptr<LoadedCard>>());
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
  module.def("cpu_algorithms", [] {
    py::list all;
    for (const CpuAlgorithm* algorithm : cpu_algorithms()) all.append(describe(*algorithm));
    return all;
  });
  module.def("run_cpu", &run_cpu, py::arg("name"), py::arg("graph"), py::arg("arguments"), py::arg("options"),
             py::arg("card") = py::none(), py::arg("progress") = py::none());
  module.def("default_num_threads", &default_num_threads);
}

}  // namespace bindings
}  // namespace gaspipe
