//===- InstructionSet.td - The binary of VTA ---------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opcodes, memories, and the fields of instructions and micro-ops, from the
// lowest bit on. utils/vta_instruction_set.py makes of it what Runtime/VTA
// encodes and decodes by, utils/docs/vta_page.py the tables of docs/VTA.md, and
// the dialect has its enumerations from here.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_VTA_INSTRUCTIONSET_TD
#define RELAY_MLIR_RUNTIME_VTA_INSTRUCTIONSET_TD

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A number in a field that stands for something.
class ISA_Case<int caseNumber, string enumerator, string mnemonic, string text> {
  int number = caseNumber;
  string cppName = enumerator;
  string name = mnemonic;
  string description = text;
}

class ISA_Memory<int number, string enumerator, string mnemonic, string text>
    : ISA_Case<number, enumerator, mnemonic, text>;

def ISA_Uop : ISA_Memory<0, "Uop", "uop", "micro-ops">;
def ISA_Wgt : ISA_Memory<1, "Wgt", "wgt", "weights, the right operand of GEMM">;
def ISA_Inp : ISA_Memory<2, "Inp", "inp", "data, the left operand of GEMM">;
def ISA_Acc : ISA_Memory<3, "Acc", "acc", "accumulators">;
def ISA_Out : ISA_Memory<4, "Out", "out",
  "results: the low bits of accumulators, as wide as data">;
def ISA_Acc8 : ISA_Memory<5, "Acc8", "acc8",
  "accumulators, from lanes of 8 bits in memory">;

class ISA_AluOpcode<int number, string enumerator, string mnemonic, string text>
    : ISA_Case<number, enumerator, mnemonic, text>;

def ISA_Min : ISA_AluOpcode<0, "Min", "min", "the smaller one">;
def ISA_Max : ISA_AluOpcode<1, "Max", "max", "the larger one">;
def ISA_Add : ISA_AluOpcode<2, "Add", "add", "the sum, wrapped to a lane">;
def ISA_Shr : ISA_AluOpcode<3, "Shr", "shr",
  "an arithmetic shift to the right, to the left by a negative number">;
def ISA_Mul : ISA_AluOpcode<4, "Mul", "mul", "the product, wrapped to a lane">;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// A field of `minBits` bits and the logarithm of the depth of a memory, the
/// deepest one if there are several.
class ISA_Field<string fieldName, string cppMember, int minBits,
                list<ISA_Memory> depthsOf, string text> {
  string name = fieldName;
  string member = cppMember;
  int fixedBits = minBits;
  list<ISA_Memory> memories = depthsOf;
  string description = text;
}

class ISA_Bits<string name, string member, int width, string text>
    : ISA_Field<name, member, width, [], text>;

/// An index of an element, or a distance between two.
class ISA_Index<string name, string member, list<ISA_Memory> memories,
                string text> : ISA_Field<name, member, 0, memories, text>;

/// Fields that several instructions have.
class ISA_Fields<list<ISA_Field> theirFields> {
  list<ISA_Field> fields = theirFields;
}

def ISA_Common : ISA_Fields<[
  ISA_Bits<"opcode", "opcode", 3, "which instruction it is">,
  ISA_Bits<"pop_prev_dep", "popPrev", 1,
    "waits for a token of the stage before">,
  ISA_Bits<"pop_next_dep", "popNext", 1,
    "waits for a token of the stage after">,
  ISA_Bits<"push_prev_dep", "pushPrev", 1,
    "gives a token to the stage before">,
  ISA_Bits<"push_next_dep", "pushNext", 1,
    "gives a token to the stage after">
]>;

def ISA_Transfer : ISA_Fields<[
  ISA_Bits<"memory_id", "memory", 3, "the scratchpad">,
  ISA_Bits<"sram_base", "sramBase", 16, "first element in the scratchpad">,
  ISA_Bits<"dram_base", "dramBase", 32,
    "first element in memory, counted from address 0 in elements of the "
    "scratchpad">,
  ISA_Bits<"y_size", "ySize", 16, "rows">,
  ISA_Bits<"x_size", "xSize", 16, "elements of a row">,
  ISA_Bits<"x_stride", "xStride", 16,
    "elements from one row to the next in memory">,
  ISA_Bits<"y_pad_0", "yPad0", 4, "rows of zeros before">,
  ISA_Bits<"y_pad_1", "yPad1", 4, "rows of zeros after">,
  ISA_Bits<"x_pad_0", "xPad0", 4, "zeros before each row">,
  ISA_Bits<"x_pad_1", "xPad1", 4, "zeros after each row">
]>;

