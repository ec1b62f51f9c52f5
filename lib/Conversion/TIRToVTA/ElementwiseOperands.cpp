//===- ElementwiseOperands.cpp - Elements of tiles in scratchpads ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of a tile are, and how they come from memory: bytes get to
// accumulators by a product with ones on the diagonal.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseEmitter.h"
#include "Transfers.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult ElementwiseEmitter::findLanes(affine::AffineStoreOp store) {
  FailureOr<LinearIndex> address = nest.getAddress(store);
  if (failed(address))
    return fail(store, "indices that are sums of loops");
  int64_t taken = 1;
  const int64_t sizes[] = {
      static_cast<int64_t>(builder.getConfig().getBlock()),
      static_cast<int64_t>(builder.getConfig().getBatch())};
  for (int64_t size : sizes) {
    if (size == 1)
      continue;
    std::optional<unsigned> lane = nest.takeLoop(size, [&](unsigned loop) {
      return address->steps[loop] == taken && !llvm::is_contained(lanes, loop);
    });
    if (!lane)
      return fail(store, "whole elements of " + Twine(getNumLanes()) +
                             " lanes that are computed");
    address = nest.getAddress(store);
    lanes.push_back(*lane);
    taken *= size;
  }
  for (unsigned i = 0; i < nest.getNumLoops(); ++i)
    if (!llvm::is_contained(lanes, i))
      loops.push_back(i);
  return success();
}

ElementLoops ElementwiseEmitter::getLoops(const TileValue &dst,
                                          const TileValue *src) {
  ElementLoops result;
  result.dst = dst.first;
  result.src = src ? src->first : 0;
  for (auto [position, loop] : llvm::enumerate(loops))
    result.loops.push_back({nest.extents[loop], dst.steps[position],
                            src ? src->steps[position] : 0});
  // Loops over which both are the same element.
  llvm::erase_if(result.loops, [](const ElementLoop &loop) {
    return loop.dst == 0 && loop.src == 0;
  });
  return result;
}

TileValue ElementwiseEmitter::allocate(Operation *key, ArrayRef<bool> isUsed,
                                       BufferUse use, vta::Memory memory) {
  TileValue value;
  value.steps.assign(loops.size(), 0);
  int64_t size = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    if (!isUsed[i])
      continue;
    value.steps[i] = size;
    size *= nest.extents[loops[i]];
  }
  value.first = builder.rotate({key, use}, memory, size);
  value.isOwned = true;
  return value;
}

SmallVector<bool>
ElementwiseEmitter::getUsedLoops(const LinearIndex &address) const {
  return llvm::map_to_vector(
      loops, [&](unsigned loop) { return address.steps[loop] != 0; });
}

std::optional<TileValue> ElementwiseEmitter::getElements(LinearIndex address,
                                                         int64_t first) const {
  if (!address.toElements(lanes, getNumLanes()))
    return std::nullopt;
  int64_t lane = 1;
  for (unsigned loop : lanes) {
    if (address.steps[loop] != lane)
      return std::nullopt;
    lane *= nest.extents[loop];
  }
  TileValue value;
  value.first = first + address.constant;
  for (unsigned loop : loops)
    value.steps.push_back(address.steps[loop]);
  return value;
}

