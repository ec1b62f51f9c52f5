//===- relay-vta-sim.cpp - Run programs of VTA ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConformanceVectors.h"
#include "RunStatistics.h"

#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/OutputFile.h"
#include "relay-mlir/Support/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

namespace cl = llvm::cl;
using namespace mlir;
using namespace relay_vta;
using namespace relay_vta_sim;

namespace {

enum class Mode { Functional, Cycle };

/// What the command line says.
struct SimulatorOptions {
  std::vector<std::string> files;
  bool check = false;
  Mode mode = Mode::Functional;
  RunOptions run;
  bool statistics = false;
  std::string tracePath, outputPath;
  /// Of a raw stream.
  std::string config, imagePath;
  uint64_t dramBase = kPageBytes;
};

} // namespace

static void printError(const Twine &message) {
  llvm::errs() << "error: " << message << '\n';
}

[[noreturn]] static void refuse(const Twine &message) {
  printError(message);
  std::exit(1);
}

static SimulatorOptions parseCommandLine(int argc, char **argv) {
  // LLVM has an option of this name, too, for counters of passes.
  if (cl::Option *other = cl::getRegisteredOptions().lookup("stats"))
    other->removeArgument();

  SimulatorOptions result;
  static cl::OptionCategory category("relay-vta-sim options");
  static cl::list<std::string> files(
      cl::Positional, cl::OneOrMore,
      cl::desc("<program.vtao, or a raw stream>..."), cl::cat(category));
  static cl::opt<bool> check(
      "check",
      cl::desc("Compare each NAME.vtao with NAME.out and the cases.json beside "
               "it; a line for each, a count last"),
      cl::cat(category));
  static cl::opt<Mode> mode(
      "mode", cl::desc("Simulator"), cl::init(result.mode),
      cl::values(clEnumValN(Mode::Functional, "functional",
                            "what a program computes (default)"),
                 clEnumValN(Mode::Cycle, "cycle", "and how long it takes")),
      cl::cat(category));
  static cl::opt<bool> strict(
      "strict",
      cl::desc("Refuse what published implementations do differently, and "
               "accesses that no token orders"),
      cl::cat(category));
  static cl::opt<uint64_t> maxWork(
      "max-work",
      cl::desc("How many lanes GEMM and ALU may compute, and bytes LOAD and "
               "STORE may move; a micro-op or a row counts as 64 at least"),
      cl::init(result.run.maxWork), cl::cat(category));
  static cl::opt<bool> statistics(
      "stats",
      cl::desc("Print bytes of each memory, micro-ops, and with --mode=cycle "
               "cycles, utilisation and stalls"),
      cl::cat(category));
  static cl::opt<std::string> tracePath(
      "trace",
      cl::desc("Write what each stage does when, for Perfetto or "
               "chrome://tracing (--mode=cycle)"),
      cl::value_desc("trace.json"), cl::cat(category));
  static cl::opt<std::string> outputPath(
      "o", cl::desc("Write memory after the run"), cl::value_desc("image"),
      cl::cat(category));
  static cl::opt<std::string> config(
      "config",
      cl::desc("Configuration of a raw stream: instructions of 16 bytes and "
               "nothing else"),
      cl::value_desc("1x16_i8w8a32_15_15_18_17"), cl::cat(category));
  static cl::opt<std::string> imagePath(
      "image", cl::desc("Memory of a raw stream (default: a page of zeros)"),
      cl::value_desc("file"), cl::cat(category));
  static cl::opt<uint64_t> dramBase(
      "dram-base", cl::desc("Address of the memory of a raw stream"),
      cl::init(result.dramBase), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << relay::getVersionString() << '\n';
  });
  cl::ParseCommandLineOptions(argc, argv, "Runs programs of VTA\n");

  result.files = files;
  result.check = check;
  result.mode = mode;
  result.run.strict = strict;
  result.run.maxWork = maxWork;
  result.run.trace = !tracePath.empty();
  result.statistics = statistics;
  result.tracePath = tracePath;
  result.outputPath = outputPath;
  result.config = config;
  result.imagePath = imagePath;
  result.dramBase = dramBase;
  if (result.check) {
    for (cl::Option *option : {static_cast<cl::Option *>(&statistics),
                               static_cast<cl::Option *>(&tracePath),
                               static_cast<cl::Option *>(&outputPath),
                               static_cast<cl::Option *>(&config)})
      if (option->getNumOccurrences())
        refuse("expects --check without -" + option->ArgStr);
  } else if (result.files.size() > 1) {
    refuse("expects one program without --check, but got " +
           Twine(result.files.size()));
  }
  for (cl::opt<std::string> *path : {&outputPath, &tracePath, &imagePath})
    if (path->getNumOccurrences() && path->empty())
      refuse(Twine("expects -") + path->ArgStr + " with the name of a file");
  if (!result.tracePath.empty() && result.mode != Mode::Cycle)
    refuse("expects --trace with --mode=cycle");
  if (result.config.empty())
    for (cl::Option *option : {static_cast<cl::Option *>(&imagePath),
                               static_cast<cl::Option *>(&dramBase)})
      if (option->getNumOccurrences())
        refuse("expects --" + option->ArgStr +
               " with --config, for a raw stream");
  return result;
}

