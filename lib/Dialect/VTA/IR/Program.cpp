//===- Program.cpp - Programs of VTA --------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/VTA/IR/VTA.h"
#include "relay-mlir/Runtime/VTA/ProgramFile.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Endian.h"

#include <map>

using namespace mlir;
using namespace mlir::vta;

//===----------------------------------------------------------------------===//
// Micro-ops
//===----------------------------------------------------------------------===//

void UopMemory::load(LoadOp load) {
  if (load.getMemory() != Memory::Uop)
    return;
  relay_vta::Instruction fields = load.getFields();
  uint64_t position = fields.sramBase;
  auto put = [&](uint64_t count, std::optional<relay_vta::Uop> uop) {
    uint64_t end = std::min(position + count, depth);
    if (uop && end > words.size())
      words.resize(end);
    for (uint64_t i = position; i < std::min<uint64_t>(end, words.size()); ++i)
      words[i] = uop;
    position += count;
  };
  if (fields.isNoOp())
    return;
  uint64_t width = uint64_t(fields.xPad0) + fields.xSize + fields.xPad1;
  Block *block = load.getUops().empty() ? nullptr : &load.getUops().front();
  Block::iterator next;
  if (block)
    next = block->begin();
  put(fields.yPad0 * width, relay_vta::Uop());
  for (unsigned y = 0; y < fields.ySize; ++y) {
    put(fields.xPad0, relay_vta::Uop());
    for (unsigned x = 0; x < fields.xSize; ++x)
      put(1,
          block ? std::optional(getUop(cast<UopOp>(*next++))) : std::nullopt);
    put(fields.xPad1, relay_vta::Uop());
  }
  put(fields.yPad1 * width, relay_vta::Uop());
}

ArrayRef<std::optional<relay_vta::Uop>>
UopMemory::get(const relay_vta::Instruction &instruction) const {
  uint64_t end = std::min<uint64_t>(instruction.uopEnd, words.size());
  if (instruction.uopBegin >= end)
    return {};
  return ArrayRef(words).slice(instruction.uopBegin,
                               end - instruction.uopBegin);
}

/// Calls `visit(address, op)` for the micro-ops of a load and where they are in
/// memory.
template <typename VisitFn>
static void visitUops(LoadOp load, VisitFn visit) {
  if (load.getUops().empty())
    return;
  relay_vta::Instruction fields = load.getFields();
  uint64_t index = 0;
  for (auto uop : load.getUops().getOps<UopOp>()) {
    uint64_t row = index / fields.xSize, column = index % fields.xSize;
    visit((fields.dramBase + row * fields.xStride + column) * 4, uop);
    ++index;
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The bytes of an image; none if they are not there.
static std::optional<ArrayRef<char>> getBytes(ElementsAttr image) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(image)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? std::optional(blob->getData()) : std::nullopt;
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(image))
    return dense.getRawData();
  return std::nullopt;
}

SmallVector<uint8_t> ProgramOp::getMemory() {
  auto size = static_cast<size_t>(getDramSize());
  SmallVector<uint8_t> memory(size);
  if (std::optional<ElementsAttr> image = getImage()) {
    ArrayRef<char> bytes = getBytes(*image).value_or(ArrayRef<char>());
    if (bytes.size() == size)
      llvm::copy(bytes, memory.begin());
    else if (bytes.size() == 1)
      llvm::fill(memory, static_cast<uint8_t>(bytes.front()));
  }
  relay_vta::Config config = getConfig().getConfig();
  for (auto load : getBody().getOps<LoadOp>())
    visitUops(load, [&](uint64_t address, UopOp op) {
      uint32_t word = 0;
      (void)relay_vta::encodeUop(config, getUop(op), word);
      llvm::support::endian::write32le(
          memory.data() + (address - static_cast<uint64_t>(getDramBase())),
          word);
    });
  return memory;
}

