// SPDX-License-Identifier: Apache-2.0
// applyProcess: new properties of a range of vertices from what was gathered, what they were and the program's inputs,
// the sums of what applyFunc counts, and which vertices send next (activity.h). A cycle takes as many vertices
// (kApplyLanes) as fit a word of the widest of the streams; where another's words hold more, one lasts several cycles.
//
// Each lane has its own sums, of the vertices lane, lane + kApplyLanes, ... of the range; at the end they are added
// from lane 0 on (add_lanes). Where an addition takes several cycles, as of floating-point numbers, a lane has as many
// partial sums, which vertices are added to in turn (latency.h); at the end they are added first, from turn 0 on
// (add_turn). That order is part of the result of floating extras; code that applies without streams keeps it.
#pragma once

#include "hls/module/activity.h"
#include "hls/module/latency.h"
#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

// Words of 64 bits: sums as their bits, then the activity.
using ResultWord = Word<std::uint64_t>;

template <class Hooks>
struct ApplyShape {
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Aux = typename Traits<Hooks>::Aux;
  using Sum = typename Traits<Hooks>::Sum;

  static constexpr int kLanes =
      fills_word<Property>()                                                                         ? 1
      : sizeof(Property) == 8 || sizeof(Value) == 8 || (Traits<Hooks>::kAux > 0 && sizeof(Aux) == 8) ? 8
                                                                                                     : 16;
  static_assert(fills_word<Property>() == fills_word<Value>() && (!fills_word<Value>() || Traits<Hooks>::kAux == 0),
                "vertices whose values fill a word have no others beside them");
  static constexpr int kSums = Traits<Hooks>::kExtraSlots;
  static constexpr int kSumWords = (kSums + Word<Sum>::kSize - 1) / Word<Sum>::kSize;
  static constexpr int kResultWords = kSumWords + 1;  // with the word of activity
};

// A vertex's new property; adds what it counts.
template <class Hooks>
typename Hooks::Property apply_vertex(const typename Traits<Hooks>::Update& tProp,
                                      const typename Hooks::Property& source,
                                      const typename Traits<Hooks>::Aux (&aux)[Traits<Hooks>::kAuxSlots],
                                      const typename Traits<Hooks>::Arg& arg,
                                      typename Traits<Hooks>::Sum (&sums)[Traits<Hooks>::kExtraSlots]) {
  GASPIPE_PRAGMA(HLS INLINE);
  typename Traits<Hooks>::Extra extra[Traits<Hooks>::kExtraSlots] = {};
  const typename Hooks::Property property = Traits<Hooks>::apply(tProp, source, aux, extra, arg);
  for (int k = 0; k < Traits<Hooks>::kExtraSlots; ++k) {
    GASPIPE_PRAGMA(HLS UNROLL);
    sums[k] += extra[k];
  }
  return property;
}

// The bits of a sum as a word of memory.
inline std::uint64_t sum_bits(std::uint64_t sum) {
  GASPIPE_PRAGMA(HLS INLINE);
  return sum;
}
inline std::uint64_t sum_bits(double sum) {
  GASPIPE_PRAGMA(HLS INLINE);
  union {
    double sum;
    std::uint64_t bits;
  } const word = {sum};
  return word.bits;
}

// The sum over the lanes, in their order.
template <class Sum, int lanes>
Sum add_lanes(const Sum (&sums)[lanes]) {
  GASPIPE_PRAGMA(HLS INLINE);
  Sum sum = sums[0];
  for (int lane = 1; lane < lanes; ++lane) {
    GASPIPE_PRAGMA(HLS UNROLL);
    sum += sums[lane];
  }
  return sum;
}

// Partial sums, to which numbers are added in turn.
template <class Sum, int turns>
struct PartialSums {
  Sum sum[turns];
  Sum& at(int turn) {
    GASPIPE_PRAGMA(HLS INLINE);
    return sum[turn];
  }
  const Sum& first() const {
    GASPIPE_PRAGMA(HLS INLINE);
    return sum[0];
  }
};
template <class Sum>
struct PartialSums<Sum, 1> {
  Sum sum;
  Sum& at(int) {
    GASPIPE_PRAGMA(HLS INLINE);
    return sum;
  }
  const Sum& first() const {
    GASPIPE_PRAGMA(HLS INLINE);
    return sum;
  }
};

// The state of the loop: the words at hand, the sums and the activity.
template <class Hooks>
struct ApplyStep {
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Aux = typename Traits<Hooks>::Aux;
  using Sum = typename Traits<Hooks>::Sum;
  static constexpr int kLanes = ApplyShape<Hooks>::kLanes;
  static constexpr int kSums = ApplyShape<Hooks>::kSums;
  static constexpr int kTurns = sum_turns<Hooks>();

