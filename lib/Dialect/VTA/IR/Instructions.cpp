//===- Instructions.cpp - Operations that are one instruction -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/VTA/IR/VTA.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::vta;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A loop of an instruction: its iterations, and the steps of its indices.
static ParseResult parseLoop(OpAsmParser &parser, IntegerAttr &iterations,
                             MutableArrayRef<IntegerAttr *> steps,
                             ArrayRef<StringRef> names) {
  Builder &builder = parser.getBuilder();
  int32_t value;
  if (parser.parseInteger(value))
    return failure();
  iterations = builder.getI32IntegerAttr(value);
  for (auto [name, step] : llvm::zip_equal(names, steps)) {
    value = 0;
    if (succeeded(parser.parseOptionalKeyword(name)) &&
        parser.parseInteger(value))
      return failure();
    *step = builder.getI32IntegerAttr(value);
  }
  return success();
}

static void setTrivial(OpAsmParser &parser, IntegerAttr &iterations,
                       MutableArrayRef<IntegerAttr *> steps) {
  iterations = parser.getBuilder().getI32IntegerAttr(1);
  for (IntegerAttr *step : steps)
    *step = parser.getBuilder().getI32IntegerAttr(0);
}

/// `for 14 dst 1 src 1, for 3 src 1 wgt 1`. One loop is the outer one; loops of
/// one iteration without steps need not be there.
static ParseResult parseLoops(OpAsmParser &parser, IntegerAttr &iterOut,
                              MutableArrayRef<IntegerAttr *> out,
                              IntegerAttr &iterIn,
                              MutableArrayRef<IntegerAttr *> in,
                              ArrayRef<StringRef> names) {
  setTrivial(parser, iterOut, out);
  setTrivial(parser, iterIn, in);
  if (failed(parser.parseOptionalKeyword("for")))
    return success();
  if (parseLoop(parser, iterOut, out, names))
    return failure();
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("for") ||
                 parseLoop(parser, iterIn, in, names));
}

static bool isTrivial(IntegerAttr iterations, ArrayRef<IntegerAttr> steps) {
  return iterations.getInt() == 1 && llvm::all_of(steps, [](IntegerAttr step) {
           return step.getInt() == 0;
         });
}

static void printLoop(OpAsmPrinter &printer, IntegerAttr iterations,
                      ArrayRef<IntegerAttr> steps, ArrayRef<StringRef> names) {
  printer << "for " << iterations.getInt();
  for (auto [name, step] : llvm::zip_equal(names, steps))
    if (step.getInt())
      printer << ' ' << name << ' ' << step.getInt();
}

static void printLoops(OpAsmPrinter &printer, IntegerAttr iterOut,
                       ArrayRef<IntegerAttr> out, IntegerAttr iterIn,
                       ArrayRef<IntegerAttr> in, ArrayRef<StringRef> names) {
  bool hasInner = !isTrivial(iterIn, in);
  if (!hasInner && isTrivial(iterOut, out))
    return;
  printer << ' ';
  printLoop(printer, iterOut, out, names);
  if (!hasInner)
    return;
  printer << ", ";
  printLoop(printer, iterIn, in, names);
}

static constexpr StringRef kIndices[] = {"dst", "src", "wgt"};

static ParseResult parseGemmLoops(OpAsmParser &parser, IntegerAttr &iterOut,
                                  IntegerAttr &dstOut, IntegerAttr &srcOut,
                                  IntegerAttr &wgtOut, IntegerAttr &iterIn,
                                  IntegerAttr &dstIn, IntegerAttr &srcIn,
                                  IntegerAttr &wgtIn) {
  IntegerAttr *out[] = {&dstOut, &srcOut, &wgtOut};
  IntegerAttr *in[] = {&dstIn, &srcIn, &wgtIn};
  return parseLoops(parser, iterOut, out, iterIn, in, kIndices);
}

static void printGemmLoops(OpAsmPrinter &printer, GemmOp, IntegerAttr iterOut,
                           IntegerAttr dstOut, IntegerAttr srcOut,
                           IntegerAttr wgtOut, IntegerAttr iterIn,
                           IntegerAttr dstIn, IntegerAttr srcIn,
                           IntegerAttr wgtIn) {
  printLoops(printer, iterOut, {dstOut, srcOut, wgtOut}, iterIn,
             {dstIn, srcIn, wgtIn}, kIndices);
}

