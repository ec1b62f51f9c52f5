//===- LoopKinds.cpp - Loop kinds, annotations, scopes ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

using namespace mlir;
using namespace mlir::tir;

/// Whether the iteration variables in `depends` tell apart the elements that a
/// block writes through `map`.
static bool separatesWrites(AffineMap map, ArrayRef<bool> depends) {
  // The map of a whole buffer says nothing about elements.
  if (map.getNumDims() == 0)
    return llvm::is_contained(depends, true);
  return llvm::any_of(
      llvm::seq<unsigned>(0, map.getNumDims()),
      [&](unsigned dim) { return depends[dim] && map.isFunctionOfDim(dim); });
}

/// Iterations of a parallel or vectorized loop run in any order or at once:
/// they must not combine into an element, nor write the same one.
static DiagnosedSilenceableFailure checkIndependent(ForOp loop) {
  // A single iteration has nothing to share.
  if (std::optional<int64_t> extent = loop.getConstantExtent();
      extent && *extent <= 1)
    return DiagnosedSilenceableFailure::success();
  for (BlockOp block : loop.getBlocks()) {
    IndexSpace space(loop.getContext());
    SmallVector<bool> depends;
    for (auto [index, binding] : llvm::enumerate(block.getBindings())) {
      AffineExpr expr = space.getExpr(binding);
      depends.push_back(space.dependsOn(expr, loop.getInductionVar()));
      if (depends.back() && block.getIterKind(index) != IterKind::Spatial)
        return refuse(loop)
               << "expects a loop that feeds spatial variables only, but it "
                  "feeds a "
               << stringifyIterKind(block.getIterKind(index))
               << " variable of block @" << block.getName();
    }
    for (auto [buffer, attr] :
         llvm::zip(block.getWrites(), block.getWriteMaps())) {
      AffineMap map = cast<AffineMapAttr>(attr).getValue();
      if (isDefinedOutside(buffer, loop) && !separatesWrites(map, depends))
        return refuse(loop)
               << "expects iterations that write different elements, but "
                  "block @"
               << block.getName() << " writes the same ones in each";
    }
  }
  return checkIterationsConcurrent(loop);
}

static void setKind(RewriterBase &rewriter, ForOp loop, ForKind kind,
                    StringAttr tag = {}) {
  rewriter.modifyOpInPlace(loop, [&] {
    loop.setKind(kind);
    loop.setThreadTagAttr(tag);
  });
}

DiagnosedSilenceableFailure mlir::tir::parallel(RewriterBase &rewriter,
                                                ForOp loop) {
  DiagnosedSilenceableFailure independent = checkIndependent(loop);
  if (independent.succeeded())
    setKind(rewriter, loop, ForKind::Parallel);
  return independent;
}

DiagnosedSilenceableFailure mlir::tir::vectorize(RewriterBase &rewriter,
                                                 ForOp loop) {
  if (!loop.getConstantExtent())
    return refuse(loop) << "expects a constant extent to vectorize";
  DiagnosedSilenceableFailure independent = checkIndependent(loop);
  if (independent.succeeded())
    setKind(rewriter, loop, ForKind::Vectorized);
  return independent;
}

DiagnosedSilenceableFailure mlir::tir::unroll(RewriterBase &rewriter,
                                              ForOp loop) {
  if (!loop.getConstantExtent())
    return refuse(loop) << "expects a constant extent to unroll";
  setKind(rewriter, loop, ForKind::Unrolled);
  return DiagnosedSilenceableFailure::success();
}

/// Checks the name of a hardware index, and that loops inside and around do not
/// have it already.
static DiagnosedSilenceableFailure checkThreadTag(ForOp loop, StringRef tag) {
  StringRef kind = tag.take_until([](char c) { return c == '.'; });
  StringRef axis = tag.drop_front(kind.size());
  bool isKnown =
      tag == "vthread" ||
      ((kind == "blockIdx" || kind == "threadIdx" || kind == "vthread") &&
       (axis == ".x" || axis == ".y" || axis == ".z"));
  if (!isKnown)
    return refuse(loop) << "expects blockIdx, threadIdx or vthread with .x, .y "
                           "or .z, but got "
                        << tag;
  auto clashes = [&](ForOp other) {
    return other != loop && other.getThreadTag() == tag;
  };
  ForOp clash;
  for (ForOp outer = loop.getParentLoop(); outer; outer = outer.getParentLoop())
    if (clashes(outer))
      clash = outer;
  loop.walk([&](ForOp inner) {
    if (clashes(inner))
      clash = inner;
  });
  if (!clash)
    return DiagnosedSilenceableFailure::success();
  DiagnosedSilenceableFailure failure =
      refuse(loop) << "expects nested loops to be bound to different hardware "
                      "indices, but got "
                   << tag << " twice";
  failure.attachNote(clash.getLoc()) << "bound already";
  return failure;
}

DiagnosedSilenceableFailure mlir::tir::bind(RewriterBase &rewriter, ForOp loop,
                                            StringRef threadTag) {
  DiagnosedSilenceableFailure known = checkThreadTag(loop, threadTag);
  if (!known.succeeded())
    return known;
  DiagnosedSilenceableFailure independent = checkIndependent(loop);
  if (independent.succeeded())
    setKind(rewriter, loop, ForKind::ThreadBinding,
            rewriter.getStringAttr(threadTag));
  return independent;
}

DiagnosedSilenceableFailure mlir::tir::annotate(RewriterBase &rewriter,
                                                Operation *op, StringRef name,
                                                Attribute value) {
  if (!isa<ForOp, BlockOp>(op))
    return refuse(op) << "expects a loop or a block to annotate";
  if (op->hasAttr(name))
    return refuse(op) << "expects no annotation " << name << " yet";
  rewriter.modifyOpInPlace(op, [&] { op->setAttr(name, value); });
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::unannotate(RewriterBase &rewriter, Operation *op, StringRef name) {
  if (!isa<ForOp, BlockOp>(op))
    return refuse(op) << "expects a loop or a block with an annotation";
  if (!op->getDiscardableAttr(name))
    return refuse(op) << "expects an annotation " << name;
  rewriter.modifyOpInPlace(op, [&] { op->removeDiscardableAttr(name); });
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure mlir::tir::setScope(RewriterBase &rewriter,
                                                AllocBufferOp buffer,
                                                StringRef scope) {
  MemRefType type = buffer.getType();
  relay::MemoryAttr memory;
  DiagnosedSilenceableFailure found =
      findMemory(buffer, scope, type.hasStaticShape(), memory);
  if (!found.succeeded())
    return found;
  DiagnosedSilenceableFailure accessed = checkAccessedByElement(buffer);
  if (!accessed.succeeded())
    return accessed;
  rewriter.modifyOpInPlace(buffer, [&] {
    buffer.getBuffer().setType(
        getBufferType(type.getShape(), type.getElementType(), memory));
  });
  return DiagnosedSilenceableFailure::success();
}
