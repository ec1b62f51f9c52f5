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

/// How many micro-ops are looked at, which takes about a second. Loops of a few
/// bytes may run for hours.
constexpr uint64_t kMaxUops = uint64_t(1) << 28;

struct VerifyPortable : vta::impl::VerifyPortablePassBase<VerifyPortable> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    relay_vta::Config config = program.getConfig().getConfig();
    UopMemory uops(config);
    uint64_t left = kMaxUops;
    for (auto op : program.getBody().getOps<InstructionOpInterface>()) {
      if (std::optional<relay_vta::Fault> fault =
              check(op, config, uops, left)) {
        op.emitOpError(fault->message);
        return signalPassFailure();
      }
      if (auto load = dyn_cast<LoadOp>(*op))
        uops.load(load);
    }
    markAllAnalysesPreserved();
  }

  static std::optional<relay_vta::Fault> check(InstructionOpInterface op,
                                               const relay_vta::Config &config,
                                               const UopMemory &memory,
                                               uint64_t &left) {
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
    // Sizes of a few bits each, whose product fits.
    uint64_t count = instruction.getNumIterations() * known.size();
    if (count > left)
      return relay_vta::Fault{relay_vta::ErrorKind::Limit, "",
                              "expects at most " + std::to_string(kMaxUops) +
                                  " micro-ops in all iterations of a program "
                                  "that is checked, but got more"};
    left -= count;
    return relay_vta::checkPortableUops(instruction, known);
  }
};

} // namespace
