// SPDX-License-Identifier: Apache-2.0
// The kernel after all compute units: hls/kernel/apply.h. Behind the words of `sums` lies that of the activity.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace apply {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "apply";

constexpr Port kPorts[] = {
    {"gathered", PortKind::kRead, "Value", Each::kUnit, Bank::kVertices, "unit"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"aux", PortKind::kRead, "Aux", Each::kAux, Bank::kVertices, "aux"},
    {"updated", PortKind::kWrite, "Property", Each::kUnit, Bank::kVertices, "unit"},
    {"sums", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kVertices, "vertices"},
    {"first", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"last", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"arg", PortKind::kScalar, "std::uint32_t", Each::kArgWord, Bank::kNone, "control"},
};

}  // namespace apply
}  // namespace kernel
}  // namespace gaspipe
