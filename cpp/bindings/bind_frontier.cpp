// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.Frontier and FrontierSet: frontier programs of a compiled library. python/gaspipe/_frontier is the
// interface for users.
#include <string_view>

#include "bindings.h"
#include "gaspipe/loaded_frontier.h"
#include "python_domain.h"

namespace gaspipe {
namespace bindings {
namespace {

std::vector<std::uint8_t> bytes_of(const py::bytes& given) {
  const std::string_view text = given;
  return {text.begin(), text.end()};
}

// The type with a name of NumPy's; kNone for any other.
abi::Scalar scalar_of(const std::string& name) {
  for (std::int32_t type = abi::kInt32; type <= abi::kFloat64; ++type) {
    if (name == scalar_name(type)) return static_cast<abi::Scalar>(type);
  }
  return abi::kNone;
}

// A library that was loaded; it lives as long as the process.
struct LoadedFunctors {
  const abi::FrontierTable& table;
};

// `Vertices` is a Graph or a PythonDomain.
template <class Vertices>
std::shared_ptr<LoadedFrontier> open(const LoadedFunctors& program, const Vertices& vertices,
                                     const std::string& weight_type, const py::bytes& default_accumulator,
                                     const py::object& num_threads, int direction, int group, bool scan,
                                     const py::object& log, int log_level) {
  FrontierOptions options;
  options.num_threads = read_count("num_threads", num_threads);
  options.direction = static_cast<FrontierOptions::Direction>(direction);
  options.group = group;
  options.scan = scan;
  options.log_level = static_cast<LogLevel>(log_level);
  options.interrupted = python_interrupted;
  if (!log.is_none()) {
    options.log = [log = kept(log)](LogLevel level, const std::string& text) {
      const py::gil_scoped_acquire gil;
      (*log)(static_cast<int>(level), text);
    };
  }
  auto start = bytes_of(default_accumulator);
  const py::gil_scoped_release released;
  const abi::Scalar type = scalar_of(weight_type);
  if constexpr (std::is_same_v<Vertices, PythonDomain>) {
    return std::make_shared<LoadedFrontier>(program.table, *vertices.domain, options, std::move(start), type);
  } else {
    return std::make_shared<LoadedFrontier>(program.table, vertices, options, std::move(start), type);
  }
}

py::object to_python(const LoadedFrontier::Answer& answer) {
  if (answer.kind == abi::FrontierOutcome::kReal) return py::float_(answer.real);
  if (answer.kind == abi::FrontierOutcome::kInteger) return py::int_(answer.integer);
  return py::none();
}
LoadedFrontier::Answer answer_of(const py::object& number) {
  if (py::isinstance<py::float_>(number)) return {abi::FrontierOutcome::kReal, 0, number.cast<double>()};
  return {abi::FrontierOutcome::kInteger, number.cast<std::int64_t>(), 0};
}

py::object call(LoadedFrontier& engine, std::uint32_t functor, int which, LoadedSet* dst, const LoadedSet* src,
                const py::bytes& parameters) {
  const auto given = bytes_of(parameters);
  return to_python([&] {
    const py::gil_scoped_release released;
    return engine.call(functor, static_cast<abi::FrontierCall>(which), dst, src, given);
  }());
}

py::object combine(LoadedFrontier& engine, std::uint32_t functor, const py::bytes& parameters, const py::object& a,
                   const py::object& b) {
  return to_python(engine.combine(functor, bytes_of(parameters), answer_of(a), answer_of(b)));
}

// All values of a kind, which keep the engine.
py::array values(const std::shared_ptr<LoadedFrontier>& engine, int which, const py::dtype& type, bool will_write) {
  const auto kind = static_cast<abi::FrontierValues>(which);
  const std::uint64_t size = kind == abi::kEdgeValues ? engine->num_edges() : engine->num_vertices();
  return to_numpy(type, engine, engine->values(kind, will_write), size, will_write);
}

py::list functors(const LoadedFunctors& program) {
  py::list all;
  for (std::uint32_t i = 0; i < program.table.num_functors; ++i) {
    all.append(py::make_tuple(program.table.functors[i].name, program.table.functors[i].calls));
  }
  return all;
}

// What a functor reduces and gathers, element by element, on arrays of whole values; for checks.
template <class F>
py::array element_by_element(const py::dtype& type, std::uint64_t size, const F& f) {
  const Writable<std::uint8_t> out(size * static_cast<std::uint64_t>(type.itemsize()));
  if (f(out.data()) != abi::kOk) throw Error("the functor threw an exception");
  return to_numpy(type, out.freeze().owner(), out.data(), size, true);
}
const abi::FrontierFunctor& functor_of(const LoadedFunctors& program, std::uint32_t functor) {
  if (functor < program.table.num_functors && program.table.functors[functor].reduce != nullptr) {
    return program.table.functors[functor];
  }
  throw InputError(message("functor number ", functor, " has no gather and reduce"));
}

py::array reduce(const LoadedFunctors& program, std::uint32_t functor, const py::bytes& parameters, const py::array& a,
                 const py::array& b) {
  const abi::FrontierFunctor& which = functor_of(program, functor);
  const auto given = bytes_of(parameters);
  const auto size = static_cast<std::uint64_t>(a.size());
  return element_by_element(a.dtype(), size,
                            [&](void* out) { return which.reduce(given.data(), a.data(), b.data(), out, size); });
}

py::array gather(const LoadedFunctors& program, std::uint32_t functor, const py::bytes& parameters,
                 const py::array& vertices, const py::array_t<std::uint64_t, py::array::c_style>& degrees,
                 const py::object& edges, const py::dtype& accumulator) {
  const abi::FrontierFunctor& which = functor_of(program, functor);
  const auto given = bytes_of(parameters);
  const auto size = static_cast<std::uint64_t>(vertices.size());
  void* const of_edges = edges.is_none() ? nullptr : py::reinterpret_borrow<py::array>(edges).mutable_data();
  return element_by_element(accumulator, size, [&](void* out) {
    return which.gather(given.data(), vertices.data(), degrees.data(), of_edges, out, size);
  });
}

}  // namespace

void bind_frontier(py::module_& module) {
  py::class_<LoadedSet, std::shared_ptr<LoadedSet>>(module, "FrontierSet")
      .def("__len__", &LoadedSet::size)
      .def("__contains__", &LoadedSet::contains, py::arg("vertex"), py::pos_only())
      .def_property_readonly("is_bitmap", &LoadedSet::is_bitmap)
      .def("vertices", [](const LoadedSet& set) { return to_numpy(set.vertices()); })
      .def("convert", &LoadedSet::convert, py::arg("to_bitmap"))
      .def("clear", &LoadedSet::clear);
  py::class_<LoadedFunctors>(module, "FrontierProgram")
      .def(py::init([](const std::string& path, const std::string& name) {
             return LoadedFunctors{load_frontier(path, name)};
           }),
           py::arg("path"), py::arg("name"))
      .def_property_readonly("functors", &functors)
      .def("reduce", &reduce, py::arg("functor"), py::arg("parameters"), py::arg("a"), py::arg("b"))
      .def("gather", &gather, py::arg("functor"), py::arg("parameters"), py::arg("vertices"), py::arg("degrees"),
           py::arg("edges"), py::arg("accumulator"));
  py::class_<LoadedFrontier, std::shared_ptr<LoadedFrontier>>(module, "Frontier")
      .def(py::init(&open<Graph>), py::arg("program"), py::arg("graph"), py::arg("weight_type"),
           py::arg("default_accumulator"), py::arg("num_threads"), py::arg("direction"), py::arg("group"),
           py::arg("scan"), py::arg("log"), py::arg("log_level"))
      .def(py::init(&open<PythonDomain>), py::arg("program"), py::arg("domain"), py::arg("weight_type"),
           py::arg("default_accumulator"), py::arg("num_threads"), py::arg("direction"), py::arg("group"),
           py::arg("scan"), py::arg("log"), py::arg("log_level"))
      .def("combine", &combine, py::arg("functor"), py::arg("parameters"), py::arg("a"), py::arg("b"))
      .def_property_readonly("seconds", &LoadedFrontier::seconds)
      .def("call", &call, py::arg("functor"), py::arg("call"), py::arg("dst"), py::arg("src"), py::arg("parameters"))
      .def("values", &values, py::arg("which"), py::arg("dtype"), py::arg("will_write"))
      .def("all", &LoadedFrontier::all)
      .def(
          "set_of",
          [](LoadedFrontier& engine, const py::array_t<VertexId, py::array::c_style>& vertices) {
            return engine.set_of(borrow<VertexId>(vertices));
          },
          py::arg("vertices"));
}

}  // namespace bindings
}  // namespace gaspipe
