// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.RunOptions, read from one record by the table of options (gaspipe/run_options.h); the table itself; and
// what there is to run on.
#include <algorithm>
#include <type_traits>

#include "bindings.h"
#include "gaspipe/domain.h"
#include "gaspipe/error.h"
#include "gaspipe/executors.h"
#include "gaspipe/run_options.h"

namespace gaspipe {
namespace bindings {
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

// From three functions: init(partitioning), arrange_sub_partitions(partition), arrange_partitions(partitioning).
Scheduler read_scheduler(const py::object& given) {
  if (!py::isinstance<py::tuple>(given)) {
    throw InputError(
        message("scheduler is ", std::string(py::repr(given)), "; a name or a tuple of three functions is needed"));
  }
  const auto parts = py::reinterpret_borrow<py::tuple>(given);
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

// What follows from an option's type: how its value is read from Python, how it looks there, and what the signature and
// the docstring of a function say of it.
template <class Field>
struct Kind;

template <>
struct Kind<std::string> {
  static constexpr const char *name = "text", *annotation = "str", *type = "str";
  static std::string read(const OptionRow& row, const py::handle& value) {
    if (!py::isinstance<py::str>(value)) {
      throw InputError(message(row.name, " is ", std::string(py::repr(value)), "; a string is needed"));
    }
    return value.cast<std::string>();
  }
  static py::object shown(const std::string& value) { return py::str(value); }
};
template <>
struct Kind<std::optional<std::string>> {  // as the file system spells it: a name may be no text
  static constexpr const char *name = "path", *annotation = "str | os.PathLike[str] | None", *type = "path, optional";
  static std::optional<std::string> read(const OptionRow&, const py::handle& value) {
    if (value.is_none()) return std::nullopt;
    const py::object path = py::module_::import("os").attr("fspath")(value);
    return py::module_::import("os").attr("fsencode")(path).cast<std::string>();
  }
  static py::object shown(const std::optional<std::string>& value) {
    if (!value) return py::none();
    return py::module_::import("os").attr("fsdecode")(py::bytes(*value));
  }
};
template <>
struct Kind<bool> {
  static constexpr const char *name = "flag", *annotation = "bool", *type = "bool";
  static bool read(const OptionRow& row, const py::handle& value) { return read_flag(row.name, value); }
  static py::object shown(bool value) { return py::bool_(value); }
};
template <>
struct Kind<int> {  // a number of threads
  static constexpr const char *name = "count", *annotation = "int | None", *type = "int, optional";
  static int read(const OptionRow& row, const py::handle& value) { return read_count(row.name, value); }
  static py::object shown(int value) { return value == 0 ? py::object(py::none()) : py::int_(value); }
};
template <>
struct Kind<std::optional<std::uint64_t>> {
  static constexpr const char *name = "number", *annotation = "int | None", *type = "int, optional";
  static std::optional<std::uint64_t> read(const OptionRow& row, const py::handle& value) {
    if (value.is_none()) return std::nullopt;
    py::object integer;
    if (!py::isinstance<py::bool_>(value)) integer = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!integer) {
      if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
      PyErr_Clear();
      throw InputError(message(row.name, " is ", std::string(py::repr(value)), "; an integer is needed, at least 1"));
    }
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow != 0 || number < 1) {
      throw InputError(message(row.name, " is ", std::string(py::str(integer)), "; allowed are 1 to 2^63 - 1"));
    }
    return static_cast<std::uint64_t>(number);
  }
  static py::object shown(const std::optional<std::uint64_t>& value) {
    return value ? py::object(py::int_(*value)) : py::none();
  }
};
template <>
struct Kind<std::optional<PartitionConfig>> {
  static constexpr const char *name = "partitioning", *annotation = "Partitioning | None",
                              *type = "Partitioning, optional";
  static std::optional<PartitionConfig> read(const OptionRow&, const py::handle& value) {
    if (value.is_none()) return std::nullopt;
    if (!py::isinstance<Partitioning>(value)) throw InputError("partitioning must come from Graph.partition()");
    return value.cast<const Partitioning&>().config();
  }
  static py::object shown(const std::optional<PartitionConfig>&) { return py::none(); }
};
template <>
struct Kind<RunOptions::Progress> {
  static constexpr const char *name = "progress", *annotation = "Progress | bool | None",
                              *type = "callable or bool, optional";
  static RunOptions::Progress read(const OptionRow&, const py::handle& value) {
    if (value.is_none()) return {};
    if (PyCallable_Check(value.ptr()) == 0) {
      throw InputError("progress must be callable, progress(step, active_vertices, edges), or a bool");
    }
    return [call = kept(py::reinterpret_borrow<py::object>(value))](std::uint64_t step, const abi::Superstep& done) {
      const py::gil_scoped_acquire gil;
      (*call)(step, done.active_vertices, done.edges);
    };
  }
  static py::object shown(const RunOptions::Progress&) { return py::none(); }
};

template <>
struct Kind<std::shared_ptr<const Domains>> {  // a number of them is made into some by python/gaspipe/_call.py
  static constexpr const char *name = "domains", *annotation = "int | Domains | None",
                              *type = "int or Domains, optional";
  static std::shared_ptr<const Domains> read(const OptionRow&, const py::handle& value) {
    if (value.is_none()) return nullptr;
    if (!py::isinstance<Domains>(value)) {
      throw InputError(message("domains is ", std::string(py::repr(value)),
                               "; how many domains is needed, at least 1, or Graph.domains()"));
    }
    return value.cast<std::shared_ptr<Domains>>();
  }
  static py::object shown(const std::shared_ptr<const Domains>&) { return py::none(); }
};

template <class Field>
using KindOf = Kind<std::remove_cv_t<std::remove_reference_t<Field>>>;

// {"cpu", "emulator", "fpga", "auto"}, or with a board: "emulator:u250", or a card: "fpga:1"
std::string device_type() {
  std::string names, more;
  for (const ExecutorKind* kind : executors()) {
    names += message("\"", kind->name, "\", ");
    if (kind->which == nullptr) continue;
    more += message(more.empty() ? ", or with " : ", or ", kind->which, ": \"", kind->name, ":", kind->example, "\"");
  }
  return message("{", names, "\"auto\"}", more);
}
// cpu, emulator, fpga or auto; emulator:u250 names a board, fpga:1 a card.
std::string device_help() {
  std::string names, more;
  for (const ExecutorKind* kind : executors()) {
    names += message(names.empty() ? "" : ", ", kind->name);
    if (kind->which == nullptr) continue;
    more += message(more.empty() ? "; " : ", ", kind->name, ":", kind->example, more.empty() ? " names " : " ",
                    kind->which);
  }
  return message(names, " or auto", more, ".");
}

// {"cpu", "emulator", "auto"}, or with a board: "emulator:u250"
std::string block_device_type() {
  for (const ExecutorKind* kind : executors()) {
    if (!kind->predicts) continue;
    return message("{\"", RunOptions().device, "\", \"", kind->name, "\", \"auto\"}, or with ", kind->which, ": \"",
                   kind->name, ":", kind->example, "\"");
  }
  return "str";
}

// A row of the table as Python gets it, for one algorithm.
struct Option {
  OptionRow row;
  std::string kind, annotation, type, doc;
  py::object help, default_value;
  std::vector<std::string> choices;

