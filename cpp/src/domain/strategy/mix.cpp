// SPDX-License-Identifier: Apache-2.0
// A random cut with parts of nearly equal size: every bit of the hash depends on every bit of the id. Method: the
// finalizer of MurmurHash3 (A. Appleby, public domain), scaled to the number of domains by its high bits.
#include "cpp/src/domain/by_hash.h"

namespace gaspipe {
namespace domain_strategy {

Ownership mix(const Csr& rows, int size, Workers& workers) {
  return detail::by_hash(rows, size, workers, [factor = static_cast<std::uint64_t>(size)](std::uint32_t id) {
    id = (id ^ (id >> 16)) * 0x85ebca6bu;
    id = (id ^ (id >> 13)) * 0xc2b2ae35u;
    return (id ^ (id >> 16)) * factor >> 32;
  });
}

}  // namespace domain_strategy
}  // namespace gaspipe
