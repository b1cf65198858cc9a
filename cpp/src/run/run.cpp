// SPDX-License-Identifier: Apache-2.0
// A run: chooses the number format, makes the view, lends the program its threads, and repeats a run whose numbers were
// too narrow.
#include "gaspipe/run.h"

#include <algorithm>
#include <cstring>

#include "cpp/src/backend/executor.h"
#include "cpp/src/clock.h"
#include "cpp/src/domain/exchange.h"
#include "cpp/src/run/arguments.h"
#include "cpp/src/run/checkpoint.h"
#include "cpp/src/run/checks.h"
#include "cpp/src/run/domains.h"
#include "cpp/src/run/lending.h"
#include "cpp/src/run/number_formats.h"
#include "cpp/src/run/overflow.h"
#include "cpp/src/run/relabeling.h"
#include "cpp/src/run/threads.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace {

std::unique_ptr<Executor> make_executor(const ExecutorKind& kind, const Placement& placement, Workers& workers) {
  if (kind.takes(placement.instance)) return kind.make(placement, workers);
  throw InputError(message("this library was compiled without what device=\"", placement.options.device, "\" needs"));
}

constexpr std::uint64_t kStepsPerCheckpoint = 20;

}  // namespace

// Formats are tried in order, each in attempts of ever coarser scale; `open` begins one, `step` takes its steps.
struct Running::Parts {
  Parts(const ExecutorKind& the_kind, const abi::Program& the_program, const Graph& the_graph,
        const Arguments& arguments, const RunOptions& the_options)
      : kind(the_kind),
        program(the_program),
        graph(the_graph),
        options(the_options),
        view(the_options.communicator != nullptr ? View::kForward : static_cast<View>(the_program.view)),
        workers(threads_for(the_graph, the_options.num_threads), the_options.interrupted),
        checked(the_program, arguments, the_graph, workers),
        lending(workers, options),
        host(lending.host()),
        instances(kind.only_instance != nullptr
                      ? std::vector<const abi::Instance*>{&kind.only_instance(the_program, the_options)}
                      : choose_instances(the_program, the_options.number, the_graph.skeleton(),
                                         checked.common_type(weight_type(the_graph.skeleton())))) {
    if (options.resume || options.checkpoint) of = checkpoint_of(program, graph, workers);
    if (options.resume) {
      resumed = std::make_unique<Checkpoint>(*options.resume, of, options.communicator);
      choose_resumed_format();
    }
    place();
    if (options.checkpoint) {
      writer = std::make_unique<CheckpointWriter>(*options.checkpoint, of, domain, options.communicator);
    }
    open();
  }

