// SPDX-License-Identifier: Apache-2.0
// The binary contract between the core and a program: plain structs behind one versioned `extern "C"` function per
// program. No STL type, exception or OpenMP runtime crosses it, so a program compiled later, by another compiler, runs
// in the same core. The core lends its threads and its cancel flag (`Host`); the program brings its engine.
// Change a struct here only together with kAbiVersion.
#pragma once

#include <cstdint>

#include "gaspipe/abi_domain.h"

namespace gaspipe {
namespace abi {

constexpr std::uint32_t kAbiVersion = 17;

enum Scalar : std::int32_t {  // element types that cross the table
  kNone = 0,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64,
};

enum Status : std::int32_t {
  kOk = 0,
  kNotConverged,  // ran to the program's own limit; the answer is there
  kSaturated,     // the number format was too narrow; there is no answer
  kCancelled,
  kOutOfMemory,
  kBadParameter,  // Outcome::message says which
  kBadDesign,     // a kernel deadlocked or broke a rule; Emulation::report says how
  kGoesOn,        // there are super-steps to come
};

// kStream: partitions only, as kGas, but the engine need not merge updates as the hardware does.
enum Method : std::int32_t { kAuto = 0, kGas = 1, kStream = 2 };

// Everything streamed; the out-edges of a frontier; in-edges, each vertex up to its first hit; components.
enum StepKind : std::int32_t { kGasStep = 0, kPushStep, kPullStep, kComponentStep };

// Where a program's time goes: first in super-steps, then around them. The core has phases of its own besides
// (gaspipe/phases.h, with all names).
enum Phase : std::int32_t {
  kScatterGather = 0,
  kApply,
  kFrontier,  // the rest of a super-step: the next frontier, sums, buffers
  kNumStepPhases,
  kStart = kNumStepPhases,  // initial properties
  kFinish,                  // answers from properties
  kNumPhases,
};

struct Superstep {
  std::int32_t kind;               // StepKind
  std::uint64_t active_vertices;   // vertices whose updates were sent
  std::uint64_t edges;             // edges streamed or looked at
  double seconds[kNumStepPhases];  // by Phase; engine/loop.h fills kFrontier
};

// What the core lends for the length of a run. All but `barrier` are for the thread that calls the session. A function
// returns nonzero once the run is cancelled.
//
// `parallel_for` cuts [0, n) into chunks of at most `grain` and gives them to `num_threads` workers (0 <= worker <
// num_threads). `parallel` calls the body once on every worker, all at the same time: 0 <= worker < num_workers, and
// num_workers is `num_threads`, or less where there are not so many. Inside it, `barrier` waits until every worker has
// called it, or returns nonzero; a body that gets that returns. Workers call it equally often.
struct Host {
  void* self;
  std::int32_t num_threads;
  std::int32_t (*parallel_for)(void* self, std::uint64_t n, std::uint64_t grain,
                               void (*body)(void* context, std::uint64_t first, std::uint64_t last,
                                            std::int32_t worker),
                               void* context);
  std::int32_t (*parallel)(void* self, void (*body)(void* context, std::int32_t worker, std::int32_t num_workers),
                           void* context);
  std::int32_t (*barrier)(void* self, std::int32_t worker);
  std::int32_t (*poll)(void* self, std::int32_t worker);
  std::int32_t (*superstep_done)(void* self, const Superstep* step);
  std::uint64_t near_bytes = 2 << 20;  // what random reads of a core find near, in its cache or one of few cores
};

struct Csr {
  std::uint32_t num_vertices;
  std::uint64_t num_edges;
  const void* offsets;  // num_vertices + 1, of 4 or 8 bytes
  std::int32_t offset_bytes;
  const std::uint32_t* targets;
  const void* weights;  // of the instance's edge type; null: every edge counts 1, or the program reads none
  // The first target of every row, 0xffffffff of an empty one; null where these are not at hand.
  const std::uint32_t* first_targets = nullptr;
};

// A part of a partition's edges, for one compute unit: edges [first_edge, last_edge), counted in the partition. Its
// first run is `first_run`, entered after `skip` edges.
struct SubPartition {
  std::uint64_t first_edge, last_edge;
  std::uint64_t first_run;
  std::uint32_t skip;
};

// The edges into destinations [first, last), as runs of edges that share a source. Every sub-partition is sorted by
// source; with one per range of sources, so is the whole.
struct Partition {
  std::uint32_t first, last;
  std::uint64_t num_edges;
  std::uint64_t num_runs;
  const std::uint32_t* run_sources;
  const std::uint32_t* run_lengths;
  const void* destinations;  // relative to `first`, of 2 or 4 bytes
  const void* weights;       // as in Csr
  const SubPartition* sub_partitions;
};

// Edges that are not in memory: partitions come piece by piece, each once in a super-step, to whichever worker asks.
// Functions return a negative number once the run has failed or is cancelled; all but `begin` are for any worker, and
// what a worker was given is valid until it asks again.
struct EdgeStream {
  void* self;
  // Before a super-step. `active`: a bit for every vertex, vertex v in bit v % 64 of word v / 64; pieces without an
  // active source may be left out. Null: all are wanted.
  std::int32_t (*begin)(void* self, const std::uint64_t* active);
  // The number of the next partition, or num_partitions at the end.
  std::int64_t (*next_partition)(void* self, std::int32_t worker);
  // Whether there is a piece more of the worker's partition: its edges, with one sub-partition of all of them.
  std::int32_t (*next_piece)(void* self, std::int32_t worker, Partition* piece);
};

struct Partitioning {
  std::int32_t destination_bytes;
  std::uint32_t capacity;
  std::uint32_t num_sub_partitions;  // in every partition: the compute units
  std::uint64_t num_partitions;
  const Partition* partitions;
  const EdgeStream* stream;  // null where partitions have their edges
};

enum ParameterKind : std::int32_t {
  kVertex = 0,
  kInteger,
  kReal,
  kFlag,      // 0 or 1
  kArray,     // float64 per vertex
  kVector,    // Instance::number_type per source vertex; must be given
  kVertices,  // vertex ids
  kPairs,     // vertex ids, two for each element
};

struct Parameter {
  const char* name;
  const char* doc;
  std::int32_t kind;
  double default_value;  // none from kArray on: they default to "not given"
  double low, high;
  std::int32_t open_low, open_high;
};

// An argument. Integers, vertices and flags travel in `integer`, reals in `real`, arrays in `data`.
struct Argument {
  std::int64_t integer;
  double real;
  const void* data;
  std::uint64_t size;
};

// Forms of the graph that not every run needs. The core makes one when it is first asked for, and keeps it for the
// next run. All return null or nonzero when the run is cancelled.
struct Forms {
  void* self;
  const Partitioning* (*partitioning)(void* self);
  // The edges into every vertex, like rows of a Csr. Unless they are needed, also null where they would cost more than
  // they save.
  const Csr* (*in_edges)(void* self, std::int32_t are_needed);
  // Fills `smallest` with the smallest vertex of every vertex's component, edges counting in both directions.
  std::int32_t (*components)(void* self, std::uint32_t* smallest);
};

// What an instance walks when its method is kAuto; a kGas run walks partitions. Only for kRows does Run::csr have
// offsets, targets and weights.
enum Walk : std::int32_t { kRows = 0, kInEdges, kComponents };

// A run between two super-steps: all that it takes to go on, on whatever device and in however many domains.
struct Snapshot {
  std::uint64_t pass;      // of Instance::has_passes
  std::int32_t step;       // the next, of the pass
  std::int32_t worst;      // Status of the passes so far
  const void* sums;        // of the super-step before, Instance::num_extras words of 8 bytes
  const void* properties;  // of own vertices
  // A bit for each own vertex: those that have changed, of Instance::idempotent. Null: unknown, any may have.
  const std::uint64_t* active;
};

// Of a graph whose vertices are numbered otherwise than the program calls them: vertex v of Run::csr is ids[v]. The
// offsets are of rows by the program's ids, with its degrees; they are null where Run::csr has none. Answers are placed
// by the program's ids; properties stay as the csr has them.
struct Relabeling {
  const std::uint32_t* ids;
  const void* offsets;
  std::int32_t offset_bytes;
};

struct Run {
  const Host* host;
  const Csr* csr;
  const Forms* forms;
  const Argument* arguments;  // one per parameter, in order
  std::int32_t method;
  std::int32_t scale_bits;
  std::int32_t keeps_properties;  // after the last super-step; else Session::read_properties is for those before it
  void* values;                   // a vertex's, for all, of Instance::value_type: no answer until there is one
  const Domain* domain;           // null: the run has the whole graph. Else `values` are of own vertices, but with
                                  // Instance::has_passes of the whole graph's
  const Snapshot* resume;         // null: the run starts from the beginning
  const Relabeling* relabeling;   // null: vertices are numbered as the program calls them; always so with a domain
  std::int32_t in_series;         // Session::step may take several super-steps where each takes next to no time
};

struct Outcome {
  std::uint64_t num_supersteps;
  double seconds[kNumPhases];  // by Phase, of those around super-steps; 0 for the others
  char message[256];
};

// A run in progress, and what it is driven with. What it was opened with outlives it.
struct Session {
  void* self;
  // The next super-step (Run::in_series: or several): kGoesOn, or how the run ended. Only after kGoesOn may it be called
  // again.
  std::int32_t (*step)(void* self, Outcome* outcome);
  // Every vertex's property as of the last super-step, Instance::property_bytes each, in whole 64-byte words.
  std::int32_t (*read_properties)(void* self, void* data);
  // As of the last super-step, valid until the next: after kGoesOn. In the middle of a pass (`step` is not 0) there is
  // nothing that a run of Instance::has_passes could go on from.
  std::int32_t (*snapshot)(void* self, Snapshot* snapshot);
  void (*close)(void* self);
};

// A device that holds the edges of a graph in partitions and runs a program's kernels over them: what the core
// lends instead of rows and partitions. Arrays by vertex are of whole 64-byte words. Functions return a Status.
struct Device {
  void* self;
  std::int32_t (*write_properties)(void* self, const void* data, std::uint64_t num_bytes);
  std::int32_t (*write_aux)(void* self, std::int32_t k, const void* data, std::uint64_t num_bytes);
  // All partitions once. `arg` is 32 bytes: the program's Arg, then zeros. `sums` is filled with Instance::num_extras
  // sums.
  std::int32_t (*superstep)(void* self, const void* arg, void* sums, Superstep* stats);
  std::int32_t (*read_properties)(void* self, void* data, std::uint64_t num_bytes);
  // Before a super-step: another will follow it, unless what it counts says otherwise. A device may begin that one by
  // itself.
  void (*expect_another)(void* self);
};

struct DeviceRun {
  const Host* host;
  const Csr* csr;  // its edges are the device's own affair
  const Argument* arguments;
  std::int32_t scale_bits;
  const Device* device;
  void* values;
  const Domain* domain;          // as in Run
  const Snapshot* resume;        // likewise
  const Relabeling* relabeling;  // likewise
};

// How kernels are run on a host: block by block, or every task of the hardware on a fiber, with bounded streams (as
// deep as declared, or as shallow as is declared legal) and clocks.
enum Execution : std::int32_t { kFast = 0, kExact, kExactShallow };

// What a kernel's parts did while it ran, in cycles.
struct StreamUse {
  const char* name;
  std::uint32_t depth, most, token_bytes;  // `most`: tokens that it held at once
  std::uint64_t num_tokens, reader_waited, writer_waited;
};
struct TaskUse {
  const char *name, *call;  // the text of its call tells tasks of one function apart
  std::uint64_t finish, waited_in, waited_out, waited_memory;
};
// A task's memory on the chip: 0 registers, 1 BRAM, 2 URAM.
struct MemoryUse {
  const char *name, *task;
  std::uint64_t num_words;
  std::uint32_t word_bytes;
  std::int32_t kind;
};
struct KernelUse {
  std::uint64_t num_streams, num_tasks, num_memories, num_channels;
  const StreamUse* streams;
  const TaskUse* tasks;
  const MemoryUse* memories;
  const double* channel_bytes;
  double channel_cycles;  // in which they delivered
};

// A kernel's surroundings on the host, and what came of it. Buffers lie in banks; bank i is a channel of its own, all
// of one kind. A compute unit has `banks_per_unit`: one for all, or four, for sources, destinations, weights and
// vertices.
struct Emulation {
  std::int32_t execution, banks_per_unit;
  double bytes_per_cycle;
  std::uint32_t latency, burst_gap, switch_penalty;  // cycles
  std::int32_t (*stopped)(void* self);
  void (*used)(void* self, const KernelUse* use);  // called after an execution with clocks; null: not called
  void* self;
  std::uint64_t cycles;  // out, predicted; 0 where the execution has no clock
  char* report;          // out, of a design that cannot go on
  std::uint64_t report_size;
};

// Memory that a port leads to, in 64-byte words.
struct Buffer {
  void* data;
  std::uint64_t num_bytes;
};

// What a kernel is started with, in the order of its table of ports (hls/kernel/<name>.ports.h): the buffers of its
// memory ports, and its scalars. How many there are of a port depends on the program's inputs, `num_units` and
// `is_weighted`.
struct KernelCall {
  const Buffer* buffers;
  const std::uint32_t* scalars;
  std::int32_t num_units, is_weighted;
};

// A kernel of the program, run on the host. `run` returns kOk, kCancelled or, with a report, kBadDesign.
struct Kernel {
  const char* name;  // a file of hls/kernel
  std::int32_t (*run)(const KernelCall* call, Emulation* emulation);
};

// Edges as a device holds them (PlainEdgeCodec), with what their updates are made from. `weights` may be null.
struct PlainEdges {
  const std::uint32_t *sources, *destinations;
  const void *weights, *properties;
  std::uint64_t num_edges;  // with padding
};

// A program's kernels. All pointers are null where the library was built without them.
struct Kernels {
  std::uint64_t num_kernels;
  const Kernel* kernels;
  // The edges' destinations, kNoVertex where the update is not sent; returns how many are. Null where all are.
  std::uint64_t (*sent)(const PlainEdges* edges, std::uint32_t* destinations);
  // Sets the bits of those of `num_vertices` properties that are a source's (isSource). Null where all are.
  void (*sources)(const void* properties, std::uint64_t num_vertices, std::uint64_t* bits);
};

// A program in one number format.
struct Instance {
  const char* number;        // "uint32", "float64", "fixed", ...
  std::int32_t number_type;  // of kVector arguments; kNone in fixed point
  std::int32_t value_type;
  std::int32_t property_type;
  std::int32_t edge_type;  // kNone: streams no weights
  std::int32_t is_fixed_point;
  std::int32_t non_negative_weights;
  double largest_sum;                     // of weights along a path; 0: answers are no such sums
  std::int32_t transition_probabilities;  // what `edge_type` holds instead of weights
  std::int32_t idempotent, final_once_set, has_priority, filters;
  std::int32_t walk;  // Walk
  std::int32_t num_extras, num_aux;
  std::int32_t has_passes;  // answers are made from sums
  std::int32_t (*scale_bits)(std::uint32_t num_vertices, std::uint64_t num_edges);
  // Open returns kGoesOn, or why there is no run; what it has filled is to be closed in any case.
  std::int32_t (*open)(const Run* run, Outcome* outcome, Session* session);
  std::int32_t property_bytes, update_bytes, aux_bytes;
  std::int32_t sum_type;  // of the extras summed over a super-step: kUint64 or kFloat64
  std::int32_t (*open_on_device)(const DeviceRun* run, Outcome* outcome, Session* session);
  Kernels kernels;
};

struct Program {
  std::uint32_t abi_version;
  const char* name;
  const char *summary, *details, *field, *field_doc, *reference;
  std::int32_t view;  // gaspipe::View
  std::int32_t rectangular;
  std::uint32_t num_parameters;
  const Parameter* parameters;
  std::uint32_t num_instances;
  const Instance* instances;
};

}  // namespace abi
}  // namespace gaspipe
