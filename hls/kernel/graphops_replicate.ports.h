// SPDX-License-Identifier: Apache-2.0
// The kernel hls/kernel/graphops_replicate.h. kEnds: of each of its last words, the port whose beats it counts.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace graphops_replicate {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "gorep";

constexpr Port kPorts[] = {
    {"targets", PortKind::kRead, "VertexId", Each::kOne, Bank::kRows, "targets"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"replicas", PortKind::kWrite, "Property", Each::kOne, Bank::kReplicas, "replicas"},
    {"ends", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kVertices, "ends"},
    {"num_lines", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
};

constexpr const char* kEnds[] = {"targets", "properties", "replicas"};

}  // namespace graphops_replicate
}  // namespace kernel
}  // namespace gaspipe
