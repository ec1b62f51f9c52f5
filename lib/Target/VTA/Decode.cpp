//===- Decode.cpp - Operations of a binary --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/VTA/VTABinary.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::vta;

namespace {

/// Bytes of memory.
struct Interval {
  uint64_t begin, end;
};

/// Writes instructions as operations.
class Decoder {
public:
  Decoder(const relay_vta::Program &program, StringRef name,
          MLIRContext *context)
      : program(program), config(program.config), name(name), builder(context) {
  }

  OwningOpRef<ModuleOp> decode();

private:
  Location getLocation(uint64_t index);
  LogicalResult check(uint64_t index);
  LogicalResult makeOp(uint64_t index);
  void makeLoad(const relay_vta::Instruction &instruction, Location loc,
                TypeRange signals);
  void makeUops(LoadOp load);
  void findWritten();
  bool isWritten(uint64_t begin, uint64_t end) const;
  LogicalResult connectTokens();
  DenseResourceElementsAttr makeImage();
  SmallVector<Type> getSignals(const relay_vta::Instruction &instruction);
  SmallVector<Type> getWaits(const relay_vta::Instruction &instruction);
  IntegerAttr getField(uint32_t value) {
    return builder.getI32IntegerAttr(static_cast<int32_t>(value));
  }

  const relay_vta::Program &program;
  const relay_vta::Config &config;
  StringRef name;
  OpBuilder builder;
  SmallVector<relay_vta::Instruction> instructions;
  SmallVector<InstructionOpInterface> ops;
  /// What stores may write, and the stream, in the order of memory; none meet.
  SmallVector<Interval> written;
};

} // namespace