static ParseResult parseAluLoops(OpAsmParser &parser, IntegerAttr &iterOut,
                                 IntegerAttr &dstOut, IntegerAttr &srcOut,
                                 IntegerAttr &iterIn, IntegerAttr &dstIn,
                                 IntegerAttr &srcIn) {
  IntegerAttr *out[] = {&dstOut, &srcOut};
  IntegerAttr *in[] = {&dstIn, &srcIn};
  return parseLoops(parser, iterOut, out, iterIn, in,
                    ArrayRef(kIndices).take_front(2));
}

static void printAluLoops(OpAsmPrinter &printer, AluOp, IntegerAttr iterOut,
                          IntegerAttr dstOut, IntegerAttr srcOut,
                          IntegerAttr iterIn, IntegerAttr dstIn,
                          IntegerAttr srcIn) {
  printLoops(printer, iterOut, {dstOut, srcOut}, iterIn, {dstIn, srcIn},
             ArrayRef(kIndices).take_front(2));
}

/// Braces with nothing between them are no micro-ops, which is not the same as
/// micro-ops that are not given.
static ParseResult parseUops(OpAsmParser &parser, Region &uops) {
  if (parser.parseRegion(uops))
    return failure();
  if (uops.empty())
    uops.emplaceBlock();
  return success();
}

static void printUops(OpAsmPrinter &printer, LoadOp, Region &uops) {
  printer.printRegion(uops);
}

#include "relay-mlir/Dialect/VTA/IR/VTAInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "relay-mlir/Dialect/VTA/IR/VTAOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static relay_vta::Instruction makeInstruction(relay_vta::Opcode opcode) {
  relay_vta::Instruction instruction;
  instruction.opcode = static_cast<uint8_t>(opcode);
  return instruction;
}

/// Fields that LOAD and STORE share.
template <typename OpT>
static void setRows(relay_vta::Instruction &instruction, OpT op) {
  instruction.sramBase = static_cast<uint16_t>(op.getSram());
  instruction.dramBase = static_cast<uint32_t>(op.getDram());
  instruction.ySize = static_cast<uint16_t>(op.getYSize());
  instruction.xSize = static_cast<uint16_t>(op.getXSize());
  instruction.xStride =
      static_cast<uint16_t>(op.getXStride().value_or(op.getXSize()));
}

relay_vta::Instruction LoadOp::getFields() {
  relay_vta::Instruction instruction = makeInstruction(relay_vta::Opcode::Load);
  instruction.memory = static_cast<uint8_t>(getMemory());
  setRows(instruction, *this);
  if (std::optional<ArrayRef<int32_t>> pad = getRowPad()) {
    instruction.yPad0 = static_cast<uint8_t>((*pad)[0]);
    instruction.yPad1 = static_cast<uint8_t>((*pad)[1]);
  }
  if (std::optional<ArrayRef<int32_t>> pad = getColumnPad()) {
    instruction.xPad0 = static_cast<uint8_t>((*pad)[0]);
    instruction.xPad1 = static_cast<uint8_t>((*pad)[1]);
  }
  return instruction;
}

relay_vta::Instruction StoreOp::getFields() {
  relay_vta::Instruction instruction =
      makeInstruction(relay_vta::Opcode::Store);
  instruction.memory = static_cast<uint8_t>(relay_vta::Memory::Out);
  setRows(instruction, *this);
  return instruction;
}

relay_vta::Instruction SyncOp::getFields() {
  relay_vta::Instruction instruction =
      makeInstruction(getStage() == Stage::Store ? relay_vta::Opcode::Store
                                                 : relay_vta::Opcode::Load);
  // The stage that a LOAD runs in depends on its memory.
  if (getStage() == Stage::Load)
    instruction.memory = static_cast<uint8_t>(relay_vta::Memory::Inp);
  return instruction;
}

