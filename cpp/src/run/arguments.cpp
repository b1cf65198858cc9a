// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/run/arguments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpp/src/run/number_formats.h"
#include "gaspipe/convert.h"
#include "gaspipe/find_first.h"

namespace gaspipe {
namespace {

// All digits of an integer.
std::string shown(double number) {
  const bool is_integer = std::abs(number) < 1e15 && number == std::floor(number);
  return is_integer ? message(static_cast<std::int64_t>(number)) : message(number);
}

std::string allowed_range(const abi::Parameter& parameter) {
  const bool bounded = parameter.high < std::numeric_limits<double>::max();
  if (!bounded && parameter.low == std::numeric_limits<double>::lowest()) return "of any size";
  std::string text = message(shown(parameter.low), parameter.open_low ? " < " : " <= ", parameter.name);
  if (bounded) text += message(parameter.open_high ? " < " : " <= ", shown(parameter.high));
  return text;
}

bool in_range(const abi::Parameter& parameter, double value) {
  const bool above = parameter.open_low ? value > parameter.low : value >= parameter.low;
  const bool below = parameter.open_high ? value < parameter.high : value <= parameter.high;
  return above && below;  // false for NaN
}

void check_range(const abi::Program& program, const abi::Parameter& parameter, double value) {
  if (in_range(parameter, value)) return;
  throw InputError(message(parameter.name, " is ", shown(value), "; ", program.name, " needs ",
                           std::isfinite(value) ? "" : "a finite number, ", allowed_range(parameter)));
}

// Type of the elements of an array argument; kNone for single numbers.
abi::Scalar type_of(const ArgumentValue& value) {
  constexpr abi::Scalar types[] = {abi::kNone,  abi::kNone,  abi::kFloat64, abi::kFloat32,
                                   abi::kInt32, abi::kInt64, abi::kUint64};
  return types[value.index()];
}

// NumPy's promotion among int32, int64, uint64, float32 and float64; kNone gives way.
abi::Scalar promoted(abi::Scalar a, abi::Scalar b) {
  if (a == abi::kNone || a == b) return b;
  if (b == abi::kNone) return a;
  const bool only_signed_integers = !is_float(a) && !is_float(b) && a != abi::kUint64 && b != abi::kUint64;
  return only_signed_integers ? abi::kInt64 : abi::kFloat64;  // no integer holds both int64 and uint64
}

template <class T>
const T& expect(const ArgumentValue& value, const abi::Parameter& parameter, const char* wanted) {
  const T* found = std::get_if<T>(&value);
  if (!found) throw InputError(message(parameter.name, " must be ", wanted));
  return *found;
}

}  // namespace

CheckedArguments::CheckedArguments(const abi::Program& program, const Arguments& arguments, const Graph& graph,
                                   Workers& workers)
    : program_(program), num_vertices_(graph.num_vertices()) {
  num_sources_ = static_cast<View>(program.view) == View::kReverse ? graph.num_columns() : graph.num_rows();
  for (std::uint32_t i = 0; i < program.num_parameters; ++i) {
    const auto given = arguments.find(program.parameters[i].name);
    checked_.push_back(check(program.parameters[i], given == arguments.end() ? nullptr : &given->second, workers));
  }
  for (const auto& argument : arguments) {
    const std::string& name = argument.first;
    if (std::none_of(program.parameters, program.parameters + program.num_parameters,
                     [&](const abi::Parameter& parameter) { return name == parameter.name; })) {
      throw InputError(message(program.name, " has no parameter \"", name, "\""));
    }
  }
}

abi::Scalar CheckedArguments::common_type(abi::Scalar weight_type) const {
  if (vectors_.empty()) return abi::kNone;
  abi::Scalar common = weight_type;
  for (const Vector& vector : vectors_) common = promoted(common, type_of(*vector.value));
  return common;
}

const std::vector<abi::Argument>& CheckedArguments::in(abi::Scalar number_type, Workers& workers) {
  converted_.clear();
  if (number_type == abi::kNone) number_type = abi::kFloat64;  // fixed point: the program brings it into its scale
  for (const Vector& vector : vectors_) {
    std::visit(
        [&](const auto& values) {
          if constexpr (!std::is_arithmetic_v<std::decay_t<decltype(values)>>) {
            converted_.push_back(converted(values, number_type, workers, [&](std::uint64_t bad, const char* type) {
              return message(vector.name, "[", bad, "] is ", values[bad], ", which does not fit ", type,
                             "; choose another number= or dtype");
            }));
          }
        },
        *vector.value);
    checked_[vector.index].data = converted_.back().data();
  }
  return checked_;
}

abi::Argument CheckedArguments::check(const abi::Parameter& parameter, const ArgumentValue* value, Workers& workers) {
  abi::Argument argument{};
  const ArgumentValue standard = std::int64_t(parameter.default_value);
  if (value == nullptr && (parameter.kind == abi::kVertex || parameter.kind == abi::kInteger)) value = &standard;
  switch (parameter.kind) {
    case abi::kVertex: {
      const auto& id = expect<std::int64_t>(*value, parameter, "an integer, the id of a vertex");
      if (id < 0 || id >= std::int64_t(num_vertices_)) {
        throw InputError(message(parameter.name, " is ", id, "; the graph's ", num_vertices_, " vertices allow 0 to ",
                                 num_vertices_ - 1));
      }
      argument.integer = id;
      return argument;
    }
    case abi::kInteger: {
      const auto& integer = expect<std::int64_t>(*value, parameter, "an integer");
      check_range(program_, parameter, static_cast<double>(integer));
      argument.integer = std::min<std::int64_t>(integer, std::numeric_limits<int>::max());
      return argument;
    }
    case abi::kFlag:
      argument.integer =
          value ? expect<std::int64_t>(*value, parameter, "true or false") : parameter.default_value != 0;
      if (argument.integer != 0 && argument.integer != 1) {
        throw InputError(message(parameter.name, " is ", argument.integer, "; allowed are true and false"));
      }
      return argument;
    case abi::kReal: {
      if (value == nullptr) {
        argument.real = parameter.default_value;
        return argument;
      }
      const auto* integer = std::get_if<std::int64_t>(value);
      argument.real = integer ? static_cast<double>(*integer) : expect<double>(*value, parameter, "a number");
      check_range(program_, parameter, argument.real);
      return argument;
    }
    case abi::kArray:
      if (value == nullptr) return argument;
      return check_array(parameter, expect<Array<double>>(*value, parameter, "an array with one number per vertex"),
                         workers);
    case abi::kVertices:
      if (value == nullptr) return argument;
      return check_vertices(parameter, expect<Array<std::int64_t>>(*value, parameter, "an array of vertex ids"),
                            workers);
    case abi::kPairs:
      if (value == nullptr) return argument;
      argument =
          check_vertices(parameter, expect<Array<std::int64_t>>(*value, parameter, "an array of vertex ids"), workers);
      argument.size /= 2;
      return argument;
    default: {  // kVector
      if (value == nullptr) throw InputError(message(program_.name, " needs ", parameter.name));
      const std::uint64_t size = std::visit(
          [&](const auto& array) -> std::uint64_t {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(array)>>) {
              throw InputError(message(parameter.name, " must be an array"));
            } else {
              return array.size();
            }
          },
          *value);
      if (size != num_sources_) {
        const char* side = static_cast<View>(program_.view) == View::kReverse ? " columns" : " rows";
        throw InputError(message(parameter.name, " has ", size, " entries; the matrix has ", num_sources_, side,
                                 ", and each needs one"));
      }
      vectors_.push_back({checked_.size(), parameter.name, value});
      argument.size = size;
      return argument;
    }
  }
}