  const abi::Instance& instance() const { return *instances[format]; }
  // Whether the CPU streams partitions throughout: as asked, or because a program without frontiers is asked to take
  // certain ones.
  bool streams() const { return options.method == "gas" || (options.partition && !instance().idempotent); }
  // Brings the graph into the form that the format's executor needs.
  void place() {
    const auto preparing = Clock::now();
    const auto edge_type = static_cast<abi::Scalar>(instance().edge_type);
    if (options.communicator != nullptr) {
      const abi::Scalar transitions = instance().transition_probabilities ? edge_type : abi::kNone;
      domain =
          options.source->domain(static_cast<View>(program.view), transitions, options.communicator->rank(), workers);
      exchange = std::make_unique<Exchange>(*domain, *options.communicator, options.overlap, workers);
      walked.emplace(*domain->graph);
      check_weights(program, instance(), *walked, domain.get(), workers);
    } else {
      check_weights(program, instance(), graph, nullptr, workers);
      const bool at_once = relabels() == Relabels::kFromTheFirst;
      prepared =
          may_be_relabeled() ? graph.prepared_for(at_once || instance().idempotent != 0, at_once, workers) : nullptr;
      walked.emplace(prepared ? prepared->graph : graph);
      if (instance().transition_probabilities && !graph.stored()) walked = walked->transitions(edge_type, workers);
    }
    const abi::Scalar stored = walked->is_weighted() ? edge_type : abi::kNone;
    const bool walks_rows =
        !graph.stored() && (domain || kind.has_kernels || streams() || instance().walk == abi::kRows);
    csr_table = {walked->num_vertices(), walked->num_edges(), nullptr, 4, nullptr, nullptr};
    if (graph.stored()) {
      csr_table.num_edges = graph.stored()->view(view, stored != abi::kNone, instance().idempotent != 0).num_edges;
    }
    if (walks_rows) {
      csr = walked->view(view, workers);
      csr_table = table_of(*csr);
    }
    if (executor) prepare_seconds += executor->preparing_seconds();
    executor.reset();
    Placement placement{instance(), *walked, view, stored, walks_rows, options, program.name};
    relabeling_table = nullptr;
    if (prepared) {
      const bool has_its_edges = instance().transition_probabilities == 0;
      const Csr* const own = has_its_edges && view == View::kForward ? graph.csr().get() : nullptr;
      relabeling_table = relabeling.fill(*prepared, csr.get(), own, workers);
      if (has_its_edges) placement.first_targets = prepared->first_targets;
    }
    executor = make_executor(kind, placement, workers);
    const auto value_type = static_cast<abi::Scalar>(instance().value_type);
    values.emplace((num_values() * bytes_of(value_type) + 7) / 8);
    scale_bits = !instance().is_fixed_point ? 0
                 : domain                   ? instance().scale_bits(domain->num_vertices, domain->num_edges)
                                            : instance().scale_bits(csr_table.num_vertices, csr_table.num_edges);
    prepare_seconds += seconds_since(preparing);
    running = Clock::now();
    phases = {};
  }
  Relabels relabels() const {
    return kind.relabels == nullptr ? Relabels::kNever : kind.relabels(instance(), options, graph.num_vertices());
  }
  // A form of the graph with other ids: the run reads edges more than once, and shows nothing by vertex but its answer.
  bool may_be_relabeled() const {
    return relabels() != Relabels::kNever && !domain && !streams() && !options.partition && !options.keep_properties &&
           !options.resume && !options.checkpoint && instance().walk != abi::kInEdges;
  }
  void choose_resumed_format() {
    const RunState& state = resumed->state();
    while (format < instances.size() && state.number != instance().number) ++format;
    if (format < instances.size()) return;
    std::string known;
    for (const abi::Instance* each : instances) known += message(known.empty() ? "" : ", ", each->number);
    throw InputError(message("the run in ", *options.resume, " has number=\"", state.number, "\"; here it would be ",
                             known, "; give number= and weights as there"));
  }
  void open() {
    const auto opening = Clock::now();
    lending.begin_attempt();
    outcome = {};
    const auto number_type = static_cast<abi::Scalar>(instance().number_type);
    const std::vector<abi::Argument>& given = checked.in(number_type, workers);
    const abi::Argument* arguments = given.data();
    if (resumed || writer) arguments_checksum = checksum_of_arguments(program, given, number_type);
    resumed_at = 0;
    if (resumed) {
      resumed->check_arguments(arguments_checksum);
      resumed->check_max_iter(program, given);
      const RunState sizes = sizes_of_state();
      resumed->check_sizes(sizes.num_sums, sizes.property_bytes, sizes.value_bytes);
      resumed->read(domain.get());
      scale_bits = resumed->state().scale_bits;
      attempts = resumed->state().attempts;
      resumed_at = resumed->state().num_supersteps;
    }
    const std::int32_t method = streams() ? abi::kGas : graph.stored() ? abi::kStream : abi::kAuto;
    workers.assemble();  // they may have fallen asleep while the graph was prepared
    const abi::Status opened = executor->open(
        {host, csr_table, arguments, method, scale_bits, values->data(), exchange ? exchange->table() : nullptr,
         resumed ? &resumed->snapshot() : nullptr, relabeling_table, !options.keep_properties && !writer},
        &outcome);
    if (resumed && opened == abi::kGoesOn && !resumed->values().empty()) {
      std::memcpy(values->data(), resumed->values().data(), resumed->values().size());
    }
    phases[abi::kStart] += seconds_since(opening);
    settle(opened);
  }
  bool step() {
    if (status != abi::kGoesOn) return false;
    const auto stepping = Clock::now();
    const double reported = reported_seconds() + executor->preparing_seconds();
    lending.begin_step(*executor);
    const abi::Status stepped = executor->step(&outcome);
    resumed.reset();  // another attempt starts anew
    const double now_reported = reported_seconds() + executor->preparing_seconds();
    phases[kControl] += std::max(0.0, seconds_since(stepping) - (now_reported - reported));
    settle(stepped);
    if (writer && status == abi::kGoesOn) write_when_due();
    return status == abi::kGoesOn;
  }
  // Between the passes of a program that has some.
  void write_when_due() {
    const std::uint64_t every = options.every.value_or(kStepsPerCheckpoint);
    if (outcome.num_supersteps == 0) return;  // of another attempt, which has just begun
    is_due |= (resumed_at + outcome.num_supersteps) % every == 0;
    if (!is_due) return;
    const auto writing = Clock::now();
    abi::Snapshot snapshot{};
    executor->snapshot(&snapshot);
    if (instance().has_passes != 0 && snapshot.step != 0) return;
    is_due = false;
    RunState state = sizes_of_state();
    state.number = instance().number;
    state.scale_bits = scale_bits;
    state.attempts = attempts;
    state.num_supersteps = resumed_at + outcome.num_supersteps;
    if (state.value_bytes > 0) state.values = values->data();
    writer->write(state, arguments_checksum, snapshot);
    phases[kCheckpoint] += seconds_since(writing);
  }
  // Between passes there are answers; else sums and properties.
  RunState sizes_of_state() const {
    RunState state;
    if (instance().has_passes != 0) {
      state.value_bytes = num_values() * bytes_of(static_cast<abi::Scalar>(instance().value_type));
    } else {
      state.num_sums = static_cast<std::uint64_t>(instance().num_extras);
      state.property_bytes = static_cast<std::uint64_t>(instance().property_bytes);
    }
    return state;
  }
  // By the program, of this attempt.
  double reported_seconds() const {
    const SuperstepLog& log = lending.supersteps();
    return log.seconds(abi::kScatterGather) + log.seconds(abi::kApply) + log.seconds(abi::kFrontier) +
           outcome.seconds[abi::kStart] + outcome.seconds[abi::kFinish];
  }
  // Since the graph is in the form that the format's executor needs.
  double running_seconds() const { return seconds_since(running) - executor->preparing_seconds(); }

