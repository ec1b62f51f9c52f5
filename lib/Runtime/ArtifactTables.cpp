//===- ArtifactTables.cpp - Check the tables of an artefact ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactTables.h"

#include "Error.h"

#include <cstring>
#include <link.h>
#include <string>
#include <vector>

using namespace relay_rt;

/// More than a model has, and little enough to allocate.
static constexpr int32_t kMaxRank = 1 << 16;
static constexpr int32_t kMaxNumbers = 1 << 24;

namespace {

class TableChecker {
public:
  explicit TableChecker(const RelayArtifact *artifact);

  void check() const;

private:
  /// Part of the shared object in memory.
  struct Segment {
    uintptr_t begin, end;
    bool isCode;
  };

  template <typename... Parts>
  [[noreturn]] static void refuse(const Parts &...parts) {
    fail(RELAY_INVALID_ARTIFACT,
         "the tables of the model are damaged: ", parts...);
  }

  static int find(dl_phdr_info *info, size_t size, void *self);

  const Segment *findSegment(const void *address) const;
  void checkBytes(const void *data, uint64_t count, uint64_t size,
                  const char *what) const;
  /// An array of as many elements as a table says.
  template <typename T>
  void checkArray(const T *data, int64_t count, const char *what) const {
    if (count < 0)
      refuse("expects a number of ", what, ", but got ", count);
    checkBytes(data, static_cast<uint64_t>(count), sizeof(T), what);
  }
  void checkString(const char *text, const char *what) const;
  template <typename T>
  void checkFunction(T *function, const char *what) const {
    const Segment *segment = findSegment(reinterpret_cast<void *>(function));
    if (!segment || !segment->isCode)
      refuse("expects ", what, " within the code of the file");
  }
  static void checkIndex(int64_t index, int64_t first, int64_t end,
                         const char *what) {
    if (index < first || index >= end)
      refuse("expects ", what, " from ", first, " to ", end - 1, ", but got ",
             index);
  }

  /// A tensor whose open sizes are some of so many symbols. Those of calls have
  /// no texts.
  void checkTensor(const RelayArtifactTensor &tensor, int64_t numSymbols,
                   bool hasTexts) const;
  void checkCall(const RelayArtifactCall &call) const;
  void checkCondition(const RelayArtifactFunction &function,
                      const RelayArtifactCheck &condition) const;
  void checkTensorFunction(const RelayArtifactFunction &function) const;
  void checkDevices() const;
  void checkProgram(const RelayVMProgram &program) const;

  const RelayArtifact *artifact;
  std::vector<Segment> segments;
};

} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TableChecker::TableChecker(const RelayArtifact *artifact) : artifact(artifact) {
  dl_iterate_phdr(find, this);
}

/// Takes the segments of the shared object that has the artefact.
int TableChecker::find(dl_phdr_info *info, size_t /*size*/, void *self) {
  auto &checker = *static_cast<TableChecker *>(self);
  std::vector<Segment> segments;
  bool isOurs = false;
  auto place = reinterpret_cast<uintptr_t>(checker.artifact);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_R))
      continue;
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    segments.push_back(
        {begin, begin + header.p_memsz, (header.p_flags & PF_X) != 0});
    isOurs |= place >= begin && place < begin + header.p_memsz;
  }
  if (!isOurs)
    return 0;
  checker.segments = std::move(segments);
  return 1;
}

const TableChecker::Segment *
TableChecker::findSegment(const void *address) const {
  auto place = reinterpret_cast<uintptr_t>(address);
  for (const Segment &segment : segments)
    if (place >= segment.begin && place < segment.end)
      return &segment;
  return nullptr;
}

void TableChecker::checkBytes(const void *data, uint64_t count, uint64_t size,
                              const char *what) const {
  if (count == 0)
    return;
  const Segment *segment = findSegment(data);
  if (!segment ||
      count > (segment->end - reinterpret_cast<uintptr_t>(data)) / size)
    refuse("expects ", count, " ", what, " within the file");
}

void TableChecker::checkString(const char *text, const char *what) const {
  const Segment *segment = findSegment(text);
  if (!segment ||
      !std::memchr(text, 0, segment->end - reinterpret_cast<uintptr_t>(text)))
    refuse("expects ", what, " to be a text within the file");
}

//===----------------------------------------------------------------------===//
// Functions of tensors
//===----------------------------------------------------------------------===//