abi::Argument CheckedArguments::check_array(const abi::Parameter& parameter, const Array<double>& array,
                                            Workers& workers) const {
  if (array.size() != num_vertices_) {
    throw InputError(message(parameter.name, " has ", array.size(), " entries; the graph's ", num_vertices_,
                             " vertices need ", num_vertices_));
  }
  const std::uint64_t bad = find_first(array.size(), workers, [&](std::uint64_t v) {
    return !in_range(parameter, array[v]) || !std::isfinite(array[v]);
  });
  if (bad < array.size()) {
    throw InputError(message(parameter.name, "[", bad, "] is ", array[bad], "; ", program_.name,
                             " needs finite numbers, ", allowed_range(parameter)));
  }
  abi::Argument argument{};
  argument.data = array.data();
  argument.size = array.size();
  return argument;
}

abi::Argument CheckedArguments::check_vertices(const abi::Parameter& parameter, const Array<std::int64_t>& ids,
                                               Workers& workers) {
  const std::uint64_t bad = find_first(ids.size(), workers, [&](std::uint64_t i) {
    return static_cast<std::uint64_t>(ids[i]) >= num_vertices_;  // negative ones are too large as well
  });
  if (bad < ids.size()) {
    const bool are_pairs = parameter.kind == abi::kPairs;
    const std::string place = are_pairs ? message(bad / 2, ", ", bad % 2) : message(bad);
    throw InputError(message(parameter.name, "[", place, "] is ", ids[bad], "; the graph's ", num_vertices_,
                             " vertices allow 0 to ", num_vertices_ - 1));
  }
  const Writable<VertexId> list(ids.size());
  std::transform(ids.begin(), ids.end(), list.data(), [](std::int64_t id) { return static_cast<VertexId>(id); });
  lists_.push_back(list.freeze());
  abi::Argument argument{};
  argument.data = lists_.back().data();
  argument.size = ids.size();
  return argument;
}

}  // namespace gaspipe
