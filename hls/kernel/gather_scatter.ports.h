// SPDX-License-Identifier: Apache-2.0
// The kernel of a compute unit: hls/kernel/gather_scatter.h.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace gather_scatter {

constexpr Each kInstances = Each::kUnit;
constexpr const char* kShortName = "gs";

constexpr Port kPorts[] = {
    {"sources", PortKind::kRead, "VertexId", Each::kOne, Bank::kSources, "sources"},
    {"destinations", PortKind::kRead, "VertexId", Each::kOne, Bank::kDestinations, "destinations"},
    {"weights", PortKind::kRead, "EdgeProperty", Each::kIfWeighted, Bank::kWeights, "weights"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"gathered", PortKind::kWrite, "Value", Each::kOne, Bank::kVertices, "vertices"},
    {"num_words", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"first", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"last", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
};

}  // namespace gather_scatter
}  // namespace kernel
}  // namespace gaspipe