  Word<Value> gathered;
  Word<Property> properties, applied;
  Word<Aux> inputs[Traits<Hooks>::kAuxSlots];
  PartialSums<Sum, kTurns> sums[kLanes][kSums];
  ActivityWord activity;
  std::uint32_t log_block;
  std::uint8_t turn;

  // Whether the cycle is the second of the words that last two: those of 4 bytes a lane beside ones of 8.
  static bool is_second(std::uint32_t at) {
    GASPIPE_PRAGMA(HLS INLINE);
    return at / kLanes % 2 != 0;
  }
  template <class T>
  static void take(std::uint32_t at, stream<Word<T>>& in, Word<T>& word) {
    GASPIPE_PRAGMA(HLS INLINE);
    if (Word<T>::kSize == kLanes || !is_second(at)) {
      read_from_stream(in, word);
    } else {
      lower_half<kLanes>(word.lane);
    }
  }
  void start(std::uint32_t num_vertices) {
    GASPIPE_PRAGMA(HLS INLINE);
    log_block = log_block_size(num_vertices);
    turn = 0;
    for (int i = 0; i < ActivityWord::kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      activity.lane[i] = 0;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      GASPIPE_PRAGMA(HLS UNROLL);
      for (int k = 0; k < kSums; ++k) {
        GASPIPE_PRAGMA(HLS UNROLL);
        for (int t = 0; t < kTurns; ++t) {
          GASPIPE_PRAGMA(HLS UNROLL);
          sums[lane][k].at(t) = 0;
        }
      }
    }
  }
  // Vertices [at, at + kLanes) of `num_vertices`, in the words at hand. A lane past the last vertex keeps what it held.
  void step(std::uint32_t at, std::uint32_t num_vertices, const typename Traits<Hooks>::Arg& arg) {
    GASPIPE_PRAGMA(HLS INLINE);
    constexpr int kUpper = Word<Property>::kSize - kLanes;  // 0 where a word lasts one cycle
    const std::uint32_t left = num_vertices - at;
    const bool second = is_second(at);
    bool active = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const bool is_vertex = static_cast<std::uint32_t>(lane) < left;
      Aux aux[Traits<Hooks>::kAuxSlots] = {};
      for (int k = 0; k < Traits<Hooks>::kAux; ++k) {
        GASPIPE_PRAGMA(HLS UNROLL);
        aux[k] = inputs[k].lane[lane];
      }
      const Property before = properties.lane[lane];
      Property property = before;
      if (is_vertex) {
        Sum counted[kSums];
        for (int k = 0; k < kSums; ++k) {
          GASPIPE_PRAGMA(HLS UNROLL);
          counted[k] = sums[lane][k].at(turn);
        }
        property = apply_vertex<Hooks>(gathered.lane[lane], before, aux, arg, counted);
        for (int k = 0; k < kSums; ++k) {
          GASPIPE_PRAGMA(HLS UNROLL);
          sums[lane][k].at(turn) = counted[k];
        }
        active = active || sends<Hooks>(before, property);
      }
      if (kUpper == 0) {
        applied.lane[lane] = property;
      } else {
        const Property lower = applied.lane[lane], upper = properties.lane[kUpper + lane];
        applied.lane[lane] = second ? lower : property;
        applied.lane[kUpper + lane] = second ? property : upper;
      }
    }
    turn = static_cast<std::uint8_t>(turn + 1 == kTurns ? 0 : turn + 1);
    mark_active(activity, at, log_block, active);
  }
  // What turn `from` has, to turn 0. After all of them, in their order, result() has the sums.
  void add_turn(int from) {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int lane = 0; lane < kLanes; ++lane) {
      GASPIPE_PRAGMA(HLS UNROLL);
      for (int k = 0; k < kSums; ++k) {
        GASPIPE_PRAGMA(HLS UNROLL);
        sums[lane][k].at(0) += sums[lane][k].at(from);
      }
    }
  }
  // Word w of the results: the sums, 0 in lanes past the last, then the activity.
  ResultWord result(int w) const {
    GASPIPE_PRAGMA(HLS INLINE);
    ResultWord word;
    for (int i = 0; i < ResultWord::kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      Sum of_lanes[kLanes] = {};
      for (int word_of_sums = 0; word_of_sums < ApplyShape<Hooks>::kSumWords; ++word_of_sums) {
        GASPIPE_PRAGMA(HLS UNROLL);
        const int k = word_of_sums * ResultWord::kSize + i;
        for (int lane = 0; lane < kLanes; ++lane) {
          GASPIPE_PRAGMA(HLS UNROLL);
          if (w == word_of_sums && k < kSums) of_lanes[lane] = sums[lane][k < kSums ? k : 0].first();
        }
      }
      word.lane[i] = w == ApplyShape<Hooks>::kSumWords ? activity.lane[i] : sum_bits(add_lanes(of_lanes));
    }
    return word;
  }
};

