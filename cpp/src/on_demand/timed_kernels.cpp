// SPDX-License-Identifier: Apache-2.0
// The kernels that predictions time, compiled when first asked for (GASPIPE_KERNELS=on-demand).
#include "cpp/src/predict/timed_kernels.h"

#include "gaspipe/on_demand.h"

namespace gaspipe {
namespace predict {
namespace {

MissingCode code(const std::string& header, const std::string& kernel, const std::string& arguments) {
  return {"timed-" + header, "#include \"gaspipe/timing/" + header + ".h\"\nextern \"C\" __attribute__((visibility(" +
                                 "\"default\"))) const gaspipe::timing::Kernel " + kMissingSymbol +
                                 " = gaspipe::timing::" + kernel + "<" + arguments + ">;\n"};
}

}  // namespace

TimedKernels find_kernels(const TimedShape& shape) {
  const auto flag = [](bool value) { return value ? ", true" : ", false"; };
  const std::string integer = shape.word_bytes == 64  ? "gaspipe::BitSet<512>"
                              : shape.word_bytes == 8 ? "std::uint64_t"
                                                      : "std::uint32_t";
  const std::string number = !shape.is_floating ? integer : shape.word_bytes == 8 ? "double" : "float";
  const std::string memory = shape.is_published ? "thundergp::BufferedMemory" : "StreamingMemory";
  const std::vector<void*> found =
      find_missing("a prediction", {code(shape.kernel == "wide" ? "plain" : shape.kernel, shape.kernel,
                                         number + flag(shape.is_weighted) + flag(shape.is_idempotent)),
                                    code("apply", "apply",
                                         integer + ", " + std::to_string(shape.num_aux) + ", gaspipe::" + memory +
                                             ", " + (shape.has_floating_sums ? "float" : "unsigned"))});
  return {*static_cast<const timing::Kernel*>(found[0]), *static_cast<const timing::Kernel*>(found[1])};
}

}  // namespace predict
}  // namespace gaspipe