//===----------------------------------------------------------------------===//
// One program
//===----------------------------------------------------------------------===//

static llvm::Expected<std::vector<uint8_t>> readBytes(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      relay::readInputFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  return std::vector<uint8_t>(bytes.bytes_begin(), bytes.bytes_end());
}

/// A stream without header, on memory of its own.
static llvm::Error readRawStream(const SimulatorOptions &options,
                                 Program &program) {
  if (std::string message = parseConfigName(options.config, program.config);
      !message.empty())
    return llvm::createStringError(message);
  if (std::string message = checkConfig(program.config); !message.empty())
    return llvm::createStringError("configuration '" + options.config +
                                   "': " + message);
  program.image.resize(kPageBytes);
  if (!options.imagePath.empty()) {
    llvm::Expected<std::vector<uint8_t>> image = readBytes(options.imagePath);
    if (!image)
      return image.takeError();
    program.image = std::move(*image);
  }
  program.dramBase = options.dramBase;
  if (std::string message = checkDram(program.dramBase, program.image.size());
      !message.empty())
    return llvm::createStringError(message);
  llvm::Expected<std::vector<uint8_t>> stream = readBytes(options.files[0]);
  if (!stream)
    return stream.takeError();
  if (StringRef(reinterpret_cast<const char *>(stream->data()), stream->size())
          .starts_with("VTAO"))
    return llvm::createStringError(
        "'" + options.files[0] +
        "': expects a stream without a header after --config, but got a "
        "program, which has its own configuration");
  if (stream->size() % kInstructionBytes)
    return llvm::createStringError(
        "'" + options.files[0] +
        "': expects instructions of 16 bytes, but got " +
        Twine(stream->size()) + " bytes");
  for (size_t i = 0; i < stream->size(); i += kInstructionBytes)
    program.instructions.push_back(readWords(stream->data() + i));
  return llvm::Error::success();
}

static bool writeBytes(StringRef path,
                       llvm::function_ref<void(raw_ostream &)> write) {
  std::error_code error =
      relay::writeOutputText(path, [&](raw_ostream &os) -> LogicalResult {
        write(os);
        return success();
      });
  if (error)
    printError("cannot write '" + path + "': " + error.message());
  return !error;
}

static int runProgram(const SimulatorOptions &options) {
  Program program;
  llvm::Error error = options.config.empty()
                          ? readProgramFile(options.files[0], program)
                          : readRawStream(options, program);
  if (error) {
    printError(llvm::toString(std::move(error)));
    return 1;
  }
  Simulator simulator(program.config);
  Timing timing;
  bool hasTiming = options.mode == Mode::Cycle;
  std::vector<uint8_t> image = program.image;
  RunStatus status =
      hasTiming ? simulator.runCycles(program.instructions, program.dramBase,
                                      image, timing, options.run)
                : simulator.run(program.instructions, program.dramBase, image,
                                options.run);
  if (!status.isOk()) {
    printError(Twine("'") + options.files[0] + "', " +
               getErrorKindName(status.kind) + ": " + explain(status));
    return 1;
  }
  if (options.statistics)
    printStatistics(program, simulator.getProfile(),
                    hasTiming ? &timing : nullptr, llvm::outs());
  if (!options.tracePath.empty() &&
      !writeBytes(options.tracePath,
                  [&](raw_ostream &os) { writeTrace(program, timing, os); }))
    return 1;
  if (!options.outputPath.empty() &&
      !writeBytes(options.outputPath, [&](raw_ostream &os) {
        os.write(reinterpret_cast<const char *>(image.data()), image.size());
      }))
    return 1;
  return failed(relay::finishStandardOutput());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  SimulatorOptions options = parseCommandLine(argc, argv);
  if (!options.check)
    return runProgram(options);
  ConformanceVectors vectors(options.mode == Mode::Cycle, options.run);
  size_t passed = 0;
  for (const std::string &file : options.files)
    passed += vectors.check(file, llvm::outs());
  llvm::outs() << passed << " of " << options.files.size()
               << " vectors are as expected\n";
  if (failed(relay::finishStandardOutput()))
    return 1;
  return passed != options.files.size();
}
