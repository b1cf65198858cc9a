// SPDX-License-Identifier: Apache-2.0
// The kernel of a compute unit for packed edges: hls/kernel/packed_gather_scatter.h.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace packed_gather_scatter {

constexpr Each kInstances = Each::kUnit;
constexpr const char* kShortName = "packed";

constexpr Port kPorts[] = {
    {"edges", PortKind::kRead, "std::uint32_t", Each::kOne, Bank::kSources, "edges"},
    {"weights", PortKind::kRead, "EdgeProperty", Each::kIfWeighted, Bank::kWeights, "weights"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"sub_partitions", PortKind::kRead, "std::uint32_t", Each::kOne, Bank::kDestinations, "sub_partitions"},
    {"gathered", PortKind::kWrite, "Value", Each::kOne, Bank::kVertices, "vertices"},
    {"num_sub_partitions", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"num_cleared", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
};

}  // namespace packed_gather_scatter
}  // namespace kernel
}  // namespace gaspipe
