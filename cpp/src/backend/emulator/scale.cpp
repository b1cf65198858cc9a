// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/scale.h"

namespace gaspipe {

bool is_scale_too_fine(const abi::Instance& instance, const Attempt& attempt, HostDevice& device, Workers& workers) {
  const abi::Device table = device.table();
  abi::Host host = attempt.host;
  host.superstep_done = [](void*, const abi::Superstep*) -> std::int32_t { return 0; };
  abi::DeviceRun run = run_on(attempt, table);
  run.host = &host;
  OpenSession session;
  abi::Outcome outcome{};
  std::int32_t status = instance.open_on_device(&run, &outcome, session.table());
  while (status == abi::kGoesOn) {
    workers.check();
    status = session->step(session->self, &outcome);
  }
  if (device.failure()) std::rethrow_exception(device.failure());
  return status == abi::kSaturated;
}

}  // namespace gaspipe
