// SPDX-License-Identifier: Apache-2.0
// Changes to plain values beside other threads: by compare-and-swap where a value has the size of a word, else under a
// lock per vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>

#include "gaspipe/engine/block.h"
#include "hls/types.h"

namespace gaspipe {
namespace frontier {

template <std::size_t num_bytes>
struct WordOf {
  using Type = void;
};
template <>
struct WordOf<1> {
  using Type = std::uint8_t;
};
template <>
struct WordOf<2> {
  using Type = std::uint16_t;
};
template <>
struct WordOf<4> {
  using Type = std::uint32_t;
};
template <>
struct WordOf<8> {
  using Type = std::uint64_t;
};
template <class Value>
constexpr bool kIsWord = !std::is_void_v<typename WordOf<sizeof(Value)>::Type>;

// One byte per vertex, so that threads at different vertices seldom meet.
class Locks {
 public:
  Locks() = default;
  explicit Locks(std::size_t num_vertices) : held_(engine::make_block<std::uint8_t>(num_vertices)) {
    std::memset(held_.get(), 0, num_vertices);
  }
  template <class Body>
  bool hold(VertexId v, const Body& body) const {
    const Held held(&held_[v]);
    return body();
  }

 private:
  class Held {
   public:
    explicit Held(std::uint8_t* lock) : lock_(lock) {
      while (__atomic_exchange_n(lock_, 1, __ATOMIC_ACQUIRE) != 0) std::this_thread::yield();
    }
    ~Held() { __atomic_store_n(lock_, 0, __ATOMIC_RELEASE); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    std::uint8_t* const lock_;
  };

  engine::Block<std::uint8_t> held_;
};

// Calls change(value), which returns false to leave the value as it was; returns what the last call did. It may be
// called several times. Words are compared as bits, so that padding and NaN do no harm.
template <class Value, class Change>
bool change_atomic(Value* values, VertexId v, [[maybe_unused]] const Locks& locks, const Change& change) {
  if constexpr (kIsWord<Value>) {
    using Word [[gnu::may_alias]] = typename WordOf<sizeof(Value)>::Type;
    Word* const entry = reinterpret_cast<Word*>(values + v);
    typename WordOf<sizeof(Value)>::Type before = __atomic_load_n(entry, __ATOMIC_RELAXED);
    for (;;) {
      Value value;
      std::memcpy(&value, &before, sizeof value);
      if (!change(value)) return false;
      auto after = before;
      std::memcpy(&after, &value, sizeof value);
      if (after == before) return true;
      if (__atomic_compare_exchange_n(entry, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return true;
    }
  } else {
    return locks.hold(v, [&] { return change(values[v]); });
  }
}

}  // namespace frontier
}  // namespace gaspipe
