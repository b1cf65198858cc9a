// SPDX-License-Identifier: Apache-2.0
// How a run is done, in one record from Python and the command line to the engine, and the table of its options.
//
// To add an option: a field of RunOptions with its row in `each`, and the code that uses the field. The functions of
// Python, their docstrings, gp.Accelerator and the command line take its name, default and texts from the row. How its
// value is read follows from the field's type (cpp/bindings/bind_options.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/loaded_card.h"
#include "gaspipe/partition.h"
#include "gaspipe/prediction.h"
#include "gaspipe/schedule.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// A choice that only one algorithm has, or with this name those of gp.Algorithm.
constexpr const char* kCustom = "";
struct OwnChoice {
  const char *algorithm, *choice;
  const char *doc, *help;  // sentences that follow the option's
};

// What the table says of an option, besides its default.
struct OptionRow {
  const char* name;  // keyword in Python; also --name on the command line
  const char* doc;   // in docstrings
  const char* help;  // on the command line; null: it has no such option
  bool of_accelerator = true;
  std::vector<const char*> choices = {};  // all allowed values, where they are few
  std::vector<OwnChoice> own_choices = {};
  std::vector<const char*> algorithms = {};  // that alone have the option; empty: all have it
  // In docstrings of algorithms of the CPU that have an accelerator of GraphOps' blocks too; null: not an option there.
  const char* of_blocks = nullptr;
};

class Communicator;
class DomainSource;
class Domains;

struct RunOptions {
  using Progress = std::function<void(std::uint64_t step, const abi::Superstep&)>;

  // Name of an executor (gaspipe/executors.h), and behind a colon which one: "cpu", "emulator:u250". Kernels on a card
  // run on `card`, in its number format.
  std::string device = "cpu";
  // These two are for the way to a card, which ends in `card`: python/gaspipe/_device.py.
  std::optional<std::string> xclbin;
  bool fallback = true;
  // Of the emulator. "auto": exact where a board is named, else fast.
  std::string execution = "auto";
  std::string number = "auto";   // one of the program's formats; auto: by weights and vectors, else the program's first
  std::string method = "auto";   // "gas": the plain pipeline only; auto: sparse frontiers are pushed as well
  int num_threads = 0;           // 0: as OpenMP is set
  std::uint64_t near_bytes = 0;  // abi::Host::near_bytes; 0: by this machine's caches
  std::optional<PartitionConfig> partition;  // else chosen for the graph and the threads
  std::string scheduler = "in_order";        // of kernels on a device: a file of cpp/src/schedule
  std::string design = "gas";                // of the emulator and cards: whose kernels compute
  std::string config = "plain";              // likewise: which of gaspipe's, of hls/kernel/pipelines.h
  bool skip_idle = true;                     // of kernels: edges whose sources do not send are passed over
  Progress progress;                         // called after every super-step
  // Of gp.bfs with the method "local_store": gaspipe/local_store/run.h. Arrays of PEs have workers too.
  std::optional<std::uint64_t> workers, local_store_bytes;
  bool hide_latency = true, trace = false;
  // Of a folder: where a checkpoint is written, and from where a run goes on.
  std::optional<std::string> checkpoint, resume;
  std::optional<std::uint64_t> every;      // super-steps between checkpoints
  std::string overlap = "auto";            // of domains: whether values travel while others are computed
  std::shared_ptr<const Domains> domains;  // that threads of this process run; null: the graph is run as a whole

  // Given by code, not by name.
  std::shared_ptr<LoadedCard> card;
  std::optional<Scheduler> own_scheduler;          // instead of a named one
  std::optional<PredictionOptions> prediction;     // of the emulator: values block by block, the time of these kernels
  bool keep_properties = true;                     // for Running::properties() after the last step
  std::vector<std::string> devices;                // of each of the domains; empty: `device` of all
  std::vector<std::shared_ptr<LoadedCard>> cards;  // likewise; null where there is none
  // Of a run that is one rank's part of a run over several domains.
  std::shared_ptr<const DomainSource> source;
  Communicator* communicator = nullptr;
  std::function<bool()> interrupted;  // asked on the calling thread, about every 20 ms
  Workers::Report report;             // of algorithms of the CPU, which have phases and no super-steps

