// SPDX-License-Identifier: Apache-2.0
// Makes the table of an algorithm of the CPU from its header. `Spec` names the parts of one: types `Parameters` and
// `Answer`, `description()` and `run()`.
#pragma once

#include <type_traits>

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/engine/parameters.h"

namespace gaspipe {

template <class T>
constexpr const char* dtype_name() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "uint32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<T, double>) return "float64";
}

// Visitors for Answer::each: one lists, one collects.
struct ListFields {
  std::vector<AnswerField>& fields;

  template <class T>
  void operator()(const char* name, const T&, const char* doc) const {
    fields.push_back({name, doc, dtype_name<T>(), "", false});
  }
  template <class T>
  void operator()(const char* name, const Array<T>&, const char* doc) const {
    fields.push_back({name, doc, dtype_name<T>(), "num_vertices", false});
  }
  template <class T>
  void operator()(const char* name, const Table<T>& table, const char* doc) const {
    fields.push_back({name, doc, dtype_name<T>(), table.shape, table.has_vertices});
  }
};

struct CollectFields {
  std::vector<AnswerValue>& values;

  template <class T>
  void operator()(const char*, const T& value, const char*) const {
    const auto kept = std::make_shared<const T>(value);
    values.push_back({kept, kept.get(), 1, 0});
  }
  template <class T>
  void operator()(const char*, const Array<T>& array, const char*) const {
    values.push_back({array.owner(), array.data(), array.size(), 0});
  }
  template <class T>
  void operator()(const char*, const Table<T>& table, const char*) const {
    const Array<T>& values_of = table.values;
    values.push_back({values_of.owner(), values_of.data(), values_of.size(), table.num_columns});
  }
};

template <class Spec, class Run = CpuRun>
std::vector<AnswerValue> run_cpu_algorithm(Run& run, const abi::Argument* arguments) {
  typename Spec::Parameters parameters;
  parameters.each(engine::AssignParameters(arguments));
  typename Spec::Answer answer = Spec::run(run, parameters);
  std::vector<AnswerValue> values;
  answer.each(CollectFields{values});
  return values;
}

// Built once, lives as long as the library.
template <class Spec>
const CpuAlgorithm& cpu_table(const char* name) {
  static const engine::ParameterList parameters = [] {
    engine::ParameterList list;
    typename Spec::Parameters defaults;
    defaults.each(engine::ListParameters{list});
    return list;
  }();
  static const CpuAlgorithm table = [name] {
    CpuAlgorithm algorithm{};
    typename Spec::Answer empty;
    empty.each(ListFields{algorithm.fields});
    const CpuDescription& text = Spec::description();
    algorithm.program.abi_version = abi::kAbiVersion;
    algorithm.program.name = name;
    algorithm.program.summary = text.summary;
    algorithm.program.details = text.details;
    algorithm.program.field = algorithm.fields.front().name;
    algorithm.program.field_doc = algorithm.fields.front().doc;
    algorithm.program.reference = text.reference;
    algorithm.program.num_parameters = parameters.size;
    algorithm.program.parameters = parameters.entries;
    algorithm.run = &run_cpu_algorithm<Spec>;
    return algorithm;
  }();
  return table;
}

}  // namespace gaspipe
