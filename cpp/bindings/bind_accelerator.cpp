// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.Accelerator: a device driven super-step by super-step.
#include "bindings.h"
#include "gaspipe/accelerator.h"

namespace gaspipe {
namespace bindings {
namespace {

py::dict describe(const KernelDescription& kernel) {
  py::dict text;
  text["kernel"] = kernel.kernel;
  text["instance"] = kernel.instance;
  text["unit"] = kernel.unit == kApplyUnit ? py::object(py::none()) : py::int_(kernel.unit);
  return text;
}

// By name: bytes of a buffer, or a scalar's value.
py::dict describe(const std::vector<KernelArgument>& arguments) {
  py::dict text;
  for (const KernelArgument& argument : arguments) {
    text[py::str(argument.name)] = argument.is_buffer ? argument.num_bytes : argument.value;
  }
  return text;
}

// One array per column, of all kernels in all super-steps.
py::dict kernel_columns(const std::deque<ProfiledStep>& steps) {
  std::size_t size = 0;
  for (const ProfiledStep& step : steps) size += step.kernel_times.size();
  Writable<std::uint32_t> superstep(size), partition(size);
  Writable<std::int32_t> unit(size);
  Writable<double> start(size), seconds(size);
  Writable<std::uint64_t> cycles(size);
  std::size_t row = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const KernelTime& time : steps[i].kernel_times) {
      superstep[row] = static_cast<std::uint32_t>(i);
      partition[row] = time.partition;
      unit[row] = time.unit;
      start[row] = time.start_seconds;
      seconds[row] = time.seconds;
      cycles[row++] = time.cycles;
    }
  }
  py::dict columns;
  columns["superstep"] = to_numpy(superstep.freeze());
  columns["unit"] = to_numpy(unit.freeze());
  columns["partition"] = to_numpy(partition.freeze());
  columns["start_seconds"] = to_numpy(start.freeze());
  columns["seconds"] = to_numpy(seconds.freeze());
  columns["cycles"] = to_numpy(cycles.freeze());
  return columns;
}

template <class T, class F>
py::array column(const std::deque<ProfiledStep>& steps, const F& f) {
  Writable<T> values(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) values[i] = f(steps[i]);
  return to_numpy(values.freeze());
}

py::tuple profile(Accelerator& accelerator, bool verify) {
  const Profile profile = [&] {
    const py::gil_scoped_release released;
    return accelerator.profile(verify);
  }();
  using Step = ProfiledStep;
  py::dict steps;
  steps["bytes_to_card"] = column<std::uint64_t>(profile.steps, [](const Step& s) { return s.bytes_to_card; });
  steps["bytes_from_card"] = column<std::uint64_t>(profile.steps, [](const Step& s) { return s.bytes_from_card; });
  steps["verified"] = column<std::uint8_t>(profile.steps, [](const Step& s) { return s.verified; });
  return py::make_tuple(steps, kernel_columns(profile.steps), stats_to_python(profile.stats));
}

}  // namespace

void bind_accelerator(py::module_& module) {
  using Released = py::call_guard<py::gil_scoped_release>;
  py::class_<Accelerator>(module, "Accelerator")
      .def(py::init([](const ProgramOrName& which, RunOptions options, std::shared_ptr<LoadedCard> card) {
             options.method = "gas";
             options.card = std::move(card);
             return std::make_unique<Accelerator>(program_of(which), std::move(options));
           }),
           py::arg("program"), py::arg("options"), py::arg("card") = py::none())
      .def("load",
           [](Accelerator& accelerator, const Graph& graph) {
             const auto shared = std::make_shared<const Graph>(graph);  // its data are shared, and its cache
             const py::gil_scoped_release released;
             accelerator.load(shared);
           })
      .def("preprocess",
           [](Accelerator& accelerator, const py::dict& arguments) {
             Arguments checked = read_arguments(accelerator.program(), arguments);
             const py::gil_scoped_release released;
             accelerator.preprocess(std::move(checked));
           })
      .def("superstep", &Accelerator::superstep, Released())
      .def("profile", &profile, py::arg("verify"))
      .def("properties",
           [](Accelerator& accelerator) {
             const auto properties = [&] {
               const py::gil_scoped_release released;
               return accelerator.properties();
             }();
             const py::dtype type = dtype_of(static_cast<abi::Scalar>(accelerator.instance().property_type));
             // A row for each vertex where a property is several words.
             const auto width = std::size_t(accelerator.instance().property_bytes / type.itemsize());
             const py::array flat = to_numpy(type, properties.owner(), properties.data(),
                                             properties.size() / static_cast<std::size_t>(type.itemsize()));
             return width == 1 ? py::object(flat) : py::object(flat.attr("reshape")(-1, width));
           })
      .def("partitioning",
           [](const Accelerator& accelerator) {
             return std::const_pointer_cast<Partitioning>(accelerator.partitioning().shared_from_this());
           })
      .def("kernels",
           [](const Accelerator& accelerator) {
             py::list kernels;
             for (const KernelDescription& kernel : kernelInit(accelerator)) kernels.append(describe(kernel));
             return kernels;
           })
      .def("gather_scatter_arguments",
           [](const Accelerator& accelerator, std::int64_t partition, std::int64_t unit) {
             return describe(setGsKernel(accelerator, partition, unit));
           })
      .def("apply_arguments", [](const Accelerator& accelerator,
                                 std::int64_t partition) { return describe(setApplyKernel(accelerator, partition)); })
      .def("stats", [](const Accelerator& accelerator) { return stats_to_python(accelerator.stats()); })
      .def("result", [](Accelerator& accelerator) { return result_to_python(accelerator.result()); })
      .def("close", &Accelerator::close, Released());
}

}  // namespace bindings
}  // namespace gaspipe