void TableChecker::checkTensor(const RelayArtifactTensor &tensor,
                               int64_t numSymbols, bool hasTexts) const {
  if (tensor.name)
    checkString(tensor.name, "the name of a tensor");
  checkIndex(tensor.rank, 0, kMaxRank, "a rank");
  checkArray(tensor.dims, tensor.rank, "sizes");
  if (tensor.dim_names)
    checkArray(tensor.dim_names, tensor.rank, "texts of sizes");
  for (int32_t i = 0; i < tensor.rank; ++i) {
    int64_t size = tensor.dims[i];
    if (size < 0 && size != INT64_MIN)
      checkIndex(-1 - size, 0, numSymbols, "a symbol");
    const char *text = tensor.dim_names ? tensor.dim_names[i] : nullptr;
    if (text)
      checkString(text, "an open size");
    else if (size < 0 && hasTexts)
      refuse("expects the text of an open size, but got none");
  }
}

void TableChecker::checkCall(const RelayArtifactCall &call) const {
  checkString(call.kernel, "the name of a kernel");
  checkString(call.function, "the name of a function");
  checkString(call.source, "the source of a call");
  checkIndex(call.device, 0, artifact->num_devices, "a device");
  checkIndex(call.source_device, -1, artifact->num_devices,
             "a device to copy from");
  if (call.device == 0 && call.source_device == 0)
    refuse("expects a copy between two devices");
  checkArray(call.args, call.num_args, "arguments");
  checkIndex(call.first_output, 0, int64_t(call.num_args) + 1, "an output");
  checkIndex(call.num_outputs, 0,
             int64_t(call.num_args) - call.first_output + 1,
             "a number of outputs");
  for (int32_t i = 0; i < call.num_args; ++i)
    checkTensor(call.args[i], /*numSymbols=*/kMaxNumbers, /*hasTexts=*/false);
}

void TableChecker::checkCondition(const RelayArtifactFunction &function,
                                  const RelayArtifactCheck &condition) const {
  checkIndex(condition.kind, RELAY_CHECK_EQUAL, RELAY_CHECK_MULTIPLE + 1,
             "a kind of conditions");
  checkIndex(condition.num_values, condition.subject ? 0 : 2,
             int64_t(function.max_check_values) + 1, "a number of values");
  checkArray(condition.values, condition.num_values, "values");
  for (int32_t i = 0; i < condition.num_values; ++i)
    checkString(condition.values[i], "a value");
  checkArray(condition.symbols, condition.num_symbols, "symbols");
  for (int64_t i = 0; i < condition.num_symbols; ++i)
    checkIndex(condition.symbols[i], 0, function.num_symbols, "a symbol");
  if (condition.subject)
    checkString(condition.subject, "what has sizes");
}

