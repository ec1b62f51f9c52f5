//===- ScheduleScript.cpp - Schedules as transform scripts ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/TransformOps/ScheduleScript.h"

#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

class ScriptWriter {
public:
  ScriptWriter(OpBuilder &builder, Location loc, Value kernel)
      : builder(builder), loc(loc), kernel(kernel),
        handle(transform::AnyOpType::get(builder.getContext())) {}

  void write(const ScheduleStep &step);

private:
  Value getBlock(StringRef name);
  Value getLoop(const LoopPosition &position);
  SmallVector<Value> getLoops(ArrayRef<LoopPosition> positions);
  void forgetLoops() { loops.clear(); }

  OpBuilder &builder;
  Location loc;
  Value kernel;
  Type handle;
  llvm::StringMap<Value> blocks;
  /// Handles to the loops around a block, until a step changes loops.
  llvm::StringMap<SmallVector<Value>> loops;
};

} // namespace

Value ScriptWriter::getBlock(StringRef name) {
  Value &block = blocks[name];
  if (!block)
    block =
        transform_ops::GetBlockOp::create(builder, loc, handle, name, kernel);
  return block;
}

Value ScriptWriter::getLoop(const LoopPosition &position) {
  SmallVector<Value> &handles = loops[position.block];
  if (handles.empty()) {
    auto op = transform_ops::GetLoopsOp::create(
        builder, loc, SmallVector<Type>(position.numLoops, handle),
        getBlock(position.block));
    llvm::append_range(handles, op.getLoops());
  }
  return handles[position.depth];
}

SmallVector<Value> ScriptWriter::getLoops(ArrayRef<LoopPosition> positions) {
  return llvm::map_to_vector(positions, [&](const LoopPosition &position) {
    return getLoop(position);
  });
}

void ScriptWriter::write(const ScheduleStep &step) {
  using Kind = ScheduleStep::Kind;
  using namespace transform_ops;
  auto getTypes = [&](size_t count) {
    return SmallVector<Type>(count, handle);
  };
  switch (step.kind) {
  case Kind::Split:
    SplitOp::create(builder, loc, getTypes(step.numbers.size()),
                    getLoop(step.loops.front()), step.numbers);
    break;
  case Kind::Fuse:
    FuseOp::create(builder, loc, handle, getLoops(step.loops));
    break;
  case Kind::Reorder:
    ReorderOp::create(builder, loc, getLoops(step.loops));
    break;
  case Kind::Parallel:
    ParallelOp::create(builder, loc, getLoop(step.loops.front()));
    return;
  case Kind::Vectorize:
    VectorizeOp::create(builder, loc, getLoop(step.loops.front()));
    return;
  case Kind::Unroll:
    UnrollOp::create(builder, loc, getLoop(step.loops.front()));
    return;
  case Kind::ComputeInline:
    ComputeInlineOp::create(builder, loc, getBlock(step.block));
    blocks.erase(step.block);
    break;
  case Kind::ReverseComputeInline:
    ReverseComputeInlineOp::create(builder, loc, getBlock(step.block));
    blocks.erase(step.block);
    break;
  case Kind::ComputeAt:
    ComputeAtOp::create(builder, loc, getBlock(step.block),
                        getLoop(step.loops.front()));
    break;
  case Kind::ReverseComputeAt:
    ReverseComputeAtOp::create(builder, loc, getBlock(step.block),
                               getLoop(step.loops.front()));
    break;
  case Kind::CacheRead:
    CacheReadOp::create(builder, loc, handle, getBlock(step.block),
                        step.numbers.front(), step.scope);
    break;
  case Kind::CacheWrite:
    CacheWriteOp::create(builder, loc, handle, getBlock(step.block),
                         step.numbers.front(), step.scope);
    break;
  case Kind::TransformLayout:
    TransformLayoutOp::create(builder, loc, getBlock(step.block),
                              /*write=*/step.numbers[0] != 0, step.numbers[1],
                              step.layout);
    return;
  case Kind::StorageAlign:
    StorageAlignOp::create(builder, loc, getBlock(step.block), step.numbers[0],
                           step.numbers[1], step.numbers[2], step.numbers[3]);
    return;
  case Kind::DecomposeReduction:
    DecomposeReductionOp::create(builder, loc, handle, getBlock(step.block),
                                 getLoop(step.loops.front()));
    break;
  case Kind::CompactBuffers:
    CompactBuffersOp::create(builder, loc, kernel, step.numbers.front());
    return;
  case Kind::Simplify:
    SimplifyOp::create(builder, loc, kernel);
    break;
  case Kind::TensorizeRegisterTile:
  case Kind::TensorizeRowReduction: {
    const LoopPosition &position = step.loops.front();
    StringRef intrinsic = step.kind == Kind::TensorizeRegisterTile
                              ? TensorizeOp::kRegisterTile
                              : TensorizeOp::kRowReduction;
    auto op =
        TensorizeOp::create(builder, loc, handle, getLoop(position), intrinsic,
                            /*vector_bits=*/step.numbers.front());
    // The block that takes the place of the nest has its name.
    blocks[position.block] = op.getBlock();
    break;
  }
  }
  forgetLoops();
}

transform::NamedSequenceOp
mlir::tir::writeScheduleScript(OpBuilder &builder, Location loc,
                               StringRef kernel, const ScheduleTrace &trace) {
  Type handle = transform::AnyOpType::get(builder.getContext());
  auto script = transform::NamedSequenceOp::create(
      builder, loc, (kernel + ".schedule").str(), handle,
      /*resultTypes=*/TypeRange(),
      [&](OpBuilder &body, Location loc, BlockArgument function) {
        ScriptWriter writer(body, loc, function);
        for (const ScheduleStep &step : trace)
          writer.write(step);
        transform::YieldOp::create(body, loc);
      });
  script.setArgAttr(0, transform::TransformDialect::kArgReadOnlyAttrName,
                    builder.getUnitAttr());
  return script;
}
