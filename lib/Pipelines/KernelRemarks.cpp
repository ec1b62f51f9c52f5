//===- KernelRemarks.cpp - What became of each kernel ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRemarks.h"

#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Target/Kernel/DeviceModules.h"
#include "relay-mlir/Target/Kernel/InstructionMix.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::relay;

bool KernelRemarks::areWanted(MLIRContext *context) {
  return context->getRemarkEngine() != nullptr;
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

void KernelRemarks::addOperators(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(kPrimitiveAttrName) || function.isExternal())
      continue;
    std::string &text = operators[function.getSymName()];
    for (Operation &op : function.getBody().front()) {
      if (!isa<FusionPatternOpInterface>(op) ||
          isa<relay::ConstantOp, relay::TupleOp, relay::TupleGetItemOp>(op))
        continue;
      text += text.empty() ? "" : ", ";
      text += op.getName().stripDialect();
    }
  }
}

/// What a schedule that somebody has written makes of the loops.
static void describeLoops(tir::PrimFuncOp function,
                          tir::ScheduleRemarks &remarks) {
  function.walk<WalkOrder::PreOrder>([&](tir::ForOp loop) {
    StringRef name;
    switch (loop.getKind()) {
    case tir::ForKind::Serial:
      return;
    case tir::ForKind::Parallel:
      name = "parallel";
      break;
    case tir::ForKind::Vectorized:
      name = "vectorize";
      break;
    case tir::ForKind::Unrolled:
      name = "unroll";
      break;
    case tir::ForKind::ThreadBinding:
      name = "bind";
      break;
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(loop.getBlocks(), os, [&](tir::BlockOp block) {
      os << '@' << block.getName();
    });
    if (std::optional<int64_t> extent = loop.getConstantExtent())
      os << ": loop of " << *extent;
    remarks.push_back({/*isMissed=*/false, name.str(), text});
  });
}

LogicalResult KernelRemarks::addSchedules(ModuleOp module,
                                          const ScheduleScripts &scripts) {
  for (auto function : module.getOps<tir::PrimFuncOp>()) {
    Kernel kernel(function.getLoc());
    kernel.scheduled = function.cloneIntoModule();
    kernels.insert({function.getSymNameAttr(), std::move(kernel)});
  }
  module.walk([&](relax::CallTIROp call) {
    auto it = kernels.find(call.getCalleeAttr().getAttr());
    if (it != kernels.end())
      ++it->second.numCalls;
  });
  return failableParallelForEach(
      module.getContext(), kernels, [&](auto &entry) -> LogicalResult {
        Kernel &kernel = entry.second;
        auto function =
            *kernel.scheduled->template getOps<tir::PrimFuncOp>().begin();
        if (scripts.contains(function)) {
          if (failed(scripts.apply(function)))
            return failure();
          kernel.remarks.push_back(
              {/*isMissed=*/false, "rule", "a schedule that was given"});
          describeLoops(function, kernel.remarks);
        } else if (!tir::scheduleKernel(function, &kernel.remarks)) {
          return failure();
        }
        return tir::liftWorkspaces(function);
      });
}

void KernelRemarks::addObject(StringRef name, StringRef object) {
  for (auto &[symbol, kernel] : kernels)
    if (symbol.getValue() == name) {
      InstructionMix mix = getInstructionMix(object, target);
      kernel.instructions = mix.describe();
      // Copies; the table of instructions is complete enough for that on x86.
      if (mix.families.empty() && !target.isAArch64())
        kernel.instructions =
            "no arithmetic, comparisons or conversions in vector registers";
      kernel.hasVectorCode = mix.families.empty() || mix.hasVectors();
    }
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

static std::string describeNumber(double value, StringRef unit) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const char *prefix = value >= 1e9   ? "G"
                       : value >= 1e6 ? "M"
                       : value >= 1e3 ? "k"
                                      : "";
  double scale = value >= 1e9   ? 1e9
                 : value >= 1e6 ? 1e6
                 : value >= 1e3 ? 1e3
                                : 1;
  os << llvm::format("%.4g ", value / scale) << prefix << unit;
  return text;
}

/// The constant or expression that an attribute of work holds.
static std::string describeWork(tir::PrimFuncOp kernel, StringRef attribute,
                                StringRef unit) {
  auto map = kernel->getAttrOfType<AffineMapAttr>(attribute);
  if (!map)
    return ("an unknown number of " + unit).str();
  AffineExpr expr = map.getValue().getResult(0);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return describeNumber(constant.getValue(), unit);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << expr << ' ' << unit;
  return text;
}

static std::string describeType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto memref = cast<MemRefType>(type);
  for (int64_t size : memref.getShape())
    if (ShapedType::isDynamic(size))
      os << "?x";
    else
      os << size << 'x';
  os << memref.getElementType();
  return text;
}

