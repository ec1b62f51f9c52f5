//===- ProgramBuilder.cpp - Builds programs of VTA ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "mlir/IR/AsmState.h"
#include "relay-mlir/Runtime/VTA/ProgramFile.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using relay_vta::kPageBytes;

ProgramBuilder::ProgramBuilder(MLIRContext *context,
                               const relay_vta::Config &config, Location loc,
                               StringRef name, SlotCounts slots)
    : config(config), builder(context), loc(loc), slots(slots),
      dramEnd(kPageBytes) {
  program = vta::ProgramOp::create(builder, loc, builder.getStringAttr(name),
                                   vta::ConfigAttr::get(context, config),
                                   builder.getI64IntegerAttr(kPageBytes),
                                   builder.getI64IntegerAttr(0), ElementsAttr(),
                                   IntegerAttr());
  builder.createBlock(&program->getBody());
}

//===----------------------------------------------------------------------===//
// Memory and scratchpads
//===----------------------------------------------------------------------===//

int64_t ProgramBuilder::allocate(int64_t bytes) {
  // Micro-ops end anywhere.
  int64_t address = llvm::alignTo(dramEnd, kPageBytes);
  dramEnd = address + llvm::alignTo(std::max<int64_t>(bytes, 1), kPageBytes);
  return address;
}

int64_t ProgramBuilder::allocateImage(ArrayRef<uint8_t> bytes) {
  int64_t address = allocate(bytes.size());
  images.push_back({address, SmallVector<uint8_t>(bytes)});
  return address;
}

int64_t ProgramBuilder::reserve(vta::Memory memory, int64_t elements,
                                Type tile) {
  auto depth = static_cast<int64_t>(
      config.getDepth(static_cast<relay_vta::Memory>(memory)));
  int64_t &end = used[static_cast<unsigned>(memory)];
  int64_t first = end;
  if (elements > depth - end) {
    if (!overflow)
      overflow = Overflow{memory, end + elements, depth, loc, tile};
    return 0;
  }
  end += elements;
  return first;
}

int64_t ProgramBuilder::rotate(BufferKey key, vta::Memory memory,
                               int64_t elements, Type tile) {
  auto [it, isNew] = buffers.try_emplace(key);
  Slots &entry = it->second;
  if (isNew) {
    entry.memory = memory;
    entry.elements = elements;
    for (unsigned i = 0; i < slots.get(memory); ++i)
      entry.first.push_back(reserve(memory, elements, tile));
  }
  int64_t first = entry.first[entry.next];
  entry.next = (entry.next + 1) % entry.first.size();
  return first;
}

std::optional<int64_t>
ProgramBuilder::getResident(Value argument, int64_t elements, bool &isNew) {
  // Most of a scratchpad is for tiles.
  auto depth = static_cast<int64_t>(config.getDepth(relay_vta::Memory::Acc));
  if (elements > depth / 16)
    return std::nullopt;
  auto it = residents.find(argument);
  isNew = it == residents.end();
  if (isNew)
    it = residents.try_emplace(argument, reserve(vta::Memory::Acc, elements))
             .first;
  return it->second;
}

int64_t ProgramBuilder::getConstantAddress(vta::Memory memory, int64_t value) {
  auto [it, isNew] = constants.try_emplace({memory, value}, 0);
  if (!isNew)
    return it->second;
  int64_t lanes = getLanes(memory);
  int64_t laneBytes = getElementBytes(memory) / lanes;
  SmallVector<uint8_t> bytes;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t i = 0; i < laneBytes; ++i)
      bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  return it->second = allocateImage(bytes);
}

