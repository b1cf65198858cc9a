// SPDX-License-Identifier: Apache-2.0
// The kernel after two kinds of pipelines: hls/kernel/apply_parts.h. It has four channels of HBM to itself.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace apply_parts {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "apply_parts";

constexpr Port kPorts[] = {
    {"gathered", PortKind::kRead, "Value", Each::kUnit, Bank::kVertices, "unit"},
    {"parts", PortKind::kRead, "std::uint32_t", Each::kOne, Bank::kOld, "parts"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kOld, "vertices"},
    {"aux", PortKind::kRead, "Aux", Each::kAux, Bank::kInputs, "aux"},
    {"updated", PortKind::kWrite, "Property", Each::kUnit, Bank::kVertices, "unit"},
    {"own", PortKind::kWrite, "Property", Each::kOne, Bank::kNew, "vertices"},
    {"sums", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kNew, "parts"},
    {"num_partitions", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"first", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"last", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"arg", PortKind::kScalar, "std::uint32_t", Each::kArgWord, Bank::kNone, "control"},
};

}  // namespace apply_parts
}  // namespace kernel
}  // namespace gaspipe
