// SPDX-License-Identifier: Apache-2.0
// Which vertices send anything, as their properties are.
#pragma once

#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// A bit for each of `num_vertices`, set where an edge without a weight would carry an active update; with weights,
// where the property is a source's (isSource). Empty where nothing is known: of programs that drop no updates, or with
// weights do not declare isSource, and of instances without kernels for the host.
std::vector<std::uint64_t> find_senders(const abi::Instance& instance, bool is_weighted, const void* properties,
                                        std::uint64_t num_vertices, Workers& workers);
// The same on this thread, of a program that has kernels for the host and drops updates.
std::vector<std::uint64_t> find_senders(const abi::Instance& instance, const void* properties,
                                        std::uint64_t num_vertices);

// Super-step by super-step: in programs that declare kIdempotent, of vertices that have not changed the bits are 0.
// What apply's words say (hls/module/activity.h), vertex by vertex.
class NewSenders {
 public:
  NewSenders(const abi::Instance& instance, bool is_weighted, std::uint64_t num_vertices, Workers& workers)
      : instance_(instance), is_weighted_(is_weighted), num_vertices_(num_vertices), workers_(workers) {}

  // Properties were written from outside.
  void restart() { before_.clear(); }
  // `properties` are those before the super-step.
  std::vector<std::uint64_t> next(const void* properties);

 private:
  const abi::Instance& instance_;
  bool is_weighted_;
  std::uint64_t num_vertices_;
  Workers& workers_;
  std::vector<std::uint8_t> before_;  // properties of the super-step before
};

}  // namespace gaspipe