  // As the algorithm of this name has it; None where it has not. Without a name: as all have it.
  py::object of(const std::string& algorithm) const {
    const auto is_this = [&](const char* name) { return algorithm == name; };
    if (!row.algorithms.empty() && std::none_of(row.algorithms.begin(), row.algorithms.end(), is_this))
      return py::none();
    Option own = *this;
    for (const OwnChoice& choice : row.own_choices) {
      if (algorithm != choice.algorithm) continue;
      own.choices.push_back(choice.choice);
      own.doc += message(" ", choice.doc);
      if (!help.is_none()) own.help = py::str(message(std::string(py::str(own.help)), " ", choice.help));
    }
    own.type = type_of(own);
    return py::cast(own);
  }

  // As algorithms of the CPU have it that are accelerators of GraphOps' blocks too; None where they have not.
  py::object of_blocks() const {
    if (row.of_blocks == nullptr) return py::none();
    Option own = *this;
    own.doc = row.of_blocks;
    if (own.row.name == std::string("device")) own.type = block_device_type();
    return py::cast(own);
  }

  static std::string type_of(const Option& option) {
    std::string listed;
    for (const std::string& choice : option.choices) listed += message(listed.empty() ? "{" : ", ", "\"", choice, "\"");
    return listed.empty() ? option.type : listed + "}";
  }
};

py::list options() {
  const RunOptions defaults;
  py::list rows;
  RunOptions::each(defaults, [&](const auto& field, const OptionRow& row) {
    using Kind = KindOf<decltype(field)>;
    const bool is_device = static_cast<const void*>(&field) == &defaults.device;
    py::object help = row.help == nullptr ? py::object(py::none()) : py::str(is_device ? device_help() : row.help);
    Option option{row,     Kind::name, Kind::annotation,   is_device ? device_type() : Kind::type,
                  row.doc, help,       Kind::shown(field), {row.choices.begin(), row.choices.end()}};
    option.type = Option::type_of(option);
    rows.append(py::cast(option));
  });
  return rows;
}

// Fills the options that are given by name.
void read_named(RunOptions& options, const py::dict& given) {
  std::size_t num_found = 0;
  RunOptions::each(options, [&](auto& field, const OptionRow& row) {
    if (!given.contains(row.name)) return;
    ++num_found;
    field = KindOf<decltype(field)>::read(row, given[row.name]);
  });
  if (num_found == given.size()) return;
  for (const auto& [key, value] : given) {
    bool is_known = false;
    RunOptions::each(options, [&](const auto&, const OptionRow& row) { is_known |= key.equal(py::str(row.name)); });
    if (!is_known) throw py::type_error(message("there is no option ", std::string(py::repr(key))));
  }
}

}  // namespace