void TableChecker::checkTensorFunction(
    const RelayArtifactFunction &function) const {
  checkString(function.name, "the name of a function");
  checkIndex(function.num_symbols, 0, kMaxNumbers, "a number of symbols");
  checkIndex(function.max_check_values, 0, kMaxNumbers, "a number of values");
  checkIndex(function.first_call, 0, int64_t(artifact->num_calls) + 1,
             "a call");
  checkIndex(function.num_calls, 0,
             int64_t(artifact->num_calls) - function.first_call + 1,
             "a number of calls");
  checkArray(function.symbols, function.num_symbols, "symbols");
  for (int32_t i = 0; i < function.num_symbols; ++i)
    checkString(function.symbols[i], "a symbol");
  checkArray(function.inputs, function.num_inputs, "inputs");
  checkArray(function.outputs, function.num_outputs, "outputs");
  for (int32_t i = 0; i < function.num_inputs; ++i) {
    const RelayArtifactTensor &input = function.inputs[i];
    checkTensor(input, function.num_symbols, /*hasTexts=*/true);
    // Its sizes are those that symbols get.
    for (int32_t dim = 0; dim < input.rank; ++dim)
      if (input.dims[dim] == INT64_MIN)
        refuse("expects sizes of inputs that are numbers or symbols, but got "
               "another expression");
  }
  for (int32_t i = 0; i < function.num_outputs; ++i)
    checkTensor(function.outputs[i], function.num_symbols, /*hasTexts=*/true);
  checkArray(function.checks, function.num_checks, "conditions");
  for (int32_t i = 0; i < function.num_checks; ++i)
    checkCondition(function, function.checks[i]);
  checkFunction(function.shapes, "the function that computes shapes");
  checkFunction(function.work, "the function that computes work");
  checkFunction(function.main, "the function that runs");
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

void TableChecker::checkDevices() const {
  // The host is one.
  checkIndex(artifact->num_devices, 1, kMaxNumbers, "a number of devices");
  checkArray(artifact->devices, artifact->num_devices, "devices");
  for (int32_t i = 0; i < artifact->num_devices; ++i) {
    const RelayArtifactDevice &device = artifact->devices[i];
    checkString(device.kind, "a kind of devices");
    if (device.weights_offset > artifact->weights_size ||
        device.weights_size > artifact->weights_size - device.weights_offset)
      refuse("expects the weights of a device within ", artifact->weights_size,
             " bytes, but got ", device.weights_size, " from ",
             device.weights_offset);
  }
  checkArray(artifact->modules, artifact->num_modules, "modules");
  for (int32_t i = 0; i < artifact->num_modules; ++i) {
    const RelayArtifactModule &module = artifact->modules[i];
    checkString(module.kind, "a kind of devices");
    checkString(module.format, "a format of code");
    checkBytes(module.data, module.size, 1, "bytes of code");
    if (std::strcmp(module.format, RELAY_MODULE_FORMAT_HOST) != 0)
      continue;
    const auto *kernels = static_cast<const RelayHostKernel *>(module.data);
    for (uint64_t k = 0; k != module.size / sizeof(RelayHostKernel); ++k) {
      checkString(kernels[k].name, "the name of a kernel");
      checkFunction(kernels[k].kernel, "a kernel");
    }
  }
}

void TableChecker::checkProgram(const RelayVMProgram &program) const {
  checkArray(program.functions, program.num_functions, "functions");
  checkArray(program.constants, program.num_constants, "constants");
  checkArray(program.constructors, program.num_constructors, "constructors");
  checkArray(program.code, program.num_words, "words of code");
  for (int64_t i = 0; i < program.num_functions; ++i) {
    const RelayVMFunction &function = program.functions[i];
    checkString(function.name, "the name of a function");
    checkArray(function.types, function.num_type_words, "words of types");
    if (function.kind != RELAY_VM_BYTECODE)
      continue;
    checkArray(function.result_types, function.num_result_words,
               "words of types");
    auto checkNames = [&](const char *const *names, int32_t count,
                          const char *plural, const char *one) {
      checkArray(names, count, plural);
      for (int32_t n = 0; n < count; ++n)
        checkString(names[n], one);
    };
    checkNames(function.params, function.num_params, "parameters",
               "the name of a parameter");
    checkNames(function.results, function.num_results, "results",
               "the name of a result");
    checkNames(function.symbols, function.num_symbols, "symbols",
               "the name of a symbol");
    auto checkNumbers = [&](const int64_t *numbers, int32_t count,
                            int32_t limit) {
      checkArray(numbers, count, "strings");
      for (int32_t n = 0; n < count; ++n)
        checkIndex(numbers[n], 0, limit, "the number of a string");
    };
    checkNumbers(function.string_params, function.num_string_params,
                 function.num_params);
    checkNumbers(function.string_results, function.num_string_results,
                 function.num_results);
  }
  for (int64_t i = 0; i < program.num_constants; ++i)
    checkTensor(program.constants[i].tensor, /*numSymbols=*/0,
                /*hasTexts=*/false);
  for (int64_t i = 0; i < program.num_constructors; ++i) {
    const RelayArtifactConstructor &constructor = program.constructors[i];
    checkString(constructor.type, "the name of a type");
    checkString(constructor.name, "the name of a constructor");
    checkIndex(constructor.num_fields, 0, kMaxNumbers, "a number of fields");
    checkArray(constructor.field_types, constructor.num_type_words,
               "words of types");
  }
}

void TableChecker::check() const {
  checkString(artifact->compiler_version, "the version of the compiler");
  checkString(artifact->target_triple, "the target");
  checkString(artifact->required_features, "the CPU features");
  checkString(artifact->precision, "the precision");
  checkDevices();
  checkArray(artifact->strings, artifact->num_strings, "strings");
  for (int64_t i = 0; i < artifact->num_strings; ++i)
    checkString(artifact->strings[i], "a string");
  checkArray(artifact->metadata, artifact->num_metadata, "texts of metadata");
  if (artifact->num_metadata % 2 != 0)
    refuse("expects a text for each key of the metadata");
  for (int64_t i = 0; i < artifact->num_metadata; ++i)
    checkString(artifact->metadata[i], "a text of the metadata");
  checkArray(artifact->calls, artifact->num_calls, "calls");
  for (int32_t i = 0; i < artifact->num_calls; ++i)
    checkCall(artifact->calls[i]);
  checkArray(artifact->functions, artifact->num_functions, "functions");
  for (int32_t i = 0; i < artifact->num_functions; ++i)
    checkTensorFunction(artifact->functions[i]);
  if (!artifact->program)
    return;
  checkArray(artifact->program, 1, "programs");
  checkProgram(*artifact->program);
}

void relay_rt::checkTables(const RelayArtifact *artifact) {
  TableChecker(artifact).check();
}
