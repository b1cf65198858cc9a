// SPDX-License-Identifier: Apache-2.0
// Cell's search: gaspipe._core.SplitLists, StoredLists, run_local_store and run_stored_lists.
#include "bindings.h"
#include "gaspipe/graph.h"
#include "gaspipe/local_store/run.h"

namespace gaspipe {
namespace bindings {
namespace {

using local_store::Event;
using local_store::Profile;
using local_store::SplitLists;
using local_store::StoredLists;
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
template <class Lists>
py::dict profile_to_python(const Lists& lists, const local_store::Run& made, const RunOptions& options) {
  const local_store::Answer& answer = made.answer;
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
  all["local_store_bytes"] = made.local_store_bytes;
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

template <class Lists, class... More>
py::tuple run_lists(const Lists& lists, VertexId root, const RunOptions& options, const More&... more) {
  const local_store::Run made = [&] {
    const py::gil_scoped_release released;
    return local_store::run(lists, root, options, more...);
  }();
  const Array<std::int32_t>& depth = made.answer.depth;
  const py::array values = moved_to_numpy(depth);
  py::dict stats = stats_to_python(made.stats);
  stats["local_store"] = profile_to_python(lists, made, options);
  return py::make_tuple(values, stats);
}

// Of a graph whose edges stay in their file, as python/gaspipe/_formats/gaspipe has read it.
std::shared_ptr<StoredLists> stored_lists(const Graph& graph, int num_workers, int code_bits, std::uint64_t first_byte,
                                          std::uint64_t num_bytes, const py::array& checks, const py::array& targets) {
  local_store::ListSection section;
  section.num_workers = num_workers;
  section.code_bits = code_bits;
  section.first_byte = first_byte;
  section.num_bytes = num_bytes;
  section.checks = borrow<std::uint32_t>(checks);
  section.targets = borrow<std::uint8_t>(targets);
  const py::gil_scoped_release released;
  return std::make_shared<StoredLists>(graph.stored(), graph.skeleton().offsets, std::move(section));
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
  module.def("run_local_store", &run_lists<SplitLists>, py::arg("lists"), py::arg("root"), py::arg("options"));
  py::class_<StoredLists, std::shared_ptr<StoredLists>>(module, "StoredLists")
      .def(py::init(&stored_lists), py::arg("graph"), py::arg("num_workers"), py::arg("code_bits"),
           py::arg("first_byte"), py::arg("num_bytes"), py::arg("checks"), py::arg("targets"))
      .def_property_readonly("num_workers", &StoredLists::num_workers);
  module.def(
      "run_stored_lists",
      [](const StoredLists& lists, VertexId root, const RunOptions& options, const std::string& folder,
         std::uint64_t other_bytes) {
        return run_lists(lists, root, options, local_store::OutOfCore{folder, other_bytes});
      },
      py::arg("lists"), py::arg("root"), py::arg("options"), py::arg("folder"), py::arg("other_bytes"));
  module.attr("LIST_PAGE") = local_store::kListPage;
}

}  // namespace bindings
}  // namespace gaspipe
