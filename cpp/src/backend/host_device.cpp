// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/host_device.h"

#include "gaspipe/error.h"

namespace gaspipe {

template <class F>
std::int32_t HostDevice::guarded(void* self, const F& f) {
  auto& device = *static_cast<HostDevice*>(self);
  if (device.failure_) return abi::kCancelled;
  try {
    f(device);
    return abi::kOk;
  } catch (const Cancelled&) {
    device.failure_ = std::current_exception();
    device.settle(false);
  } catch (...) {
    device.failure_ = std::current_exception();
    device.settle(true);
  }
  return abi::kCancelled;
}

abi::Device HostDevice::table() {
  abi::Device table{};
  table.self = this;
  table.write_properties = [](void* self, const void* data, std::uint64_t num_bytes) -> std::int32_t {
    return guarded(self, [&](HostDevice& device) { device.write_properties(data, num_bytes); });
  };
  table.write_aux = [](void* self, std::int32_t k, const void* data, std::uint64_t num_bytes) -> std::int32_t {
    return guarded(self, [&](HostDevice& device) { device.write_aux(static_cast<std::size_t>(k), data, num_bytes); });
  };
  table.superstep = [](void* self, const void* arg, void* sums, abi::Superstep* stats) -> std::int32_t {
    return guarded(self, [&](HostDevice& device) { device.superstep(arg, sums, stats); });
  };
  table.read_properties = [](void* self, void* data, std::uint64_t num_bytes) -> std::int32_t {
    return guarded(self, [&](HostDevice& device) { device.read_properties(data, num_bytes); });
  };
  table.expect_another = [](void* self) { static_cast<HostDevice*>(self)->expects_another_ = true; };
  return table;
}

}  // namespace gaspipe
