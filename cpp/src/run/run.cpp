// SPDX-License-Identifier: Apache-2.0
// A run: chooses the number format, makes the view, lends the program its threads, and repeats a run whose numbers were
// too narrow.
#include "gaspipe/run.h"

#include <algorithm>
#include <chrono>

#include "cpp/src/backend/executor.h"
#include "cpp/src/run/arguments.h"
#include "cpp/src/run/overflow.h"
#include "gaspipe/boards.h"

namespace gaspipe {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr EdgeCount kMostEdgesOnOneThread = 1 << 15;  // below, one thread is done before others are awake

// The side of abi::Host that the core holds. Nothing may throw through the program, so an exception waits here.
struct Lending {
  Workers& workers;
  const RunOptions& options;
  SuperstepLog supersteps;
  std::exception_ptr failure;

  template <class F>
  std::int32_t guarded(const F& f) {
    try {
      f();
    } catch (...) {
      if (!failure) failure = std::current_exception();
      workers.cancel();
    }
    return workers.cancelled();
  }

  abi::Host host() {
    abi::Host host{};
    workers.assemble();
    host.self = this;
    host.num_threads = workers.size();
    host.parallel_for = [](void* self, std::uint64_t n, std::uint64_t grain,
                           void (*body)(void*, std::uint64_t, std::uint64_t, std::int32_t),
                           void* context) -> std::int32_t {
      Lending& lending = *static_cast<Lending*>(self);
      return lending.guarded([&] {
        lending.workers.each(
            n, grain, [&](std::uint64_t first, std::uint64_t last, int worker) { body(context, first, last, worker); });
      });
    };
    host.poll = [](void* self, std::int32_t worker) -> std::int32_t {
      return static_cast<Lending*>(self)->workers.poll(worker);
    };
    host.superstep_done = [](void* self, const abi::Superstep* step) -> std::int32_t {
      Lending& lending = *static_cast<Lending*>(self);
      return lending.guarded([&] {
        lending.supersteps.add(*step);
        if (lending.options.progress) lending.options.progress(lending.supersteps.size() - 1, *step);
        lending.workers.check();
      });
    };
    return host;
  }
};

bool is_float(abi::Scalar type) { return type == abi::kFloat32 || type == abi::kFloat64; }

abi::Scalar weight_type(const Csr& csr) {
  constexpr abi::Scalar types[] = {abi::kNone, abi::kInt32, abi::kInt64, abi::kFloat32, abi::kFloat64};
  return types[csr.weights.index()];
}

int bytes_of(abi::Scalar type) { return type == abi::kInt32 || type == abi::kUint32 || type == abi::kFloat32 ? 4 : 8; }

bool is_unsigned(abi::Scalar type) { return type == abi::kUint32 || type == abi::kUint64; }

// Whether `wide` has every number of `narrow`, and is of its kind: integers, signed or not, or floats.
bool holds(abi::Scalar wide, abi::Scalar narrow) {
  return is_float(wide) == is_float(narrow) && is_unsigned(wide) == is_unsigned(narrow) &&
         bytes_of(wide) >= bytes_of(narrow);
}

// The formats to try, in order; `common_type` is that of the question's vectors and the weights. Weighted programs
// follow the weights' kind and width; the next wider one of the same kind stands by for sums that do not fit.
std::vector<const abi::Instance*> choose_instances(const abi::Program& program, const std::string& number,
                                                   const Csr& csr, abi::Scalar common_type) {
  std::vector<const abi::Instance*> all, chosen;
  for (std::uint32_t i = 0; i < program.num_instances; ++i) all.push_back(&program.instances[i]);
  const auto known = [&] {
    std::string text;
    for (const abi::Instance* instance : all) text += message(text.empty() ? "\"" : ", \"", instance->number, "\"");
    return text;
  };
  if (number != "auto") {
    for (const abi::Instance* instance : all) {
      if (number == instance->number) return {instance};
    }
    throw InputError(message("number is \"", number, "\"; ", program.name, " allows \"auto\", ", known()));
  }
  // A vector takes part in the choice: the first format that holds its type and the weights', and no other.
  if (common_type != abi::kNone) {
    for (const abi::Instance* instance : all) {
      const auto number_type = static_cast<abi::Scalar>(instance->number_type);
      if (number_type != abi::kNone && holds(number_type, common_type)) return {instance};
    }
    throw InputError(message(program.name, " has no number format for these dtypes; choose one of ", known()));
  }
  const abi::Scalar weight = weight_type(csr);
  for (const abi::Instance* instance : all) {
    const auto edge = static_cast<abi::Scalar>(instance->edge_type);
    if (instance->is_fixed_point) continue;
    if (edge == abi::kNone || instance->transition_probabilities) return {instance};
    if (weight != abi::kNone && (is_float(edge) != is_float(weight) || bytes_of(edge) < bytes_of(weight))) continue;
    if (weight == abi::kNone && is_float(edge) && !chosen.empty()) continue;
    chosen.push_back(instance);
    if (is_float(edge)) break;
  }
  if (chosen.empty())
    throw InputError(message(program.name, " has no number format for these weights; choose one of ", known()));
  return chosen;
}

Scheduler scheduler_of(const RunOptions& options) {
  return options.own_scheduler ? *options.own_scheduler : make_scheduler(options.scheduler);
}

std::unique_ptr<Executor> make_executor(const Placement& placement, Workers& workers) {
  const std::string& device = placement.options.device;
  const abi::Instance& instance = placement.instance;
  const bool on_device = instance.open_on_device != nullptr;
  const bool is_there = device == "cpu"    ? instance.open != nullptr
                        : device == "fpga" ? on_device
                                           : on_device && instance.kernels.kernels != nullptr;
  if (!is_there) {
    throw InputError(message("this library was compiled without what device=\"", device, "\" needs"));
  }
  return device == "cpu"    ? make_cpu(placement, workers)
         : device == "fpga" ? make_card(placement, workers)
                            : make_emulator(placement, workers);
}

void check_weights(const abi::Program& program, const abi::Instance& instance, const Graph& graph, Workers& workers) {
  if (!instance.non_negative_weights || !graph.is_weighted()) return;
  const WeightFacts facts = graph.weight_facts(workers);
  if (!facts.negative_or_nan) return;
  const Csr& csr = *graph.csr();
  std::uint64_t low = 0, high = csr.num_rows;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (csr.offsets[middle] <= facts.first_bad ? low : high) = middle;
  }
  const std::string weight = std::visit(
      [&](const auto& weights) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>)
          return "";
        else
          return message(weights[facts.first_bad]);
      },
      csr.weights);
  throw InputError(message("edge ", low, " -> ", csr.targets[facts.first_bad], " has weight ", weight, "; ",
                           program.name, " needs weights >= 0"));
}