/// The place of an instruction, which errors of verifiers have, too.
Location Decoder::getLocation(uint64_t index) {
  return NameLoc::get(builder.getStringAttr(
      llvm::formatv("offset {0}, instruction {1}",
                    relay_vta::getFileOffset(program, index), index)
          .str()));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// A LOAD or STORE that moves nothing, as `vta.sync` writes it.
static bool isSync(const relay_vta::Instruction &instruction) {
  uint8_t memory = instruction.getStage() == relay_vta::Stage::Load
                       ? static_cast<uint8_t>(relay_vta::Memory::Inp)
                       : 0;
  return instruction.isNoOp() && instruction.memory == memory &&
         !instruction.sramBase && !instruction.dramBase && !instruction.ySize &&
         !instruction.xStride && !instruction.yPad0 && !instruction.yPad1 &&
         !instruction.xPad0 && !instruction.xPad1;
}

LogicalResult Decoder::check(uint64_t index) {
  const relay_vta::Instruction &instruction = instructions[index];
  relay_vta::AddressRange dram = program.getDram();
  if (std::optional<relay_vta::Fault> fault =
          relay_vta::checkInstruction(config, instruction, &dram))
    return emitError(getLocation(index))
           << fault->field << ": " << fault->message;
  if (relay_vta::hasReservedBits(config, program.instructions[index]))
    return emitError(getLocation(index),
                     "reserved: expects zeros in bits that belong to no field");
  if (!instruction.isNoOp() || isSync(instruction))
    return success();
  bool isStore = instruction.is(relay_vta::Opcode::Store);
  if (isStore ? instruction.memory != 4
              : !symbolizeMemory(instruction.memory).has_value())
    return emitError(getLocation(index))
           << "memory_id: expects memory "
           << (isStore ? "4 of a STORE" : "0, 1, 2, 3 or 5 of a LOAD")
           << " without elements that has other fields, but got "
           << unsigned(instruction.memory);
  if (isStore && (instruction.yPad0 || instruction.yPad1 || instruction.xPad0 ||
                  instruction.xPad1))
    return emitError(getLocation(index),
                     "y_pad_0: expects a STORE without padding");
  return success();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

SmallVector<Type> Decoder::getWaits(const relay_vta::Instruction &instruction) {
  auto stage = static_cast<Stage>(instruction.getStage());
  SmallVector<Type> types;
  MLIRContext *context = builder.getContext();
  if (instruction.popPrev)
    types.push_back(TokenType::get(
        context, stage == Stage::Store ? Stage::Compute : Stage::Load, stage));
  if (instruction.popNext)
    types.push_back(TokenType::get(
        context, stage == Stage::Load ? Stage::Compute : Stage::Store, stage));
  return types;
}

SmallVector<Type>
Decoder::getSignals(const relay_vta::Instruction &instruction) {
  auto stage = static_cast<Stage>(instruction.getStage());
  SmallVector<Type> types;
  MLIRContext *context = builder.getContext();
  if (instruction.pushPrev)
    types.push_back(TokenType::get(
        context, stage, stage == Stage::Store ? Stage::Compute : Stage::Load));
  if (instruction.pushNext)
    types.push_back(TokenType::get(
        context, stage, stage == Stage::Load ? Stage::Compute : Stage::Store));
  return types;
}

void Decoder::findWritten() {
  uint64_t bytes = config.getElementBytes(relay_vta::Memory::Out);
  SmallVector<Interval> stores;
  if (program.instructionAddress)
    stores.push_back({program.instructionAddress,
                      program.instructionAddress +
                          instructions.size() * relay_vta::kInstructionBytes});
  for (const relay_vta::Instruction &store : instructions) {
    if (!store.is(relay_vta::Opcode::Store) || !store.getNumElements())
      continue;
    uint64_t elements = uint64_t(store.ySize - 1) * store.xStride + store.xSize;
    stores.push_back(
        {store.dramBase * bytes, (store.dramBase + elements) * bytes});
  }
  llvm::sort(stores, [](Interval a, Interval b) { return a.begin < b.begin; });
  for (Interval store : stores) {
    if (written.empty() || written.back().end < store.begin)
      written.push_back(store);
    else
      written.back().end = std::max(written.back().end, store.end);
  }
}

bool Decoder::isWritten(uint64_t begin, uint64_t end) const {
  const Interval *other = llvm::partition_point(
      written, [&](Interval interval) { return interval.end <= begin; });
  return other != written.end() && other->begin < end;
}

void Decoder::makeUops(LoadOp load) {
  relay_vta::Instruction fields = load.getFields();
  SmallVector<relay_vta::Uop> uops;
  for (uint64_t y = 0; y < fields.ySize; ++y) {
    uint64_t begin = (fields.dramBase + y * fields.xStride) * uint64_t(4);
    uint64_t end = begin + fields.xSize * uint64_t(4);
    if (isWritten(begin, end))
      return;
    for (; begin < end; begin += 4) {
      uint32_t word = llvm::support::endian::read32le(
          program.image.data() + (begin - program.dramBase));
      uops.push_back(relay_vta::decodeUop(config, word));
      uint32_t again = 0;
      (void)relay_vta::encodeUop(config, uops.back(), again);
      // Bits that belong to no field stay in the image.
      if (again != word)
        return;
    }
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&load.getUops());
  for (const relay_vta::Uop &uop : uops)
    UopOp::create(builder, load.getLoc(), uop.dst, uop.src, uop.wgt);
}

void Decoder::makeLoad(const relay_vta::Instruction &instruction, Location loc,
                       TypeRange signals) {
  auto getPad = [&](uint8_t before, uint8_t after) {
    return before || after ? builder.getDenseI32ArrayAttr({before, after})
                           : DenseI32ArrayAttr();
  };
  auto load = LoadOp::create(
      builder, loc, signals, static_cast<Memory>(instruction.memory),
      instruction.sramBase, instruction.dramBase, instruction.ySize,
      instruction.xSize,
      instruction.xStride == instruction.xSize ? IntegerAttr()
                                               : getField(instruction.xStride),
      getPad(instruction.yPad0, instruction.yPad1),
      getPad(instruction.xPad0, instruction.xPad1), ValueRange());
  if (load.getMemory() == Memory::Uop && instruction.xSize && instruction.ySize)
    makeUops(load);
}

LogicalResult Decoder::makeOp(uint64_t index) {
  if (failed(check(index)))
    return failure();
  const relay_vta::Instruction &instruction = instructions[index];
  Location loc = getLocation(index);
  SmallVector<Type> signals = getSignals(instruction);
  if (isSync(instruction)) {
    SyncOp::create(builder, loc, signals,
                   static_cast<Stage>(instruction.getStage()), ValueRange());
    return success();
  }
  switch (static_cast<relay_vta::Opcode>(instruction.opcode)) {
  case relay_vta::Opcode::Load:
    makeLoad(instruction, loc, signals);
    break;
  case relay_vta::Opcode::Store:
    StoreOp::create(builder, loc, signals, instruction.sramBase,
                    instruction.dramBase, instruction.ySize, instruction.xSize,
                    instruction.xStride == instruction.xSize
                        ? IntegerAttr()
                        : getField(instruction.xStride),
                    ValueRange());
    break;
  case relay_vta::Opcode::Gemm:
    GemmOp::create(builder, loc, signals, instruction.reset,
                   instruction.uopBegin, instruction.uopEnd,
                   instruction.iterOut, instruction.dstOut, instruction.srcOut,
                   instruction.wgtOut, instruction.iterIn, instruction.dstIn,
                   instruction.srcIn, instruction.wgtIn, ValueRange());
    break;
  case relay_vta::Opcode::Alu: {
    IntegerAttr imm = builder.getI32IntegerAttr(instruction.imm);
    bool hasIgnored = !instruction.useImm && instruction.imm;
    AluOp::create(
        builder, loc, signals, static_cast<AluOpcode>(instruction.aluOpcode),
        instruction.useImm ? imm : IntegerAttr(), instruction.uopBegin,
        instruction.uopEnd, instruction.iterOut, instruction.dstOut,
        instruction.srcOut, instruction.iterIn, instruction.dstIn,
        instruction.srcIn, hasIgnored ? imm : IntegerAttr(), instruction.reset,
        ValueRange());
    break;
  }
  case relay_vta::Opcode::Finish:
    FinishOp::create(builder, loc, signals, ValueRange());
    break;
  }
  return success();
}

/// The k-th wait of a queue is for its k-th token.
LogicalResult Decoder::connectTokens() {
  DenseMap<Type, SmallVector<Value>> queues;
  for (InstructionOpInterface op : ops)
    for (Value signal : op.getSignals())
      queues[signal.getType()].push_back(signal);
  DenseMap<Type, size_t> positions;
  for (auto [op, instruction] : llvm::zip_equal(ops, instructions)) {
    SmallVector<Value> waits;
    for (Type type : getWaits(instruction)) {
      size_t position = positions[type]++;
      if (position >= queues[type].size())
        return op.emitError("pop_")
               << (waits.empty() && instruction.popPrev ? "prev" : "next")
               << "_dep: expects a token " << type
               << " for each that is waited for, but got "
               << queues[type].size();
      waits.push_back(queues[type][position]);
    }
    op->setOperands(waits);
  }
  return success();
}

DenseResourceElementsAttr Decoder::makeImage() {
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(program.image.size())}, builder.getI8Type());
  return DenseResourceElementsAttr::get(
      type, "image",
      HeapAsmResourceBlob::allocateAndCopyInferAlign<uint8_t>(program.image));
}

