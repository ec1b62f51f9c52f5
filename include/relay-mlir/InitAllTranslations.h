//===- InitAllTranslations.h - Register every translation -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every foreign format that relay-translate reads or writes. A build without
// protobuf does not define RELAY_ENABLE_ONNX.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INITALLTRANSLATIONS_H
#define RELAY_MLIR_INITALLTRANSLATIONS_H

#include "relay-mlir/Frontend/ONNX/ImportONNX.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"
#include "relay-mlir/Target/AOT/HostModule.h"
#include "relay-mlir/Target/GraphJSON/GraphJSON.h"
#include "relay-mlir/Target/RelaxScript/RelaxScript.h"
#include "relay-mlir/Target/VTA/VTABinary.h"

namespace mlir::relay {

/// Registers all translations with the process.
inline void registerAllTranslations() {
#ifdef RELAY_ENABLE_ONNX
  registerImportOnnxTranslation();
#endif
  registerRelayTextTranslations();
  registerRelaxToHostTranslation();
  registerRelaxToGraphJSONTranslation();
  relax::registerRelaxToScriptTranslation();
  vta::registerVTATranslations();
}

} // namespace mlir::relay

#endif // RELAY_MLIR_INITALLTRANSLATIONS_H
