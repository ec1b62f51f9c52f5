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

/// Elements of a scratchpad, or bytes of memory.
struct Range {
  uint64_t begin = 0, end = 0;
  void add(uint64_t first, uint64_t last) {
    if (begin == end) {
      begin = first;
      end = last + 1;
    }
    begin = std::min(begin, first);
    end = std::max(end, last + 1);
  }
  bool overlaps(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// What an instruction accesses. Results that are stored are those of `acc`.
struct Footprint {
  struct Access {
    relay_vta::Memory memory;
    Range range;
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

void TokenInserter::addLoops(Footprint &footprint,
                             const relay_vta::Instruction &fields) {
  if (!fields.getNumUops() || !fields.getNumIterations())
    return;
  bool isGemm = fields.is(relay_vta::Opcode::Gemm);
  Range dst, src, wgt;
  ArrayRef<std::optional<relay_vta::Uop>> list = uops.get(fields);
  auto span = [&](uint64_t out, uint64_t in) {
    return (fields.iterOut - 1) * out + (fields.iterIn - 1) * in;
  };
  bool isKnown = list.size() == fields.getNumUops();
  for (const std::optional<relay_vta::Uop> &uop : list) {
    if (!uop) {
      isKnown = false;
      break;
    }
    dst.add(uop->dst, uop->dst + span(fields.dstOut, fields.dstIn));
    src.add(uop->src, uop->src + span(fields.srcOut, fields.srcIn));
    wgt.add(uop->wgt, uop->wgt + span(fields.wgtOut, fields.wgtIn));
  }
  using relay_vta::Memory;
  // Micro-ops that come from an image may have any index.
  if (!isKnown) {
    dst = {0, config.getDepth(Memory::Acc)};
    src = {0, config.getDepth(isGemm ? Memory::Inp : Memory::Acc)};
    wgt = {0, config.getDepth(Memory::Wgt)};
  }
  footprint.accesses.push_back({Memory::Acc, dst, /*isWrite=*/true});
  if (isGemm && !fields.reset) {
    footprint.accesses.push_back({Memory::Inp, src, /*isWrite=*/false});
    footprint.accesses.push_back({Memory::Wgt, wgt, /*isWrite=*/false});
  } else if (!isGemm && !fields.useImm) {
    footprint.accesses.push_back({Memory::Acc, src, /*isWrite=*/false});
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
       {fields.sramBase, fields.sramBase + fields.getNumElements()},
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
    for (uint64_t i = access.range.begin;
         i < std::min<uint64_t>(access.range.end, list.size()); ++i)
      for (unsigned other = 0; other < kNumStages; ++other) {
        needed[other] = std::max(needed[other], list[i].written[other]);
        if (access.isWrite)
          needed[other] = std::max(needed[other], list[i].read[other]);
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
    for (uint64_t i = access.range.begin;
         i < std::min<uint64_t>(access.range.end, list.size()); ++i)
      (access.isWrite ? list[i].written : list[i].read)[stage] = done[stage];
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
