// SPDX-License-Identifier: Apache-2.0
// The program contract: what an algorithm header holds, and what it may leave out.
//
// `template <class Number> struct Hooks` has the six hooks, the types they work on and `kIdentity`. Everything below
// marked optional is found by name; `Traits<Hooks>` (hls/traits.h) is the one place that looks, and gives the default
// otherwise:
//
// clang-format off
//   using Property        a vertex's value                                   required
//   using EdgeProperty    an edge's weight                                   optional: Property
//   using Update          what scatter emits and gather accumulates          optional: Property
//   kIdentity             neutral in the merge; what a buffer starts with    optional: Update{} (all bits zero)
//   kReadsEdgeProperty    weights are streamed                               optional: false
//   isActive(update)      false: the update is dropped in the shuffle        optional: every update is active
//   isSource(property)    false: scattering it gives only inactive updates   optional: every vertex is a source
//   kIdempotent           a vertex whose property did not change need not send again, landing twice does no harm, and
//                         applyFunc(kIdentity, p) returns p and counts nothing: sparse frontiers may be pushed
//   kFinalOnceSet         the first hit is the answer: a pull may stop there, and a vertex that isSource need not be hit
//   priority(property)    order in which work pays, smallest first: buckets. Updates may then be sent in any order and
//                         be applied one by one, as soon as they land (of programs that declare kIdempotent)
//   kComponents           what is left in the end is, at every vertex, the gather of the initial properties of its
//                         component: it may be found without super-steps (of programs on undirected views that never
//                         ask for degrees)
//   using Extra, kExtras  what applyFunc counts (unsigned, one); summed over a super-step in 64 bits or double
//   using Arg             the value applyFunc receives in a super-step (unsigned); a plain struct of words
//   using Aux, kAux       read-only inputs per vertex: 0 = none, 1 = one, passed by value (the out-degree unless the
//                         program says otherwise), more = passed as an array          optional: Property, 1
//
//   Property preprocessProperty(Property)                        once per source vertex read
//   Update   scatterFunc(Property, EdgeProperty)                 once per edge
//   Update   updateMergeInRAWSolver(Update, Update)              two updates that follow each other to one vertex
//   Update   gatherFunc(Update accumulated, Update arriving)     on chip
//   Update   applyMerge(Update, Update)                          between compute units
//   Property applyFunc(Update tProp, Property source, Aux outDeg, Extra& extra, Arg arg)
//   Property applyFunc(Update tProp, Property source, const Aux (&aux)[kAux], Extra (&extra)[kExtras], Arg arg)
//                         (either form of aux and of extra, as kAux and kExtras say)
//
// `template <class Number> struct Program` is what a host needs around the hooks. It is a value, made from a
// `Context<Parameters>` that outlives it:
//
//   using Hooks, Value                      the hooks it drives; the dtype of the answer
//   static constexpr View kView             the edges it walks                          optional: forward
//   static constexpr bool kRectangular      it takes matrices that are not square       optional: false
//   static constexpr bool kNonNegative      edge weights below 0 and NaN are refused    optional: false
//   static constexpr bool kTransitionProbabilities  edges of weight 0 are left out, and the others arrive with the
//                                           probability of following them, weight / (sum of the source's edges), in
//                                           fixed point as fractions of 2^kFractionBits; weights that are negative or
//                                           not finite are refused, and without any all weigh 1. Of kView forward
//                                                                                    optional: false
//   static constexpr bool kAsksDegrees      false: it never asks the context for offsets or degrees; the view may then
//                                           be walked without being made              optional: true
//   static constexpr int kSaturations       index of the extra that counts overflows: the run stops and is repeated in
//                                           a coarser scale or a wider format           optional: none
//   static constexpr double kLargestSum     answers are sums of weights along paths, missing (below 0; of floats, inf)
//                                           where no path has a sum up to this, the largest of the number format: a run
//                                           at whose end an edge of finite weight leads from a vertex with an answer to
//                                           one without is repeated in a wider format   optional: none
//   static int scale_bits(n, m)             first scale to try, in fixed point          optional
//   const char* problem() const             what is wrong with the parameters together  optional: nullptr, nothing
//   Property initial(VertexId) const
//   const Property* initial_values() const      where those of all vertices lie already; null: nowhere      optional
//   Aux      aux(int k, VertexId) const     optional: the out-degree
//   Arg      arg(int step, const Sum* sums) const    sums of the step before; step 0 sees zeros; optional: Arg{}
//   bool     uses_sum(int k) const          false: extra k plays no part in this run, and need not be summed; its sum
//                                           may be 0 then                              optional: every one does
//   Until    until(int step, const Sum* sums) const  asked after super-step `step` (0, 1, ...)
//   Value    finish(Property, VertexId) const           optional: the property
//
// A program that starts over several times, each pass with other sources, has instead of `finish`:
//
//   std::uint64_t num_passes() const
//   void start(std::uint64_t pass)              before the pass's `initial`
//   void collect(int step, const Sum* sums)     after every super-step of a pass (0, 1, ...): adds up over the steps
//   void publish(Value* values) const           after a pass; every value is kMissing before the first
//   static constexpr Value kMissing
// clang-format on
//
// `struct Parameters` lists them for Python in `each(visit)`: visit(name, member, allowed, text). A member is a
// VertexId, int, double or bool, or one of the views below.
#pragma once

