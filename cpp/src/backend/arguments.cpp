// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <cmath>
#include <limits>

namespace gaspipe {
namespace {

std::string allowed_range(const abi::Parameter& parameter) {
  const bool bounded = parameter.high < std::numeric_limits<double>::max();
  std::string text = message(parameter.low, parameter.open_low ? " < " : " <= ", parameter.name);
  if (bounded) text += message(parameter.open_high ? " < " : " <= ", parameter.high);
  return text;
}

bool in_range(const abi::Parameter& parameter, double value) {
  const bool above = parameter.open_low ? value > parameter.low : value >= parameter.low;
  const bool below = parameter.open_high ? value < parameter.high : value <= parameter.high;
  return above && below;  // false for NaN
}

void check_range(const abi::Program& program, const abi::Parameter& parameter, double value) {
  if (in_range(parameter, value)) return;
  throw InputError(message(parameter.name, " is ", value, "; ", program.name, " needs ", allowed_range(parameter)));
}

abi::Argument default_of(const abi::Parameter& parameter) {
  return {static_cast<std::int64_t>(parameter.default_value), parameter.default_value, nullptr, 0};
}

abi::Argument check(const abi::Program& program, const abi::Parameter& parameter, const ArgumentValue& value,
                    VertexId num_vertices) {
  abi::Argument argument{};
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  switch (parameter.kind) {
    case abi::kVertex:
      if (!integer) throw InputError(message(parameter.name, " must be an integer, the id of a vertex"));
      if (*integer < 0 || *integer >= std::int64_t(num_vertices)) {
        throw InputError(message(parameter.name, " is ", *integer, "; the graph's ", num_vertices,
                                 " vertices allow 0 to ", num_vertices - 1));
      }
      argument.integer = *integer;
      break;
    case abi::kInteger:
      if (!integer) throw InputError(message(parameter.name, " must be an integer"));
      check_range(program, parameter, static_cast<double>(*integer));
      argument.integer = std::min<std::int64_t>(*integer, std::numeric_limits<int>::max());
      break;
    case abi::kReal:
      if (!integer && !real) throw InputError(message(parameter.name, " must be a number"));
      argument.real = real ? *real : static_cast<double>(*integer);
      check_range(program, parameter, argument.real);
      break;
    default: {
      const auto* array = std::get_if<Array<double>>(&value);
      if (!array) throw InputError(message(parameter.name, " must be an array with one number per vertex"));
      if (array->size() != num_vertices) {
        throw InputError(message(parameter.name, " has ", array->size(), " entries; the graph's ", num_vertices,
                                 " vertices need ", num_vertices));
      }
      for (std::size_t v = 0; v < array->size(); ++v) {
        if (!in_range(parameter, (*array)[v]) || !std::isfinite((*array)[v])) {
          throw InputError(message(parameter.name, "[", v, "] is ", (*array)[v], "; ", program.name,
                                   " needs finite numbers, ", allowed_range(parameter)));
        }
      }
      argument.data = array->data();
      argument.size = array->size();
    }
  }
  return argument;
}

}  // namespace

std::vector<abi::Argument> check_arguments(const abi::Program& program, const Arguments& arguments,
                                           VertexId num_vertices) {
  std::vector<abi::Argument> checked;
  for (std::uint32_t i = 0; i < program.num_parameters; ++i) {
    const abi::Parameter& parameter = program.parameters[i];
    const auto given = arguments.find(parameter.name);
    checked.push_back(given == arguments.end() ? default_of(parameter)
                                               : check(program, parameter, given->second, num_vertices));
    if (given == arguments.end() && parameter.kind == abi::kVertex) {
      checked.back() = check(program, parameter, std::int64_t(checked.back().integer), num_vertices);
    }
  }
  for (const auto& [name, value] : arguments) {
    bool known = false;
    for (std::uint32_t i = 0; i < program.num_parameters; ++i) known = known || name == program.parameters[i].name;
    if (!known) throw InputError(message(program.name, " has no parameter \"", name, "\""));
  }
  return checked;
}

}  // namespace gaspipe
