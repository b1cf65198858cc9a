// SPDX-License-Identifier: Apache-2.0
// What programs run on. Every folder of cpp/src/backend has one record, and the build lists the folders: to add an
// executor, add cpp/src/backend/<folder>/executor.cpp. Nothing else compares the names of devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "hls/types.h"

namespace gaspipe {

class Executor;    // cpp/src/backend/executor.h
struct Placement;  // likewise
class Workers;
struct RunOptions;

// A device that is there, as a call names it.
struct FoundDevice {
  std::string device, description;
};

// When a run may walk another form of its graph, in which vertices have other ids (gaspipe/prepared.h).
enum class Relabels {
  kNever,
  kOftenAsked,  // where one was made already, or the graph is asked often
  kFromTheFirst,
};

struct ExecutorKind {
  const char* name;  // device="name"
  // What may follow the name and a colon, and an example of it: "a board", "u250". Null: nothing may.
  const char *which, *example;
  // Classes of gaspipe/engine/on_*.h that a program is compiled with to run here.
  const char* places;
  bool has_kernels;  // to be scheduled, and to be asked for their times
  bool predicts;     // takes RunOptions::prediction
  bool needs_card;   // RunOptions::card
  // InputError for what cannot follow the colon. Null where `which` is.
  void (*check)(const std::string& which);
  // Devices that are there. Cards are found by the module that has their driver (gaspipe._fpga), and are none of these.
  std::vector<FoundDevice> (*found)();
  // Whether a program's library was compiled with what is needed here.
  bool (*takes)(const abi::Instance& instance);
  // The only number format that the options leave. Null: every format that `takes` accepts.
  const abi::Instance& (*only_instance)(const abi::Program& program, const RunOptions& options);
  std::unique_ptr<Executor> (*make)(const Placement& placement, Workers& workers);
  // Null: kNever.
  Relabels (*relabels)(const abi::Instance& instance, const RunOptions& options, VertexId num_vertices) = nullptr;
};

// In the order of their names.
const std::vector<const ExecutorKind*>& executors();
// Of a device: "emulator" or "emulator:u250". InputError lists the known ones.
const ExecutorKind& find_executor(const std::string& device);
// What follows the colon; empty where there is none.
std::string which_of(const std::string& device);

}  // namespace gaspipe