  // What a status of the program means for the run.
  void settle(abi::Status now) {
    status = abi::kCancelled;  // unless the rest says otherwise
    if (lending.failure()) std::rethrow_exception(lending.failure());
    if (exchange && exchange->failure()) std::rethrow_exception(exchange->failure());
    switch (now) {
      case abi::kCancelled:
        throw Cancelled();
      case abi::kOutOfMemory:
        throw std::bad_alloc();
      case abi::kBadParameter:
        throw InputError(outcome.message);
      case abi::kSaturated:
        return again();
      case abi::kGoesOn:
        status = now;
        return;
      default: {
        const auto checking = Clock::now();
        const bool has_left = has_overflowed();
        phases[kCheck] += seconds_since(checking);
        if (has_left) return again();
        status = now;
        seconds = running_seconds();
        if (!prepared && may_be_relabeled() && relabels() == Relabels::kOftenAsked) graph.count_run(seconds);
      }
    }
  }
  bool has_overflowed() {
    if (!exchange) return gaspipe::has_overflowed(instance(), graph, view, false, values->data(), workers);
    if (instance().largest_sum == 0) return false;
    exchange->fill_ghosts(values->data(), bytes_of(static_cast<abi::Scalar>(instance().value_type)));
    return exchange->any(gaspipe::has_overflowed(instance(), *walked, view, true, values->data(), workers));
  }
  // Of a domain: of its own vertices and ghosts.
  std::uint64_t num_values() const {
    return domain && !instance().has_passes ? walked->num_vertices() : graph.num_vertices();
  }
  // Not fixed point, or nothing left to give: the next wider format, if there is one.
  void again() {
    ++attempts;
    if (scale_bits > 0) {
      --scale_bits;
      phases = {};
      phases[kEarlierAttempts] = running_seconds();
    } else if (++format == instances.size()) {
      throw CapacityError(message(program.name, ": the answer does not fit number=\"", instances.back()->number,
                                  "\"; smaller weights or another number= are needed"));
    } else {
      place();
    }
    open();
  }

  Stats stats() const {
    Stats stats;
    stats.method = options.method;
    stats.number = instance().number;
    stats.scale_bits = scale_bits;
    stats.attempts = attempts;
    stats.num_threads = workers.size();
    stats.converged = status != abi::kNotConverged;
    stats.seconds = status == abi::kGoesOn ? running_seconds() : seconds;
    stats.phases = phases;
    for (int phase = 0; phase < abi::kNumPhases; ++phase) stats.phases[phase] += outcome.seconds[phase];
    for (int phase = 0; phase < abi::kNumStepPhases; ++phase) {
      stats.phases[phase] += lending.supersteps().seconds(static_cast<abi::Phase>(phase));
    }
    stats.prepare_seconds = prepare_seconds + executor->preparing_seconds();
    stats.prepared = prepared != nullptr;
    stats.num_edges = csr_table.num_edges;
    stats.supersteps = lending.supersteps();
    stats.resumed_at = resumed_at;
    executor->describe(stats);
    if (exchange) stats.domains.push_back(domain_stats(stats));
    return stats;
  }

