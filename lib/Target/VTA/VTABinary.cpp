//===- VTABinary.cpp - Programs of VTA as binaries ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/VTA/VTABinary.h"

#include "relay-mlir/Support/ModuleTranslation.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::vta;

relay_vta::Program vta::encodeProgram(ProgramOp op) {
  relay_vta::Program program;
  program.config = op.getConfig().getConfig();
  program.dramBase = op.getDram().base;
  SmallVector<uint8_t> memory = op.getMemory();
  program.image.assign(memory.begin(), memory.end());
  program.instructionAddress =
      static_cast<uint64_t>(op.getStreamAddress().value_or(0));
  for (auto instruction : op.getBody().getOps<InstructionOpInterface>()) {
    relay_vta::InstructionWords words;
    // The verifier has encoded it before.
    (void)relay_vta::encode(program.config, instruction.getInstruction(),
                            words);
    program.instructions.push_back(words);
  }
  return program;
}

static LogicalResult writeBinary(ModuleOp module, raw_ostream &os) {
  auto programs = llvm::to_vector(module.getOps<ProgramOp>());
  if (programs.size() != 1)
    return module.emitError("expects one vta.program, but got ")
           << programs.size();
  std::vector<uint8_t> bytes =
      relay_vta::writeProgram(encodeProgram(programs.front()));
  os.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return success();
}

//===----------------------------------------------------------------------===//
// Disassembly
//===----------------------------------------------------------------------===//

/// Whether a line of assembly is the first one of an instruction.
static bool beginsInstruction(StringRef line) {
  line = line.ltrim();
  if (line.starts_with("%"))
    line = line.split(" = ").second;
  if (!line.consume_front("vta."))
    return false;
  StringRef name = line.take_until([](char c) { return c == ' '; });
  return name == LoadOp::getOperationName().drop_front(4) ||
         name == StoreOp::getOperationName().drop_front(4) ||
         name == SyncOp::getOperationName().drop_front(4) ||
         name == GemmOp::getOperationName().drop_front(4) ||
         name == AluOp::getOperationName().drop_front(4) ||
         name == FinishOp::getOperationName().drop_front(4);
}

void vta::printDisassembly(ModuleOp module, const relay_vta::Program &program,
                           raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  os << "// VTA " << relay_vta::getConfigName(program.config) << ", "
     << program.instructions.size() << " instructions, " << program.image.size()
     << " bytes of memory\n";
  uint64_t index = 0;
  StringRef rest = text;
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    rest = after;
    if (beginsInstruction(line) && index < program.instructions.size()) {
      relay_vta::Instruction instruction =
          relay_vta::decode(program.config, program.instructions[index]);
      os.indent(line.size() - line.ltrim().size())
          << llvm::formatv("// {0}: offset {1}, {2} stage: {3}\n", index,
                           relay_vta::getFileOffset(program, index),
                           relay_vta::getStageName(instruction.getStage()),
                           relay_vta::describe(program.config, instruction));
      ++index;
    }
    os << line << '\n';
  }
}

static LogicalResult readBinary(const std::shared_ptr<llvm::SourceMgr> &sources,
                                raw_ostream &os, MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources->getMemoryBuffer(sources->getMainFileID());
  relay_vta::Program program;
  std::string message = relay_vta::readProgram(
      reinterpret_cast<const uint8_t *>(buffer->getBufferStart()),
      buffer->getBufferSize(), program);
  StringRef name = buffer->getBufferIdentifier();
  if (!message.empty())
    return emitError(FileLineColLoc::get(context, name, 0, 0), message);
  context->loadDialect<VTADialect>();
  OwningOpRef<ModuleOp> module = decodeProgram(program, name, context);
  if (!module)
    return failure();
  printDisassembly(*module, program, os);
  return success();
}

void vta::registerVTATranslations() {
  relay::registerModuleTranslation(
      "vta-to-binary", "write a program of VTA as a binary (.vtao)",
      writeBinary,
      [](DialectRegistry &registry) { registry.insert<VTADialect>(); });
  TranslateRegistration registration(
      "binary-to-vta", "disassemble a binary of VTA (.vtao)", readBinary);
}
