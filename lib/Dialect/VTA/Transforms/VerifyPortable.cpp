//===- VerifyPortable.cpp - Programs that all implementations agree on ----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/VTA/Transforms/Passes.h"

namespace mlir::vta {
#define GEN_PASS_DEF_VERIFYPORTABLEPASS
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h.inc"
} // namespace mlir::vta

using namespace mlir;
using namespace mlir::vta;

namespace {

struct VerifyPortable : vta::impl::VerifyPortablePassBase<VerifyPortable> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    relay_vta::Config config = program.getConfig().getConfig();
    UopMemory uops(config);
    std::vector<relay_vta::Instruction> instructions;
    SmallVector<InstructionOpInterface> ops;
    for (auto op : program.getBody().getOps<InstructionOpInterface>()) {
      if (std::optional<relay_vta::Fault> fault = check(op, config, uops)) {
        op.emitOpError(fault->message);
        return signalPassFailure();
      }
      if (auto load = dyn_cast<LoadOp>(*op))
        uops.load(load);
      instructions.push_back(op.getInstruction());
      ops.push_back(op);
    }
    if (auto fault = relay_vta::checkPortableQueues(instructions)) {
      ops[fault->first].emitOpError(fault->second.message);
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

  static std::optional<relay_vta::Fault> check(InstructionOpInterface op,
                                               const relay_vta::Config &config,
                                               const UopMemory &memory) {
    relay_vta::Instruction instruction = op.getFields();
    if (std::optional<relay_vta::Fault> fault =
            relay_vta::checkPortable(config, instruction))
      return fault;
    if (!instruction.is(relay_vta::Opcode::Alu))
      return std::nullopt;
    std::vector<relay_vta::Uop> known;
    for (const std::optional<relay_vta::Uop> &uop : memory.get(instruction)) {
      if (!uop)
        return std::nullopt;
      known.push_back(*uop);
    }
    if (known.size() != instruction.getNumUops())
      return std::nullopt;
    return relay_vta::checkPortableUops(instruction, known);
  }
};

} // namespace
