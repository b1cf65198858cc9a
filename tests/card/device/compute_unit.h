// SPDX-License-Identifier: Apache-2.0
// A compute unit: registers as HLS lays them out (control word first, ap_ctrl_hs), and a thread that runs the kernel.
// Before a run the pointers among the arguments are held against the buffers and banks of the card; during it, what the
// kernel reads must have been written.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kernel_abi.h"
#include "memory.h"
#include "metadata.h"

namespace gaspipe {
namespace card {

using KernelFunction = int (*)(const CardCall*);

class ComputeUnit {
 public:
  // All but the unit must outlive it.
  ComputeUnit(Unit unit, const Kernel& kernel, KernelFunction function, Memory& memory,
              std::map<std::string, CardStream> streams);
  ~ComputeUnit();

  const std::string& name() const { return unit_.name; }
  bool holds(std::uint64_t address) const { return address - unit_.base < kernel_.register_bytes; }
  std::uint64_t base() const { return unit_.base; }
  bool is_running();

  // Its registers, from `offset` on.
  void write(std::uint64_t offset, std::string_view bytes);
  std::string read(std::uint64_t offset, std::uint64_t num_bytes);

 private:
  void work();
  void run();

  const Unit unit_;
  const Kernel& kernel_;
  const KernelFunction function_;
  Memory& memory_;
  std::map<std::string, CardStream> streams_;  // by argument
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char> registers_;
  std::vector<char> latched_;  // as they were at the start; the worker's while it runs
  std::uint32_t control_;
  bool is_started_ = false, is_ending_ = false;
  std::thread worker_;
};

}  // namespace card
}  // namespace gaspipe
