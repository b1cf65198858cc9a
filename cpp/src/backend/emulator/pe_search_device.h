// SPDX-License-Identifier: Apache-2.0
// An array of PEs as a device that a program's host side drives. A super-step is a level: the PEs push or pull from the
// vertices that send, and find each vertex from one of them. The host then does for the vertices found, as for those of
// any super-step: scatter along that one edge, gather, apply, by the program's own kernels without clocks. The program
// declares that the first hit is the answer (kFinalOnceSet), so no other edge is needed, and that nothing happens to
// vertices that are not hit (kIdempotent).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpp/src/backend/emulator/host_kernels.h"
#include "cpp/src/backend/host_device.h"
#include "cpp/src/pe_array/search.h"
#include "gaspipe/abi.h"
#include "gaspipe/pe_array.h"
#include "gaspipe/run_options.h"
#include "gaspipe/workers.h"

namespace gaspipe {

class PeSearchDevice : public HostDevice {
 public:
  // All outlive this. The instance has code for gather_scatter and apply.
  PeSearchDevice(const abi::Instance& instance, const pe_array::PullRows& rows, const RunOptions& options,
                 Workers& workers);

  // Null before properties were written.
  const pe_array::Search* search() const { return search_.get(); }

 private:
  void write_properties(const void* data, std::uint64_t num_bytes) override;
  void write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) override;
  void superstep(const void* arg, void* sums, abi::Superstep* stats) override;
  void read_properties(void* data, std::uint64_t num_bytes) override;
  // Where the vertices of the newest level are alike: hooks run once for all. False, and nothing is done, where that
  // ends here: they do not send, and so are not alike to those that are still open.
  bool apply_to_level(const void* arg, void* sums);
  void put_levels();
  void apply(const void* arg, void* sums);
  struct Values {
    Lines properties;
    std::vector<std::uint64_t> senders;  // a bit for each
  };
  // To some of the vertices found, from `sources`. Returns what was counted.
  Lines apply(const Lines& sources, const Lines& before, const VertexId* vertices, VertexId number, const void* arg,
              Values& values);

  const abi::Instance& instance_;
  const HostKernels host_;
  const pe_array::PullRows& rows_;
  const RunOptions& options_;
  Workers& workers_;
  Lines properties_;
  std::vector<Lines> aux_;
  std::unique_ptr<pe_array::Search> search_;
  // All vertices that send in a level have the same property, its first value here; all that are open have `open_`; and
  // `properties_` lack them.
  bool by_levels_ = false;
  std::vector<Lines> of_level_;
  Lines open_;
};

}  // namespace gaspipe
