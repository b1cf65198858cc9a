// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/kernels_on_demand.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "cpp/src/backend/kernel_table.h"
#include "gaspipe/on_demand.h"
#include "gaspipe/run.h"

namespace gaspipe {
namespace {

constexpr const char* kGraphops = "graphops_";

// The kernel's class: GatherScatterKernel<Hooks> of gaspipe/engine/kernel/gather_scatter.h.
std::string class_of(const std::string& kernel, const std::string& algorithm) {
  if (kernel == kGraphops + algorithm) return "graphops::" + algorithm + "::Kernel<Hooks>";
  return in_camel_case(kernel) + "Kernel<Hooks>";
}

// `number` is the place among the program's formats.
std::string source_of(const std::string& algorithm, std::size_t number, const std::string& kernel) {
  const std::string space = "gaspipe::algorithm::" + algorithm;
  const std::string more = kernel == kGraphops + algorithm ? "#include \"gaspipe/engine/kernel/graphops.h\"\n" : "";
  return "#include <tuple>\n#include \"gaspipe/engine/emulated_kernels.h\"\n" + more + "#include \"hls/algorithm/" +
         algorithm + ".h\"\nnamespace gaspipe {\ntemplate <std::size_t i, class List>\nstruct Nth;\n" +
         "template <std::size_t i, class... Numbers>\nstruct Nth<i, NumberList<Numbers...>> {\n" +
         "  using Type = std::tuple_element_t<i, std::tuple<Numbers...>>;\n};\n" + "using Hooks = " + space +
         "::Program<Nth<" + std::to_string(number) + ", " + space + "::Numbers>::Type>::Hooks;\n" +
         "constexpr abi::Kernel kKernel = engine::emulated_kernel<engine::" + class_of(kernel, algorithm) + ">();\n" +
         "}  // namespace gaspipe\nextern \"C\" __attribute__((visibility(\"default"
         "\"))) const gaspipe::abi::Kernels " +
         kMissingSymbol + " = {\n  1, &gaspipe::kKernel, " + "gaspipe::Traits<gaspipe::Hooks>::kFilters ? " +
         "gaspipe::engine::sent_updates<gaspipe::Hooks> : nullptr};\n";
}

bool has(const abi::Instance& instance, const std::string& kernel) {
  for (std::uint64_t i = 0; i < instance.kernels.num_kernels; ++i) {
    if (kernel == instance.kernels.kernels[i].name) return instance.kernels.kernels[i].run != nullptr;
  }
  return true;  // not a kernel of this program: the caller reports that
}

struct Completed {
  abi::Instance instance;
  std::vector<abi::Kernel> kernels;
};

}  // namespace

std::string in_camel_case(const std::string& name) {
  std::string text;
  bool starts_word = true;
  for (const char c : name) {
    if (c != '_') text += starts_word ? static_cast<char>(c - 'a' + 'A') : c;
    starts_word = c == '_';
  }
  return text;
}

abi::Kernels kernels_on_demand(const std::string& algorithm) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<abi::Kernel>> tables;
  const std::lock_guard<std::mutex> lock(mutex);
  std::vector<abi::Kernel>& table = tables[algorithm];
  if (table.empty()) {
    const auto add = [&](const char* name) {
      for (const abi::Kernel& kernel : table) {
        if (std::strcmp(kernel.name, name) == 0) return;
      }
      table.push_back({name, nullptr});
    };
    for (const Pipeline& pipeline : kPipelines) {
      add(pipeline.gather_scatter);
      add(pipeline.apply);
      if (has_two_kinds(pipeline)) add(pipeline.dense);
    }
    for (const KernelTable& kernel : kernel_tables()) {
      if (kernel.name == kGraphops + algorithm) add(kernel.name);
    }
  }
  return {table.size(), table.data(), nullptr, nullptr};
}

const abi::Instance& with_kernels(const abi::Instance& instance, const std::string& algorithm,
                                  const std::vector<std::string>& kernels) {
  std::vector<std::string> missing;
  for (const std::string& kernel : kernels) {
    if (!has(instance, kernel)) missing.push_back(kernel);
  }
  if (missing.empty()) return instance;
  const abi::Program& program = find_program(algorithm);
  std::size_t number = 0;
  while (std::strcmp(program.instances[number].number, instance.number) != 0) ++number;
  std::vector<MissingCode> parts;
  for (const std::string& kernel : missing) {
    parts.push_back({algorithm + "-" + instance.number + "-" + kernel, source_of(algorithm, number, kernel)});
  }
  const std::vector<void*> found = find_missing(algorithm, parts);

  static std::mutex mutex;
  static std::map<std::pair<const abi::Instance*, std::vector<std::string>>, std::unique_ptr<Completed>> all;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Completed>& completed = all[{&instance, missing}];
  if (completed == nullptr) {
    completed = std::make_unique<Completed>();
    completed->instance = instance;
    abi::Kernels& table = completed->instance.kernels;
    for (void* const symbol : found) {
      const auto& part = *static_cast<const abi::Kernels*>(symbol);
      completed->kernels.push_back(part.kernels[0]);
      table.sent = part.sent;
      table.sources = part.sources;
    }
    table.num_kernels = completed->kernels.size();
    table.kernels = completed->kernels.data();
  }
  return completed->instance;
}

}  // namespace gaspipe
