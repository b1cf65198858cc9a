# SPDX-License-Identifier: Apache-2.0
"""How many blocks yosys makes of a memory of the chip: one port that reads, one that writes, a register behind it."""

from __future__ import annotations

import json
from pathlib import Path

from .synthesis import yosys

_STYLES = {"URAM": "ultra", "BRAM": "block"}
_BLOCKS = {"URAM288": 1.0, "URAM288_BASE": 1.0, "RAMB36E2": 1.0, "RAMB18E2": 0.5}
_TEXT = """module memory(input clk, input we, input [{top}:0] wrow, input [{last}:0] d, input [{top}:0] row,
              output reg [{last}:0] q);
  (* ram_style = "{style}" *) reg [{last}:0] kept [0:{rows} - 1];
  always @(posedge clk) begin
    if (we) kept[wrow] <= d;
    q <= kept[row];
  end
endmodule
"""
_SCRIPT = "synth_xilinx -family xcup -uram -flatten -noiopad -noclkbuf -run begin:map_ffram -top memory"


def memory_blocks(rows: int, bits: int, kind: str, work: Path) -> float:
    """Return the blocks of a kind ("URAM", "BRAM" of 36 kbit) that a memory takes, by yosys.

    Raises
    ------
    CircuitError
        If there is no yosys.

    """
    source, netlist = work / "memory.v", work / "memory.json"
    text = _TEXT.format(top=max(1, (rows - 1).bit_length()) - 1, last=bits - 1, rows=rows, style=_STYLES[kind])
    source.write_text(text, encoding="utf-8")
    yosys(f"read_verilog {source}; {_SCRIPT}; write_json {netlist}")
    module = json.loads(netlist.read_text(encoding="utf-8"))["modules"]["memory"]
    return sum(_BLOCKS.get(cell["type"], 0.0) for cell in module["cells"].values())
