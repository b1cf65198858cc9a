// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/run/domains.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "cpp/src/clock.h"
#include "cpp/src/run/number_formats.h"
#include "cpp/src/run/threads.h"
#include "gaspipe/communicator.h"
#include "gaspipe/domain.h"
#include "gaspipe/executors.h"

namespace gaspipe {
namespace {

// What the domains report of a super-step, until all have.
class Together {
 public:
  Together(int size, RunOptions::Progress progress) : size_(size), progress_(std::move(progress)) {}

  // No domain can report the step after this one before all have reported this one.
  void add(std::uint64_t step, const abi::Superstep& done) {
    const std::lock_guard<std::mutex> lock(guard_);
    sum_.kind = done.kind;
    sum_.active_vertices += done.active_vertices;
    sum_.edges += done.edges;
    if (++num_reported_ < size_) return;
    num_reported_ = 0;
    progress_(step, std::exchange(sum_, {}));
  }

 private:
  const int size_;
  const RunOptions::Progress progress_;
  std::mutex guard_;
  int num_reported_ = 0;
  abi::Superstep sum_{};
};

// The first error of any domain; those of the others follow from it.
class FirstError {
 public:
  void take(std::exception_ptr error) {
    const std::lock_guard<std::mutex> lock(guard_);
    if (!error_) error_ = std::move(error);
    is_there = true;
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

  std::atomic<bool> is_there{false};

 private:
  std::mutex guard_;
  std::exception_ptr error_;
};

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an error of unknown type";
  }
}

// Values of own vertices to where the whole graph has them.
template <class Word>
void place(const Result& part, const Domain& domain, std::uint8_t* whole, std::uint64_t size) {
  const auto* const from = reinterpret_cast<const Word*>(part.values.data());
  auto* const to = reinterpret_cast<Word*>(whole);
  if (domain.ids.size() == 0) {  // in one piece
    if (domain.first_id < size) {
      std::copy_n(from, std::min<std::uint64_t>(domain.num_own, size - domain.first_id), to + domain.first_id);
    }
    return;
  }
  for (VertexId v = 0; v < domain.num_own; ++v) {
    const VertexId id = domain.id(v);
    if (id < size) to[id] = from[v];
  }
}

// By all threads at once; a domain alone has its share of them. Returns the seconds it took.
double build_domains(const abi::Program& program, const Domains& domains, int num_threads, const RunOptions& options) {
  const auto start = Clock::now();
  if (program.instances[0].transition_probabilities == 0) {  // else it depends on the number format
    Workers workers(num_threads, options.interrupted);
    domains.domain(static_cast<View>(program.view), abi::kNone, 0, workers);
  }
  return seconds_since(start);
}

}  // namespace

Stats joined_stats(const std::vector<Stats>& of_each) {
  Stats all = of_each.front();
  all.num_threads = 0;
  all.num_edges = 0;
  all.card = {};
  all.domains.clear();
  const auto largest = [&](auto member) {
    for (const Stats& stats : of_each) all.*member = std::max(all.*member, stats.*member);
  };
  largest(&Stats::seconds);
  largest(&Stats::prepare_seconds);
  for (const Stats& stats : of_each) {
    if (&stats != &of_each.front()) all.supersteps.join(stats.supersteps);
    all.num_threads += stats.num_threads;
    all.num_edges += stats.num_edges;
    if (all.card.library.empty()) all.card.library = stats.card.library;
    all.card.calls = all.card.calls + stats.card.calls;
    all.card.edge_bytes_uploaded += stats.card.edge_bytes_uploaded;
    if (stats.device != all.device) all.device = "mixed";
    for (std::size_t phase = 0; phase < all.phases.size(); ++phase) {
      all.phases[phase] = std::max(all.phases[phase], stats.phases[phase]);
    }
    all.domains.insert(all.domains.end(), stats.domains.begin(), stats.domains.end());
    std::vector<std::uint64_t>& edges = all.domains.back().edges;
    for (const SuperstepLog::Record& step : stats.supersteps.records()) {
      if (step.step == edges.size()) edges.push_back(step.edges);  // behind a gap, exchanges are of other steps
    }
  }
  return all;
}

