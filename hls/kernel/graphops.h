// SPDX-License-Identifier: Apache-2.0
// What the accelerators of GraphOps' blocks share (hls/kernel/graphops_<name>.h): the hooks of a program as functors of
// blocks, and depths of streams.
#pragma once

#include "hls/block/all_node_prop_red.h"
#include "hls/block/elem_update.h"
#include "hls/block/end_collect.h"
#include "hls/block/for_all_prop_rdr.h"
#include "hls/block/glob_nbr_red.h"
#include "hls/block/mark_hits.h"
#include "hls/block/mem_unit.h"
#include "hls/block/nbr_prop_filter.h"
#include "hls/block/nbr_prop_rdr.h"
#include "hls/block/nbr_prop_red.h"
#include "hls/block/nbr_set_reader.h"
#include "hls/block/packing.h"
#include "hls/block/set_reader.h"
#include "hls/block/set_writer.h"
#include "hls/block/types.h"
#include "hls/block/vertex_reader.h"
#include "hls/module/latency.h"

namespace gaspipe {

// Of a stream beside a memory unit, or of its lines: a memory's latency. Of what else passes from a block to the next.
// Of lines that may be under way to be written.
constexpr int kAheadDepth = 128;
constexpr int kHopDepth = 16;
constexpr int kAckDepth = 64;

namespace graphops {

using Args = block::Args;

// The sum, minimum, ... of what a vertex's neighbors send, by the program's hooks.
template <class Hooks>
struct GatherNeighbors {
  using Property = typename Hooks::Property;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Value = typename Traits<Hooks>::Update;
  static constexpr int kCycles = merge_cycles<Hooks>();
  static Value identity() { return Traits<Hooks>::identity(); }
  static Value map(Property property, const Args&) {
    return Hooks::scatterFunc(Hooks::preprocessProperty(property), Weight(1));
  }
  static Value map(Property property, Weight weight, const Args&) {
    return Hooks::scatterFunc(Hooks::preprocessProperty(property), weight);
  }
  static Value combine(Value a, Value b) { return Hooks::gatherFunc(a, b); }
  static Value finish(Value value, const Args&) { return value; }
};

// Edges whose update makes their target's property another one. Without weights all owners have the same property, the
// first scalar: the level of a search.
template <class Hooks>
struct ImproveNeighbors {
  using Property = typename Hooks::Property;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Value = typename Traits<Hooks>::Update;
  static bool keep(Property target, const Args& args, Value& update) {
    update = Hooks::scatterFunc(Hooks::preprocessProperty(Property(args.word[0])), Weight(1));
    return Traits<Hooks>::is_active(update) && Hooks::gatherFunc(target, update) != target;
  }
  static bool keep(Property owner, Property target, Weight weight, const Args&, Value& update) {
    update = Hooks::scatterFunc(Hooks::preprocessProperty(owner), weight);
    return Traits<Hooks>::is_active(update) && Hooks::gatherFunc(target, update) != target;
  }
};
// How their updates meet, and meet the property.
template <class Hooks>
struct GatherUpdates {
  using Property = typename Hooks::Property;
  static constexpr bool kReadsOld = true;
  static Property merge(Property first, Property second) { return Hooks::gatherFunc(first, second); }
  static Property update(Property old, Property value) { return Hooks::gatherFunc(old, value); }
};

}  // namespace graphops
}  // namespace gaspipe