/// Fields that GEMM and ALU share.
template <typename OpT>
static void setLoops(relay_vta::Instruction &instruction, OpT op) {
  instruction.uopBegin = op.getUopBegin();
  instruction.uopEnd = op.getUopEnd();
  instruction.iterOut = op.getIterOut();
  instruction.iterIn = op.getIterIn();
  instruction.dstOut = op.getDstOut();
  instruction.dstIn = op.getDstIn();
  instruction.srcOut = op.getSrcOut();
  instruction.srcIn = op.getSrcIn();
}

relay_vta::Instruction GemmOp::getFields() {
  relay_vta::Instruction instruction = makeInstruction(relay_vta::Opcode::Gemm);
  instruction.reset = getReset();
  setLoops(instruction, *this);
  instruction.wgtOut = getWgtOut();
  instruction.wgtIn = getWgtIn();
  return instruction;
}

relay_vta::Instruction AluOp::getFields() {
  relay_vta::Instruction instruction = makeInstruction(relay_vta::Opcode::Alu);
  instruction.reset = getIgnoredReset();
  setLoops(instruction, *this);
  instruction.aluOpcode = static_cast<uint8_t>(getOpcode());
  instruction.useImm = getImm().has_value();
  if (std::optional<uint32_t> imm =
          instruction.useImm ? getImm() : getIgnoredImm())
    instruction.imm = static_cast<int16_t>(*imm);
  return instruction;
}

relay_vta::Instruction FinishOp::getFields() {
  return makeInstruction(relay_vta::Opcode::Finish);
}

relay_vta::Uop vta::getUop(UopOp op) {
  return {op.getDst(), op.getSrc(), op.getWgt()};
}

/// A flag is named after the direction: `prev` is towards the stage `load`.
relay_vta::Instruction InstructionOpInterface::getInstruction() {
  relay_vta::Instruction instruction = getFields();
  for (Value wait : getWaits()) {
    auto type = cast<TokenType>(wait.getType());
    bool isPrev = type.getFrom() < type.getTo();
    (isPrev ? instruction.popPrev : instruction.popNext) = true;
  }
  for (Value signal : getSignals()) {
    auto type = cast<TokenType>(signal.getType());
    bool isPrev = type.getTo() < type.getFrom();
    (isPrev ? instruction.pushPrev : instruction.pushNext) = true;
  }
  return instruction;
}

//===----------------------------------------------------------------------===//
// Assembly and verifiers
//===----------------------------------------------------------------------===//

/// Tokens are named after the stage that they are for.
static void nameSignals(ResultRange signals, OpAsmSetValueNameFn setName) {
  for (Value signal : signals)
    setName(signal,
            ("to_" + stringifyStage(cast<TokenType>(signal.getType()).getTo()))
                .str());
}

void LoadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameSignals(getSignals(), setName);
}
void StoreOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameSignals(getSignals(), setName);
}
void SyncOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameSignals(getSignals(), setName);
}
void GemmOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameSignals(getSignals(), setName);
}
void AluOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameSignals(getSignals(), setName);
}
void FinishOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameSignals(getSignals(), setName);
}

LogicalResult LoadOp::verify() {
  for (auto [name, pad] : {std::pair("row_pad", getRowPad()),
                           std::pair("column_pad", getColumnPad())})
    if (pad)
      for (int32_t count : *pad)
        if (count < 0 || count > 15)
          return emitOpError("expects ")
                 << name << " from 0 to 15, but got " << count;
  if (getUops().empty())
    return success();
  if (getMemory() != Memory::Uop)
    return emitOpError("expects micro-ops in a load of uop, but got one of ")
           << stringifyMemory(getMemory());
  uint64_t expected = uint64_t(getYSize()) * getXSize();
  uint64_t count = 0;
  for (Operation &op : getUops().front()) {
    if (!isa<UopOp>(op)) {
      InFlightDiagnostic diagnostic =
          emitOpError("expects micro-ops in its region, but got ")
          << op.getName();
      diagnostic.attachNote(op.getLoc()) << "which is here";
      return diagnostic;
    }
    ++count;
  }
  if (count != expected)
    return emitOpError("expects ")
           << expected << " micro-ops (size " << getYSize() << " x "
           << getXSize() << "), but got " << count;
  return success();
}

LogicalResult AluOp::verify() {
  if (getImm() && getIgnoredImm())
    return emitOpError("expects no ignored_imm beside imm");
  return success();
}