/// What GEMM and ALU have: for each iteration of an outer and an inner loop,
/// micro-ops are run, to whose indices the factors times the number of the
/// iteration are added.
def ISA_Loops : ISA_Fields<[
  ISA_Bits<"reset", "reset", 1, "GEMM sets dst to zero; the ALU ignores it">,
  ISA_Index<"uop_bgn", "uopBegin", [ISA_Uop], "first micro-op">,
  ISA_Field<"uop_end", "uopEnd", 1, [ISA_Uop], "the one after the last">,
  ISA_Bits<"iter_out", "iterOut", 14, "iterations of the outer loop">,
  ISA_Bits<"iter_in", "iterIn", 14, "iterations of the inner loop">,
  ISA_Index<"dst_factor_out", "dstOut", [ISA_Acc],
    "what is added to dst in each iteration of the outer loop">,
  ISA_Index<"dst_factor_in", "dstIn", [ISA_Acc],
    "the same of the inner loop">
]>;

class ISA_Sources<ISA_Memory memory> : ISA_Fields<[
  ISA_Index<"src_factor_out", "srcOut", [memory],
    "what is added to src in each iteration of the outer loop">,
  ISA_Index<"src_factor_in", "srcIn", [memory], "the same of the inner loop">
]>;
def ISA_InpSources : ISA_Sources<ISA_Inp>;
def ISA_AccSources : ISA_Sources<ISA_Acc>;

def ISA_Weights : ISA_Fields<[
  ISA_Index<"wgt_factor_out", "wgtOut", [ISA_Wgt],
    "what is added to wgt in each iteration of the outer loop">,
  ISA_Index<"wgt_factor_in", "wgtIn", [ISA_Wgt], "the same of the inner loop">
]>;

def ISA_Operation : ISA_Fields<[
  ISA_Bits<"alu_opcode", "aluOpcode", 3, "what is computed">,
  ISA_Bits<"use_imm", "useImm", 1,
    "with `imm`, and not with the element at src">,
  ISA_Bits<"imm", "imm", 16, "a signed number">
]>;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// An instruction has 128 bits. A field that would cross bit 64 begins there.
class ISA_Instruction<int opcode, string enumerator, string mnemonic,
                      list<ISA_Fields> groups, string text>
    : ISA_Case<opcode, enumerator, mnemonic, text> {
  list<ISA_Fields> fields = !listconcat([ISA_Common], groups);
}

def ISA_Load : ISA_Instruction<0, "Load", "LOAD", [ISA_Transfer],
  "copies rows from memory to a scratchpad">;
def ISA_Store : ISA_Instruction<1, "Store", "STORE", [ISA_Transfer],
  "copies results to rows in memory">;
def ISA_Gemm : ISA_Instruction<2, "Gemm", "GEMM",
  [ISA_Loops, ISA_InpSources, ISA_Weights],
  "adds to accumulators the products of data with transposed weights">;
def ISA_Finish : ISA_Instruction<3, "Finish", "FINISH", [],
  "ends the program">;
def ISA_Alu : ISA_Instruction<4, "Alu", "ALU",
  [ISA_Loops, ISA_AccSources, ISA_Operation],
  "computes accumulators from themselves and others, or a number">;

/// A micro-op has 32 bits. An ALU reads src as an index of acc.
def ISA_MicroOp : ISA_Fields<[
  ISA_Index<"dst", "dst", [ISA_Acc], "the accumulator that is written">,
  ISA_Index<"src", "src", [ISA_Acc, ISA_Inp],
    "data of GEMM, the other accumulator of the ALU">,
  ISA_Index<"wgt", "wgt", [ISA_Wgt], "weights of GEMM">
]>;

#endif // RELAY_MLIR_RUNTIME_VTA_INSTRUCTIONSET_TD
