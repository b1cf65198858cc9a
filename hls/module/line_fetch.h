// SPDX-License-Identifier: Apache-2.0
// The lines of runs, as lineRead (source_property.h) sends them, for memory that serves short requests well: a loop
// over lines that starts one every cycle, whatever run it belongs to, and is longer than the memory's latency. lineRead
// waits for a run's last line before it asks for the next run.
#pragma once

#include "hls/module/source_property.h"

namespace gaspipe {

template <class Property>
void lineFetch(const Word<Property>* properties, std::uint32_t num_sub_partitions, stream<LineRun>& in,
               stream<Word<Property>>& out) {
  GASPIPE_PORT(AheadRead, port, properties);
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    LineRun run;
    std::uint8_t left = 0;  // of the run
    std::uint32_t line = 0;
    while (true) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
      if (left == 0) {
        read_from_stream(in, run);
        if (run.end) break;
        line = run.first;
        left = static_cast<std::uint8_t>(run.count);
      }
      GASPIPE_WORD(port, line, line + left);
      write_to_stream(out, properties[line]);
      ++line;
      --left;
    }
  }
}

}  // namespace gaspipe
