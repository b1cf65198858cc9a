// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/run/number_formats.h"

#include "cpp/src/run/arguments.h"
#include "gaspipe/error.h"
#include "gaspipe/run.h"

namespace gaspipe {
namespace {

bool is_unsigned(abi::Scalar type) { return type == abi::kUint32 || type == abi::kUint64; }

// Whether `wide` has every number of `narrow`, and is of its kind: integers, signed or not, or floats.
bool holds(abi::Scalar wide, abi::Scalar narrow) {
  return is_float(wide) == is_float(narrow) && is_unsigned(wide) == is_unsigned(narrow) &&
         bytes_of(wide) >= bytes_of(narrow);
}

}  // namespace

abi::Scalar weight_type(const Csr& csr) {
  constexpr abi::Scalar types[] = {abi::kNone, abi::kInt32, abi::kInt64, abi::kFloat32, abi::kFloat64};
  return types[csr.weights.index()];
}

int bytes_of(abi::Scalar type) { return type == abi::kInt32 || type == abi::kUint32 || type == abi::kFloat32 ? 4 : 8; }

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

std::vector<std::string> number_formats(const abi::Program& program, const Graph& graph, const Arguments& arguments,
                                        const std::string& number) {
  Workers workers(1, {});
  const CheckedArguments checked(program, arguments, graph, workers);
  std::vector<std::string> names;
  for (const abi::Instance* instance :
       choose_instances(program, number, graph.skeleton(), checked.common_type(weight_type(graph.skeleton())))) {
    names.push_back(instance->number);
  }
  return names;
}

}  // namespace gaspipe
