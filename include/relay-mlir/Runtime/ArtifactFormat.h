//===- ArtifactFormat.h - What a compiled model exports ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled model is a shared object that exports one symbol,
// RELAY_ARTIFACT_SYMBOL, of type RelayArtifact. The compiler emits it as
// constant data, the run time reads it. Plain C.
//
// A change of these structures changes RELAY_ARTIFACT_VERSION; the run time
// refuses every version but its own.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_ARTIFACTFORMAT_H
#define RELAY_MLIR_RUNTIME_ARTIFACTFORMAT_H

#include "relay-mlir/Runtime/KernelABI.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RELAY_ARTIFACT_SYMBOL "relay_artifact"
#define RELAY_ARTIFACT_MAGIC UINT64_C(0x54524159414c4552) /* "RELAYART" */
#define RELAY_ARTIFACT_VERSION 2

/// Name of the section with the packed constants.
#define RELAY_WEIGHTS_SECTION ".relay.weights"

/// Alignment in bytes of everything the compiler or the run time allocates:
/// constants, arena, outputs.
#define RELAY_BUFFER_ALIGNMENT 64

/// Element type, with the codes of DLPack's DLDataTypeCode: 0 int, 1 unsigned
/// int, 2 float, 4 bfloat, 6 bool (bits = 8, one byte with the value 0 or 1).
typedef struct RelayArtifactDType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} RelayArtifactDType;

/// A tensor's type. `dims[i]` is the size if it is not negative; -1 - s for
/// symbol number s; INT64_MIN for any other expression over the symbols (only
/// in outputs, whose sizes RelayArtifact::shapes computes, and in calls).
/// `dim_names[i]` is null for a static dimension, else the text of the
/// expression, such as "n" or "2 * n".
typedef struct RelayArtifactTensor {
  const char *name;
  RelayArtifactDType dtype;
  int32_t rank;
  const int64_t *dims;
  const char *const *dim_names;
} RelayArtifactTensor;

/// One kernel call of the program, in program order.
typedef struct RelayArtifactCall {
  /// The kernel's name, and that of the fused relay function it came from.
  const char *kernel;
  const char *function;
  /// Types of all arguments; the outputs are [first_output, first_output +
  /// num_outputs). Dynamic dimensions are INT64_MIN: their sizes are the
  /// observer's `dims`.
  int32_t num_args;
  int32_t first_output;
  int32_t num_outputs;
  const RelayArtifactTensor *args;
} RelayArtifactCall;

typedef struct RelayArtifact {
  uint64_t magic;
  uint32_t version;
  /// sizeof(RelayArtifact) as the compiler knew it.
  uint32_t struct_size;
  const char *compiler_version;
  const char *target_triple;
  /// CPU features (LLVM's names, comma separated) that the code needs.
  const char *required_features;

  int32_t num_symbols;
  int32_t num_inputs;
  int32_t num_outputs;
  int32_t num_calls;
  const char *const *symbols;
  const RelayArtifactTensor *inputs;
  const RelayArtifactTensor *outputs;
  const RelayArtifactCall *calls;

  /// Packed constants, read-only.
  const void *weights;
  uint64_t weights_size;

  /// Computes, from the values of the symbols, the sizes of all dimensions of
  /// all outputs (static ones too; concatenated) and the bytes of the arena.
  int32_t (*shapes)(const int64_t *symbols, int64_t *output_dims,
                    int64_t *arena_bytes);

  /// Computes for each call, from the values of the symbols, the arithmetic
  /// operations on elements and the bytes of inputs and outputs that the call
  /// must touch; -1 where that does not follow from sizes.
  int32_t (*work)(const int64_t *symbols, int64_t *flops, int64_t *bytes);

  /// Runs the model.
  int32_t (*main)(void *const *inputs, void *const *outputs,
                  const void *weights, void *arena, const int64_t *symbols,
                  const RelayKernelContext *context);
} RelayArtifact;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // RELAY_MLIR_RUNTIME_ARTIFACTFORMAT_H
