// SPDX-License-Identifier: Apache-2.0
// The kernels as plain loops over the modules' leaf functions, without streams, fibers or clocks: for large graphs.
// Every PE sees the same updates in the same order as in hls/kernel, through the same RAW window where that changes
// bits, so the bits are the same, of floating-point sums too.
#pragma once

#include <algorithm>

#include "gaspipe/engine/fast_windows.h"
#include "hls/module/apply.h"
#include "hls/module/gather.h"
#include "hls/module/merge.h"
#include "hls/module/property_process.h"
#include "hls/module/source_property.h"

namespace gaspipe {
namespace engine {

// As gather_scatter in hls/kernel/gather_scatter.h; `weights` is null where there are none.
template <class Hooks, class Width>
void fast_gather_scatter(const Word<VertexId>* sources, const Word<VertexId>* destinations,
                         const Word<typename Traits<Hooks>::EdgeProperty>* weights,
                         const Word<typename Hooks::Property>* properties,
                         Word<typename Traits<Hooks>::Update>* gathered, std::uint32_t num_words, VertexId first,
                         VertexId last) {
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Property = typename Hooks::Property;
  constexpr int kIds = Word<VertexId>::kSize;
  // Words of memory lie one after the other, so arrays of them are arrays of their lanes.
  Value* const buffer = gathered->lane;
  const Weight* const weight_of = Traits<Hooks>::kReadsEdgeProperty && weights != nullptr ? weights->lane : nullptr;
  const Property* const property_of = properties->lane;
  const std::uint64_t num_values =
      (std::uint64_t(last - first) + Word<Value>::kSize - 1) / Word<Value>::kSize * Word<Value>::kSize;
  std::fill_n(buffer, num_values, Traits<Hooks>::identity());
  const auto gather = [buffer](std::uint32_t at, const Value& value) {
    buffer[at] = Hooks::gatherFunc(buffer[at], value);
  };
  const auto each_update = [&](std::uint32_t word, std::uint32_t end, const auto& take) {
    Update<Value> update;
    for (; word < end; ++word) {
      for (int lane = 0; lane < kIds; ++lane) {
        const Property property = source_property<Hooks>(property_of[sources[word].lane[lane]]);
        const Weight weight = weight_of != nullptr ? weight_of[std::uint64_t(word) * kIds + lane] : Weight(1);
        if (form_update<Hooks>(property, destinations[word].lane[lane], weight, update)) {
          take(update.destination - first, update.value);
        }
      }
    }
  };
  const auto num_windowed = static_cast<std::uint32_t>(in_windows<Hooks>(std::uint64_t(num_words) * kIds) / kIds);
  if constexpr (merges_at_once<Hooks>()) {
    FastWindows<Value, Width::kPes> windows(num_values);
    each_update(0, num_windowed, [&](std::uint32_t at, const Value& value) {
      const auto merge = [&](Value& waiting) { waiting = Hooks::updateMergeInRAWSolver(waiting, value); };
      windows.take((first + at) % Width::kPes, at, value, merge, gather);
    });
    windows.finish(gather);
  }
  each_update(num_windowed, num_words, gather);
}

// As apply in hls/kernel/apply.h, but with one copy of the new properties.
template <class Hooks>
void fast_apply(const Word<typename Traits<Hooks>::Update>* const* gathered, int units,
                const Word<typename Hooks::Property>* properties,
                const Word<typename Traits<Hooks>::Aux>* const* inputs, Word<typename Hooks::Property>* updated,
                ResultWord* sums, VertexId first, VertexId last, typename Traits<Hooks>::Arg arg) {
  using Shape = ApplyShape<Hooks>;
  ApplyStep<Hooks> step;
  const std::uint32_t num_vertices = last - first;
  step.start(num_vertices);
  for (std::uint32_t at = 0; at < num_vertices; at += Shape::kLanes) {
    if (at % Word<typename Shape::Value>::kSize == 0) {
      const std::uint32_t word = at / Word<typename Shape::Value>::kSize;
      step.gathered = gathered[0][word];
      for (int unit = 1; unit < units; ++unit) merge_word<Hooks>(step.gathered, gathered[unit][word]);
    } else {
      lower_half<Shape::kLanes>(step.gathered.lane);
    }
    const std::uint32_t property_word = (first + at) / Word<typename Shape::Property>::kSize;
    if (at % Word<typename Shape::Property>::kSize == 0) {
      step.properties = properties[property_word];
    } else {
      lower_half<Shape::kLanes>(step.properties.lane);
    }
    for (int k = 0; k < Traits<Hooks>::kAux; ++k) {
      if (at % Word<typename Shape::Aux>::kSize == 0) {
        step.inputs[k] = inputs[k][(first + at) / Word<typename Shape::Aux>::kSize];
      } else {
        lower_half<Shape::kLanes>(step.inputs[k].lane);
      }
    }
    step.step(at, num_vertices, arg);
    const std::uint32_t next = at + Shape::kLanes;
    if (next % Word<typename Shape::Property>::kSize == 0 || next >= num_vertices) {
      updated[property_word] = step.applied;
    }
  }
  for (int turn = 1; turn < ApplyStep<Hooks>::kTurns; ++turn) step.add_turn(turn);
  for (int w = 0; w < Shape::kResultWords; ++w) sums[w] = step.result(w);
}

}  // namespace engine
}  // namespace gaspipe