LogicalResult ElementwiseEmitter::transfer(Operation *access,
                                           vta::Memory memory,
                                           const TileValue &value) {
  auto store = dyn_cast<affine::AffineStoreOp>(access);
  Value buffer = store ? store.getMemRef()
                       : cast<affine::AffineLoadOp>(access).getMemRef();
  FailureOr<LinearIndex> address = nest.getAddress(access);
  if (failed(address))
    return fail(access, "indices that are sums of loops");
  int64_t laneBytes = llvm::divideCeil(
      cast<MemRefType>(buffer.getType()).getElementTypeBitWidth(), 8);
  int64_t numLanes = getNumLanes();
  Transfer transfer{memory,
                    value.first * numLanes,
                    places.lookup(buffer).first / laneBytes + address->constant,
                    {}};
  int64_t lane = 1;
  for (unsigned loop : lanes) {
    transfer.loops.emplace_back(nest.extents[loop], lane, address->steps[loop]);
    lane *= nest.extents[loop];
  }
  for (auto [position, loop] : llvm::enumerate(loops)) {
    int64_t step = address->steps[loop];
    if (step != 0 || value.steps[position] != 0)
      transfer.loops.emplace_back(nest.extents[loop],
                                  value.steps[position] * numLanes, step);
  }
  std::string message =
      emitTransfer(builder, std::move(transfer), /*isStore=*/bool(store));
  if (!message.empty())
    return access->emitError(message);
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

FailureOr<TileValue> ElementwiseEmitter::loadBytes(affine::AffineLoadOp load) {
  FailureOr<LinearIndex> address = nest.getAddress(load);
  if (failed(address))
    return fail(load, "indices that are sums of loops");
  TileValue value =
      allocate(load, getUsedLoops(*address), kBytes, vta::Memory::Inp);
  if (failed(transfer(load, vta::Memory::Inp, value)))
    return failure();
  return value;
}

FailureOr<TileValue>
ElementwiseEmitter::computeLoad(affine::AffineLoadOp load) {
  auto it = places.find(load.getMemRef());
  if (it == places.end())
    return fail(load, "a buffer that is an argument or in a scratchpad");
  const BufferPlace &place = it->second;
  FailureOr<LinearIndex> address = nest.getAddress(load);
  if (failed(address))
    return fail(load, "indices that are sums of loops");
  unsigned bits = load.getType().getIntOrFloatBitWidth();
  const relay_vta::Config &config = builder.getConfig();
  // A sum of two products begins with zeros.
  if (place.product) {
    TileValue zeros = allocate(load, SmallVector<bool>(loops.size(), true));
    builder.gemm(/*reset=*/true, getLoops(zeros));
    zeros.least = zeros.most = 0;
    return addProduct(load, zeros, load);
  }
  if (place.memory == vta::Memory::Acc) {
    std::optional<TileValue> value = getElements(*address, place.first);
    if (!value)
      return fail(load, "whole elements of accumulators");
    // The last one who needs it may change it.
    value->isOwned =
        llvm::count_if(load.getMemRef().getUsers(), [](Operation *op) {
          return isa<affine::AffineLoadOp>(op) &&
                 !op->getParentOfType<tir::BlockOp>().hasReduceIters();
        }) == 1;
    value->isComputed = true;
    if (bits < config.getAccBits()) {
      value->least = -(int64_t(1) << (bits - 1));
      value->most = (int64_t(1) << (bits - 1)) - 1;
    }
    return *value;
  }
  if (place.memory)
    return fail(load, "a buffer in memory or in accumulators");
  SmallVector<bool> isUsed = getUsedLoops(*address);
  if (bits == config.getInpBits()) {
    FailureOr<TileValue> bytes = loadBytes(load);
    if (failed(bytes))
      return failure();
    TileValue value = allocate(load, isUsed);
    int64_t identity = builder.getIdentity();
    ElementLoops all = getLoops(value, &*bytes);
    all.wgt = identity;
    builder.gemm(/*reset=*/true, getLoops(value));
    builder.gemm(/*reset=*/false, all);
    value.isComputed = true;
    value.least = -(int64_t(1) << (bits - 1));
    value.most = (int64_t(1) << (bits - 1)) - 1;
    return value;
  }
  if (bits != config.getAccBits())
    return fail(load, "integers of " + Twine(config.getInpBits()) + " or " +
                          Twine(config.getAccBits()) + " bits");
  if (std::optional<TileValue> value = getResident(load, *address, place))
    return *value;
  TileValue value = allocate(load, isUsed);
  if (failed(transfer(load, vta::Memory::Acc, value)))
    return failure();
  return value;
}

/// Constants of channels are loaded once for all tiles: a load in between would
/// wait for data of the next tile.
std::optional<TileValue>
ElementwiseEmitter::getResident(affine::AffineLoadOp load,
                                const LinearIndex &address,
                                const BufferPlace &place) {
  int64_t numLanes = getNumLanes();
  int64_t count = load.getMemRefType().getNumElements();
  // Of a buffer at element 0, until it is known where it is.
  std::optional<TileValue> value = getElements(address, /*first=*/0);
  if (!value || count % numLanes != 0)
    return std::nullopt;
  bool isNew = false;
  std::optional<int64_t> first =
      builder.getResident(load.getMemRef(), count / numLanes, isNew);
  if (!first)
    return std::nullopt;
  if (isNew) {
    ProgramBuilder::Rows rows;
    rows.sram = *first;
    rows.dram = place.first / builder.getElementBytes(vta::Memory::Acc);
    rows.xSize = count / numLanes;
    builder.load(vta::Memory::Acc, rows);
  }
  value->first += *first;
  return value;
}

/// A number that an instruction has no bits for comes from memory.
FailureOr<TileValue> ElementwiseEmitter::loadNumber(Operation *key,
                                                    int64_t number) {
  SmallVector<bool> isUsed(loops.size(), false);
  TileValue value = allocate(key, isUsed, kNumber);
  ProgramBuilder::Rows rows;
  rows.sram = value.first;
  rows.dram = builder.getConstantAddress(vta::Memory::Acc, number) /
              builder.getElementBytes(vta::Memory::Acc);
  builder.load(vta::Memory::Acc, rows);
  value.least = value.most = number;
  return value;
}

/// Elements that may be changed, one for each iteration.
LogicalResult ElementwiseEmitter::makeOwned(Operation *key, TileValue &value) {
  bool isWhole = true;
  for (auto [position, loop] : llvm::enumerate(loops))
    isWhole &= value.steps[position] != 0 || nest.extents[loop] == 1;
  if (value.isOwned && isWhole)
    return success();
  TileValue copy = allocate(key, SmallVector<bool>(loops.size(), true));
  copy.least = value.least;
  copy.most = value.most;
  builder.gemm(/*reset=*/true, getLoops(copy));
  builder.alu(vta::AluOpcode::Add, std::nullopt, getLoops(copy, &value));
  copy.isComputed = true;
  value = copy;
  return success();
}
