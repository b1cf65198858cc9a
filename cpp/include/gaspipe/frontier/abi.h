// SPDX-License-Identifier: Apache-2.0
// The binary contract between the core and a frontier program that was compiled from a user's source: as gaspipe/abi.h,
// plain structs behind one `extern "C"` function. The library has the engine, its values and its sets of vertices; the
// core lends a graph and threads.
// Change a struct here only together with kFrontierAbiVersion.
#pragma once

#include <cstdint>

#include "gaspipe/abi.h"

namespace gaspipe {
namespace abi {

constexpr std::uint32_t kFrontierAbiVersion = 2;

// The calls that a functor may serve.
enum FrontierCall : std::int32_t {
  kEdgeFilter = 0,
  kEdgeMap,
  kVertexFilter,
  kVertexMap,
  kEdgeVertexFilter,
  kVertexReduce,
  kDriver,  // a function of the engine: a whole program
  kNumFrontierCalls,
};

enum FrontierValues : std::int32_t { kVertexValues = 0, kEdgeValues, kAccumulators };

// What a host lends. in_edges: as frontier::LentGraph says.
struct FrontierGraph {
  Csr csr;
  void* self;
  const Csr* (*in_edges)(void* self, std::int32_t with_places, std::int32_t are_needed);
  const void* edge_values;  // of the edges' type; null: 1, or what the type starts as
  // As frontier::LentGraph has them.
  const std::uint32_t* ids;
  const std::uint64_t* outdegrees;
};

struct FrontierSettings {
  std::int32_t direction;  // FrontierOptions::Direction
  std::int32_t group, scan;
  std::int32_t log_level;                                            // LogLevel
  void (*log)(void* self, std::int32_t level, const char* message);  // null: none
  void* self;
  const void* default_accumulator;
};

// What a call returned.
struct FrontierOutcome {
  enum Kind : std::int32_t { kNothing = 0, kInteger, kReal };
  char* message;  // why it failed, cut to its size
  std::uint64_t message_size;
  std::int32_t kind;
  std::int64_t integer;
  double real;
};

// `reduce` and `gather` work on arrays of accumulators, for checks: out[i] = reduce(a[i], b[i]). `combine` makes one
// answer of those that kVertexReduce gave for two parts of a set; null for a functor that does not serve this call.
struct FrontierFunctor {
  const char* name;
  std::uint32_t calls;  // a bit for each FrontierCall that it serves; kNumFrontierCalls: gather only reads edges
  std::int32_t (*reduce)(const void* parameters, const void* a, const void* b, void* out, std::uint64_t size);
  std::int32_t (*gather)(const void* parameters, const void* vertices, const std::uint64_t* degrees, void* edges,
                         void* out, std::uint64_t size);
  std::int32_t (*combine)(const void* parameters, const FrontierOutcome* a, const FrontierOutcome* b,
                          FrontierOutcome* out);
};

// Functions that return a number return a Status: kOk; kCancelled; kOutOfMemory; kBadParameter for what the caller can
// mend, and kBadDesign for an exception of the user's, both with a message. Sets are of one engine.
struct FrontierTable {
  std::uint32_t abi_version;
  const char* name;
  std::uint64_t vertex_bytes, edge_bytes, accumulator_bytes, parameter_bytes;  // 0: none
  std::uint32_t num_functors;
  const FrontierFunctor* functors;

  std::int32_t (*open)(const FrontierGraph* graph, const FrontierSettings* settings, const Host* host,
                       FrontierOutcome* outcome, void** engine);
  void (*close)(void* engine);
  std::int32_t (*call)(void* engine, std::uint32_t functor, std::int32_t call, void* dst, void* src,
                       const void* parameters, FrontierOutcome* outcome);
  void* (*values)(void* engine, std::int32_t which, std::int32_t will_write);
  double (*seconds)(void* engine);

  std::int32_t (*make_set)(void* engine, const std::uint32_t* vertices, std::uint64_t size, std::int32_t is_universal,
                           FrontierOutcome* outcome, void** set);
  void (*free_set)(void* set);
  std::uint64_t (*set_size)(void* set);
  std::int32_t (*set_is_bitmap)(void* set);
  std::int32_t (*set_contains)(void* set, std::uint32_t vertex);
  std::int32_t (*list_set)(void* set, std::uint32_t* vertices);  // in ascending order
  std::int32_t (*convert_set)(void* set, std::int32_t to_bitmap);
  std::int32_t (*clear_set)(void* set);
};

}  // namespace abi
}  // namespace gaspipe