  // visit(field, row) for every option, in the order of signatures.
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit(self.number, OptionRow{"number", "Number format of the computation.", "Number format of the computation."});
    visit(self.device,
          OptionRow{"device",
                    "Where to run; `result.stats.device` says what really ran, `gaspipe.devices()` lists what there "
                    "is. An automatic number format is on a card that of the CPU if there are such kernels; else, for "
                    "doubles, fixed point or floats.",
                    "",
                    true,
                    {},
                    {},
                    {},
                    "Where to run: the CPU, or with design=\"graphops\" the emulator or a card; \"auto\" is the CPU."});
    visit(self.xclbin,
          OptionRow{"xclbin",
                    "Kernels for a card: an .xclbin file, or a folder with some. By default those of the environment "
                    "variable GASPIPE_XCLBIN and of the user's data folder, gaspipe/xclbin.",
                    "Kernels for a card: an .xclbin file or a folder with some, instead of the search path.",
                    true,
                    {},
                    {},
                    {},
                    "The accelerator for a card: an .xclbin file, or a folder with some; by default those of the "
                    "environment variable GASPIPE_XCLBIN and of the user's data folder, gaspipe/xclbin."});
    visit(self.execution,
          OptionRow{"execution",
                    "How the emulator runs the kernels: \"fast\" block by block; \"exact\" with every task and bounded "
                    "stream of the hardware, and clocks, which predict cycles; \"shallow\" likewise, with streams as "
                    "shallow as the design declares legal. \"auto\" is exact where a board is named, else fast. The "
                    "answer is the same bits. Any but \"auto\" is an InputError where device is \"cpu\".",
                    "Of the emulator: block by block (fast), or with the streams and clocks of the hardware (exact; "
                    "shallow: streams as shallow as is legal). auto is exact where a board is named.",
                    true,
                    {"auto", "fast", "exact", "shallow"},
                    {},
                    {},
                    "How the emulator runs the kernel: \"fast\" without streams; \"exact\" with every task and bounded "
                    "stream of the hardware, and clocks, which predict cycles; \"shallow\" likewise, with streams as "
                    "shallow as the design declares legal. \"auto\" is exact where a board is named, else fast. The "
                    "answer is the same."});
    visit(
        self.design,
        OptionRow{
            "design",
            "Whose kernels the emulator or a card runs: \"gas\", gaspipe's own; \"graphops\", an accelerator of "
            "GraphOps' blocks, which `bfs`, `pagerank`, `spmv` and `sssp` have: `result.stats.blocks` says what "
            "its ports moved. The answer is the same.",
            "Of the emulator and cards: gaspipe's own kernels (gas), or an accelerator of GraphOps' blocks "
            "(graphops).",
            false,
            {"gas", "graphops"},
            {},
            {},
            "\"graphops\" where the emulator or a card runs the accelerator of GraphOps' blocks, which there is here: "
            "`result.stats.blocks` says what its ports moved. The answer is the same. \"gas\" on the CPU."});
    visit(self.config,
          OptionRow{"config",
                    "Which of gaspipe's kernels the emulator runs: \"plain\", \"packed\", or on a board with HBM "
                    "\"hbm\", as `gaspipe build` makes them; those of a card are as they were built. The answer is the "
                    "same.",
                    "Of the emulator: which of gaspipe's kernels compute, as `gaspipe build` makes them.",
                    true,
                    {"plain", "packed", "hbm"}});
    visit(self.skip_idle,
          OptionRow{"skip_idle",
                    "Whether kernels of an emulator or a card pass over edges along which nothing new can be sent, as "
                    "far as they follow each other in memory; a card, and an emulator with clocks, where streaming "
                    "them takes longer than the host between super-steps. `result.stats.edges_skipped` says how many. "
                    "The answer is the same bits.",
                    "Whether kernels pass over edges along which nothing new can be sent."});
    visit(self.method,
          OptionRow{"method",
                    "\"gas\" runs the plain pipeline in every super-step; the answer is the same.",
                    "gas: the plain pipeline in every super-step; the answer is the same.",
                    false,
                    {"auto", "gas"},
                    {{"bfs", "local_store",
                      "\"local_store\" is Cell's search: `workers` with a small store of their own each, "
                      "which send one another vertices; `result.stats.local_store` has its profile. A graph "
                      "that stays in its file needs `gaspipe.convert(..., workers=8)`. With "
                      "device=\"emulator:u250\", and on a card, it is a kernel of 2, 4 or 8 PEs, and "
                      "`result.stats.pe_array` its profile.",
                      "local_store: workers with a small store of their own each."},
                     {"bfs", "direction_optimizing",
                      "\"direction_optimizing\" is for the emulator and cards: the same PEs, which also pull levels "
                      "where that takes less (on the CPU \"auto\" does so).",
                      "direction_optimizing: in the emulator or on a card, PEs that push or pull."},
                     {kCustom, "direction_optimizing",
                      "\"direction_optimizing\" is for the emulator and cards, and for algorithms whose first hit is "
                      "the answer (final_once_set): `workers` PEs push or pull, and `result.stats.pe_array` has their "
                      "profile.",
                      "direction_optimizing: in the emulator or on a card, PEs that push or pull, for final_once_set."},
                     {"sssp", "delta_stepping",
                      "\"delta_stepping\" is for the emulator and cards: `workers` PEs that share the vertices send "
                      "those of a bucket of distance at a time, for weights that are integers or float32 (on the CPU "
                      "\"auto\" has buckets as well); `result.stats.pe_array` has the profile.",
                      "delta_stepping: in the emulator or on a card, PEs that go by buckets of distance."}}});
    visit(self.num_threads,
          OptionRow{"num_threads", "Threads to use; by default as OpenMP is set, and one on a small graph.",
                    "Threads to use; by default as OpenMP is set (OMP_NUM_THREADS)."});
    visit(self.partition,
          OptionRow{"partitioning",
                    "From `Graph.partition()`: stream partitions of its configuration; what is pushed or pulled needs "
                    "none.",
                    nullptr});
    visit(self.scheduler,
          OptionRow{"scheduler",
                    "Order of the kernels of an emulator or a card; the answer is the same bits. An InputError where "
                    "device is \"cpu\", which has none; a CPU that stands in for a card needs none.",
                    "Order of the kernels of an emulator or a card; the answer is the same."});
    visit(self.progress,
          OptionRow{"progress",
                    "Called as `progress(step, active_vertices, edges)` after every super-step; True shows a bar (pip "
                    "install tqdm).",
                    nullptr, false});
    visit(self.fallback, OptionRow{"fallback",
                                   "Whether the CPU may stand in for a card that cannot be used (with a warning).",
                                   "Whether the CPU may stand in, with a warning, for a card that cannot be used.",
                                   false,
                                   {},
                                   {},
                                   {},
                                   "Whether the CPU may stand in for a card that cannot be used (with a warning)."});
    visit(
        self.workers,
        OptionRow{"workers",
                  "Of methods with workers: how many share the vertices; in the emulator 2, 4 or 8 PEs, by default as "
                  "many as have a bank of the board's memory each, on a card as many as were built, on the CPU by "
                  "default one per thread. The graph "
                  "keeps what they read as split for the last number of them; a file with lists for workers has them "
                  "for those it was written for, who are the default.",
                  "Of methods with workers: how many share the vertices.",
                  false,
                  {},
                  {},
                  {"bfs", "sssp", kCustom}});
    visit(self.local_store_bytes,
          OptionRow{"local_store_bytes",
                    "Of the method \"local_store\": what each worker may use for its buffers and the bitmap of its "
                    "vertices; by default 262144, or what the memory of a graph that stays in its file leaves. A "
                    "CapacityError says the least that works.",
                    "Of the method local_store: bytes that each worker may use, by default 262144; with --memory "
                    "what that leaves.",
                    false,
                    {},
                    {},
                    {"bfs"}});
    visit(self.hide_latency,
          OptionRow{"hide_latency",
                    "Of the method \"local_store\": whether workers load and store beside computing.",
                    "Of the method local_store: whether workers load and store beside computing.",
                    false,
                    {},
                    {},
                    {"bfs"}});
    visit(self.trace, OptionRow{"trace",
                                "Of the method \"local_store\": whether to keep when every worker did what, for "
                                "`result.plot(\"periods\")`.",
                                nullptr,
                                false,
                                {},
                                {},
                                {"bfs"}});
    visit(self.domains,
          OptionRow{"domains",
                    "Into how many domains the graph is cut, or `Graph.domains()`: each has vertices of its own and "
                    "the edges into them, runs on its share of the threads, or on a device of its own where `device` "
                    "is a list, and exchanges values with the others after every super-step. Integers are the same "
                    "bits as without domains. `result.stats.domains` says what each did.",
                    "Into how many domains the graph is cut, each with its share of the threads.", false});
    visit(self.overlap,
          OptionRow{"overlap",
                    "Whether domains whose program sends every value send a first half of them while they compute the "
                    "rest: \"on\", \"off\", or \"auto\", where boxes are large and travel between processes. The "
                    "answer is the same bits.",
                    "Whether ranks send a first half of their values while they compute the rest.",
                    false,
                    {"auto", "on", "off"}});
    visit(self.checkpoint,
          OptionRow{"checkpoint",
                    "A folder in which the state of the run is kept, that of the last `every` super-steps; it appears "
                    "whole, in place of the one before. Ranks must share the folder.",
                    "Folder that keeps the state of the run, to go on with --resume.", false});
    visit(self.every, OptionRow{"every", "Super-steps between checkpoints; by default 20.",
                                "Super-steps between checkpoints; by default 20.", false});
    visit(self.resume,
          OptionRow{"resume",
                    "A folder with a checkpoint of the same run: it goes on from there, to the same answer, on "
                    "whatever device, number of threads, domains and ranks; `max_iter` and `tol` may be others. "
                    "`result.stats.resumed_at` says at which super-step.",
                    "Folder with a checkpoint of the same run, to go on from there.", false});
  }
};

// InputError for a name that no scheduler has, and for any but the default on an executor that has no kernels to order.
void check_scheduler(const RunOptions& options);

}  // namespace gaspipe
