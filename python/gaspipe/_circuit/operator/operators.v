// SPDX-License-Identifier: Apache-2.0
// Operators that are mapped once for all of their instances: an array of LUTs for a product or a quotient takes yosys
// seconds on its own, and half an hour where sixteen of them are optimized together.
(* keep_hierarchy *)
module operator_product (x, y, result);
  parameter X_SIGNED = 0, Y_SIGNED = 0, X_WIDTH = 1, Y_WIDTH = 1, WIDTH = 1;
  input [X_WIDTH-1:0] x;
  input [Y_WIDTH-1:0] y;
  output [WIDTH-1:0] result;
  generate
    if (X_SIGNED && Y_SIGNED) assign result = $signed(x) * $signed(y);
    else assign result = x * y;
  endgenerate
endmodule

(* keep_hierarchy *)
module operator_quotient (x, y, result);
  parameter X_SIGNED = 0, Y_SIGNED = 0, X_WIDTH = 1, Y_WIDTH = 1, WIDTH = 1;
  input [X_WIDTH-1:0] x;
  input [Y_WIDTH-1:0] y;
  output [WIDTH-1:0] result;
  generate
    if (X_SIGNED && Y_SIGNED) assign result = $signed(x) / $signed(y);
    else assign result = x / y;
  endgenerate
endmodule

(* keep_hierarchy *)
module operator_remainder (x, y, result);
  parameter X_SIGNED = 0, Y_SIGNED = 0, X_WIDTH = 1, Y_WIDTH = 1, WIDTH = 1;
  input [X_WIDTH-1:0] x;
  input [Y_WIDTH-1:0] y;
  output [WIDTH-1:0] result;
  generate
    if (X_SIGNED && Y_SIGNED) assign result = $signed(x) % $signed(y);
    else assign result = x % y;
  endgenerate
endmodule