  DomainStats domain_stats(const Stats& stats) const {
    DomainStats own;
    own.rank = domain->rank;
    own.device = stats.board.empty() ? stats.device : stats.device + ":" + stats.board;
    own.num_own = domain->num_own;
    own.num_ghosts = domain->num_ghosts;
    own.num_edges = csr_table.num_edges;
    own.value_bytes = exchange->value_bytes();
    own.exchanges = exchange->stats();
    return own;
  }

  const ExecutorKind& kind;
  const abi::Program& program;
  const Graph& graph;
  const RunOptions& options;
  View view;
  Workers workers;
  CheckedArguments checked;
  Lending lending;
  abi::Host host;
  std::vector<const abi::Instance*> instances;
  std::size_t format = 0;
  int scale_bits = 0, attempts = 1;
  std::shared_ptr<const Domain> domain;  // null: the run has the whole graph
  std::unique_ptr<Exchange> exchange;    // of the domain
  CheckpointOf of;                       // where any is written or read
  std::unique_ptr<CheckpointWriter> writer;
  std::unique_ptr<Checkpoint> resumed;  // until the first step
  std::uint32_t arguments_checksum = 0;
  std::uint64_t resumed_at = 0;
  bool is_due = false;                            // a checkpoint
  std::shared_ptr<const PreparedGraph> prepared;  // that is walked in place of the graph; null: none is
  Relabeling relabeling;
  const abi::Relabeling* relabeling_table = nullptr;  // of `prepared`
  std::optional<Graph> walked;                        // the graph, or its transitions, or the domain
  std::shared_ptr<const Csr> csr;                     // the view's rows; none where the run does not walk them
  abi::Csr csr_table{};
  std::optional<Writable<std::uint64_t>> values;
  abi::Outcome outcome{};
  abi::Status status = abi::kGoesOn;
  Clock::time_point running;
  double seconds = 0, prepare_seconds = 0;  // what executors prepared during steps comes besides
  PhaseSeconds phases{};                    // what the program reports comes besides
  std::unique_ptr<Executor> executor;       // destroyed first: its session uses all the others
};

Running::Running(const abi::Program& program, const Graph& graph, const Arguments& arguments,
                 const RunOptions& options) {
  parts_ = std::make_unique<Parts>(check_options(program, graph, options), program, graph, arguments, options);
}
Running::Running(Running&&) noexcept = default;
Running::~Running() = default;

bool Running::step() { return parts_->step(); }
const abi::Instance& Running::instance() const { return parts_->instance(); }
VertexId Running::num_vertices() const { return parts_->graph.num_vertices(); }
Stats Running::stats() const { return parts_->stats(); }
const Partitioning& Running::partitioning() const { return parts_->executor->partitioning(); }
std::vector<KernelDescription> Running::kernels() const { return parts_->executor->kernels(); }
std::vector<KernelTime> Running::kernel_times() const { return parts_->executor->kernel_times(); }

std::vector<KernelArgument> Running::arguments(const KernelDescription& kernel, std::uint32_t partition) const {
  return kernel_arguments(parts_->executor->kernel_ports(), {partition, kernel.unit});
}

Array<std::uint8_t> Running::properties() {
  const std::uint64_t num_bytes = std::uint64_t(num_vertices()) * static_cast<std::uint64_t>(instance().property_bytes);
  const Writable<std::uint64_t> words((num_bytes + 63) / 64 * 8);
  parts_->executor->read_properties(words.data());
  const auto frozen = words.freeze();
  return {frozen.owner(), reinterpret_cast<const std::uint8_t*>(frozen.data()), num_bytes};
}

Result Running::result() {
  Result result;
  result.type = static_cast<abi::Scalar>(instance().value_type);
  result.size = parts_->view == View::kReverse ? parts_->graph.num_rows() : parts_->graph.num_columns();
  if (parts_->domain) result.size = parts_->instance().has_passes ? parts_->num_values() : parts_->domain->num_own;
  result.stats = stats();
  const auto frozen = parts_->values->freeze();
  result.values = Array<std::uint8_t>(frozen.owner(), reinterpret_cast<const std::uint8_t*>(frozen.data()),
                                      result.size * bytes_of(result.type));
  return result;
}

Schedule schedule_for(const RunOptions& options, const Partitioning& partitioning) {
  return make_schedule(options.own_scheduler ? *options.own_scheduler : make_scheduler(options.scheduler),
                       partitioning);
}

Result run(const abi::Program& program, const Graph& graph, const Arguments& arguments, const RunOptions& options) {
  if (options.domains) return run_domains(program, graph, arguments, options);
  RunOptions only_values = options;
  only_values.keep_properties = false;
  Running running(program, graph, arguments, only_values);
  while (running.step()) continue;
  return running.result();
}

}  // namespace gaspipe
