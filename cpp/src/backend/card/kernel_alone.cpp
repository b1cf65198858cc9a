// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/card/kernel_alone.h"

#include <algorithm>
#include <utility>

#include "cpp/src/backend/kernel_table.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kLeastBytes = 64;  // of a buffer
constexpr std::uint64_t kPatience = 1000;  // times a launch's cycles that its end is waited for (launches.cpp)

const std::shared_ptr<LoadedCard>& card_with(const RunOptions& options, const char* kernel, const std::string& asked) {
  const CardDesign& design = options.card->design();
  if (design.config == kernel) return options.card;
  throw DeviceError(message(design.xclbin, " has kernels of config \"", design.config, "\"; ", asked,
                            " needs one of \"", kernel, "\""));
}

}  // namespace

KernelAlone::KernelAlone(const RunOptions& options, const char* kernel, const std::string& asked)
    : card_(card_with(options, kernel, asked)),
      kernel_(kernel),
      lease_(card_->lease(options.interrupted)),
      parts_(card_->parts()),
      workers_(1, options.interrupted),
      launches_(*card_, workers_),
      counts_before_(card_->counts()) {}

VertexId KernelAlone::checked_capacity(int pes, VertexId share) const {
  if (share > design().capacity) {
    throw CapacityError(message("each of ", pes, " PEs would own ", share, " vertices, and those of ", design().xclbin,
                                " have room for ", design().capacity, "; build for more (gaspipe build --config ",
                                kernel_, " --capacity), or use device=\"cpu\""));
  }
  return design().capacity;
}

// After a failure a run may still write where its buffers are, so the card is opened anew before it is used again.
template <class F>
void KernelAlone::guarded(const F& f) {
  try {
    f();
  } catch (const Cancelled&) {
    launches_.settle(*graph_, false);
    throw;
  } catch (...) {
    launches_.settle(*graph_, true);
    throw;
  }
}

void KernelAlone::place(const std::shared_ptr<const void>& key, const std::vector<std::vector<CardArray>>& of_pes,
                        EdgeCount num_edges) {
  parts_.open();
  if (key != nullptr) graph_ = parts_.find(key);
  if (graph_ == nullptr) {
    const KernelTable& table = find_kernel_table(kernel_);
    const KernelShape shape{false, num_pes(), 0};
    auto graph = std::make_unique<CardGraph>();
    graph->key = key;
    graph->num_units = of_pes.size();
    graph->sub_partitions.resize(of_pes.size());
    std::vector<BufferRequest> requests;
    for (std::size_t pe = 0; pe < of_pes.size(); ++pe) {
      CardGraph::SubPartition& own = graph->sub_partitions[pe];
      own.edges.resize(of_pes[pe].size());
      for (std::size_t i = 0; i < of_pes[pe].size(); ++i) {
        const CardArray& array = of_pes[pe][i];
        const int argument = argument_index(table, array.ports[0], shape) + static_cast<int>(pe);
        own.edges[i].first = array.ports[0];
        requests.push_back({&own.edges[i].second, &parts_.units[0]->banks(argument),
                            std::max(array.num_bytes, kLeastBytes),
                            design().pes > 0 ? message(array.name, " of PE ", pe) : array.name, !array.changes,
                            kNoPartition, kApplyUnit});
      }
    }
    parts_.allocate(requests, *graph, num_edges);
    Launch launch;
    launch.run = parts_.units[0]->make_run();
    launch.id = {kNoPartition, 0};
    for (std::size_t pe = 0; pe < of_pes.size(); ++pe) {
      CardGraph::SubPartition& own = graph->sub_partitions[pe];
      for (std::size_t i = 0; i < of_pes[pe].size(); ++i) {
        for (const char* port : of_pes[pe][i].ports) {
          launch.run->set(argument_index(table, port, shape) + static_cast<int>(pe), *own.edges[i].second);
        }
      }
    }
    graph->gathers[0].push_back(std::move(launch));
    parts_.graphs.push_front(std::move(graph));
    graph_ = parts_.graphs.front().get();
  }
  guarded([&] {
    for (std::size_t pe = 0; pe < of_pes.size(); ++pe) {
      CardGraph::SubPartition& own = graph_->sub_partitions[pe];
      if (own.uploaded) continue;
      for (std::size_t i = 0; i < of_pes[pe].size(); ++i) {
        const CardArray& array = of_pes[pe][i];
        if (array.changes) continue;
        workers_.check();
        write(*own.edges[i].second, array.data, array.num_bytes);
        bytes_uploaded_ += array.num_bytes;
      }
      own.uploaded = true;
    }
  });
}

void KernelAlone::send(int pe, std::uint64_t offset, std::uint64_t num_bytes, std::size_t array) {
  if (num_bytes == 0) return;
  guarded([&] { buffer(pe, array).to_card(offset, num_bytes); });
}

void KernelAlone::fetch(int pe, std::uint64_t offset, std::uint64_t num_bytes, std::size_t array) {
  if (num_bytes == 0) return;
  guarded([&] { buffer(pe, array).from_card(offset, num_bytes); });
}

void KernelAlone::set(const char* port, std::uint32_t value) {
  const int argument = argument_index(find_kernel_table(kernel_), port, {false, num_pes(), 0});
  guarded([&] { graph_->gathers[0][0].run->set(argument, value); });
}

double KernelAlone::launch(std::uint64_t cycles, std::uint64_t most) {
  guarded([&] {
    Launch& launch = graph_->gathers[0][0];
    launch.cycles = cycles + most / kPatience;
    launches_.begin();
    launches_.start(launch);
    launches_.wait(launch, true);
  });
  return launches_.seconds();
}

void KernelAlone::describe(Stats& stats) const {
  stats.device = "fpga";
  stats.board = design().board;
  stats.clock_mhz = design().clock_mhz;
  stats.card.library = parts_.driver.library();
  stats.card.calls = card_->counts() - counts_before_;
  stats.card.edge_bytes_uploaded = bytes_uploaded_;
}

}  // namespace gaspipe