int64_t ProgramBuilder::getIdentity(int64_t factor) {
  auto [it, isNew] = identities.try_emplace(factor);
  if (!isNew)
    return it->second;
  uint64_t block = config.getBlock();
  SmallVector<uint8_t> bytes(block * block);
  for (uint64_t i = 0; i < block; ++i)
    bytes[i * block + i] = static_cast<uint8_t>(factor);
  it->second = reserve(vta::Memory::Wgt, 1);
  Rows rows;
  rows.sram = it->second;
  rows.dram = allocateImage(bytes) / getElementBytes(vta::Memory::Wgt);
  load(vta::Memory::Wgt, rows);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void ProgramBuilder::load(vta::Memory memory, const Rows &rows) {
  if (overflow)
    return;
  auto getPad = [&](int64_t before, int64_t after) {
    return before || after
               ? builder.getDenseI32ArrayAttr({static_cast<int32_t>(before),
                                               static_cast<int32_t>(after)})
               : DenseI32ArrayAttr();
  };
  vta::LoadOp::create(builder, loc, TypeRange(), memory, rows.sram, rows.dram,
                      rows.ySize, rows.xSize,
                      rows.ySize == 1 || rows.stride == rows.xSize
                          ? IntegerAttr()
                          : builder.getI32IntegerAttr(rows.stride),
                      getPad(rows.yPad0, rows.yPad1),
                      getPad(rows.xPad0, rows.xPad1), ValueRange());
}

void ProgramBuilder::store(const Rows &rows) {
  if (overflow)
    return;
  vta::StoreOp::create(builder, loc, TypeRange(), rows.sram, rows.dram,
                       rows.ySize, rows.xSize,
                       rows.ySize == 1 || rows.stride == rows.xSize
                           ? IntegerAttr()
                           : builder.getI32IntegerAttr(rows.stride),
                       ValueRange());
}

/// What loops are in one instruction.
struct ProgramBuilder::Encoded {
  ElementLoop outer{1}, inner{1};
  int64_t uopBegin, uopEnd;
};

/// Joins loops that go on where the next inner one ends, for all indices.
static void joinLoops(SmallVectorImpl<ElementLoop> &loops) {
  llvm::erase_if(loops,
                 [](const ElementLoop &loop) { return loop.extent == 1; });
  for (size_t i = loops.size(); i-- > 1;) {
    ElementLoop &outer = loops[i - 1];
    const ElementLoop &inner = loops[i];
    auto goesOn = [&](int64_t ElementLoop::*step) {
      return outer.*step == inner.*step * inner.extent;
    };
    if (!goesOn(&ElementLoop::dst) || !goesOn(&ElementLoop::src) ||
        !goesOn(&ElementLoop::wgt))
      continue;
    outer = {outer.extent * inner.extent, inner.dst, inner.src, inner.wgt};
    loops.erase(loops.begin() + i);
  }
}

int64_t ProgramBuilder::getUopCapacity() const {
  return static_cast<int64_t>(std::min(config.getDepth(relay_vta::Memory::Uop),
                                       relay_vta::kPortableUopDepth));
}

int64_t ProgramBuilder::loadUops(ArrayRef<relay_vta::Uop> uops) {
  std::vector<uint32_t> words;
  for (const relay_vta::Uop &uop : uops) {
    // Indices that are too large are for the verifier of the program to tell.
    uint32_t word = 0;
    (void)relay_vta::encodeUop(config, uop, word);
    words.push_back(word);
  }
  auto [it, isNew] = uopLists.try_emplace(words);
  UopList &list = it->second;
  if (isNew) {
    list.address = dramEnd;
    dramEnd += words.size() * 4;
  }
  if (list.position)
    return *list.position;
  auto count = static_cast<int64_t>(words.size());
  if (nextUop + count > getUopCapacity())
    nextUop = 0;
  // Those that it takes the place of.
  for (auto &[other, entry] : uopLists)
    if (entry.position && *entry.position < nextUop + count &&
        nextUop < *entry.position + static_cast<int64_t>(other.size())) {
      entry.position.reset();
      hasEvicted = true;
    }
  list.position = nextUop;
  nextUop += count;
  auto load = vta::LoadOp::create(builder, loc, TypeRange(), vta::Memory::Uop,
                                  *list.position, list.address / 4, 1, count,
                                  IntegerAttr(), DenseI32ArrayAttr(),
                                  DenseI32ArrayAttr(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&load.getUops());
  for (const relay_vta::Uop &uop : uops)
    vta::UopOp::create(builder, loc, uop.dst, uop.src, uop.wgt);
  uopLoads.push_back(load);
  return *list.position;
}

/// Makes one instruction of all that load micro-ops, if these stay where they
/// are. One that loads them when they are needed waits for all data that is on
/// its way.
void ProgramBuilder::joinUopLoads() {
  // What the first products wait for.
  constexpr int64_t kMaxFirst = 512;
  if (hasEvicted || uopLoads.size() < 2 || nextUop > kMaxFirst)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&program->getBody().front());
  auto all = vta::LoadOp::create(builder, uopLoads.front().getLoc(),
                                 TypeRange(), vta::Memory::Uop, 0, dramEnd / 4,
                                 1, nextUop, IntegerAttr(), DenseI32ArrayAttr(),
                                 DenseI32ArrayAttr(), ValueRange());
  dramEnd += nextUop * 4;
  Block *block = builder.createBlock(&all.getUops());
  for (vta::LoadOp load : uopLoads) {
    Block &uops = load.getUops().front();
    block->getOperations().splice(block->end(), uops.getOperations());
    load.erase();
  }
}

void ProgramBuilder::emitLoops(ElementLoops all, bool isAlu,
                               function_ref<void(const Encoded &)> emit) {
  if (overflow)
    return;
  joinLoops(all.loops);
  constexpr int64_t kMaxIterations = (1 << 14) - 1;
  auto fits = [&](int64_t step, relay_vta::Memory memory) {
    return step >= 0 && step < static_cast<int64_t>(config.getDepth(memory));
  };
  auto isHardwareLoop = [&](const ElementLoop &loop) {
    return loop.extent <= kMaxIterations &&
           fits(loop.dst, relay_vta::Memory::Acc) &&
           fits(loop.src,
                isAlu ? relay_vta::Memory::Acc : relay_vta::Memory::Inp) &&
           fits(loop.wgt, relay_vta::Memory::Wgt);
  };
  // The two longest loops are in hardware: fewer micro-ops.
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < all.loops.size(); ++i)
    if (isHardwareLoop(all.loops[i]))
      order.push_back(i);
  llvm::stable_sort(order, [&](unsigned lhs, unsigned rhs) {
    return all.loops[lhs].extent > all.loops[rhs].extent;
  });
  if (order.size() > 2)
    order.resize(2);
  llvm::sort(order);
  Encoded encoded;
  // One loop alone is the inner one of an ALU, the outer one of a GEMM, as
  // published tools write it.
  if (order.size() == 2) {
    encoded.outer = all.loops[order[0]];
    encoded.inner = all.loops[order[1]];
  } else if (order.size() == 1) {
    (isAlu ? encoded.inner : encoded.outer) = all.loops[order[0]];
  }
  SmallVector<ElementLoop> rest;
  for (auto [i, loop] : llvm::enumerate(all.loops))
    if (!llvm::is_contained(order, i))
      rest.push_back(loop);

  // What is left are micro-ops, and instructions where these would be too many.
  const int64_t maxUops = std::min<int64_t>(256, getUopCapacity());
  size_t firstUop = rest.size();
  int64_t count = 1;
  while (firstUop > 0 && count * rest[firstUop - 1].extent <= maxUops)
    count *= rest[--firstUop].extent;
  auto forEach = [&](size_t begin, size_t end, int64_t dst, int64_t src,
                     int64_t wgt, auto &&self, auto &&body) -> void {
    if (begin == end)
      return body(dst, src, wgt);
    const ElementLoop &loop = rest[begin];
    for (int64_t i = 0; i < loop.extent; ++i)
      self(begin + 1, end, dst + i * loop.dst, src + i * loop.src,
           wgt + i * loop.wgt, self, body);
  };
  forEach(0, firstUop, all.dst, all.src, all.wgt, forEach,
          [&](int64_t dst, int64_t src, int64_t wgt) {
            SmallVector<relay_vta::Uop> uops;
            forEach(firstUop, rest.size(), dst, src, wgt, forEach,
                    [&](int64_t d, int64_t s, int64_t w) {
                      uops.push_back({static_cast<uint32_t>(d),
                                      static_cast<uint32_t>(s),
                                      static_cast<uint32_t>(w)});
                    });
            encoded.uopBegin = loadUops(uops);
            encoded.uopEnd =
                encoded.uopBegin + static_cast<int64_t>(uops.size());
            emit(encoded);
          });
}

