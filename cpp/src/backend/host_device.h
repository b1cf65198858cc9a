// SPDX-License-Identifier: Apache-2.0
// What devices with kernels have in common: a program's host side drives them through abi::Device.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "gaspipe/abi.h"

namespace gaspipe {

class HostDevice {
 public:
  HostDevice() = default;
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;
  virtual ~HostDevice() = default;

  // Exceptions wait in `failure`; the call then returns kCancelled, as does every later one.
  abi::Device table();
  const std::exception_ptr& failure() const { return failure_; }

 protected:
  // Whether another super-step probably follows the one at hand; asked once in each.
  bool expects_another() { return std::exchange(expects_another_, false); }

 private:
  virtual void write_properties(const void* data, std::uint64_t num_bytes) = 0;
  virtual void write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) = 0;
  virtual void superstep(const void* arg, void* sums, abi::Superstep* stats) = 0;
  virtual void read_properties(void* data, std::uint64_t num_bytes) = 0;
  // Ends what is under way after an exception; `failed`: it was another than Cancelled.
  virtual void settle(bool /*failed*/) noexcept {}
  template <class F>
  static std::int32_t guarded(void* self, const F& f);

  std::exception_ptr failure_;
  bool expects_another_ = false;
};

}  // namespace gaspipe