Result run_domains(const abi::Program& program, const Graph& graph, const Arguments& arguments,
                   const RunOptions& options) {
  const Domains& domains = *options.domains;
  const int size = domains.size();
  if (graph.csr() != domains.graph().csr()) {
    throw InputError("domains= are those of another graph; make them by domains() of this one");
  }
  if (!options.devices.empty() && options.devices.size() != static_cast<std::size_t>(size)) {
    throw InputError(message(options.devices.size(), " devices for ", size, " domains; give one for each"));
  }
  if (options.prediction) throw InputError("a prediction is for one board; omit domains=");
  if (options.design != RunOptions().design) {
    throw InputError(
        message("design is \"", options.design, "\", whose kernels run a graph as a whole; omit domains="));
  }
  const int wanted = threads_for(graph, options.num_threads);
  const int num_threads = wanted == 0 ? default_num_threads() : wanted;
  const View view = static_cast<View>(program.view);
  const double prepare_seconds = build_domains(program, domains, num_threads, options);
  FirstError error;
  std::vector<std::function<bool()>> interrupted(static_cast<std::size_t>(size), [&] { return error.is_there.load(); });
  interrupted[0] = [&] { return error.is_there || (options.interrupted && options.interrupted()); };
  const std::vector<std::unique_ptr<Communicator>> ranks = make_in_process(size, interrupted);
  std::optional<Together> together;
  if (options.progress) together.emplace(size, options.progress);
  const bool some_have_kernels =
      std::any_of(options.devices.begin(), options.devices.end(),
                  [](const std::string& device) { return find_executor(device).has_kernels; });
  std::vector<std::optional<Result>> parts(static_cast<std::size_t>(size));
  const auto run_rank = [&](int rank) {
    const auto i = static_cast<std::size_t>(rank);
    try {
      RunOptions own = options;
      own.domains.reset();
      own.source = options.domains;
      own.communicator = ranks[i].get();
      own.keep_properties = false;
      own.num_threads = std::max(1, num_threads / size + (rank < num_threads % size));
      own.interrupted = interrupted[i];
      if (!options.devices.empty()) own.device = options.devices[i];
      // Of the domains that have kernels; where none has, the check of the options says so.
      if (some_have_kernels && !find_executor(own.device).has_kernels) own.execution = RunOptions().execution;
      if (!options.cards.empty()) own.card = options.cards[i];
      if (together) {
        own.progress = [&](std::uint64_t step, const abi::Superstep& done) { together->add(step, done); };
      }
      Running running(program, graph, arguments, own);
      while (running.step()) continue;
      parts[i] = running.result();
    } catch (...) {
      const std::exception_ptr caught = std::current_exception();
      error.take(caught);
      ranks[i]->fail(text_of(caught));
    }
  };
  std::vector<std::thread> threads;
  try {
    for (int rank = 1; rank < size; ++rank) threads.emplace_back(run_rank, rank);
    run_rank(0);
  } catch (const std::system_error& none) {
    error.take(
        std::make_exception_ptr(Error(message("there are no threads for ", size, " domains: ", none.what(),
                                              "; use fewer domains=, or raise the limits on threads and memory"))));
    ranks[0]->fail("no thread could be started");
  } catch (...) {
    error.take(std::current_exception());
    ranks[0]->fail("no memory for a thread");
  }
  for (std::thread& thread : threads) thread.join();
  error.rethrow();

  std::vector<Stats> stats;
  for (auto& part : parts) stats.push_back(part->stats);
  Result result = *parts[0];
  result.stats = joined_stats(stats);
  result.stats.prepare_seconds += prepare_seconds;
  result.size = view == View::kReverse ? graph.num_rows() : graph.num_columns();
  const auto bytes = static_cast<std::uint64_t>(bytes_of(result.type));
  const abi::Instance* instance = program.instances;
  while (result.stats.number != instance->number) ++instance;
  if (instance->has_passes) {  // every rank has all answers
    result.values = Array<std::uint8_t>(result.values.owner(), result.values.data(), result.size * bytes);
    return result;
  }
  const Writable<std::uint64_t> whole((result.size * bytes + 7) / 8);
  auto* const to = reinterpret_cast<std::uint8_t*>(whole.data());
  Workers workers(std::min(num_threads, size));
  const abi::Scalar transitions =
      instance->transition_probabilities ? static_cast<abi::Scalar>(instance->edge_type) : abi::kNone;
  std::vector<std::shared_ptr<const Domain>> made;
  for (int rank = 0; rank < size; ++rank) made.push_back(domains.domain(view, transitions, rank, workers));
  workers.each(made.size(), 1, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      bytes == 4 ? place<std::uint32_t>(*parts[i], *made[i], to, result.size)
                 : place<std::uint64_t>(*parts[i], *made[i], to, result.size);
    }
  });
  const auto frozen = whole.freeze();
  result.values = Array<std::uint8_t>(frozen.owner(), to, result.size * bytes);
  return result;
}

}  // namespace gaspipe
