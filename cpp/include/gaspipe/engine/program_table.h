// SPDX-License-Identifier: Apache-2.0
// Makes a program's table (gaspipe/abi.h) from its header. `Spec` names the parts of one header: templates
// `Program<Number>`, types `Parameters` and `Numbers`, and `description()`. All programs of a header walk the same
// view. Each of `Places` fills the entries for one place to run (on_cpu.h, on_device.h, on_emulator.h); an entry that
// is not filled is null, so a library for one place compiles nothing of the others.
#pragma once

#include <type_traits>

#include "gaspipe/abi.h"
#include "gaspipe/engine/optional.h"
#include "gaspipe/engine/parameters.h"
#include "hls/bit_set.h"

namespace gaspipe {
namespace engine {

template <class T>
constexpr abi::Scalar scalar_of() {
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? abi::kFloat32 : abi::kFloat64;
  } else {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values are words of 32 or 64 bits");
    if (sizeof(T) == 4) return std::is_signed_v<T> ? abi::kInt32 : abi::kUint32;
    return std::is_signed_v<T> ? abi::kInt64 : abi::kUint64;
  }
}

// Of the words that a set of bits consists of.
template <>
constexpr abi::Scalar scalar_of<BitSet<512>>() {
  return abi::kUint64;
}

// The name of a number format, as Python says it.
template <class Number>
struct NumberName;
template <>
struct NumberName<std::int32_t> {
  static constexpr const char* value = "int32";
};
template <>
struct NumberName<std::uint32_t> {
  static constexpr const char* value = "uint32";
};
template <>
struct NumberName<std::int64_t> {
  static constexpr const char* value = "int64";
};
template <>
struct NumberName<std::uint64_t> {
  static constexpr const char* value = "uint64";
};
template <>
struct NumberName<float> {
  static constexpr const char* value = "float32";
};
template <>
struct NumberName<double> {
  static constexpr const char* value = "float64";
};
template <>
struct NumberName<BitSet<512>> {
  static constexpr const char* value = "bits512";
};
template <int bits>
struct NumberName<Fixed<bits>> {
  static constexpr const char* value = "fixed";
};

template <class Number>
struct IsFixed : std::false_type {};
template <int bits>
struct IsFixed<Fixed<bits>> : std::true_type {};

// The kernels for the emulator that another source has, by the name of their number format.
struct NamedKernels {
  const char* number;
  abi::Kernels kernels;
};

template <class Spec, class Number, class... Places>
abi::Instance make_instance() {
  using Program = typename Spec::template Program<Number>;
  using Traits = gaspipe::Traits<typename Program::Hooks>;
  abi::Instance instance{};
  instance.number = NumberName<Number>::value;
  if constexpr (!IsFixed<Number>::value) instance.number_type = scalar_of<Number>();
  instance.value_type = scalar_of<typename Program::Value>();
  instance.property_type = scalar_of<typename Traits::Property>();
  instance.edge_type = Traits::kReadsEdgeProperty ? scalar_of<typename Traits::EdgeProperty>() : abi::kNone;
  instance.is_fixed_point = IsFixed<Number>::value;
  instance.non_negative_weights = NonNegative<Program>::value;
  instance.largest_sum = LargestSum<Program>::value;
  static_assert(LargestSum<Program>::value == 0 || std::is_signed_v<typename Program::Value>, "missing is below 0");
  instance.transition_probabilities = TransitionProbabilities<Program>::value;
  if constexpr (TransitionProbabilities<Program>::value) {
    using Edge = typename Traits::EdgeProperty;
    static_assert(ViewOf<Program>::value == View::kForward, "probabilities are those of edges as they are stored");
    static_assert(std::is_floating_point_v<Edge> || (IsFixed<Number>::value && std::is_same_v<Edge, std::uint32_t>),
                  "transition probabilities are real numbers, or fractions of 2^31 in fixed point");
  }
  instance.idempotent = Traits::kIdempotent;
  instance.final_once_set = Traits::kFinalOnceSet;
  instance.has_priority = Traits::kHasPriority;
  instance.filters = Traits::kFilters;
  instance.num_extras = Traits::kExtras;
  instance.num_aux = Traits::kAux;
  instance.has_passes = HasPasses<Program>::value;
  if constexpr (IsFixed<Number>::value) {
    static_assert(HasScale<Program>::value, "a fixed-point program must say scale_bits(n, m)");
    instance.scale_bits = [](std::uint32_t n, std::uint64_t m) -> std::int32_t { return Program::scale_bits(n, m); };
  }
  instance.property_bytes = sizeof(typename Traits::Property);
  instance.update_bytes = sizeof(typename Traits::Update);
  instance.aux_bytes = sizeof(typename Traits::Aux);
  instance.sum_type = scalar_of<typename Traits::Sum>();
  (Places::template fill<Program, typename Spec::Parameters>(instance), ...);
  return instance;
}

template <class Spec, class List>
struct FirstProgramOf;
template <class Spec, class First, class... Rest>
struct FirstProgramOf<Spec, NumberList<First, Rest...>> {
  using Type = typename Spec::template Program<First>;
};
template <class Spec>
using FirstProgram = typename FirstProgramOf<Spec, typename Spec::Numbers>::Type;

template <class List>
struct Size;
template <class... Numbers>
struct Size<NumberList<Numbers...>> : std::integral_constant<std::uint32_t, sizeof...(Numbers)> {};

template <class Spec, class... Places>
struct Instances {
  template <class... Numbers>
  static const abi::Instance* make(NumberList<Numbers...>) {
    static const abi::Instance all[] = {make_instance<Spec, Numbers, Places...>()...};
    return all;
  }
};

// The program's table; built once, lives as long as the library.
template <class Spec, class Place, class... Places>
const abi::Program* program_table(const char* name) {
  static const ParameterList parameters = [] {
    ParameterList list;
    typename Spec::Parameters defaults;
    defaults.each(ListParameters{list});
    return list;
  }();
  static const abi::Program table = [name] {
    const Description& text = Spec::description();
    abi::Program program{};
    program.abi_version = abi::kAbiVersion;
    program.name = name;
    program.summary = text.summary;
    program.details = text.details;
    program.field = text.field;
    program.field_doc = text.field_doc;
    program.reference = text.reference;
    program.view = static_cast<std::int32_t>(ViewOf<FirstProgram<Spec>>::value);
    program.rectangular = Rectangular<FirstProgram<Spec>>::value;
    program.num_parameters = parameters.size;
    program.parameters = parameters.entries;
    program.num_instances = Size<typename Spec::Numbers>::value;
    program.instances = Instances<Spec, Place, Places...>::make(typename Spec::Numbers{});
    return program;
  }();
  return &table;
}

}  // namespace engine
}  // namespace gaspipe