LogicalResult ProgramOp::verify() {
  if (auto base = static_cast<int64_t>(getDramBase()); base < 0)
    return emitOpError("expects dram_base, a multiple of 4096 from 4096 on, "
                       "but got ")
           << base;
  if (auto size = static_cast<int64_t>(getDramSize()); size < 0)
    return emitOpError("expects dram_size, a multiple of 4096, but got ")
           << size;
  relay_vta::AddressRange dram = getDram();
  std::string message = relay_vta::checkDram(dram.base, dram.size);
  if (!message.empty())
    return emitOpError(message);
  if (std::optional<ElementsAttr> image = getImage()) {
    auto type = cast<ShapedType>(image->getType());
    if (!type.getElementType().isSignlessInteger(8) || type.getRank() != 1 ||
        type.getNumElements() != static_cast<int64_t>(getDramSize()))
      return emitOpError("expects an image of type tensor<")
             << getDramSize() << "xi8>, but got " << type;
    std::optional<ArrayRef<char>> bytes = getBytes(*image);
    bool isSplat = isa<SplatElementsAttr>(*image);
    if (!bytes ||
        (!isSplat && bytes->size() != static_cast<size_t>(getDramSize())))
      return emitOpError("expects ")
             << getDramSize() << " bytes of an image, but they are not there";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Verifier of instructions
//===----------------------------------------------------------------------===//

namespace {

/// Checks what follows from the configuration, and from the order of
/// instructions.
class ProgramVerifier {
public:
  explicit ProgramVerifier(ProgramOp program)
      : program(program), config(program.getConfig().getConfig()),
        dram(program.getDram()), uops(config) {}

  LogicalResult verify();

private:
  LogicalResult verifyInstruction(InstructionOpInterface op);
  LogicalResult verifyTokens(InstructionOpInterface op);
  LogicalResult verifyIndices(InstructionOpInterface op);
  LogicalResult verifyUopWords(LoadOp load);
  std::optional<uint64_t> findWord(uint64_t begin, uint64_t end) const;
  LogicalResult verifyStream();
  LogicalResult verifyStores();
  LogicalResult verifyQueues();
  LogicalResult verifyProgress();

  ProgramOp program;
  relay_vta::Config config;
  relay_vta::AddressRange dram;
  UopMemory uops;
  SmallVector<InstructionOpInterface> stages[relay_vta::kNumStages];
  /// Words of micro-ops by their address.
  std::map<uint64_t, std::pair<uint32_t, Operation *>> words;
  SmallVector<StoreOp> stores;
};

} // namespace

static Stage getStage(InstructionOpInterface op) {
  return static_cast<Stage>(op.getFields().getStage());
}

LogicalResult ProgramVerifier::verifyTokens(InstructionOpInterface op) {
  Stage stage = getStage(op);
  SmallPtrSet<Type, 4> types;
  for (Value wait : op.getWaits()) {
    auto type = cast<TokenType>(wait.getType());
    if (type.getTo() != stage)
      return op.emitOpError("expects tokens to the stage ")
             << stringifyStage(stage) << ", which it runs in, but got " << type;
    if (!types.insert(type).second)
      return op.emitOpError("expects one token of each queue, but got two ")
             << type;
  }
  for (Value signal : op.getSignals()) {
    auto type = cast<TokenType>(signal.getType());
    if (type.getFrom() != stage)
      return op.emitOpError("expects tokens from the stage ")
             << stringifyStage(stage) << ", which it runs in, but got " << type;
    if (!types.insert(type).second)
      return op.emitOpError("expects one token of each queue, but got two ")
             << type;
    if (signal.hasOneUse())
      continue;
    InFlightDiagnostic diagnostic =
        op.emitOpError("expects one operation that waits for each of its "
                       "tokens, but got ")
        << llvm::range_size(signal.getUses()) << " for " << type;
    for (Operation *user : signal.getUsers())
      diagnostic.attachNote(user->getLoc()) << "waits for it";
    return diagnostic;
  }
  return success();
}

LogicalResult ProgramVerifier::verifyUopWords(LoadOp load) {
  LogicalResult result = success();
  visitUops(load, [&](uint64_t address, UopOp op) {
    if (failed(result))
      return;
    uint32_t word = 0;
    if (std::optional<relay_vta::Fault> fault =
            relay_vta::encodeUop(config, getUop(op), word)) {
      result = op.emitOpError(fault->message);
      return;
    }
    auto [it, isNew] = words.try_emplace(address, word, op);
    if (isNew || it->second.first == word)
      return;
    InFlightDiagnostic diagnostic =
        op.emitOpError("expects one micro-op at address ")
        << address << " of memory, but got another one";
    diagnostic.attachNote(it->second.second->getLoc()) << "which is here";
    result = diagnostic;
  });
  return result;
}

LogicalResult ProgramVerifier::verifyIndices(InstructionOpInterface op) {
  relay_vta::Instruction instruction = op.getFields();
  if (!instruction.isCompute() || !instruction.getNumIterations() ||
      !instruction.getNumUops())
    return success();
  uint64_t depth = config.getDepth(relay_vta::Memory::Uop);
  if (instruction.uopEnd > depth)
    return op.emitOpError("expects micro-ops below ")
           << depth << ", but got " << instruction.uopEnd - 1;
  uint64_t index = instruction.uopBegin;
  auto verify = [&](const std::optional<relay_vta::Uop> &uop) {
    // Of one that is not known, the fields are 0 or more.
    std::optional<relay_vta::Fault> fault = relay_vta::checkIndices(
        config, instruction, uop.value_or(relay_vta::Uop()));
    if (fault)
      op.emitOpError("micro-op ") << index << ": " << fault->message;
    ++index;
    return failure(fault.has_value());
  };
  for (const std::optional<relay_vta::Uop> &uop : uops.get(instruction))
    if (failed(verify(uop)))
      return failure();
  return index == instruction.uopEnd ? success() : verify(std::nullopt);
}

LogicalResult ProgramVerifier::verifyInstruction(InstructionOpInterface op) {
  relay_vta::Instruction instruction = op.getFields();
  relay_vta::InstructionWords encoded;
  std::optional<relay_vta::Fault> fault =
      relay_vta::encode(config, instruction, encoded);
  if (!fault)
    fault = relay_vta::checkInstruction(config, instruction, &dram);
  if (fault)
    return op.emitOpError(fault->message);
  if (failed(verifyTokens(op)) || failed(verifyIndices(op)))
    return failure();
  if (auto load = dyn_cast<LoadOp>(*op)) {
    if (failed(verifyUopWords(load)))
      return failure();
    uops.load(load);
  }
  if (auto store = dyn_cast<StoreOp>(*op))
    stores.push_back(store);
  stages[static_cast<unsigned>(getStage(op))].push_back(op);
  return success();
}

/// The address of the first micro-op that bytes of memory are a part of.
std::optional<uint64_t> ProgramVerifier::findWord(uint64_t begin,
                                                  uint64_t end) const {
  auto it = words.lower_bound(begin & ~uint64_t(3));
  return it != words.end() && it->first < end ? std::optional(it->first)
                                              : std::nullopt;
}

/// A stream that is a part of memory is inside of it, and not where micro-ops
/// that the program has in regions are.
LogicalResult ProgramVerifier::verifyStream() {
  std::optional<uint64_t> address = program.getStreamAddress();
  if (!address)
    return success();
  uint64_t count = 0;
  for (const auto &stage : stages)
    count += stage.size();
  uint64_t bytes = count * relay_vta::kInstructionBytes;
  if (*address < dram.base || *address - dram.base > dram.size ||
      bytes > dram.size - (*address - dram.base))
    return program.emitOpError("expects ")
           << count << " instructions inside of the image, but got stream "
           << *address;
  std::optional<uint64_t> word = findWord(*address, *address + bytes);
  if (!word)
    return success();
  InFlightDiagnostic diagnostic =
      program.emitOpError("expects no micro-ops where its stream is, but got "
                          "one at address ")
      << *word;
  diagnostic.attachNote(words.at(*word).second->getLoc()) << "which is here";
  return diagnostic;
}

/// What is stored must not be micro-ops that the program has in regions.
LogicalResult ProgramVerifier::verifyStores() {
  for (StoreOp store : stores) {
    relay_vta::Instruction fields = store.getFields();
    uint64_t bytes = config.getElementBytes(relay_vta::Memory::Out);
    for (uint64_t y = 0; y < fields.ySize; ++y) {
      uint64_t begin = (fields.dramBase + y * fields.xStride) * bytes;
      std::optional<uint64_t> word =
          findWord(begin, begin + fields.xSize * bytes);
      if (!word)
        continue;
      InFlightDiagnostic diagnostic =
          store.emitOpError("expects no store to micro-ops, but got one to "
                            "address ")
          << *word;
      diagnostic.attachNote(words.at(*word).second->getLoc())
          << "the micro-op is here";
      return diagnostic;
    }
  }
  return success();
}

/// The k-th wait for a queue is for the k-th token that was put in.
LogicalResult ProgramVerifier::verifyQueues() {
  DenseMap<Type, SmallVector<Value>> queues;
  for (auto &stage : stages)
    for (InstructionOpInterface op : stage)
      for (Value signal : op.getSignals())
        queues[signal.getType()].push_back(signal);
  DenseMap<Type, size_t> positions;
  for (auto &stage : stages)
    for (InstructionOpInterface op : stage)
      for (Value wait : op.getWaits()) {
        Type type = wait.getType();
        Value expected = queues[type][positions[type]++];
        if (wait == expected)
          continue;
        InFlightDiagnostic diagnostic = op.emitOpError(
            "expects to wait for tokens in the order in which they are given, "
            "since a queue is first in, first out, but got a later ");
        diagnostic << type;
        diagnostic.attachNote(expected.getLoc()) << "gives the next one";
        return diagnostic;
      }
  return success();
}

LogicalResult ProgramVerifier::verifyProgress() {
  DenseSet<Operation *> done;
  size_t next[relay_vta::kNumStages] = {};
  for (bool progress = true; progress;) {
    progress = false;
    for (auto [index, stage] : llvm::enumerate(stages))
      while (next[index] < stage.size() &&
             llvm::all_of(
                 stage[next[index]].getWaits(),
                 [&](Value wait) {
                   return done.contains(wait.getDefiningOp());
                 })) {
        done.insert(stage[next[index]++]);
        progress = true;
      }
  }
  std::optional<InFlightDiagnostic> diagnostic;
  for (auto [index, stage] : llvm::enumerate(stages)) {
    if (next[index] == stage.size())
      continue;
    InstructionOpInterface op = stage[next[index]];
    if (!diagnostic)
      diagnostic.emplace(op.emitOpError(
          "expects tokens that come, but the stages wait for each other"));
    else
      diagnostic->attachNote(op.getLoc())
          << "the stage " << stringifyStage(static_cast<Stage>(index))
          << " waits here";
  }
  if (diagnostic)
    return *diagnostic;
  return success();
}

LogicalResult ProgramVerifier::verify() {
  InstructionOpInterface finish;
  for (Operation &op : *program.getBody().begin()) {
    auto instruction = dyn_cast<InstructionOpInterface>(op);
    if (!instruction)
      return op.emitOpError("expects an instruction in a program of VTA");
    if (finish) {
      InFlightDiagnostic diagnostic =
          op.emitOpError("expects no instruction after FINISH");
      diagnostic.attachNote(finish.getLoc()) << "which is here";
      return diagnostic;
    }
    if (failed(verifyInstruction(instruction)))
      return failure();
    if (isa<FinishOp>(op))
      finish = instruction;
  }
  if (!finish)
    return program.emitOpError("expects a vta.finish at its end");
  return failure(failed(verifyStream()) || failed(verifyStores()) ||
                 failed(verifyQueues()) || failed(verifyProgress()));
}

LogicalResult ProgramOp::verifyRegions() {
  return ProgramVerifier(*this).verify();
}