void check_options(const abi::Program& program, const Graph& graph, const RunOptions& options) {
  if (program.abi_version != abi::kAbiVersion) {
    throw InputError(message("program \"", program.name, "\" was built for version ", program.abi_version,
                             " of the program table; this gaspipe has version ", abi::kAbiVersion, "; build it again"));
  }
  if (options.method != "auto" && options.method != "gas") {
    throw InputError(message("method is \"", options.method, "\"; allowed are \"auto\" and \"gas\""));
  }
  if (options.device != "cpu" && options.device != "fpga" &&
      options.device.substr(0, options.device.find(':')) != "emulator") {
    throw InputError(message("device is \"", options.device, "\"; allowed are \"cpu\", \"emulator\", \"emulator:",
                             kDefaultBoard, "\" or another board, and \"fpga\""));
  }
  if (options.prediction && options.device.substr(0, options.device.find(':')) != "emulator") {
    throw InputError(message("device is \"", options.device, "\"; only the emulator predicts"));
  }
  check_scheduler(options);
  if (options.num_threads < 0)
    throw InputError(message("num_threads is ", options.num_threads, "; it must be at least 1"));
  const bool is_square = graph.num_rows() == graph.num_columns();
  if (!program.rectangular && !is_square) {
    throw InputError(
        message(program.name, " needs a square matrix; this one is ", graph.num_rows(), " x ", graph.num_columns()));
  }
}

int threads_for(const Graph& graph, const RunOptions& options) {
  return graph.num_edges() <= kMostEdgesOnOneThread && options.num_threads == 0 ? 1 : options.num_threads;
}

}  // namespace

// Formats are tried in order, each in attempts of ever coarser scale; `open` begins one, `step` takes its steps.
struct Running::Parts {
  Parts(const abi::Program& the_program, const Graph& the_graph, const Arguments& arguments,
        const RunOptions& the_options)
      : program(the_program),
        graph(the_graph),
        options(the_options),
        view(static_cast<View>(the_program.view)),
        workers(threads_for(the_graph, the_options), the_options.interrupted),
        checked(the_program, arguments, the_graph, workers),
        lending{workers, options, {}, nullptr},
        host(lending.host()),
        instances(the_options.device == "fpga"
                      ? std::vector<const abi::Instance*>{&instance_on_card(the_program, the_options)}
                      : choose_instances(the_program, the_options.number, *the_graph.csr(),
                                         checked.common_type(weight_type(*the_graph.csr())))) {
    place();
    open();
  }

  const abi::Instance& instance() const { return *instances[format]; }

