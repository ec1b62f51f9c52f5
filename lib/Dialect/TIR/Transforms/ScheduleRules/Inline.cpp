//===- Inline.cpp - Inlines elementwise producers ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRule.h"
#include "Window.h"

using namespace mlir;
using namespace mlir::tir;

/// Work of one instance up to which computing twice is cheaper than loading.
static constexpr double kCheapWork = 8;

static double getWorkPerInstance(const BlockNest &nest) {
  return nest.getWork() / std::max(1.0, nest.getNumInstances());
}

/// Whether the block at hand may become part of all its readers.
static bool isWorthInlining(const BlockNest &producer) {
  const BufferAccess *store = producer.getStore();
  if (!store || producer.isReduction() ||
      !store->buffer.getDefiningOp<AllocBufferOp>())
    return false;
  SmallVector<BlockOp> readers = getReaders(store->buffer);
  if (readers.empty())
    return false;
  for (BlockOp reader : readers) {
    FailureOr<BlockNest> consumer = BlockNest::get(reader);
    if (failed(consumer))
      return false;
    // A reduction that reads each element once may compute it as well; one with
    // reuse may not.
    double repeats = consumer->getNumInstances() / producer.getNumInstances();
    if (consumer->isReduction() && repeats > 1) {
      if (readers.size() == 1 && isWindowPadding(producer, *consumer))
        return true;
      return false;
    }
    double recomputed = getWorkPerInstance(producer) *
                        std::max<double>(repeats, readers.size());
    bool once = repeats <= 1 && readers.size() == 1;
    if (!once && recomputed > kCheapWork * std::max(1.0, repeats))
      return false;
  }
  return true;
}

void mlir::tir::inlineProducers(KernelSchedule &schedule) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (BlockOp block : schedule.getKernel().getBlocks()) {
      FailureOr<BlockNest> nest = BlockNest::get(block);
      if (failed(nest) || !isWorthInlining(*nest))
        continue;
      if (succeeded(schedule.computeInline(block))) {
        changed = true;
        break;
      }
    }
  }
}
