// SPDX-License-Identifier: Apache-2.0
// A run: chooses the number format, makes the view, lends the program its threads, and repeats a run whose numbers were
// too narrow.
#include "gaspipe/run.h"

#include <algorithm>
#include <chrono>

#include "arguments.h"
#include "executor.h"
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
  std::vector<abi::Superstep> supersteps;
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
        lending.supersteps.push_back(*step);
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

// The formats to try, in order; `common_type` is that of the question's vectors and the weights. Weighted programs
// follow the weights' kind and width; the next wider one of the same kind stands by for sums that do not fit.
std::vector<const abi::Instance*> choose_instances(const abi::Program& program, const std::string& number,
                                                   const Csr& csr, abi::Scalar common_type) {
  std::vector<const abi::Instance*> all, chosen;
  std::string known;
  for (std::uint32_t i = 0; i < program.num_instances; ++i) {
    all.push_back(&program.instances[i]);
    known += message(", \"", all.back()->number, "\"");
  }
  if (number != "auto") {
    for (const abi::Instance* instance : all) {
      if (number == instance->number) return {instance};
    }
    throw InputError(message("number is \"", number, "\"; ", program.name, " allows \"auto\"", known));
  }
  // A vector takes part in the choice: the first format that holds its type and the weights', and no other.
  if (common_type != abi::kNone) {
    for (const abi::Instance* instance : all) {
      const auto number_type = static_cast<abi::Scalar>(instance->number_type);
      if (number_type == abi::kNone || is_float(number_type) != is_float(common_type)) continue;
      if (bytes_of(number_type) >= bytes_of(common_type)) return {instance};
    }
    throw InputError(message(program.name, " has no number format for these dtypes; choose one of", known.substr(1)));
  }
  const abi::Scalar weight = weight_type(csr);
  for (const abi::Instance* instance : all) {
    const auto edge = static_cast<abi::Scalar>(instance->edge_type);
    if (instance->is_fixed_point) continue;
    if (edge == abi::kNone) return {instance};
    if (weight != abi::kNone && (is_float(edge) != is_float(weight) || bytes_of(edge) < bytes_of(weight))) continue;
    if (weight == abi::kNone && is_float(edge) && !chosen.empty()) continue;
    chosen.push_back(instance);
    if (is_float(edge)) break;
  }
  if (chosen.empty())
    throw InputError(message(program.name, " has no number format for these weights; choose one of", known.substr(1)));
  return chosen;
}

std::unique_ptr<Executor> make_executor(const Placement& placement, Workers& workers) {
  return placement.options.device == "cpu" ? make_cpu(placement, workers) : make_emulator(placement, workers);
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

}  // namespace

Result run(const abi::Program& program, const Graph& graph, const Arguments& arguments, const RunOptions& options) {
  if (program.abi_version != abi::kAbiVersion) {
    throw InputError(message("program \"", program.name, "\" was built for version ", program.abi_version,
                             " of the program table; this gaspipe has version ", abi::kAbiVersion, "; build it again"));
  }
  if (options.method != "auto" && options.method != "gas") {
    throw InputError(message("method is \"", options.method, "\"; allowed are \"auto\" and \"gas\""));
  }
  if (options.device != "cpu" && options.device.substr(0, options.device.find(':')) != "emulator") {
    throw InputError(message("device is \"", options.device, "\"; allowed are \"cpu\", \"emulator\" and \"emulator:",
                             kDefaultBoard, "\" or another board"));
  }
  if (options.num_threads < 0)
    throw InputError(message("num_threads is ", options.num_threads, "; it must be at least 1"));
  const bool is_square = graph.num_rows() == graph.num_columns();
  if (!program.rectangular && !is_square) {
    throw InputError(
        message(program.name, " needs a square matrix; this one is ", graph.num_rows(), " x ", graph.num_columns()));
  }
  const View view = static_cast<View>(program.view);
  const bool small = graph.num_edges() <= kMostEdgesOnOneThread && options.num_threads == 0;
  Workers workers(small ? 1 : options.num_threads, options.interrupted);

  CheckedArguments checked(program, arguments, graph, workers);

  Result result;
  result.size = view == View::kReverse ? graph.num_rows() : graph.num_columns();
  const std::vector<const abi::Instance*> instances =
      choose_instances(program, options.number, *graph.csr(), checked.common_type(weight_type(*graph.csr())));
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const abi::Instance& instance = *instances[i];
    const auto edge_type = static_cast<abi::Scalar>(instance.edge_type);
    const auto preparing = Clock::now();
    check_weights(program, instance, graph, workers);
    const std::shared_ptr<const Csr> csr = graph.view(view, workers);
    const abi::Scalar stored = csr->is_weighted() ? edge_type : abi::kNone;
    const std::unique_ptr<Executor> executor = make_executor({instance, graph, view, stored, options}, workers);
    result.stats.prepare_seconds += seconds_since(preparing);

    const abi::Csr csr_table{csr->num_rows,       csr->num_edges(), csr->offsets.data(), csr->offsets.is_wide() ? 8 : 4,
                             csr->targets.data(), nullptr};
    const auto value_type = static_cast<abi::Scalar>(instance.value_type);
    const Writable<std::uint64_t> values((std::uint64_t(csr->num_rows) * bytes_of(value_type) + 7) / 8);
    int scale_bits = instance.is_fixed_point ? instance.scale_bits(csr->num_rows, csr->num_edges()) : 0;
    const auto running = Clock::now();
    for (;;) {
      Lending lending{workers, options, {}, nullptr};
      const abi::Host host = lending.host();
      const abi::Argument* argument_values = checked.in(static_cast<abi::Scalar>(instance.number_type), workers).data();
      const std::int32_t method = options.method == "gas" ? abi::kGas : abi::kAuto;
      abi::Outcome outcome{};
      const abi::Status status =
          executor->run({host, csr_table, argument_values, method, scale_bits, values.data()}, &outcome);
      if (lending.failure) std::rethrow_exception(lending.failure);
      switch (status) {
        case abi::kCancelled:
          throw Cancelled();
        case abi::kOutOfMemory:
          throw std::bad_alloc();
        case abi::kBadParameter:
          throw InputError(outcome.message);
        case abi::kSaturated:
          break;
        default: {
          Stats& stats = result.stats;
          stats.method = options.method;
          executor->describe(stats);
          stats.number = instance.number;
          stats.scale_bits = scale_bits;
          stats.num_threads = workers.size();
          stats.converged = status == abi::kOk;
          stats.seconds = seconds_since(running);
          stats.num_edges = csr->num_edges();
          stats.supersteps = std::move(lending.supersteps);
          result.type = value_type;
          const auto frozen = values.freeze();
          result.values = Array<std::uint8_t>(frozen.owner(), reinterpret_cast<const std::uint8_t*>(values.data()),
                                              result.size * bytes_of(value_type));
          return result;
        }
      }
      ++result.stats.attempts;
      if (scale_bits == 0) break;  // not fixed point, or nothing left to give: the next wider format, if there is one
      --scale_bits;
    }
  }
  throw CapacityError(message(program.name, ": the answer does not fit number=\"", instances.back()->number,
                              "\"; smaller weights or another number= are needed"));
}

}  // namespace gaspipe
