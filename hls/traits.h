// SPDX-License-Identifier: Apache-2.0
// Hooks with all that they may omit: `Traits<Hooks>` has every member of the contract (hls/program.h), the declared one
// or the default. C++14, as all that becomes hardware.
#pragma once

#include <cstdint>

namespace gaspipe {
namespace contract {

template <class...>
struct Voided {
  using Type = void;
};
template <class... T>
using Void = typename Voided<T...>::Type;

template <class A, class B>
struct Same {
  static constexpr bool value = false;
};
template <class A>
struct Same<A, A> {
  static constexpr bool value = true;
};

// One pair of templates per optional member: the declared one where it exists, else the default.
template <class H, class = void>
struct EdgePropertyOf {
  using Type = typename H::Property;
};
template <class H>
struct EdgePropertyOf<H, Void<typename H::EdgeProperty>> {
  using Type = typename H::EdgeProperty;
};
template <class H, class = void>
struct UpdateOf {
  using Type = typename H::Property;
};
template <class H>
struct UpdateOf<H, Void<typename H::Update>> {
  using Type = typename H::Update;
};
template <class H, class = void>
struct ExtraOf {
  using Type = unsigned;
};
template <class H>
struct ExtraOf<H, Void<typename H::Extra>> {
  using Type = typename H::Extra;
};
template <class H, class = void>
struct ArgOf {
  using Type = unsigned;
};
template <class H>
struct ArgOf<H, Void<typename H::Arg>> {
  using Type = typename H::Arg;
};
template <class H, class = void>
struct AuxOf {
  using Type = typename H::Property;
};
template <class H>
struct AuxOf<H, Void<typename H::Aux>> {
  using Type = typename H::Aux;
};

template <class H, class = void>
struct Identity {
  static constexpr typename UpdateOf<H>::Type value() { return typename UpdateOf<H>::Type{}; }
};
template <class H>
struct Identity<H, Void<decltype(H::kIdentity)>> {
  static constexpr typename UpdateOf<H>::Type value() { return H::kIdentity; }
};
template <class H, class = void>
struct ReadsEdgeProperty {
  static constexpr bool value = false;
};
template <class H>
struct ReadsEdgeProperty<H, Void<decltype(H::kReadsEdgeProperty)>> {
  static constexpr bool value = H::kReadsEdgeProperty;
};
template <class H, class = void>
struct Idempotent {
  static constexpr bool value = false;
};
template <class H>
struct Idempotent<H, Void<decltype(H::kIdempotent)>> {
  static constexpr bool value = H::kIdempotent;
};
template <class H, class = void>
struct FinalOnceSet {
  static constexpr bool value = false;
};
template <class H>
struct FinalOnceSet<H, Void<decltype(H::kFinalOnceSet)>> {
  static constexpr bool value = H::kFinalOnceSet;
};
template <class H, class = void>
struct Components {
  static constexpr bool value = false;
};
template <class H>
struct Components<H, Void<decltype(H::kComponents)>> {
  static constexpr bool value = H::kComponents;
};
template <class H, class = void>
struct NumExtras {
  static constexpr int value = 1;
};
template <class H>
struct NumExtras<H, Void<decltype(H::kExtras)>> {
  static constexpr int value = H::kExtras;
};
template <class H, class = void>
struct NumAux {
  static constexpr int value = 1;
};
template <class H>
struct NumAux<H, Void<decltype(H::kAux)>> {
  static constexpr int value = H::kAux;
};
template <class H, class = void>
struct Active {
  static constexpr bool declared = false;
  static bool test(const typename UpdateOf<H>::Type&) { return true; }
};
template <class H>
struct Active<H, Void<decltype(H::isActive(typename UpdateOf<H>::Type{}))>> {
  static constexpr bool declared = true;
  static bool test(const typename UpdateOf<H>::Type& update) { return H::isActive(update); }
};
template <class H, class = void>
struct Source {
  static constexpr bool declared = false;
  static bool test(const typename H::Property&) { return true; }
};
template <class H>
struct Source<H, Void<decltype(H::isSource(typename H::Property{}))>> {
  static constexpr bool declared = true;
  static bool test(const typename H::Property& property) { return H::isSource(property); }
};
template <class H, class = void>
struct Priority {
  static constexpr bool declared = false;
};
template <class H>
struct Priority<H, Void<decltype(H::priority(typename H::Property{}))>> {
  static constexpr bool declared = true;
};

// Sums over a super-step: double for floating extras, else 64 bits.
template <class Extra>
struct SumOf {
  using Type = std::uint64_t;
};
template <>
struct SumOf<float> {
  using Type = double;
};
template <>
struct SumOf<double> {
  using Type = double;
};

// The four call forms of applyFunc, chosen by kAux and kExtras.
template <bool aux_is_array>
struct PassAux {
  template <class Aux, int n>
  static const Aux& pass(const Aux (&aux)[n]) {
    return aux[0];
  }
};
template <>
struct PassAux<true> {
  template <class Aux, int n>
  static const Aux (&pass(const Aux (&aux)[n]))[n] {
    return aux;
  }
};
template <bool extra_is_array>
struct PassExtra {
  template <class Extra, int n>
  static Extra& pass(Extra (&extra)[n]) {
    return extra[0];
  }
};
template <>
struct PassExtra<true> {
  template <class Extra, int n>
  static Extra (&pass(Extra (&extra)[n]))[n] {
    return extra;
  }
};

}  // namespace contract

template <class Hooks>
struct Traits {
  using Property = typename Hooks::Property;
  using EdgeProperty = typename contract::EdgePropertyOf<Hooks>::Type;
  using Update = typename contract::UpdateOf<Hooks>::Type;
  using Extra = typename contract::ExtraOf<Hooks>::Type;
  using Sum = typename contract::SumOf<Extra>::Type;
  using Arg = typename contract::ArgOf<Hooks>::Type;
  using Aux = typename contract::AuxOf<Hooks>::Type;

  static constexpr bool kReadsEdgeProperty = contract::ReadsEdgeProperty<Hooks>::value;
  static constexpr bool kIdempotent = contract::Idempotent<Hooks>::value;
  static constexpr bool kFinalOnceSet = contract::FinalOnceSet<Hooks>::value;
  static constexpr bool kSettles = kFinalOnceSet && contract::Source<Hooks>::declared;  // once set, no more hits
  static constexpr bool kHasPriority = contract::Priority<Hooks>::declared;
  static constexpr bool kComponents = contract::Components<Hooks>::value;
  static constexpr bool kFilters = contract::Active<Hooks>::declared;
  static constexpr int kExtras = contract::NumExtras<Hooks>::value;
  static constexpr int kAux = contract::NumAux<Hooks>::value;
  // Arrays of length 0 are not C++: these are the lengths to declare.
  static constexpr int kExtraSlots = kExtras > 0 ? kExtras : 1;
  static constexpr int kAuxSlots = kAux > 0 ? kAux : 1;

  static constexpr Update identity() { return contract::Identity<Hooks>::value(); }
  static bool is_active(const Update& update) { return contract::Active<Hooks>::test(update); }
  static bool is_source(const Property& property) { return contract::Source<Hooks>::test(property); }
  static Property apply(const Update& tProp, const Property& source, const Aux (&aux)[kAuxSlots],
                        Extra (&extra)[kExtraSlots], const Arg& arg) {
    return Hooks::applyFunc(tProp, source, contract::PassAux<(kAux > 1)>::pass(aux),
                            contract::PassExtra<(kExtras > 1)>::pass(extra), arg);
  }
};

}  // namespace gaspipe
