// SPDX-License-Identifier: Apache-2.0
// What places.py puts where a mutant may be: the original, or, in a process whose environment says
// GASPIPE_MUTANT=<its number>, the mutated. One compile so serves all mutants. What a compiler evaluates stays
// original. GASPIPE_REACHED names a file with a byte per mutant: 1 where a process came by, 2 where the types forbid
// the mutant.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <type_traits>
#include <utility>

namespace gaspipe_mutant {

struct State {
  int active = 0;
  unsigned char* reached = nullptr;
  State() {
    if (const char* number = std::getenv("GASPIPE_MUTANT")) active = std::atoi(number);
    if (const char* name = std::getenv("GASPIPE_REACHED")) {
      const int file = open(name, O_RDWR | O_CLOEXEC);
      struct stat facts;
      if (file < 0 || fstat(file, &facts) != 0) std::abort();
      void* const bytes = mmap(nullptr, facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (bytes == MAP_FAILED) std::abort();
      reached = static_cast<unsigned char*>(bytes);
      close(file);
    }
  }
};
inline State state;

inline void mark(int n, unsigned char how) {
  if (state.reached != nullptr && state.reached[n] != 1) state.reached[n] = how;
}
constexpr bool on(int n) {
  if (__builtin_is_constant_evaluated()) return false;
  if (state.reached != nullptr) mark(n, 1);
  return n == state.active;
}

#define GASPIPE_MUTANT_OPERATOR(name, sign)                                                                   \
  struct name {                                                                                               \
    template <class A, class B>                                                                               \
    constexpr auto operator()(A&& a, B&& b) const -> decltype(static_cast<A&&>(a) sign static_cast<B&&>(b)) { \
      return static_cast<A&&>(a) sign static_cast<B&&>(b);                                                    \
    }                                                                                                         \
  }
GASPIPE_MUTANT_OPERATOR(Less, <);
GASPIPE_MUTANT_OPERATOR(LessEqual, <=);
GASPIPE_MUTANT_OPERATOR(Greater, >);
GASPIPE_MUTANT_OPERATOR(GreaterEqual, >=);
GASPIPE_MUTANT_OPERATOR(Equal, ==);
GASPIPE_MUTANT_OPERATOR(NotEqual, !=);
GASPIPE_MUTANT_OPERATOR(Plus, +);
GASPIPE_MUTANT_OPERATOR(Minus, -);
GASPIPE_MUTANT_OPERATOR(Times, *);
GASPIPE_MUTANT_OPERATOR(Over, /);
GASPIPE_MUTANT_OPERATOR(Rest, %);
GASPIPE_MUTANT_OPERATOR(Left, <<);
GASPIPE_MUTANT_OPERATOR(Right, >>);
GASPIPE_MUTANT_OPERATOR(And, &);
GASPIPE_MUTANT_OPERATOR(Or, |);
GASPIPE_MUTANT_OPERATOR(Xor, ^);
GASPIPE_MUTANT_OPERATOR(PlusIs, +=);
GASPIPE_MUTANT_OPERATOR(MinusIs, -=);
GASPIPE_MUTANT_OPERATOR(TimesIs, *=);
GASPIPE_MUTANT_OPERATOR(OverIs, /=);
GASPIPE_MUTANT_OPERATOR(LeftIs, <<=);
GASPIPE_MUTANT_OPERATOR(RightIs, >>=);
GASPIPE_MUTANT_OPERATOR(AndIs, &=);
GASPIPE_MUTANT_OPERATOR(OrIs, |=);
GASPIPE_MUTANT_OPERATOR(XorIs, ^=);
#undef GASPIPE_MUTANT_OPERATOR

// `a Original b`, or `a Mutated b`.
template <class Original, class Mutated, class A, class B>
constexpr decltype(auto) either(int n, A&& a, B&& b) {
  using Result = decltype(Original()(std::declval<A>(), std::declval<B>()));
  if constexpr (std::is_invocable_r_v<Result, Mutated, A, B>) {
    if (on(n)) return static_cast<Result>(Mutated()(std::forward<A>(a), std::forward<B>(b)));
  } else if (!__builtin_is_constant_evaluated()) {
    mark(n, 2);
  }
  return static_cast<Result>(Original()(std::forward<A>(a), std::forward<B>(b)));
}

// By names without angle brackets and commas, for arguments of macros.
#define GASPIPE_MUTANT_EITHER(Original, Mutated)                                 \
  template <class A, class B>                                                    \
  constexpr decltype(auto) Original##_or_##Mutated(int n, A&& a, B&& b) {        \
    return either<Original, Mutated>(n, std::forward<A>(a), std::forward<B>(b)); \
  }
GASPIPE_MUTANT_EITHER(Less, LessEqual)
GASPIPE_MUTANT_EITHER(LessEqual, Less)
GASPIPE_MUTANT_EITHER(Greater, GreaterEqual)
GASPIPE_MUTANT_EITHER(GreaterEqual, Greater)
GASPIPE_MUTANT_EITHER(Equal, NotEqual)
GASPIPE_MUTANT_EITHER(NotEqual, Equal)
GASPIPE_MUTANT_EITHER(Plus, Minus)
GASPIPE_MUTANT_EITHER(Minus, Plus)
GASPIPE_MUTANT_EITHER(Times, Plus)
GASPIPE_MUTANT_EITHER(Over, Times)
GASPIPE_MUTANT_EITHER(Rest, Over)
GASPIPE_MUTANT_EITHER(Left, Right)
GASPIPE_MUTANT_EITHER(Right, Left)
GASPIPE_MUTANT_EITHER(And, Or)
GASPIPE_MUTANT_EITHER(Or, And)
GASPIPE_MUTANT_EITHER(Xor, And)
GASPIPE_MUTANT_EITHER(PlusIs, MinusIs)
GASPIPE_MUTANT_EITHER(MinusIs, PlusIs)
GASPIPE_MUTANT_EITHER(TimesIs, PlusIs)
GASPIPE_MUTANT_EITHER(OverIs, TimesIs)
GASPIPE_MUTANT_EITHER(LeftIs, RightIs)
GASPIPE_MUTANT_EITHER(RightIs, LeftIs)
GASPIPE_MUTANT_EITHER(AndIs, OrIs)
GASPIPE_MUTANT_EITHER(OrIs, AndIs)
GASPIPE_MUTANT_EITHER(XorIs, AndIs)
#undef GASPIPE_MUTANT_EITHER

// A condition, or its opposite.
template <class T>
constexpr bool flip(int n, const T& value) {
  return static_cast<bool>(value) != on(n);
}

// A constant, or one beside it: 1 for 0, 0 for 1, one more than others.
template <class T>
constexpr T constant(int n, T value) {
  return on(n) ? static_cast<T>(value == T(1) ? T(0) : value + T(1)) : value;
}

// `++value` or `--value`, and the same behind it.
template <class T>
constexpr T& increment(int n, T& value) {
  if (on(n)) return --value;
  return ++value;
}
template <class T>
constexpr T& decrement(int n, T& value) {
  if (on(n)) return ++value;
  return --value;
}
template <class T>
constexpr T increment_after(int n, T& value) {
  if (on(n)) return value--;
  return value++;
}
template <class T>
constexpr T decrement_after(int n, T& value) {
  if (on(n)) return value++;
  return value--;
}

// `-value`, or `value`.
template <class T>
constexpr auto negative(int n, const T& value) -> decltype(-value) {
  return on(n) ? +value : -value;
}

}  // namespace gaspipe_mutant
