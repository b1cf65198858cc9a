// SPDX-License-Identifier: Apache-2.0
// How the domains of a run reach each other, and all that a run knows of where the others are: threads of this process
// (make_in_process), processes of an MPI job or workers of Dask (python/gaspipe/distributed). Every rank has a value of
// its own, and one thread at a time calls it. All ranks make the same calls in the same order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/error.h"

namespace gaspipe {

struct Box {
  const std::uint8_t* data;
  std::uint64_t num_bytes;
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Every rank gives every rank, itself too, `num_bytes`: those for rank i are at `send` + i * num_bytes, those from it
  // come to `receive` + i * num_bytes. The way of small words that all ranks wait for.
  virtual void all_to_all(const std::uint8_t* send, std::uint8_t* receive, std::uint64_t num_bytes) = 0;
  // boxes[i] goes to rank i, and num_expected[i] bytes come from rank i, as both know beforehand; those for this rank
  // itself are empty. Boxes stay as they are until end_boxes, and may travel meanwhile.
  virtual void begin_boxes(const std::vector<Box>& boxes, const std::vector<std::uint64_t>& num_expected) = 0;
  // Whether they may: whether anything is gained by computing meanwhile.
  virtual bool overlaps() const { return true; }
  // What came from each rank. Valid until the next call of all_to_all or begin_boxes.
  virtual const std::vector<const std::uint8_t*>& end_boxes() = 0;
  // This rank cannot go on, and makes no more calls: calls of the others end with RankError.
  virtual void fail(const std::string& why) noexcept = 0;
};

// One for each of `size` threads of this process. `interrupted` is asked by a rank that waits, about every 20 ms, and
// ends its wait with Cancelled.
std::vector<std::unique_ptr<Communicator>> make_in_process(int size,
                                                           const std::vector<std::function<bool()>>& interrupted);

}  // namespace gaspipe