int read_count(const char* name, const py::handle& value) {
  if (value.is_none()) return 0;
  const std::string shown = py::repr(value);
  py::object integer;
  if (!py::isinstance<py::bool_>(value)) integer = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!integer) {
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
    PyErr_Clear();
    throw InputError(message(name, " is ", shown, "; an integer is needed, at least 1"));
  }
  int overflow = 0;
  const long count = PyLong_AsLongAndOverflow(integer.ptr(), &overflow);
  if (overflow != 0 || count < 1 || count > kMostThreads) {
    throw InputError(message(name, " is ", std::string(py::str(integer)), "; allowed are 1 to ", kMostThreads));
  }
  return static_cast<int>(count);
}

void bind_options(py::module_& module) {
  py::class_<ExecutorKind>(module, "Executor")
      .def_readonly("name", &ExecutorKind::name)
      .def_readonly("which", &ExecutorKind::which)
      .def_readonly("example", &ExecutorKind::example)
      .def_readonly("places", &ExecutorKind::places)
      .def_readonly("has_kernels", &ExecutorKind::has_kernels)
      .def_readonly("predicts", &ExecutorKind::predicts)
      .def_readonly("needs_card", &ExecutorKind::needs_card)
      .def("found", [](const ExecutorKind& kind) {
        py::list found;
        for (const FoundDevice& device : kind.found()) found.append(py::make_tuple(device.device, device.description));
        return found;
      });
  module.def("executors", [] {
    py::list kinds;
    for (const ExecutorKind* kind : executors()) kinds.append(py::cast(kind, py::return_value_policy::reference));
    return kinds;
  });
  module.def("find_executor", &find_executor, py::arg("device"), py::return_value_policy::reference);
  py::class_<Option>(module, "Option")
      .def_property_readonly("name", [](const Option& option) { return option.row.name; })
      .def_readonly("kind", &Option::kind)
      .def_readonly("annotation", &Option::annotation)
      .def_readonly("type", &Option::type)
      .def_readonly("doc", &Option::doc)
      .def_readonly("help", &Option::help)
      .def_readonly("default", &Option::default_value)
      .def_property_readonly("choices", [](const Option& option) { return py::tuple(py::cast(option.choices)); })
      .def_property_readonly("of_accelerator", [](const Option& option) { return option.row.of_accelerator; })
      .def_property_readonly("algorithms",
                             [](const Option& option) { return py::tuple(py::cast(option.row.algorithms)); })
      .def("of", &Option::of, py::arg("algorithm"))
      .def("of_blocks", &Option::of_blocks);
  module.def("options", &options);
  py::class_<RunOptions>(module, "RunOptions")
      .def(py::init([](const py::kwargs& given) {
        RunOptions options;
        options.interrupted = python_interrupted;
        read_named(options, given);
        return options;
      }))
      .def("__getattr__",
           [](const RunOptions& options, const std::string& name) {
             py::object found;
             RunOptions::each(options, [&](const auto& field, const OptionRow& row) {
               if (name == row.name) found = KindOf<decltype(field)>::shown(field);
             });
             if (!found) throw py::attribute_error(name);
             return found;
           })
      // A copy with other options; then what is given by code, not by name.
      .def(
          "replace",
          [](const RunOptions& options, const py::object& own_scheduler, const py::object& prediction,
             const py::kwargs& given) {
            RunOptions copy = options;
            read_named(copy, given);
            if (!own_scheduler.is_none()) copy.own_scheduler = read_scheduler(own_scheduler);
            if (!prediction.is_none()) copy.prediction = read_prediction(prediction);
            return copy;
          },
          py::kw_only(), py::arg("own_scheduler") = py::none(), py::arg("prediction") = py::none());
  module.def(
      "thread_count", [](const py::object& num_threads) { return read_count("num_threads", num_threads); },
      py::arg("num_threads"));
}

}  // namespace bindings
}  // namespace gaspipe
