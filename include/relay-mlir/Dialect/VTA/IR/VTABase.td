//===- VTABase.td - Base of the vta dialect ----------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its attributes and types, and what its operations share.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_VTA_IR_VTABASE_TD
#define RELAY_MLIR_DIALECT_VTA_IR_VTABASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "relay-mlir/Dialect/Target/IR/TargetInterfaces.td"
include "relay-mlir/Dialect/VTA/IR/VTAInterfaces.td"
include "relay-mlir/Runtime/VTA/InstructionSet.td"

def VTA_Dialect : Dialect {
  let name = "vta";
  let cppNamespace = "::mlir::vta";
  let summary = "Programs of the accelerator VTA";
  let description = [{
    VTA is an accelerator with three stages that run at the same time: `load`
    fills the scratchpads `inp` and `wgt`, `compute` multiplies matrices (GEMM)
    and adds, compares and shifts (ALU) in the scratchpad `acc`, and `store`
    writes results to memory. Each stage runs its instructions in order. Stages
    wait for each other by tokens only.

    An operation of the dialect is one instruction of the binary. Tokens are
    values: an instruction gives them (`signal`) to the stage before or after
    its own, and waits for those that it has as operands (`wait`). So a def-use
    chain shows what is ordered before what. Programs are graphs: a stage may
    wait for a token that an instruction further down gives.

    A micro-op has the indices of one step of GEMM or ALU. Micro-ops are loaded
    from memory as other data; the `vta.load` that does so may have them in its
    region, and they are then written to memory with the program.

    [VTA](../VTA.md) has the binary form, the simulators, and what published
    implementations do differently.
  }];
  let dependentDialects = ["::mlir::relay::TargetDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Numbers and names are those of the binary.
class VTA_Enum<string name, string summary, list<ISA_Case> cases>
    : I32EnumAttr<name, summary, !foreach(case, cases,
        I32EnumAttrCase<case.cppName, case.number, case.name>)> {
  let cppNamespace = "::mlir::vta";
}

def VTA_Memory : VTA_Enum<"Memory", "a scratchpad that LOAD fills",
  [ISA_Uop, ISA_Wgt, ISA_Inp, ISA_Acc, ISA_Acc8]>;

def VTA_AluOpcode : VTA_Enum<"AluOpcode", "what the ALU computes",
  [ISA_Min, ISA_Max, ISA_Add, ISA_Shr, ISA_Mul]>;

def VTA_Stage : I32EnumAttr<"Stage", "what runs instructions, in order", [
  I32EnumAttrCase<"Load", 0, "load">,
  I32EnumAttrCase<"Compute", 1, "compute">,
  I32EnumAttrCase<"Store", 2, "store">
]> { let cppNamespace = "::mlir::vta"; }

def VTA_ConfigAttr : AttrDef<VTA_Dialect, "Config", [
    DeclareAttrInterfaceMethods<TargetAttrInterface, [
      "getDescription", "getMemories"]>]> {
  let mnemonic = "config";
  let summary = "What a VTA is made of";
  let description = [{
    An element of `inp` and `acc` has `batch` rows of `block` lanes, one of `wgt`
    has `block` rows. `inp`, `wgt` and `acc` are the bits of a lane; results are
    as wide as inputs. The sizes of the four scratchpads are in bytes, the width
    of the bus to memory in bits. All are powers of 2; what is not given is as in
    the published default.

    Depths of scratchpads and widths of fields follow from these. Those for which
    an instruction would not fit in 128 bits, or a micro-op in 32, are refused.

    It is also what kernels on devices of kind `vta` are compiled for. Buffers of
    such a kernel are in the memories `inp`, `wgt` and `acc`.

    Example:

    ```mlir
    #vta.config<batch = 1, block = 16>
    #vta.config<batch = 4, block = 8, inp_buffer = 65536, wgt_buffer = 65536,
                acc_buffer = 262144>
    ```
  }];
  let parameters = (ins
    "uint64_t":$batch, "uint64_t":$block,
    "uint64_t":$inp, "uint64_t":$wgt, "uint64_t":$acc,
    "uint64_t":$uopBuffer, "uint64_t":$inpBuffer, "uint64_t":$wgtBuffer,
    "uint64_t":$accBuffer, "uint64_t":$bus
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// From and to what encodes and simulates.
    static ConfigAttr get(::mlir::MLIRContext *context,
                          const ::relay_vta::Config &config);
    ::relay_vta::Config getConfig() const;
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def VTA_TokenType : TypeDef<VTA_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "What one stage gives to the next or to the one before";
  let description = [{
    A token in the queue from one stage to another. There are queues between
    `load` and `compute`, and between `compute` and `store`, in both directions.
    A queue is first in, first out.

    Example:

    ```mlir
    !vta.token<load, compute>
    ```
  }];
  let parameters = (ins
    EnumParameter<VTA_Stage>:$from, EnumParameter<VTA_Stage>:$to);
  let assemblyFormat = "`<` $from `,` $to `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class VTA_Op<string mnemonic, list<Trait> traits = []>
    : Op<VTA_Dialect, mnemonic, traits>;

/// An unsigned field of `bits` bits.
class VTA_Field<int max>
    : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<max>]>;
def VTA_Field14 : VTA_Field<16383>;
def VTA_Field16 : VTA_Field<65535>;
/// Fields whose width depends on the configuration.
def VTA_Index : ConfinedAttr<I32Attr, [IntNonNegative]>;
def VTA_Address
    : ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<4294967295>]>;

/// Fields of bytes at both ends, such as padding.
def VTA_PadAttr : ConfinedAttr<DenseI32ArrayAttr, [DenseArrayCount<2>]>;

#endif // RELAY_MLIR_DIALECT_VTA_IR_VTABASE_TD
