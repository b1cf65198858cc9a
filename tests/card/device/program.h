// SPDX-License-Identifier: Apache-2.0
// An xclbin that is loaded: its library of kernels, and the compute units.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "compute_unit.h"
#include "link_queue.h"

namespace gaspipe {
namespace card {

class Program {
 public:
  // Throws std::runtime_error if the library and the metadata do not fit together.
  Program(const std::string& metadata_path, const std::string& library_path, Memory& memory);

  // The unit that has a register at this address; the process ends if none has.
  ComputeUnit& unit_at(std::uint64_t address);
  // One that runs, or null.
  ComputeUnit* running();

 private:
  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> library_;
  Metadata metadata_;
  std::deque<LinkQueue> links_;
  std::vector<std::unique_ptr<ComputeUnit>> units_;
};

}  // namespace card
}  // namespace gaspipe
