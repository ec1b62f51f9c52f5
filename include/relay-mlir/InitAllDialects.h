//===- InitAllDialects.h - Register every dialect ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every dialect of the project, and those of MLIR that its passes produce.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INITALLDIALECTS_H
#define RELAY_MLIR_INITALLDIALECTS_H

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"
#include "relay-mlir/Dialect/TIR/Transforms/Bufferize.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"
#include "relay-mlir/Target/CUDA/CUDACode.h"
#include "relay-mlir/Target/VTA/VTACode.h"

namespace mlir::relay {

/// Adds the dialects of this project, and their extensions, to `registry`.
inline void registerProjectDialects(DialectRegistry &registry) {
  registry.insert<RelayDialect, TargetDialect, cuda::CUDADialect,
                  relax::RelaxDialect, tir::TIRDialect, vta::VTADialect>();
  tir::registerBufferizableOpInterfaceExternalModels(registry);
  tir::registerTransformDialectExtension(registry);
  tir::registerCPUScheduleRules(registry);
  tir::registerGPUScheduleRules(registry);
  tir::registerVTAScheduleRules(registry);
  cuda::registerCodeGenerator(registry);
  vta::registerCodeGenerator(registry);
}

/// Adds all dialects of MLIR and of this project to `registry`.
inline void registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerProjectDialects(registry);
}

} // namespace mlir::relay

#endif // RELAY_MLIR_INITALLDIALECTS_H