#include <cstdint>

#include "hls/vertex.h"

namespace gaspipe {

enum class View { kForward, kReverse, kUndirected };

enum class Until { kGoOn, kDone, kNotConverged };
inline Until done_if(bool done) { return done ? Until::kDone : Until::kGoOn; }

// Interval a parameter may lie in; `open_*` excludes the end. `vertex()` means 0 <= value < num_vertices.
struct Allowed {
  double low, high;
  bool open_low, open_high;
  bool is_vertex;
  static constexpr Allowed between(double low, double high) { return {low, high, false, false, false}; }
  static constexpr Allowed below(double low, double high) { return {low, high, false, true, false}; }
  static constexpr Allowed at_least(double low) { return {low, 1.7976931348623157e308, false, false, false}; }
  static constexpr Allowed vertex() { return {0, 0, false, false, true}; }
  static constexpr Allowed any() { return between(-1.7976931348623157e308, 1.7976931348623157e308); }
};

// A parameter with one real number per vertex; data == nullptr when the caller gave none.
struct ArrayView {
  const double* data = nullptr;
  std::uint64_t size = 0;
};

// The vector a question is about, one number per source vertex; the caller must give it. The program's number format
// follows its dtype, and it arrives in that format.
struct VectorView {
  const void* data = nullptr;
  std::uint64_t size = 0;

  // Vertices past the end of a rectangular matrix's side have none.
  template <class Number>
  Number at(VertexId v) const {
    return v < size ? static_cast<const Number*>(data)[v] : Number(0);
  }
};

// Some vertices, in any order; data == nullptr when the caller gave none.
struct VertexListView {
  const VertexId* data = nullptr;
  std::uint64_t size = 0;
};

// Pairs of vertices, in any order; data == nullptr when the caller gave none.
struct VertexPairsView {
  const VertexId* data = nullptr;  // both vertices of the first pair, then those of the next
  std::uint64_t size = 0;          // pairs
};

// What the header says of itself; the source of Python's docstring and signature.
struct Description {
  const char* summary;    // one line, ends with a full stop
  const char* details;    // what it does with weights, dead ends, ...; may be empty
  const char* field;      // name of the answer in Result
  const char* field_doc;  // its meaning, unit and value where unreached
  const char* reference;  // paper, with its doi
};

template <class... Numbers>
struct NumberList {};

// What a program may ask about the run. Offsets are those of the edges it walks (kView).
template <class Parameters>
struct Context {
  VertexId num_vertices = 0;
  EdgeCount num_edges = 0;
  const void* offsets = nullptr;
  bool wide_offsets = false;
  int scale_bits = 0;
  Parameters parameters;

  EdgeCount offset(std::uint64_t i) const {
    return wide_offsets ? static_cast<const std::uint64_t*>(offsets)[i] : static_cast<const std::uint32_t*>(offsets)[i];
  }
  EdgeCount out_degree(VertexId v) const { return offset(std::uint64_t(v) + 1) - offset(v); }
  // In words of 32 bits where those hold all offsets: a loop over vertices becomes vector code then.
  template <class Number>
  Number out_degree_as(VertexId v) const {
    const std::uint64_t next = std::uint64_t(v) + 1;
    // Signed, for CPUs convert those to floating point in one instruction.
    if (wide_offsets) return static_cast<Number>(static_cast<std::int64_t>(out_degree(v)));
    const auto* narrow = static_cast<const std::uint32_t*>(offsets);
    return static_cast<Number>(narrow[next] - narrow[v]);
  }
};

}  // namespace gaspipe
