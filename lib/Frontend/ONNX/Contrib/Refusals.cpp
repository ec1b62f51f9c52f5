//===- Refusals.cpp - What of ONNX Runtime is not imported ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that ONNX Runtime runs on processors, and why a model with them is
// refused.
//
//===----------------------------------------------------------------------===//

#include "Contrib.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

void mlir::relay::onnx::addContribRefusals(OpTable &table) {
  auto refuse = [&](StringRef domain, std::initializer_list<StringRef> names,
                    StringRef reason) {
    OpEntry entry;
    entry.refusal = reason;
    table.add(domain, names, entry);
  };
  refuse(kContribDomain,
         {"BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"},
         "a search over what a decoder gives; compile the decoder, and search "
         "outside of it");
  refuse(kContribDomain, {"SparseToDenseMatMul"},
         "of sparse tensors; give the model dense ones instead");
  refuse(kContribDomain, {"MatMulFpQ4"},
         "of weights that are packed for one kind of processor; MatMulNBits "
         "has them for all");
  refuse(kContribDomain, {"MaxpoolWithMask"},
         "whose mask ONNX Runtime reads at other places than those of the "
         "data");
  refuse("com.microsoft.nchwc",
         {"AveragePool", "Conv", "GlobalAveragePool", "GlobalMaxPool",
          "MaxPool", "ReorderInput", "ReorderOutput", "Upsample"},
         "of a model that was optimized for one kind of processor; optimize it "
         "up to the level extended, or not at all");
}