// Whether there are vertices for the cycle of `at`, and none for the next. It is found a cycle ahead, so that neither a
// comparison nor an addition of 32 bits lies between a cycle and whether there is another.
template <int lanes>
struct ApplyLoop {
  bool more, last;
  std::uint32_t limit;  // from here on a cycle is the one before the last

  explicit ApplyLoop(std::uint32_t num_vertices)
      : more(num_vertices > 0),
        last(num_vertices <= lanes),
        limit(num_vertices > 2 * lanes ? num_vertices - 2 * lanes : 0) {
    GASPIPE_PRAGMA(HLS INLINE);
  }
  void next(std::uint32_t at) {
    GASPIPE_PRAGMA(HLS INLINE);
    more = !last;
    last = at >= limit;
  }
};

// Words of `num_vertices` vertices come and go; then `num_results` of the words of results: kResultWords, or kSumWords
// without the activity. In the last word lanes past the last vertex are not applied, not counted, and keep the property
// they held. Inputs: kAux streams, of which a program without any takes the form below.
template <class Hooks, int num_results = ApplyShape<Hooks>::kResultWords>
void applyProcess(std::uint32_t num_vertices, typename Traits<Hooks>::Arg arg,
                  stream<Word<typename Traits<Hooks>::Update>>& gathered,
                  stream<Word<typename Hooks::Property>>& properties,
                  stream<Word<typename Traits<Hooks>::Aux>> (&inputs)[Traits<Hooks>::kAuxSlots],
                  stream<Word<typename Hooks::Property>>& out, stream<ResultWord>& results) {
  using Shape = ApplyShape<Hooks>;
  constexpr int kTurns = sum_turns<Hooks>();
  ApplyStep<Hooks> apply;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = apply.sums dim = 0 complete);
  apply.start(num_vertices);
  ApplyLoop<Shape::kLanes> loop(num_vertices);
  for (std::uint32_t at = 0; loop.more; at += Shape::kLanes) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = apply.sums inter RAW true distance = kTurns);  // turns
    apply.take(at, gathered, apply.gathered);
    apply.take(at, properties, apply.properties);
    for (int k = 0; k < Traits<Hooks>::kAux; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      apply.take(at, inputs[k], apply.inputs[k]);
    }
    apply.step(at, num_vertices, arg);
    if (Word<typename Shape::Property>::kSize == Shape::kLanes || apply.is_second(at) || loop.last) {
      write_to_stream(out, apply.applied);
    }
    loop.next(at);
  }
  for (int turn = 1; turn < kTurns; ++turn) {
    GASPIPE_PIPELINE(kTurns);
    apply.add_turn(turn);
  }
  for (int w = 0; w < num_results; ++w) {
    GASPIPE_PIPELINE(1);
    write_to_stream(results, apply.result(w));
  }
}

template <class Hooks, int num_results = ApplyShape<Hooks>::kResultWords>
void applyProcess(std::uint32_t num_vertices, typename Traits<Hooks>::Arg arg,
                  stream<Word<typename Traits<Hooks>::Update>>& gathered,
                  stream<Word<typename Hooks::Property>>& properties, stream<Word<typename Hooks::Property>>& out,
                  stream<ResultWord>& results) {
  using Shape = ApplyShape<Hooks>;
  constexpr int kTurns = sum_turns<Hooks>();
  ApplyStep<Hooks> apply;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = apply.sums dim = 0 complete);
  apply.start(num_vertices);
  ApplyLoop<Shape::kLanes> loop(num_vertices);
  for (std::uint32_t at = 0; loop.more; at += Shape::kLanes) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = apply.sums inter RAW true distance = kTurns);  // turns
    apply.take(at, gathered, apply.gathered);
    apply.take(at, properties, apply.properties);
    apply.step(at, num_vertices, arg);
    if (Word<typename Shape::Property>::kSize == Shape::kLanes || apply.is_second(at) || loop.last) {
      write_to_stream(out, apply.applied);
    }
    loop.next(at);
  }
  for (int turn = 1; turn < kTurns; ++turn) {
    GASPIPE_PIPELINE(kTurns);
    apply.add_turn(turn);
  }
  for (int w = 0; w < num_results; ++w) {
    GASPIPE_PIPELINE(1);
    write_to_stream(results, apply.result(w));
  }
}

}  // namespace gaspipe
