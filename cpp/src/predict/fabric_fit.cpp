// SPDX-License-Identifier: Apache-2.0
#include "fabric_fit.h"

#include <string>

#include "gaspipe/error.h"
#include "region_rooms.h"

namespace gaspipe {
namespace predict {

ConfigFabric fabric_of(const KernelConfig& config, const TimedNumbers& numbers, bool is_weighted, int num_units,
                       int num_aux) {
  const std::string timed = config.kernel;
  const std::string kernel = timed == "packed"                     ? "packed_gather_scatter"
                             : timed == "plain" || timed == "wide" ? "gather_scatter"
                                                                   : timed;
  const KernelConfigDescription& width = config.description;
  return {gaspipe::fabric_of(
              FabricQuestion{kernel, width.lanes, width.pes, numbers.word_bytes, is_weighted, numbers.is_floating}),
          fabric_of_apply(config.is_published ? "thundergp" : "apply", num_units, numbers.word_bytes,
                          numbers.is_floating, num_aux)};
}

void check_fabric(const KernelConfig& config, const Board& board, int num_units, int uram_per_unit,
                  const ConfigFabric& fabric) {
  if (board.num_slrs == 0) return;  // unknown
  RegionRooms rooms(board, 1);
  int placed = 0;
  while (placed < num_units && rooms.take({uram_per_unit, fabric.unit.bram, fabric.unit.luts})) ++placed;
  const bool has_apply = rooms.take({0, fabric.apply.bram, fabric.apply.luts});
  if (placed == num_units && has_apply) return;
  std::string regions;
  for (int i = 0; i < board.num_slrs; ++i) {
    const Slr& slr = board.slr[i];
    regions += message(i == 0 ? "" : ", ", slr.num_bram, " and ",
                       slr.num_luts == 0 ? std::string("an unknown number") : std::to_string(slr.num_luts));
  }
  const auto taken = [](const Fabric& kernel) {
    return message(
        kernel.bram, " blocks of BRAM",
        kernel.luts == 0 ? std::string(" (LUTs are not estimated)") : message(" and about ", kernel.luts, " LUTs"));
  };
  throw CapacityError(message(
      "a compute unit of configuration \"", config.description.name, "\" takes ", taken(fabric.unit), ", apply ",
      taken(fabric.apply), ", each in one region; ", num_units, num_units == 1 ? " unit is" : " units are",
      " asked for, and ", board.name, " has room for ", placed, placed == num_units ? " without apply" : "",
      "; its regions have blocks and LUTs: ", regions,
      "; use fewer units, another configuration or a board with more. LUTs are an estimate by yosys, which finds more "
      "than Vivado: a board whose LUTs are left out is not checked for them"));
}

}  // namespace predict
}  // namespace gaspipe
