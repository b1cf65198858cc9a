// SPDX-License-Identifier: Apache-2.0
// Cell's search: gaspipe._core.SplitLists and gaspipe._core.run_local_store.
#include "bindings.h"
#include "gaspipe/graph.h"
#include "gaspipe/local_store/run.h"

namespace gaspipe {
namespace bindings {
namespace {

using local_store::Event;
using local_store::Profile;
using local_store::SplitLists;
using local_store::WorkerProfile;

// A column of a table, by row.
template <class T, class Row, class F>
py::array column(const std::vector<Row>& rows, const F& f) {
  const Writable<T> values(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = static_cast<T>(f(rows[i]));
  return to_numpy(values.freeze());
}

py::dict by_worker(const std::vector<WorkerProfile>& workers) {
  py::dict columns;
  for (int step = 0; step < local_store::kNumSteps; ++step) {
    columns[local_store::kStepNames[step]] =
        column<double>(workers, [&](const WorkerProfile& worker) { return worker.seconds[step]; });
  }
  columns["stall"] = column<double>(workers, [](const WorkerProfile& worker) { return worker.stall_seconds; });
  constexpr std::pair<const char*, std::uint64_t WorkerProfile::*> counts[] = {
      {"periods", &WorkerProfile::periods},
      {"split_periods", &WorkerProfile::split_periods},
      {"edges", &WorkerProfile::edges},
      {"messages", &WorkerProfile::messages},
      {"codes_sent", &WorkerProfile::codes_sent},
      {"transfers", &WorkerProfile::transfers},
      {"transfer_entries", &WorkerProfile::transfer_entries},
      {"vertices", &WorkerProfile::vertices},
      {"used_bytes", &WorkerProfile::used_bytes},
  };
  for (const auto& count : counts) {
    columns[count.first] =
        column<std::int64_t>(workers, [&](const WorkerProfile& worker) { return worker.*count.second; });
  }
  return columns;
}

py::dict trace(const std::vector<Event>& events) {
  py::dict columns;
  columns["worker"] = column<std::int32_t>(events, [](const Event& event) { return event.worker; });
  columns["step"] = column<std::int32_t>(events, [](const Event& event) { return event.step; });
  columns["period"] = column<std::int64_t>(events, [](const Event& event) { return event.period; });
  columns["iteration"] = column<std::int64_t>(events, [](const Event& event) { return event.iteration; });
  columns["begin"] = column<double>(events, [](const Event& event) { return event.begin; });
  columns["end"] = column<double>(events, [](const Event& event) { return event.end; });
  return columns;
}

// As python/gaspipe/_result/local_store.py takes it.
py::dict profile_to_python(const SplitLists& lists, const local_store::Answer& answer, const RunOptions& options) {
  const local_store::Layout& layout = answer.layout;
  py::dict parts;
  parts["bitmap"] = layout.bitmap;
  parts["bQ"] = 2 * layout.queue;
  parts["bG"] = 2 * layout.lists;
  parts["bQnext"] = 2 * layout.next;
  parts["Qout"] = layout.num_workers * layout.message;
  parts["Qin"] = (layout.num_workers - 1) * (layout.message + local_store::kControlBytes);
  parts["transfers"] = layout.transfers;
  py::dict all;
  all["workers"] = lists.num_workers();
  all["local_store_bytes"] = options.local_store_bytes.value_or(local_store::kDefaultStoreBytes);
  all["hide_latency"] = options.hide_latency;
  all["code_bits"] = lists.code_bits();
  all["lists_bytes"] = lists.num_bytes();
  all["layout"] = parts;
  all["by_worker"] = by_worker(answer.profile.workers);
  all["trace"] = options.trace ? py::object(trace(answer.profile.trace)) : py::none();
  py::list names;
  for (const char* name : local_store::kStepNames) names.append(name);
  all["steps"] = names;
  return all;
}

py::tuple run_local_store(const SplitLists& lists, VertexId root, const RunOptions& options) {
  const local_store::Run made = [&] {
    const py::gil_scoped_release released;
    return local_store::run(lists, root, options);
  }();
  const Array<std::int32_t>& depth = made.answer.depth;
  const py::array values = to_numpy(py::dtype::of<std::int32_t>(), depth.owner(), depth.data(), depth.size(), true);
  py::dict stats = stats_to_python(made.stats);
  stats["local_store"] = profile_to_python(lists, made.answer, options);
  return py::make_tuple(values, stats);
}

}  // namespace

void bind_local_store(py::module_& module) {
  py::class_<SplitLists, std::shared_ptr<SplitLists>>(module, "SplitLists")
      .def(py::init([](const Graph& graph, int num_workers, int num_threads) {
             return without_gil(num_threads, [&](Workers& workers) {
               return std::make_shared<SplitLists>(*graph.csr(), num_workers, workers);
             });
           }),
           py::arg("graph"), py::arg("num_workers"), py::arg("num_threads"))
      .def_property_readonly("num_workers", &SplitLists::num_workers);
  module.def("local_store_workers", &local_store::num_workers, py::arg("options"));
  module.def("run_local_store", &run_local_store, py::arg("lists"), py::arg("root"), py::arg("options"));
}

}  // namespace bindings
}  // namespace gaspipe
