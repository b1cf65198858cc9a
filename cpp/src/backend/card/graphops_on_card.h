// SPDX-License-Identifier: Apache-2.0
// Runs of a kernel of GraphOps' blocks on a card. Rows, edges and weights stay there; what the host keeps up to date
// goes there before a run, and what the kernel wrote comes back after it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpp/src/backend/card/kernel_alone.h"
#include "cpp/src/backend/emulator/graphops_kernel.h"

namespace gaspipe {

class GraphopsOnCard : public GraphopsKernel {
 public:
  // Has the card of the options to itself until the end.
  GraphopsOnCard(const RunOptions& options, const std::string& name);

  void begin(const std::shared_ptr<const void>& key, EdgeCount most_written, std::uint64_t most_read) override;
  // Its bank has room for these, and not for as many as there are changes of lines.
  bool wants_groups_once() const override { return true; }
  void check_bank(std::uint64_t /*num_bytes*/, const char* /*remedy*/) const override {}  // the card's say
  void describe(Stats& stats, EdgeCount graph_edges) const override;

 private:
  // An array of the host's, with the ports that lead to it.
  struct Shared {
    std::size_t first_port;  // among those of memory
    std::string name;
    bool is_read = false, is_written = false, changes = false;
  };

  std::uint64_t launch(const std::vector<abi::Buffer>& buffers, const std::vector<std::uint32_t>& scalars,
                       bool is_weighted, EdgeCount num_edges) override;
  void place(const std::vector<abi::Buffer>& buffers, EdgeCount num_edges);
  void send(const std::vector<abi::Buffer>& buffers, std::uint32_t num_groups);
  void fetch(const std::vector<abi::Buffer>& buffers);

  KernelAlone card_;
  std::shared_ptr<const void> key_;
  EdgeCount most_written_ = 0;
  std::uint64_t most_read_ = 0;
  std::vector<const Port*> ports_;  // of memory
  std::vector<Shared> arrays_;      // in the order of those on the card; none before place()
};

}  // namespace gaspipe
