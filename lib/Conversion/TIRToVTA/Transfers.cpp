//===- Transfers.cpp - Copies between memory and scratchpads --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction copies rows of elements, with a stride between rows in memory
// and padding around them. Loops of a copy are joined to rows as long as they
// can be, then to as many rows as possible; other loops are one instruction for
// each iteration. Padding that an instruction has no bits for is a copy of
// zeros before others.
//
//===----------------------------------------------------------------------===//

#include "Transfers.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static constexpr int64_t kMaxSize = (1 << 16) - 1;
static constexpr int64_t kMaxPad = 15;

/// Takes the lanes of one element out of the loops, and makes elements of all
/// other numbers.
static std::string takeLanes(Transfer &transfer, int64_t lanes) {
  auto fail = [&] {
    return std::string("expects copies of whole elements of ") +
           vta::stringifyMemory(transfer.memory).str() + ", which have " +
           std::to_string(lanes) + " lanes";
  };
  int64_t taken = 1;
  while (taken < lanes) {
    auto *loop = llvm::find_if(transfer.loops, [&](const TransferLoop &other) {
      return other.sram == taken && other.dram == taken && !other.hasPad();
    });
    if (loop == transfer.loops.end())
      return fail();
    int64_t size = std::min(loop->extent, lanes / taken);
    if (loop->extent % size != 0 || lanes % (taken * size) != 0)
      return fail();
    int64_t rest = loop->extent / size;
    if (rest == 1)
      transfer.loops.erase(loop);
    else
      *loop = TransferLoop(rest, loop->sram * size, loop->dram * size);
    taken *= size;
  }
  bool isWhole = transfer.sram % lanes == 0 && transfer.dram % lanes == 0;
  transfer.sram /= lanes;
  transfer.dram /= lanes;
  for (TransferLoop &loop : transfer.loops) {
    isWhole &= loop.sram % lanes == 0 && loop.dram % lanes == 0;
    loop.sram /= lanes;
    loop.dram /= lanes;
  }
  return isWhole ? "" : fail();
}

/// Takes the loop with these steps, if there is one.
static std::optional<TransferLoop>
takeLoop(Transfer &transfer, function_ref<bool(const TransferLoop &)> matches) {
  auto *loop = llvm::find_if(transfer.loops, matches);
  if (loop == transfer.loops.end())
    return std::nullopt;
  TransferLoop found = *loop;
  transfer.loops.erase(loop);
  return found;
}

/// Whether an instruction has no bits for the padding of `loop`.
static bool hasLongPad(const TransferLoop &loop) {
  return loop.begin > kMaxPad || loop.extent - loop.end > kMaxPad;
}

/// The instructions for one iteration after another of the loops that are left.
static void emitRows(ProgramBuilder &builder, const Transfer &transfer,
                     const TransferLoop &x, const TransferLoop &y,
                     bool isStore) {
  auto emitOne = [&](int64_t sram, int64_t dram, bool isZero) {
    ProgramBuilder::Rows rows;
    rows.sram = sram;
    bool isEmpty = x.begin >= x.end || y.begin >= y.end;
    bool isLong = hasLongPad(x) || hasLongPad(y);
    if (isZero || isEmpty || isLong) {
      // One element of zeros again and again.
      rows.dram = builder.getConstantAddress(transfer.memory, 0) /
                  builder.getElementBytes(transfer.memory);
      rows.ySize = x.extent * y.extent;
      builder.load(transfer.memory, rows);
    }
    if (isZero || isEmpty)
      return;
    if (isLong) {
      // What is between padding goes there row by row.
      for (int64_t row = y.begin; row < y.end; ++row) {
        ProgramBuilder::Rows inside;
        inside.xSize = x.end - x.begin;
        inside.sram = sram + row * x.extent + x.begin;
        inside.dram = dram + x.begin * x.dram + row * y.dram;
        builder.load(transfer.memory, inside);
      }
      return;
    }
    rows.xSize = x.end - x.begin;
    rows.ySize = y.end - y.begin;
    rows.xPad0 = x.begin;
    rows.xPad1 = x.extent - x.end;
    rows.yPad0 = y.begin;
    rows.yPad1 = y.extent - y.end;
    rows.stride = y.dram;
    rows.dram = dram + x.begin * x.dram + y.begin * y.dram;
    if (isStore)
      builder.store(rows);
    else
      builder.load(transfer.memory, rows);
  };
  auto visit = [&](size_t index, int64_t sram, int64_t dram, bool isZero,
                   auto &&self) -> void {
    if (index == transfer.loops.size())
      return emitOne(sram, dram, isZero);
    const TransferLoop &loop = transfer.loops[index];
    for (int64_t i = 0; i < loop.extent; ++i)
      self(index + 1, sram + i * loop.sram, dram + i * loop.dram,
           isZero || i < loop.begin || i >= loop.end, self);
  };
  visit(0, transfer.sram, transfer.dram, transfer.isZero, visit);
}

std::string relay::detail::emitTransfer(ProgramBuilder &builder,
                                        Transfer transfer, bool isStore) {
  llvm::erase_if(transfer.loops, [](const TransferLoop &loop) {
    return loop.extent == 1 && !loop.hasPad();
  });
  std::string message = takeLanes(transfer, builder.getLanes(transfer.memory));
  if (!message.empty())
    return message;

  // A loop of one iteration that is padding, or not, for this tile.
  TransferLoop x(1, 1, 1);
  if (auto loop = takeLoop(transfer, [](const TransferLoop &other) {
        return other.sram == 1 && other.dram == 1;
      }))
    x = *loop;
  while (!x.hasPad()) {
    auto loop = takeLoop(transfer, [&](const TransferLoop &other) {
      return other.sram == x.extent && other.dram == x.extent &&
             !other.hasPad() && other.extent * x.extent <= kMaxSize;
    });
    if (!loop)
      break;
    x = TransferLoop(x.extent * loop->extent, 1, 1);
  }
  TransferLoop y(1, x.extent, x.extent);
  if (auto loop = takeLoop(transfer, [&](const TransferLoop &other) {
        return other.sram == x.extent && other.dram >= 0 &&
               other.dram <= kMaxSize && other.extent <= kMaxSize;
      }))
    y = *loop;
  while (!y.hasPad()) {
    auto loop = takeLoop(transfer, [&](const TransferLoop &other) {
      return other.sram == y.extent * y.sram &&
             other.dram == y.extent * y.dram && !other.hasPad() &&
             other.extent * y.extent <= kMaxSize;
    });
    if (!loop)
      break;
    y = TransferLoop(y.extent * loop->extent, y.sram, y.dram);
  }
  if (x.extent > kMaxSize)
    return "expects rows of at most " + std::to_string(kMaxSize) +
           " elements, but got " + std::to_string(x.extent);
  bool isEmpty = x.begin >= x.end || y.begin >= y.end;
  if ((isEmpty || hasLongPad(x) || hasLongPad(y)) &&
      x.extent * y.extent > kMaxSize)
    return "expects at most " + std::to_string(kMaxSize) +
           " elements that are padding, but got " +
           std::to_string(x.extent * y.extent);
  emitRows(builder, transfer, x, y, isStore);
  return "";
}
