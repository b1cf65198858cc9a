// SPDX-License-Identifier: Apache-2.0
// For yosys' techmap: products, quotients and remainders of two variables become instances of operators.v.
(* techmap_celltype = "$mul" *)
module map_product (A, B, Y);
  parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
  parameter _TECHMAP_CONSTMSK_A_ = 0, _TECHMAP_CONSTMSK_B_ = 0;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire _TECHMAP_FAIL_ = &_TECHMAP_CONSTMSK_A_ || &_TECHMAP_CONSTMSK_B_;
  operator_product #(A_SIGNED, B_SIGNED, A_WIDTH, B_WIDTH, Y_WIDTH) _TECHMAP_REPLACE_ (A, B, Y);
endmodule

(* techmap_celltype = "$div" *)
module map_quotient (A, B, Y);
  parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  operator_quotient #(A_SIGNED, B_SIGNED, A_WIDTH, B_WIDTH, Y_WIDTH) _TECHMAP_REPLACE_ (A, B, Y);
endmodule

(* techmap_celltype = "$mod" *)
module map_remainder (A, B, Y);
  parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  operator_remainder #(A_SIGNED, B_SIGNED, A_WIDTH, B_WIDTH, Y_WIDTH) _TECHMAP_REPLACE_ (A, B, Y);
endmodule