  // Whether the CPU streams partitions throughout: as asked, or because a program without frontiers is asked to take
  // certain ones.
  bool streams() const { return options.method == "gas" || (options.partition && !instance().idempotent); }
  // Brings the graph into the form that the format's executor needs.
  void place() {
    const auto preparing = Clock::now();
    check_weights(program, instance(), graph, workers);
    const auto edge_type = static_cast<abi::Scalar>(instance().edge_type);
    walked.emplace(instance().transition_probabilities ? graph.transitions(edge_type, workers) : graph);
    const abi::Scalar stored = walked->is_weighted() ? edge_type : abi::kNone;
    const bool walks_rows = options.device != "cpu" || streams() || instance().walk == abi::kRows;
    csr_table = {walked->num_vertices(), walked->num_edges(), nullptr, 4, nullptr, nullptr};
    if (walks_rows) {
      csr = walked->view(view, workers);
      csr_table = {csr->num_rows,       csr->num_edges(), csr->offsets.data(), csr->offsets.is_wide() ? 8 : 4,
                   csr->targets.data(), nullptr};
    }
    executor.reset();
    executor = make_executor({instance(), *walked, view, stored, walks_rows, options, program.name}, workers);
    const auto value_type = static_cast<abi::Scalar>(instance().value_type);
    values.emplace((std::uint64_t(graph.num_vertices()) * bytes_of(value_type) + 7) / 8);
    scale_bits = instance().is_fixed_point ? instance().scale_bits(csr_table.num_vertices, csr_table.num_edges) : 0;
    prepare_seconds += seconds_since(preparing);
    running = Clock::now();
  }
  void open() {
    lending.supersteps = {};
    outcome = {};
    const abi::Argument* arguments = checked.in(static_cast<abi::Scalar>(instance().number_type), workers).data();
    const std::int32_t method = streams() ? abi::kGas : abi::kAuto;
    workers.assemble();  // they may have fallen asleep while the graph was prepared
    settle(executor->open({host, csr_table, arguments, method, scale_bits, values->data()}, &outcome));
  }
  bool step() {
    if (status == abi::kGoesOn) settle(executor->step(&outcome));
    return status == abi::kGoesOn;
  }

  // What a status of the program means for the run.
  void settle(abi::Status now) {
    status = abi::kCancelled;  // unless the rest says otherwise
    if (lending.failure) std::rethrow_exception(lending.failure);
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
      default:
        if (has_overflowed(instance(), graph, view, values->data(), workers)) return again();
        status = now;
        seconds = seconds_since(running);
    }
  }
  // Not fixed point, or nothing left to give: the next wider format, if there is one.
  void again() {
    ++attempts;
    if (scale_bits > 0) {
      --scale_bits;
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
    stats.seconds = status == abi::kGoesOn ? seconds_since(running) : seconds;
    stats.prepare_seconds = prepare_seconds;
    stats.num_edges = csr_table.num_edges;
    stats.supersteps = lending.supersteps;
    executor->describe(stats);
    return stats;
  }

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
  std::optional<Graph> walked;     // the graph, or its transitions
  std::shared_ptr<const Csr> csr;  // the view's rows; none where the run does not walk them
  abi::Csr csr_table{};
  std::optional<Writable<std::uint64_t>> values;
  abi::Outcome outcome{};
  abi::Status status = abi::kGoesOn;
  Clock::time_point running;
  double seconds = 0, prepare_seconds = 0;
  std::unique_ptr<Executor> executor;  // destroyed first: its session uses all the others
};

Running::Running(const abi::Program& program, const Graph& graph, const Arguments& arguments,
                 const RunOptions& options) {
  check_options(program, graph, options);
  parts_ = std::make_unique<Parts>(program, graph, arguments, options);
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
  return kernel_arguments(*parts_->executor->kernel_ports(), {partition, kernel.unit});
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
  result.stats = stats();
  const auto frozen = parts_->values->freeze();
  result.values = Array<std::uint8_t>(frozen.owner(), reinterpret_cast<const std::uint8_t*>(frozen.data()),
                                      result.size * bytes_of(result.type));
  return result;
}

void check_scheduler(const RunOptions& options) {
  scheduler_of(options);  // InputError where there is none of that name
  if (options.device == "cpu" && (options.own_scheduler || options.scheduler != RunOptions().scheduler)) {
    throw InputError(
        message("a scheduler orders the kernels of an emulator or a card, and device is \"cpu\"; use "
                "device=\"emulator\" or \"fpga\", or leave the scheduler at \"",
                RunOptions().scheduler, "\""));
  }
}

Schedule schedule_for(const RunOptions& options, const Partitioning& partitioning) {
  return make_schedule(scheduler_of(options), partitioning);
}

std::vector<std::string> number_formats(const abi::Program& program, const Graph& graph, const Arguments& arguments,
                                        const std::string& number) {
  Workers workers(1, {});
  const CheckedArguments checked(program, arguments, graph, workers);
  std::vector<std::string> names;
  for (const abi::Instance* instance :
       choose_instances(program, number, *graph.csr(), checked.common_type(weight_type(*graph.csr())))) {
    names.push_back(instance->number);
  }
  return names;
}

Result run(const abi::Program& program, const Graph& graph, const Arguments& arguments, const RunOptions& options) {
  RunOptions only_values = options;
  only_values.keep_properties = false;
  Running running(program, graph, arguments, only_values);
  while (running.step()) continue;
  return running.result();
}

}  // namespace gaspipe
