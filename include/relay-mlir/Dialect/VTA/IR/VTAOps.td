//===- VTAOps.td - Ops of the vta dialect ------------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_VTA_IR_VTAOPS_TD
#define RELAY_MLIR_DIALECT_VTA_IR_VTAOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "relay-mlir/Dialect/VTA/IR/VTABase.td"

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

def VTA_ProgramOp : VTA_Op<"program", [
    HasOnlyGraphRegion, IsolatedFromAbove, NoRegionArguments, NoTerminator,
    RegionKindInterface, SingleBlock, Symbol
  ]> {
  let summary = "A stream of instructions, and the memory that it works on";
  let description = [{
    The instructions in the order in which they are fetched. `dram` has the
    address of the first byte of memory and its size, both multiples of 4096; an
    image says what is there before the program runs, zeros if there is none. A
    stream that is a part of that memory has its address after `stream`.

    The verifier derives the width of each field from the configuration, and
    checks against it

    * that each field fits,
    * that LOAD and STORE stay inside of their scratchpad and of memory,
    * that neither a STORE nor the stream is where micro-ops are,
    * that micro-ops which are known stay inside of the scratchpads in every
      iteration,
    * that tokens are of queues that the stage has, that each is waited for
      once and in the order of its queue, and that no stage waits for ever,
    * that there is one `vta.finish`, and nothing after it.

    Example:

    ```mlir
    vta.program @add on #vta.config<batch = 1, block = 16> dram 4096 size 8192 {
      vta.load uop[0] from 2000 size 1 x 1 micro_ops {
        vta.uop dst 0 src 1 wgt 0
      }
      vta.load acc[0] from 64 size 1 x 2
      %ready = vta.alu add uops 0 to 1 signal !vta.token<compute, store>
      %done = vta.store out[0] to 512 size 1 x 1
          wait(%ready : !vta.token<compute, store>)
          signal !vta.token<store, compute>
      vta.finish wait(%done : !vta.token<store, compute>)
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    VTA_ConfigAttr:$config,
    I64Attr:$dram_base,
    I64Attr:$dram_size,
    OptionalAttr<ElementsAttr>:$image,
    OptionalAttr<I64Attr>:$stream_address
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `on` qualified($config) `dram` $dram_base `size` $dram_size
    (`image` $image^)? (`stream` $stream_address^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Memory before the run: the image, with the micro-ops of the program.
    ::llvm::SmallVector<uint8_t> getMemory();
    ::relay_vta::AddressRange getDram() {
      return {static_cast<uint64_t>(getDramBase()),
              static_cast<uint64_t>(getDramSize())};
    }
  }];
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

class VTA_InstructionOp<string mnemonic, list<Trait> traits = []>
    : VTA_Op<mnemonic, [
        DeclareOpInterfaceMethods<InstructionOpInterface, ["getFields"]>,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
        HasParent<"ProgramOp">
      ] # traits> {
  let results = (outs Variadic<VTA_TokenType>:$signals);
}

def VTA_LoadOp : VTA_InstructionOp<"load", [NoTerminator]> {
  let summary = "Copies rows of elements from memory to a scratchpad";
  let description = [{
    `y_size` rows of `x_size` elements, `stride` elements apart in memory, go to
    consecutive elements of a scratchpad. Addresses in memory count elements of
    that scratchpad, from address 0. `row_pad` and `column_pad` put zeros before
    and after: rows, and elements of each row. Without `stride`, rows follow each
    other.

    `inp` and `wgt` are loaded by the stage `load`, others by `compute`. `acc8`
    is `acc` with lanes of 8 bits in memory.

    What a load of micro-ops has in its region is written to memory, to where it
    loads from.

    Example:

    ```mlir
    vta.program @load on #vta.config<batch = 1, block = 16>
        dram 4096 size 8192 {
      %data = vta.load inp[0] from 256 size 3 x 8 stride 16 row_pad [1, 1]
          column_pad [1, 0] signal !vta.token<load, compute>
      vta.load uop[0] from 2048 size 1 x 2 micro_ops {
        vta.uop dst 0 src 0 wgt 0
        vta.uop dst 1 src 9 wgt 0
      }
      vta.finish wait(%data : !vta.token<load, compute>)
    }
    ```
  }];
  let arguments = (ins
    VTA_Memory:$memory,
    VTA_Field16:$sram, VTA_Address:$dram,
    VTA_Field16:$y_size, VTA_Field16:$x_size,
    OptionalAttr<VTA_Field16>:$x_stride,
    OptionalAttr<VTA_PadAttr>:$row_pad,
    OptionalAttr<VTA_PadAttr>:$column_pad,
    Variadic<VTA_TokenType>:$waits
  );
  let regions = (region MaxSizedRegion<1>:$uops);
  let assemblyFormat = [{
    $memory `[` $sram `]` `from` $dram `size` $y_size `x` $x_size
    (`stride` $x_stride^)? (`row_pad` $row_pad^)? (`column_pad` $column_pad^)?
    (`micro_ops` custom<Uops>($uops)^)?
    (`wait` `(` $waits^ `:` type($waits) `)`)? (`signal` type($signals)^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def VTA_StoreOp : VTA_InstructionOp<"store"> {
  let summary = "Copies rows of results to memory";
  let description = [{
    Consecutive elements of `out` go to `y_size` rows of `x_size` elements in
    memory. `out` has the low bits of the lanes of `acc`, as wide as inputs.

    Example:

    ```mlir
    vta.program @store on #vta.config<batch = 1, block = 16>
        dram 4096 size 8192 {
      %ready = vta.sync compute signal !vta.token<compute, store>
      %done = vta.store out[0] to 512 size 2 x 4 stride 16
          wait(%ready : !vta.token<compute, store>)
          signal !vta.token<store, compute>
      vta.finish wait(%done : !vta.token<store, compute>)
    }
    ```
  }];
  let arguments = (ins
    VTA_Field16:$sram, VTA_Address:$dram,
    VTA_Field16:$y_size, VTA_Field16:$x_size,
    OptionalAttr<VTA_Field16>:$x_stride,
    Variadic<VTA_TokenType>:$waits
  );
  let assemblyFormat = [{
    `out` `[` $sram `]` `to` $dram `size` $y_size `x` $x_size
    (`stride` $x_stride^)?
    (`wait` `(` $waits^ `:` type($waits) `)`)? (`signal` type($signals)^)?
    attr-dict
  }];
}

def VTA_SyncOp : VTA_InstructionOp<"sync"> {
  let summary = "Only waits and signals";
  let description = [{
    In the binary a LOAD or STORE without elements. It gives the first tokens
    that a loop waits for, and takes the last ones.

    Example:

    ```mlir
    vta.program @sync on #vta.config<batch = 1, block = 16>
        dram 4096 size 4096 {
      %free = vta.sync compute signal !vta.token<compute, load>
      vta.sync load wait(%free : !vta.token<compute, load>)
      vta.finish
    }
    ```
  }];
  let arguments = (ins VTA_Stage:$stage, Variadic<VTA_TokenType>:$waits);
  let assemblyFormat = [{
    $stage
    (`wait` `(` $waits^ `:` type($waits) `)`)? (`signal` type($signals)^)?
    attr-dict
  }];
}

def VTA_GemmOp : VTA_InstructionOp<"gemm"> {
  let summary = "Adds products of matrices to accumulators";
  let description = [{
    For each iteration of two loops, the outer one first, and for each micro-op
    from the first to before the last,
    `acc[dst][b][j] += sum over k of inp[src][b][k] * wgt[wgt][j][k]`. An index
    is that of the micro-op plus the steps of the loops. With `reset`, the
    accumulators become zero instead.

    Example:

    ```mlir
    vta.program @gemm on #vta.config<batch = 1, block = 16>
        dram 4096 size 4096 {
      vta.gemm reset uops 0 to 1 for 14 dst 1
      vta.gemm uops 4 to 10 for 14 dst 1 src 1, for 3 src 1 wgt 1
      vta.finish
    }
    ```
  }];
  let arguments = (ins
    UnitAttr:$reset,
    VTA_Index:$uop_begin, VTA_Index:$uop_end,
    VTA_Field14:$iter_out, VTA_Index:$dst_out, VTA_Index:$src_out,
    VTA_Index:$wgt_out,
    VTA_Field14:$iter_in, VTA_Index:$dst_in, VTA_Index:$src_in,
    VTA_Index:$wgt_in,
    Variadic<VTA_TokenType>:$waits
  );
  let assemblyFormat = [{
    (`reset` $reset^)? `uops` $uop_begin `to` $uop_end ``
    custom<GemmLoops>($iter_out, $dst_out, $src_out, $wgt_out,
                      $iter_in, $dst_in, $src_in, $wgt_in)
    (`wait` `(` $waits^ `:` type($waits) `)`)? (`signal` type($signals)^)?
    attr-dict
  }];
}

def VTA_AluOp : VTA_InstructionOp<"alu"> {
  let summary = "Computes lane by lane on accumulators";
  let description = [{
    For each iteration and micro-op, as in `vta.gemm`, `acc[dst]` becomes
    `acc[dst] op b` in each lane, where `b` is an immediate, or else `acc[src]`.
    `shr` by a negative number is a shift to the left.

    Example:

    ```mlir
    vta.program @alu on #vta.config<batch = 1, block = 16>
        dram 4096 size 4096 {
      vta.alu shr imm 8 uops 0 to 1 for 56 dst 1 src 1
      vta.alu max uops 0 to 4
      vta.finish
    }
    ```
  }];
  let arguments = (ins
    VTA_AluOpcode:$opcode,
    OptionalAttr<ConfinedAttr<I32Attr, [
      IntMinValue<-32768>, IntMaxValue<32767>]>>:$imm,
    VTA_Index:$uop_begin, VTA_Index:$uop_end,
    VTA_Field14:$iter_out, VTA_Index:$dst_out, VTA_Index:$src_out,
    VTA_Field14:$iter_in, VTA_Index:$dst_in, VTA_Index:$src_in,
    // Bits that the hardware ignores.
    OptionalAttr<ConfinedAttr<I32Attr, [
      IntMinValue<-32768>, IntMaxValue<32767>]>>:$ignored_imm,
    UnitAttr:$ignored_reset,
    Variadic<VTA_TokenType>:$waits
  );
  let assemblyFormat = [{
    $opcode (`imm` $imm^)? `uops` $uop_begin `to` $uop_end ``
    custom<AluLoops>($iter_out, $dst_out, $src_out, $iter_in, $dst_in, $src_in)
    (`wait` `(` $waits^ `:` type($waits) `)`)? (`signal` type($signals)^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def VTA_FinishOp : VTA_InstructionOp<"finish"> {
  let summary = "Ends the program";
  let description = [{
    Runs in the stage `compute`. What is to be in memory then must be ordered
    before it.

    Example:

    ```mlir
    vta.program @finish on #vta.config<batch = 1, block = 16>
        dram 4096 size 4096 {
      %stored = vta.sync store signal !vta.token<store, compute>
      vta.finish wait(%stored : !vta.token<store, compute>)
    }
    ```
  }];
  let arguments = (ins Variadic<VTA_TokenType>:$waits);
  let assemblyFormat = [{
    (`wait` `(` $waits^ `:` type($waits) `)`)? (`signal` type($signals)^)?
    attr-dict
  }];
}

def VTA_UopOp : VTA_Op<"uop", [HasParent<"LoadOp">]> {
  let summary = "Indices of one step of GEMM or ALU";
  let description = [{
    `dst` is an index of `acc`, `wgt` one of `wgt`, and `src` one of `inp` for a
    GEMM and of `acc` for an ALU.

    Example:

    ```mlir
    vta.program @uop on #vta.config<batch = 1, block = 16>
        dram 4096 size 4096 {
      vta.load uop[0] from 1024 size 1 x 1 micro_ops {
        vta.uop dst 0 src 3 wgt 1
      }
      vta.finish
    }
    ```
  }];
  let arguments = (ins VTA_Index:$dst, VTA_Index:$src, VTA_Index:$wgt);
  let assemblyFormat = "`dst` $dst `src` $src `wgt` $wgt attr-dict";
}

#endif // RELAY_MLIR_DIALECT_VTA_IR_VTAOPS_TD
