// SPDX-License-Identifier: Apache-2.0
// Olive's random edge cut: a hash of the id, modulo the number of domains. The hash is xorshift (G. Marsaglia, 2003)
// with the shifts 13, 17, 5 and no multiplication, so that small ids stay regular: parts may differ in size. Kept for
// results that agree with Olive's parts; `mix` spreads better.
#include "cpp/src/domain/by_hash.h"

namespace gaspipe {
namespace domain_strategy {

Ownership hash(const Csr& rows, int size, Workers& workers) {
  return detail::by_hash(rows, size, workers, [divisor = static_cast<std::uint32_t>(size)](std::uint32_t id) {
    id ^= id << 13;
    id ^= id >> 17;
    id ^= id << 5;
    return id % divisor;
  });
}

}  // namespace domain_strategy
}  // namespace gaspipe