void ProgramBuilder::gemm(bool reset, ElementLoops loops) {
  emitLoops(std::move(loops), /*isAlu=*/false, [&](const Encoded &e) {
    vta::GemmOp::create(builder, loc, TypeRange(), reset, e.uopBegin, e.uopEnd,
                        e.outer.extent, e.outer.dst, e.outer.src, e.outer.wgt,
                        e.inner.extent, e.inner.dst, e.inner.src, e.inner.wgt,
                        ValueRange());
  });
}

void ProgramBuilder::alu(vta::AluOpcode opcode, std::optional<int64_t> imm,
                         ElementLoops loops) {
  // Hardware reads the operand of an immediate from src.
  if (imm) {
    loops.src = loops.dst;
    for (ElementLoop &loop : loops.loops)
      loop.src = loop.dst;
  }
  emitLoops(std::move(loops), /*isAlu=*/true, [&](const Encoded &e) {
    vta::AluOp::create(builder, loc, TypeRange(), opcode,
                       imm ? builder.getI32IntegerAttr(*imm) : IntegerAttr(),
                       e.uopBegin, e.uopEnd, e.outer.extent, e.outer.dst,
                       e.outer.src, e.inner.extent, e.inner.dst, e.inner.src,
                       IntegerAttr(), /*ignored_reset=*/false, ValueRange());
  });
}

OwningOpRef<vta::ProgramOp> ProgramBuilder::finish() {
  vta::FinishOp::create(builder, loc, TypeRange(), ValueRange());
  joinUopLoads();
  dramEnd = llvm::alignTo(dramEnd, kPageBytes);
  int64_t size = dramEnd - static_cast<int64_t>(kPageBytes);
  program->setDramSize(size);
  if (!images.empty()) {
    std::vector<uint8_t> image(size);
    for (auto &[address, bytes] : images)
      llvm::copy(bytes, image.begin() + (address - kPageBytes));
    auto type = RankedTensorType::get({size}, builder.getI8Type());
    program->setImageAttr(DenseResourceElementsAttr::get(
        type, "image",
        HeapAsmResourceBlob::allocateAndCopyInferAlign<uint8_t>(image)));
  }
  return std::move(program);
}
