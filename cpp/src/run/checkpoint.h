// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a run between two super-steps, on disk, from which another run goes on; on whatever device, and in any
// number of domains or ranks. A folder has one, `superstep-<number>`, with a file for every rank: the properties of its
// vertices. It gets its name once all files are complete; until then it is hidden, and no run would read it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/communicator.h"
#include "gaspipe/domain.h"
#include "gaspipe/graph.h"
#include "gaspipe/workers.h"

namespace gaspipe {

namespace checkpoint {
class File;
}

// What must be the same where a run goes on, as far as it is known before a number format is chosen.
struct CheckpointOf {
  std::string program;
  std::uint64_t num_vertices = 0, num_edges = 0;
  std::uint32_t offsets = 0;  // a checksum of the rows' lengths
  std::uint64_t edges = 0;    // one of the edges, in any order, and of weights that the program reads; 0: not known
};
// Of all arguments but those that only say when to stop. `checked` has one per parameter, vectors in the number format.
std::uint32_t checksum_of_arguments(const abi::Program& program, const std::vector<abi::Argument>& checked,
                                    abi::Scalar number_type);
// Edges that are in a file, or with other ranks, are not looked at.
CheckpointOf checkpoint_of(const abi::Program& program, const Graph& graph, Workers& workers);

// Besides the snapshot: what the core knows of a run.
struct RunState {
  std::string number;  // format
  int scale_bits = 0, attempts = 1;
  std::uint64_t num_supersteps = 0;  // so far
  std::uint64_t num_sums = 0, property_bytes = 0;
  const void* values = nullptr;  // of Instance::has_passes: the answers so far
  std::uint64_t value_bytes = 0;
};

// FileError where it cannot be made or written to.
void make_checkpoint_folder(const std::string& folder);

class CheckpointWriter {
 public:
  // `communicator` null: a run of one process and no domains. All ranks construct and write together. FileError where
  // the folder cannot be made or written to.
  CheckpointWriter(std::string folder, CheckpointOf of, std::shared_ptr<const Domain> domain,
                   Communicator* communicator);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;

  void write(const RunState& state, std::uint32_t arguments, const abi::Snapshot& snapshot);

 private:
  void write_part(const RunState& state, std::uint32_t arguments, const abi::Snapshot& snapshot,
                  checkpoint::File& file) const;
  void publish(const std::string& name);
  void wait_for_all() const;
  bool is_first() const { return rank_ == 0; }

  const std::string folder_;
  const CheckpointOf of_;
  const std::shared_ptr<const Domain> domain_;  // null: all vertices are here
  Communicator* const communicator_;
  const int rank_, size_;
  std::string under_way_;  // the hidden folder; empty: none
};

// A checkpoint as read: of the vertices of one rank.
class Checkpoint {
 public:
  // The newest of a folder: its first file's head. InputError where there is none, or it is of something else.
  // All ranks do so together.
  Checkpoint(std::string folder, const CheckpointOf& of, Communicator* communicator);

  const RunState& state() const { return state_; }
  // InputError where arguments differ.
  void check_arguments(std::uint32_t checksum) const;
  // InputError where the run has taken as many super-steps as `max_iter` of the arguments allows.
  void check_max_iter(const abi::Program& program, const std::vector<abi::Argument>& checked) const;
  // InputError where those of the program are others: it is not the one that wrote this.
  void check_sizes(std::uint64_t num_sums, std::uint64_t property_bytes, std::uint64_t value_bytes) const;
  // What own vertices of the domain (null: all) had.
  void read(const Domain* domain);
  const abi::Snapshot& snapshot() const { return snapshot_; }
  const std::vector<std::uint8_t>& values() const { return values_; }

 private:
  std::string path_of(int part) const;

  const std::string folder_;
  const CheckpointOf of_;
  std::string name_;
  RunState state_;
  std::uint32_t arguments_ = 0;
  int num_parts_ = 0;
  abi::Snapshot snapshot_{};
  std::vector<std::uint64_t> sums_, active_;
  std::vector<std::uint8_t> properties_, values_;
};

}  // namespace gaspipe