/// Bytes of a buffer, or its type where the size is not known.
static std::string describeBytes(ArrayRef<MemRefType> types) {
  int64_t bytes = 0;
  for (MemRefType type : types) {
    if (!type.hasStaticShape())
      return "a size that follows from the inputs";
    bytes += type.getNumElements() *
             llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return describeNumber(bytes, "B");
}

void KernelRemarks::emit(StringRef name, const Kernel &kernel) const {
  auto function = *kernel.scheduled.get().getOps<tir::PrimFuncOp>().begin();
  auto getOptions = [&](StringRef remarkName) {
    return remark::RemarkOpts::name(remarkName)
        .category("kernel")
        .function(name);
  };
  auto tell = [&](StringRef remarkName, StringRef text) {
    remark::passed(kernel.loc, getOptions(remarkName)) << text;
  };
  auto miss = [&](StringRef remarkName, StringRef text) {
    remark::missed(kernel.loc, getOptions(remarkName)) << text;
  };
  auto analyze = [&](StringRef remarkName, StringRef text) {
    remark::analysis(kernel.loc, getOptions(remarkName)) << text;
  };

  if (auto it = operators.find(name); it != operators.end())
    tell("fused", it->second);
  bool isOnHost = isForHost(function);
  if (!isOnHost)
    analyze("target", lookupTarget(function).getDescription());
  analyze("work", describeWork(function, tir::kFlopsAttr, "FLOP") + ", " +
                      describeWork(function, tir::kBytesAttr, "B") +
                      "; calls: " + std::to_string(kernel.numCalls));

  for (unsigned i = 0, e = function.getNumInputs(); i != e; ++i) {
    auto layout =
        function.getArgAttrOfType<AffineMapAttr>(i, tir::PrimFuncOp::kLayout);
    if (layout) {
      auto original = function.getArgAttrOfType<TypeAttr>(
          i, tir::PrimFuncOp::kOriginalType);
      std::string text = "constant argument " + std::to_string(i) + ", ";
      text += original ? describeType(original.getValue()) : "?";
      text += ", is stored as " + describeType(function.getArgumentTypes()[i]);
      tell("packed", text);
    } else if (function.isLayoutFree(i)) {
      auto type = cast<MemRefType>(function.getArgumentTypes()[i]);
      // A row has no other order.
      if (llvm::count_if(type.getShape(),
                         [](int64_t size) { return size != 1; }) > 1)
        miss("packed", "constant argument " + std::to_string(i) + ", " +
                           describeType(type) + ", keeps its layout");
    }
  }

  // What kind of kernel it is comes first, then what was done, and what not.
  bool isParallel = false;
  for (bool isRule : {true, false})
    for (const tir::ScheduleRemark &text : kernel.remarks) {
      if ((text.name == "rule") != isRule)
        continue;
      isParallel |= !text.isMissed && text.name == "parallel";
      if (text.isMissed)
        miss(text.name, text.text);
      else
        tell(text.name, text.text);
    }
  if (!isParallel && isOnHost)
    analyze("threads", "the kernel runs on the calling thread");

  SmallVector<MemRefType> workspaces, locals;
  for (Type type :
       function.getArgumentTypes().take_back(function.getNumWorkspaces()))
    workspaces.push_back(cast<MemRefType>(type));
  function.walk([&](tir::AllocBufferOp alloc) {
    locals.push_back(cast<MemRefType>(alloc.getBuffer().getType()));
  });
  if (!workspaces.empty())
    analyze("workspace", describeBytes(workspaces) + " in the arena");
  if (!locals.empty())
    analyze("workspace",
            describeBytes(locals) + (isOnHost ? " on the stack of each thread"
                                              : " in memories of the target"));
  if (!kernel.instructions.empty())
    analyze("instructions", kernel.instructions);
  if (!kernel.hasVectorCode)
    miss("instructions", "all arithmetic of the code is scalar");
}

void KernelRemarks::emit() const {
  for (const auto &[name, kernel] : kernels)
    emit(name.getValue(), kernel);
}
