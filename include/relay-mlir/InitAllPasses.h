//===- InitAllPasses.h - Register every pass --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INITALLPASSES_H
#define RELAY_MLIR_INITALLPASSES_H

#include "mlir/InitAllPasses.h"
#include "relay-mlir/Conversion/Passes.h"
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/Passes.h"
#include "relay-mlir/Dialect/TIR/TransformOps/Passes.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Dialect/Target/Transforms/Passes.h"
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h"
#include "relay-mlir/Pipelines/Pipelines.h"
#include "relay-mlir/Target/CUDA/CUDACode.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"
#include "relay-mlir/Target/VTA/VTACode.h"

// Registration is not in the headers that declare passes, which many files
// include: it takes longer to parse than all else that they include.
namespace mlir::relay {
#define GEN_PASS_REGISTRATION
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "relay-mlir/Dialect/Target/Transforms/Passes.h.inc"
} // namespace mlir::relay
namespace mlir::relax {
#define GEN_PASS_REGISTRATION
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace mlir::relax
namespace mlir::tir {
#define GEN_PASS_REGISTRATION
#include "relay-mlir/Dialect/TIR/ScheduleRules/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "relay-mlir/Dialect/TIR/TransformOps/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace mlir::tir
namespace mlir::vta {
#define GEN_PASS_REGISTRATION
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h.inc"
} // namespace mlir::vta

namespace mlir::relay {

/// Registers the passes and pipelines of this project.
inline void registerProjectPasses() {
  registerRelayConversionPasses();
  registerRelayPasses();
  registerRelayTargetPasses();
  relax::registerRelaxTransformsPasses();
  tir::registerTIRTransformsPasses();
  tir::registerTIRScheduleRulesPasses();
  tir::registerTIRTransformOpsPasses();
  vta::registerVTATransformsPasses();
  registerTIRToLLVMPipeline();
  cuda::registerTIRToGPUPipeline();
  vta::registerTIRToVTAPipeline();
  registerPipelines();
}

/// Registers all passes and pipelines of MLIR and of this project.
inline void registerAllPasses() {
  mlir::registerAllPasses();
  registerProjectPasses();
}

} // namespace mlir::relay

#endif // RELAY_MLIR_INITALLPASSES_H