OwningOpRef<ModuleOp> Decoder::decode() {
  Location loc = FileLineColLoc::get(builder.getContext(), name, 0, 0);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  for (const relay_vta::InstructionWords &words : program.instructions)
    instructions.push_back(relay_vta::decode(config, words));
  findWritten();
  if (llvm::none_of(instructions, [](const relay_vta::Instruction &other) {
        return other.is(relay_vta::Opcode::Finish);
      })) {
    emitError(loc) << "opcode: expects a FINISH, but got none in "
                   << instructions.size() << " instructions";
    return nullptr;
  }
  builder.setInsertionPointToEnd(module->getBody());
  bool hasImage =
      llvm::any_of(program.image, [](uint8_t byte) { return byte != 0; });
  auto op = ProgramOp::create(
      builder, loc, builder.getStringAttr("main"),
      ConfigAttr::get(builder.getContext(), config),
      builder.getI64IntegerAttr(static_cast<int64_t>(program.dramBase)),
      builder.getI64IntegerAttr(static_cast<int64_t>(program.image.size())),
      hasImage ? makeImage() : ElementsAttr(),
      program.instructionAddress
          ? builder.getI64IntegerAttr(
                static_cast<int64_t>(program.instructionAddress))
          : IntegerAttr());
  builder.createBlock(&op.getBody());
  for (uint64_t i = 0; i < instructions.size(); ++i)
    if (failed(makeOp(i)))
      return nullptr;
  llvm::append_range(ops, op.getBody().getOps<InstructionOpInterface>());
  if (failed(connectTokens()) || failed(mlir::verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> vta::decodeProgram(const relay_vta::Program &program,
                                         StringRef name, MLIRContext *context) {
  // Errors are at the file, and say where in it.
  Location file = FileLineColLoc::get(context, name, 0, 0);
  auto addPlace = [](Diagnostic &to, const Diagnostic &from) {
    if (auto place = dyn_cast<NameLoc>(from.getLocation()))
      to << place.getName().getValue() << ": ";
    to << from.str();
  };
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (isa<FileLineColLoc>(diagnostic.getLocation()))
      return failure();
    InFlightDiagnostic error = emitError(file);
    addPlace(*error.getUnderlyingDiagnostic(), diagnostic);
    for (const Diagnostic &note : diagnostic.getNotes())
      // The operation is not in the file.
      if (!StringRef(note.str()).starts_with("see current operation"))
        addPlace(error.attachNote(file), note);
    return success();
  });
  return Decoder(program, name, context).decode();
}
