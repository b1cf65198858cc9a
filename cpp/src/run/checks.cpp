// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/run/checks.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "cpp/src/run/arguments.h"
#include "cpp/src/run/checkpoint.h"
#include "cpp/src/run/number_formats.h"
#include "gaspipe/domain.h"
#include "gaspipe/error.h"
#include "gaspipe/local_store/run.h"
#include "gaspipe/pe_array.h"
#include "gaspipe/pipeline_configs.h"
#include "gaspipe/prediction.h"
#include "gaspipe/run.h"

namespace gaspipe {
namespace {

// "emulator" or "fpga": those that are as asked, each between two texts.
std::string names_of(bool (*is_asked_for)(const ExecutorKind&), const char* before, const char* behind) {
  std::string text;
  for (const ExecutorKind* kind : executors()) {
    if (is_asked_for(*kind)) text += message(text.empty() ? "" : " or ", before, kind->name, behind);
  }
  return text;
}

// What can be done with a configuration that has no kernels to run; empty for other names.
std::string only_predicted(const std::string& config) {
  for (const KernelConfigDescription& known : kernel_configs()) {
    if (config != known.name) continue;
    return message("it can only be predicted, for there are no kernels of it to run: gp.predict(..., board=\"",
                   is_for_hbm(known) ? "u280" : "u250", "\", config=\"", config,
                   "\"), in C++ RunOptions::prediction; ");
  }
  return "";
}

}  // namespace

void check_choices(const RunOptions& options) {
  RunOptions::each(options, [&](const auto& field, const OptionRow& row) {
    if constexpr (std::is_same_v<decltype(field), const std::string&>) {
      if (row.choices.empty() || std::count(row.choices.begin(), row.choices.end(), field) > 0) return;
      std::string allowed;
      for (const char* choice : row.choices) {
        if (!allowed.empty()) allowed += choice == row.choices.back() ? " and " : ", ";
        allowed += message("\"", choice, "\"");
      }
      std::string owners;  // of the choice
      for (const OwnChoice& own : row.own_choices) {
        if (field != own.choice) continue;
        const bool is_custom = std::string(own.algorithm) == kCustom;
        owners +=
            message(owners.empty() ? "; \"" + field + "\" is for " : " and ",
                    is_custom ? "custom algorithms that declare kFinalOnceSet (final_once_set=True)" : own.algorithm);
      }
      allowed += owners + (owners.empty() ? "" : " alone");
      const std::string more = &field == &options.config ? only_predicted(field) : "";
      throw InputError(message(row.name, " is \"", field, "\"; ", more, "allowed are ", allowed));
    }
  });
}

void check_choices_but_method(RunOptions options) {
  options.method = RunOptions().method;
  check_choices(options);
}

// Whether PEs search for a program (cpp/src/backend/emulator/pe_search.h), after all checks of that. Those of a card
// are known once there is one.
static bool is_pe_search(const abi::Program& program, const RunOptions& options) {
  if (options.method != pe_array::kPullMethod || program.instances[0].final_once_set == 0) return false;
  const ExecutorKind& executor = find_executor(options.device);
  if (!executor.predicts && !executor.needs_card) {
    throw InputError(
        message("device is \"", options.device, "\"; method=\"", options.method,
                "\" runs in the emulator (device=\"emulator:u280\") and on a card (device=\"fpga\"); on the "
                "CPU method=\"auto\" pushes or pulls as well"));
  }
  if (options.domains || options.communicator != nullptr) {
    throw InputError(message("method \"", options.method, "\" has workers, not domains; omit domains="));
  }
  if (options.prediction) {
    throw InputError(message("method is \"", options.method,
                             "\", and a prediction is of kernels that stream; run it with "
                             "device=\"emulator:u280\", which predicts its time, or omit the method"));
  }
  RunOptions kernels = options;
  kernels.number = RunOptions().number;  // is the program's
  if (executor.predicts || options.card) pe_array::num_pes(kernels);
  return true;
}

void check_design(const RunOptions& options) {
  const ExecutorKind& executor = find_executor(options.device);
  const auto refuse = [&](const char* option, const std::string& value, const std::string& more, const char* use) {
    throw InputError(message(option, " is \"", value, "\", whose kernels run in ",
                             names_of([](const ExecutorKind& kind) { return kind.predicts; }, "the ", ""), more,
                             ", and device is \"", options.device, "\"; use ", use));
  };
  if (options.design != RunOptions().design && !executor.predicts && !executor.needs_card) {
    refuse("design", options.design, " and on cards", "device=\"emulator\", \"emulator:u250\" or \"fpga\"");
  }
  if (options.config != RunOptions().config && !executor.predicts) {
    refuse("config", options.config, "", "device=\"emulator\" or \"emulator:u280\"");
  }
  if (options.execution == RunOptions().execution || find_executor(options.device).has_kernels) return;
  throw InputError(message("execution is \"", options.execution,
                           "\", which says how the emulator runs kernels, and device is \"", options.device,
                           "\", which has none; use device=\"emulator\" or \"emulator:u250\", or leave execution at \"",
                           RunOptions().execution, "\""));
}

void check_weights(const abi::Program& program, const abi::Instance& instance, const Graph& graph, const Domain* domain,
                   Workers& workers) {
  if (!instance.non_negative_weights || !graph.is_weighted()) return;
  const WeightFacts facts = graph.weight_facts(workers);
  if (!facts.negative_or_nan) return;
  if (graph.stored()) {
    throw InputError(message("there are weights below 0, or NaN, in ", graph.stored()->file()->name(), "; ",
                             program.name, " needs weights >= 0"));
  }
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
  const auto id = [&](std::uint64_t v) { return domain == nullptr ? v : domain->global(static_cast<VertexId>(v)); };
  throw InputError(message("edge ", id(low), " -> ", id(csr.targets[facts.first_bad]), " has weight ", weight, "; ",
                           program.name, " needs weights >= 0"));
}

const ExecutorKind& check_options(const abi::Program& program, const Graph& graph, const RunOptions& options) {
  if (program.abi_version != abi::kAbiVersion) {
    throw InputError(message("program \"", program.name, "\" was built for version ", program.abi_version,
                             " of the program table; this gaspipe has version ", abi::kAbiVersion, "; build it again"));
  }
  if (!is_pe_search(program, options)) {
    check_choices(options);
    local_store::check_absent(options);
  }
  const ExecutorKind& executor = find_executor(options.device);
  if (options.prediction && !executor.predicts) {
    throw InputError(message("device is \"", options.device, "\"; only ",
                             names_of([](const ExecutorKind& kind) { return kind.predicts; }, "the ", ""),
                             " predicts"));
  }
  check_scheduler(options);
  check_design(options);
  if (options.every && !options.checkpoint) {
    throw InputError(message("every is ", *options.every, ", of checkpoints; give checkpoint=, the folder for them"));
  }
  if (graph.stored() && (executor.has_kernels || options.prediction || options.partition)) {
    graph.csr();  // says what can be done
  }
  if (options.num_threads < 0)
    throw InputError(message("num_threads is ", options.num_threads, "; it must be at least 1"));
  const bool is_square = graph.num_rows() == graph.num_columns();
  if (!program.rectangular && !is_square) {
    throw InputError(
        message(program.name, " needs a square matrix; this one is ", graph.num_rows(), " x ", graph.num_columns()));
  }
  return executor;
}

void check_scheduler(const RunOptions& options) {
  if (!options.own_scheduler) make_scheduler(options.scheduler);  // InputError where there is none of that name
  if (find_executor(options.device).has_kernels) return;
  if (options.own_scheduler || options.scheduler != RunOptions().scheduler) {
    throw InputError(
        message("a scheduler orders the kernels of an emulator or a card, and device is \"", options.device,
                "\"; use device=", names_of([](const ExecutorKind& kind) { return kind.has_kernels; }, "\"", "\""),
                ", or leave the scheduler at \"", RunOptions().scheduler, "\""));
  }
}

void check_run(const abi::Program& program, const Graph& graph, const Arguments& arguments, const RunOptions& options) {
  const ExecutorKind& kind = check_options(program, graph, options);
  Workers workers(1, options.interrupted);
  const CheckedArguments checked(program, arguments, graph, workers);
  if (kind.only_instance == nullptr) {
    choose_instances(program, options.number, graph.skeleton(), checked.common_type(weight_type(graph.skeleton())));
  }
  if (options.resume) Checkpoint(*options.resume, checkpoint_of(program, graph, workers), nullptr);
  if (options.checkpoint) make_checkpoint_folder(*options.checkpoint);
}

}  // namespace gaspipe
