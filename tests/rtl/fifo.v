// SPDX-License-Identifier: Apache-2.0
// A stream as hls/emulator/fifo.h has it: a token can be read from the cycle after it was written, and its place is free
// from the cycle after it was read.
module fifo #(parameter BITS = 1, parameter DEPTH = 1) (
  input clk, input rst,
  input [BITS-1:0] din, output full_n, input write,
  output [BITS-1:0] dout, output empty_n, input read
);
  reg [BITS-1:0] kept [0:DEPTH-1];
  reg [31:0] first, next, count;
  assign full_n = count != DEPTH;
  assign empty_n = count != 0;
  assign dout = kept[first];
  always @(posedge clk) if (rst) begin
    first <= 0;
    next <= 0;
    count <= 0;
  end else begin
    if (write) begin
      kept[next] <= din;
      next <= next + 1 == DEPTH ? 0 : next + 1;
    end
    if (read) first <= first + 1 == DEPTH ? 0 : first + 1;
    count <= count + {31'd0, write} - {31'd0, read};
  end
endmodule
