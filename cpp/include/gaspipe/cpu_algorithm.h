// SPDX-License-Identifier: Apache-2.0
// Algorithms that six hooks cannot say: C++ over the rows of a graph, on the CPU's threads. `cpu_algorithms` has those
// of cpp/algorithm, one per header:
//
//   namespace gaspipe { namespace algorithm { namespace <name> {
//   constexpr CpuDescription kDescription = {summary, details, reference};
//   struct Parameters { ... each(visit) }    as those of hooks (hls/program.h)
//   struct Answer { ... each(visit) }        visit(name, member, text) for every field: numbers (std::int64_t, double),
//                                            Arrays with an element per vertex, and Tables. The first is no number.
//   Answer run(CpuRun& run, const Parameters& parameters);
//
// A run throws InputError for parameters that do not go together, and Cancelled when interrupted. One that ends at its
// parameter max_iter, above its tolerance, calls run.not_converged(). What takes long is a phase of run.workers, for
// reports of progress; what comes before is "preparing".
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/graph.h"
#include "gaspipe/prepared.h"
#include "gaspipe/run.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// What the header says of itself; the source of Python's docstring.
struct CpuDescription {
  const char* summary;    // one line, ends with a full stop
  const char* details;    // what it does with weights, directions, self-loops, parallel edges; may be empty
  const char* reference;  // paper, with its doi
};

// Values of an answer that are not by vertex, row by row. `shape` says what they are by, as "num_pairs" or
// "num_walks, length + 1".
template <class T>
struct Table {
  const char* shape;
  bool has_vertices = false;  // the values are ids of vertices; below 0 there is none
  Array<T> values{};
  std::uint64_t num_columns = 0;  // 0: of one dimension
};

struct AnswerField {
  const char *name, *doc;
  const char* dtype;  // as NumPy says it
  const char* shape;  // "num_vertices", that of a Table, or empty for a number
  bool has_vertices;
};

struct AnswerValue {
  std::shared_ptr<const void> owner;
  const void* data;
  std::uint64_t size;
  std::uint64_t num_columns;  // 0: of one dimension
};

// What a run works on.
class CpuRun {
 public:
  CpuRun(const Graph& the_graph, Workers& the_workers) : graph(the_graph), workers(the_workers) {}

  const Graph& graph;
  Workers& workers;

  // What make() returns; its time counts as preparation.
  template <class Make>
  auto prepare(const Make& make) {
    const auto start = std::chrono::steady_clock::now();
    auto made = make();
    prepare_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return made;
  }
  // The rows of a view. Making them counts as preparation.
  std::shared_ptr<const Csr> view(View which) {
    return prepare([&] { return graph.view(which, workers); });
  }
  // The graph relabeled (gaspipe/prepared.h), for an algorithm that it makes faster; null: the graph as it is.
  // `in_any_order`: whether its answer is the same bits in any order of vertices and edges. To be asked once.
  std::shared_ptr<const PreparedGraph> relabeled(bool in_any_order) {
    may_be_relabeled_ = true;
    auto form = prepare([&] { return graph.prepared_for(in_any_order, false, workers); });
    is_relabeled_ = form != nullptr;
    return form;
  }
  double prepare_seconds() const { return prepare_seconds_; }
  bool may_be_relabeled() const { return may_be_relabeled_; }
  bool is_relabeled() const { return is_relabeled_; }

  // `remedy` completes a warning.
  void not_converged(std::string remedy = "raise max_iter or tol") { remedy_ = std::move(remedy); }
  const std::string& remedy() const { return remedy_; }  // empty: it has converged

 private:
  double prepare_seconds_ = 0;
  bool may_be_relabeled_ = false, is_relabeled_ = false;
  std::string remedy_;
};

struct CpuAlgorithm {
  abi::Program program;  // its name, texts and parameters; there are no instances
  std::vector<AnswerField> fields;
  std::vector<AnswerValue> (*run)(CpuRun& run, const abi::Argument* arguments);
};

const std::vector<const CpuAlgorithm*>& cpu_algorithms();
const CpuAlgorithm& find_cpu_algorithm(const std::string& name);  // InputError lists the known ones

struct CpuOptions {
  int num_threads = 0;                // 0: as OpenMP is set
  std::function<bool()> interrupted;  // asked on the calling thread, about every 20 ms
  Workers::Report report;             // of the algorithm's phases; "preparing" is the first
};

struct CpuResult {
  std::vector<AnswerValue> values;  // of CpuAlgorithm::fields
  Stats stats;
  std::string remedy;  // of a run that has not converged, else empty
};

CpuResult run(const CpuAlgorithm& algorithm, const Graph& graph, const Arguments& arguments,
              const CpuOptions& options = {});

}  // namespace gaspipe
