//===- InsertTokens.cpp - Order instructions of different stages ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each element of a scratchpad it is known which instruction of each stage
// wrote and read it last. An instruction has to wait for those of other stages
// that it meets. What it knows to be done is that of the instruction before it
// in its stage, and of all that it waits for; so a token is only needed for
// what is not known yet. Then the tokens of a queue are waited for in the order
// in which they are given, one by each instruction.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/VTA/Transforms/Passes.h"

#include "llvm/ADT/BitVector.h"

namespace mlir::vta {
#define GEN_PASS_DEF_INSERTTOKENSPASS
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h.inc"
} // namespace mlir::vta

using namespace mlir;
using namespace mlir::vta;
using relay_vta::kNumStages;

namespace {

/// How many instructions of each stage are done.
using Clock = std::array<uint64_t, kNumStages>;

/// Bytes of memory.
struct Range {
  uint64_t begin = 0, end = 0;
  bool overlaps(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// Elements of a scratchpad: those at `begin` and the numbers that are set.
struct ElementSet {
  static ElementSet getRange(uint64_t begin, uint64_t end) {
    return {begin, llvm::BitVector(end - begin, true)};
  }
  /// Each of `firsts` in all iterations of two loops.
  static ElementSet getSteps(ArrayRef<uint64_t> firsts, uint64_t iterOut,
                             uint64_t out, uint64_t iterIn, uint64_t in);

  uint64_t begin = 0;
  llvm::BitVector numbers;
};

/// What an instruction accesses. Results that are stored are those of `acc`.
struct Footprint {
  struct Access {
    relay_vta::Memory memory;
    ElementSet elements;
    bool isWrite;
  };
  SmallVector<Access, 4> accesses;
  /// Bytes of memory that it reads or writes.
  Range dram;
};

class TokenInserter {
public:
  explicit TokenInserter(ProgramOp program)
      : program(program), config(program.getConfig().getConfig()),
        uops(config) {
    for (unsigned i = 0; i < relay_vta::kNumMemories; ++i) {
      auto memory = static_cast<relay_vta::Memory>(i);
      if (memory == relay_vta::Memory::Inp ||
          memory == relay_vta::Memory::Wgt || memory == relay_vta::Memory::Acc)
        elements[i].resize(config.getDepth(memory));
    }
  }

  LogicalResult run();

private:
  /// Which instruction of each stage was the last one, counted from 1.
  struct Element {
    Clock read{}, written{};
  };

  Footprint getFootprint(InstructionOpInterface op);
  void addLoops(Footprint &footprint, const relay_vta::Instruction &fields);
  LogicalResult visit(InstructionOpInterface op);
  LogicalResult checkMemory(InstructionOpInterface op,
                            const Footprint &footprint);

  ProgramOp program;
  relay_vta::Config config;
  UopMemory uops;
  std::array<std::vector<Element>, relay_vta::kNumMemories> elements;
  /// What is known to be done by the next instruction of each stage.
  std::array<Clock, kNumStages> known{};
  /// The instructions of each stage, and what is done when they are.
  std::array<std::vector<std::pair<InstructionOpInterface, Clock>>, kNumStages>
      stages;
  SmallVector<std::pair<Range, Operation *>> stored;
  /// Tokens that each instruction gives.
  DenseMap<Operation *, SmallVector<std::pair<Operation *, TokenType>>> tokens;
};

} // namespace

//===----------------------------------------------------------------------===//
// Footprints
//===----------------------------------------------------------------------===//

/// The union of `set` and itself moved by each of `offsets`, in `size` bits.
static llvm::BitVector repeat(const llvm::BitVector &set,
                              ArrayRef<uint64_t> offsets, uint64_t size) {
  llvm::BitVector result(size);
  for (uint64_t offset : offsets) {
    llvm::BitVector moved(set);
    moved.resize(size);
    moved <<= offset;
    result |= moved;
  }
  return result;
}

ElementSet ElementSet::getSteps(ArrayRef<uint64_t> firsts, uint64_t iterOut,
                                uint64_t out, uint64_t iterIn, uint64_t in) {
  auto [least, most] = std::minmax_element(firsts.begin(), firsts.end());
  llvm::BitVector inner((iterIn - 1) * in + 1);
  for (uint64_t i = 0; i < (in ? iterIn : 1); ++i)
    inner.set(i * in);
  SmallVector<uint64_t> offsets;
  for (uint64_t i = 0; i < (out ? iterOut : 1); ++i)
    offsets.push_back(i * out);
  llvm::BitVector steps = repeat(inner, offsets, offsets.back() + inner.size());
  offsets.clear();
  for (uint64_t first : firsts)
    offsets.push_back(first - *least);
  llvm::sort(offsets);
  offsets.erase(llvm::unique(offsets), offsets.end());
  return {*least, repeat(steps, offsets, *most - *least + steps.size())};
}

void TokenInserter::addLoops(Footprint &footprint,
                             const relay_vta::Instruction &fields) {
  if (!fields.getNumUops() || !fields.getNumIterations())
    return;
  using relay_vta::Memory;
  bool isGemm = fields.is(relay_vta::Opcode::Gemm);
  ArrayRef<std::optional<relay_vta::Uop>> list = uops.get(fields);
  // Micro-ops that come from an image may have any index.
  bool isKnown =
      list.size() == fields.getNumUops() &&
      llvm::all_of(list, [](const std::optional<relay_vta::Uop> &uop) {
        return uop.has_value();
      });
  auto add = [&](Memory memory, uint32_t relay_vta::Uop::*index, uint64_t out,
                 uint64_t in, bool isWrite) {
    ElementSet set;
    if (isKnown) {
      auto firsts = llvm::map_to_vector(
          list, [&](const std::optional<relay_vta::Uop> &uop) {
            return uint64_t((*uop).*index);
          });
      set =
          ElementSet::getSteps(firsts, fields.iterOut, out, fields.iterIn, in);
    } else {
      set = ElementSet::getRange(0, config.getDepth(memory));
    }
    footprint.accesses.push_back({memory, std::move(set), isWrite});
  };
  add(Memory::Acc, &relay_vta::Uop::dst, fields.dstOut, fields.dstIn,
      /*isWrite=*/true);
  if (isGemm && !fields.reset) {
    add(Memory::Inp, &relay_vta::Uop::src, fields.srcOut, fields.srcIn,
        /*isWrite=*/false);
    add(Memory::Wgt, &relay_vta::Uop::wgt, fields.wgtOut, fields.wgtIn,
        /*isWrite=*/false);
  } else if (!isGemm && !fields.useImm) {
    add(Memory::Acc, &relay_vta::Uop::src, fields.srcOut, fields.srcIn,
        /*isWrite=*/false);
  }
}

Footprint TokenInserter::getFootprint(InstructionOpInterface op) {
  using relay_vta::Memory;
  Footprint footprint;
  relay_vta::Instruction fields = op.getFields();
  if (fields.isCompute()) {
    addLoops(footprint, fields);
    return footprint;
  }
  if (!fields.isMemory() || fields.isNoOp())
    return footprint;
  auto memory = static_cast<Memory>(fields.memory);
  uint64_t bytes = config.getElementBytes(memory);
  if (fields.ySize)
    footprint.dram = {fields.dramBase * bytes,
                      (fields.dramBase +
                       (fields.ySize - 1) * uint64_t(fields.xStride) +
                       fields.xSize) *
                          bytes};
  bool isStore = fields.is(relay_vta::Opcode::Store);
  if (memory == Memory::Uop)
    return footprint;
  if (memory == Memory::Out || memory == Memory::Acc8)
    memory = Memory::Acc;
  footprint.accesses.push_back(
      {memory,
       ElementSet::getRange(fields.sramBase,
                            fields.sramBase + fields.getNumElements()),
       !isStore});
  return footprint;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

/// Stages that load do not wait for those that store, and compute would have to
/// stand between them.
LogicalResult TokenInserter::checkMemory(InstructionOpInterface op,
                                         const Footprint &footprint) {
  if (isa<StoreOp>(*op)) {
    stored.push_back({footprint.dram, op});
    return success();
  }
  for (auto &[range, store] : stored) {
    if (!range.overlaps(footprint.dram))
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError(
        "expects to load what the program does not store, but got bytes that "
        "it does");
    diagnostic.attachNote(store->getLoc()) << "which are stored here";
    return diagnostic;
  }
  return success();
}

LogicalResult TokenInserter::visit(InstructionOpInterface op) {
  if (!op.getWaits().empty() || !op.getSignals().empty())
    return op.emitOpError("expects a program without tokens, but got one here");
  auto stage = static_cast<unsigned>(op.getFields().getStage());
  Footprint footprint = getFootprint(op);
  if (failed(checkMemory(op, footprint)))
    return failure();
  Clock needed{};
  for (const Footprint::Access &access : footprint.accesses) {
    auto &list = elements[static_cast<unsigned>(access.memory)];
    for (unsigned i : access.elements.numbers.set_bits()) {
      const Element &element = list[access.elements.begin + i];
      for (unsigned other = 0; other < kNumStages; ++other) {
        needed[other] = std::max(needed[other], element.written[other]);
        if (access.isWrite)
          needed[other] = std::max(needed[other], element.read[other]);
      }
    }
  }
  if (isa<FinishOp>(*op))
    for (unsigned other = 0; other < kNumStages; ++other)
      needed[other] = stages[other].size();

  Clock &clock = known[stage];
  for (unsigned other = 0; other < kNumStages; ++other) {
    if (other == stage || needed[other] <= clock[other])
      continue;
    // Only neighbours share scratchpads.
    auto &[from, done] = stages[other][needed[other] - 1];
    tokens[from].push_back(
        {op, TokenType::get(op.getContext(), static_cast<Stage>(other),
                            static_cast<Stage>(stage))});
    for (unsigned i = 0; i < kNumStages; ++i)
      clock[i] = std::max(clock[i], done[i]);
  }
  Clock done = clock;
  done[stage] = stages[stage].size() + 1;
  stages[stage].push_back({op, done});
  clock[stage] = done[stage];
  for (const Footprint::Access &access : footprint.accesses) {
    auto &list = elements[static_cast<unsigned>(access.memory)];
    for (unsigned i : access.elements.numbers.set_bits()) {
      Element &element = list[access.elements.begin + i];
      (access.isWrite ? element.written : element.read)[stage] = done[stage];
    }
  }
  if (auto load = dyn_cast<LoadOp>(*op))
    uops.load(load);
  return success();
}

LogicalResult TokenInserter::run() {
  auto ops =
      llvm::to_vector(program.getBody().getOps<InstructionOpInterface>());
  for (InstructionOpInterface op : ops)
    if (failed(visit(op)))
      return failure();
  // Instructions are made anew with the tokens that they give, and then wait
  // for those of others.
  DenseMap<Operation *, SmallVector<Value>> waits;
  DenseMap<Operation *, Operation *> replacements;
  OpBuilder builder(program.getContext());
  for (InstructionOpInterface op : ops) {
    auto it = tokens.find(op);
    if (it == tokens.end())
      continue;
    builder.setInsertionPoint(op);
    OperationState state(op.getLoc(), op->getName());
    state.addAttributes(op->getAttrs());
    for (auto &[waiter, type] : it->second)
      state.addTypes(type);
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    Operation *replacement = builder.create(state);
    for (auto [entry, signal] :
         llvm::zip_equal(it->second, replacement->getResults()))
      waits[entry.first].push_back(signal);
    replacements[op] = replacement;
  }
  for (InstructionOpInterface op : ops) {
    Operation *replacement = replacements.lookup(op);
    if (auto it = waits.find(op); it != waits.end())
      (replacement ? replacement : op.getOperation())->setOperands(it->second);
    if (replacement)
      op->erase();
  }
  return success();
}

namespace {

struct InsertTokens : vta::impl::InsertTokensPassBase<InsertTokens> {
  void runOnOperation() override {
    if (failed(TokenInserter(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
