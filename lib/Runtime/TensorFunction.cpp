//===- TensorFunction.cpp - A function of tensors -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of a function: checks the inputs and takes the open sizes from them,
// computes all other sizes and checks their conditions, and calls the
// artefact's main function. Everything that can be wrong with a call is an
// error that names the input, the expression or the kernel.
//
//===----------------------------------------------------------------------===//

#include "TensorFunction.h"

#include "Error.h"
#include "Module.h"

#include <algorithm>
#include <cstring>

using namespace relay_rt;

static std::string describeShape(const RelayTensorInfo &info) {
  std::string text = "[";
  for (int32_t i = 0; i < info.ndim; ++i) {
    text += i ? ", " : "";
    text += info.dim_names[i] ? std::string(info.dim_names[i])
                              : std::to_string(info.shape[i]);
  }
  return text + "]";
}

TensorFunction::TensorFunction(const RelayArtifact &artifact,
                               const RelayArtifactFunction &function)
    : artifact(artifact), function(function),
      inputs(describe(function.inputs, function.num_inputs)),
      outputs(describe(function.outputs, function.num_outputs)) {
  for (const RelayTensorInfo &info : outputs)
    numDims += info.ndim;
  if (function.num_symbols != 0)
    return;
  try {
    CallScratch call;
    computeShapes(call);
    staticDims = std::move(call.dims);
    staticArenaBytes = std::move(call.arenaBytes);
  } catch (const Error &) {
    // Each call tells.
  }
}

std::vector<RelayTensorInfo>
TensorFunction::describe(const RelayArtifactTensor *tensors, int32_t count) {
  std::vector<RelayTensorInfo> infos;
  for (int32_t i = 0; i < count; ++i) {
    const RelayArtifactTensor &tensor = tensors[i];
    auto shape = std::make_unique<int64_t[]>(tensor.rank);
    for (int32_t d = 0; d < tensor.rank; ++d)
      shape[d] = std::max<int64_t>(tensor.dims[d], -1);
    DLDataType dtype = {tensor.dtype.code, tensor.dtype.bits,
                        tensor.dtype.lanes};
    infos.push_back({tensor.name, dtype, tensor.rank, shape.get(),
                     tensor.dim_names, tensor.is_string});
    shapes.push_back(std::move(shape));
  }
  return infos;
}

void TensorFunction::checkInput(int32_t index, const DLTensor &tensor,
                                std::vector<int64_t> &symbols) const {
  const RelayTensorInfo &info = inputs[index];
  if (tensor.device.device_type != kDLCPU)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to be in CPU memory, but got DLPack device type ",
         int(tensor.device.device_type));
  if (!isSameDType(tensor.dtype, info.dtype))
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have dtype ", describeDType(info.dtype), ", but got ",
         describeDType(tensor.dtype));
  if (tensor.ndim > 0 && !tensor.shape)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have a shape, but got a null pointer");
  if (tensor.ndim != info.ndim)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have shape ", describeShape(info), ", but got ",
         describeDims(tensor.shape, tensor.ndim));

  const int64_t *dims = function.inputs[index].dims;
  for (int32_t d = 0; d < info.ndim; ++d) {
    int64_t size = tensor.shape[d];
    if (size < 0)
      fail(RELAY_INVALID_ARGUMENT, "expects the sizes of input '", info.name,
           "' not to be negative, but got ",
           describeDims(tensor.shape, tensor.ndim));
    if (dims[d] >= 0) {
      if (size != dims[d])
        fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
             "' to have shape ", describeShape(info), ", but got ",
             describeDims(tensor.shape, tensor.ndim));
      continue;
    }
    int64_t &symbol = symbols[-1 - dims[d]];
    if (symbol >= 0 && symbol != size)
      fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
           "' to have shape ", describeShape(info), " with ", info.dim_names[d],
           " = ", symbol, " as in an earlier dimension, but got ",
           describeDims(tensor.shape, tensor.ndim));
    symbol = size;
  }
  std::optional<size_t> bytes =
      getNumBytes(tensor.dtype, tensor.shape, tensor.ndim);
  if (!bytes)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have fewer than 2^63 bytes, but got shape ",
         describeDims(tensor.shape, tensor.ndim), " of ",
         describeDType(tensor.dtype));
  if (!tensor.data && *bytes > 0 &&
      std::strncmp(info.name, RELAY_SIZES_PREFIX,
                   sizeof(RELAY_SIZES_PREFIX) - 1) != 0)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have data, but got a null pointer");
}

//===----------------------------------------------------------------------===//
// Sizes that follow from those of the inputs
//===----------------------------------------------------------------------===//

static std::string describeValue(int64_t value) {
  return value == RELAY_OVERFLOW ? "2^63 or more" : std::to_string(value);
}

/// An expression of sizes. Of a long one, the begin: its value follows, and
/// then what decides on it.
static std::string shorten(const char *expression) {
  constexpr size_t kMaxLength = 100;
  std::string text = expression;
  return text.size() <= kMaxLength
             ? text
             : text.substr(0, text.rfind(' ', kMaxLength)) + " ...";
}

void TensorFunction::failCheck(const RelayArtifactCheck &check,
                               const int64_t *values,
                               const std::vector<int64_t> &symbols) const {
  // "2 * n = 6", or "6" if that is all.
  auto describe = [&](int32_t i) {
    std::string value = describeValue(values[i]);
    return check.values[i] == value ? value
                                    : shorten(check.values[i]) + " = " + value;
  };
  std::string text;
  if (!check.subject) {
    const char *relation =
        check.kind == RELAY_CHECK_EQUAL      ? " to equal "
        : check.kind == RELAY_CHECK_AT_LEAST ? " to be at least "
        : check.kind == RELAY_CHECK_MULTIPLE ? " to be a multiple of "
                                             : " to be 1 or ";
    text = "expects " + shorten(check.values[0]) + relation +
           shorten(check.values[1]);
    const char *separator = ", but got ";
    for (int32_t i = 0; i < 2; ++i) {
      std::string value = describeValue(values[i]);
      if (value == check.values[i])
        continue; // A constant, which has been said.
      text += separator + value;
      separator = " and ";
    }
  } else {
    bool isNegative =
        std::any_of(values, values + check.num_values, [](int64_t value) {
          return value < 0 && value != RELAY_OVERFLOW;
        });
    text = std::string("expects ") + check.subject +
           (isNegative ? " to have sizes from 0"
                       : " to have fewer than 2^63 bytes");
    for (int32_t i = 0; i < check.num_values; ++i)
      text += (i ? ", " : ", but got shape [") + describe(i) +
              (i + 1 == check.num_values ? "]" : "");
  }

  // Which dimensions of the inputs decide.
  for (int64_t i = 0; i < check.num_symbols; ++i) {
    int64_t symbol = check.symbols[i];
    text += std::string(i ? ", " : "; ") + function.symbols[symbol] + " = " +
            std::to_string(symbols[symbol]);
    for (int32_t input = 0, dim = 0; input < function.num_inputs;) {
      const RelayArtifactTensor &tensor = function.inputs[input];
      if (dim == tensor.rank) {
        ++input;
        dim = 0;
        continue;
      }
      if (tensor.dims[dim++] != -1 - symbol)
        continue;
      // Sizes that the model computes have no name.
      if (std::strncmp(tensor.name, RELAY_SIZES_PREFIX,
                       sizeof(RELAY_SIZES_PREFIX) - 1) == 0)
        text += " is computed";
      else
        text += " is dimension " + std::to_string(dim - 1) + " of input '" +
                tensor.name + "'";
      break;
    }
  }
  // Two open sizes that meet, as those of operands that are repeated.
  auto isSymbol = [&](const char *text) {
    return std::any_of(
        function.symbols, function.symbols + function.num_symbols,
        [&](const char *symbol) { return std::strcmp(symbol, text) == 0; });
  };
  if (!check.subject && check.kind == RELAY_CHECK_EQUAL &&
      (values[0] == 1) != (values[1] == 1) && isSymbol(check.values[0]) &&
      isSymbol(check.values[1]))
    text += "; a size of 1 that is repeated has to be known when the model is "
            "compiled, as with --dim or --shape";
  throw Error(RELAY_INVALID_ARGUMENT, text);
}

void TensorFunction::computeShapes(CallScratch &call) const {
  if (!staticArenaBytes.empty()) {
    call.dims.assign(staticDims.begin(), staticDims.end());
    call.arenaBytes.assign(staticArenaBytes.begin(), staticArenaBytes.end());
    return;
  }
  call.dims.resize(numDims);
  call.values.resize(function.max_check_values);
  call.arenaBytes.resize(artifact.num_devices);
  int32_t status = function.shapes(call.symbols.data(), call.dims.data(),
                                   call.arenaBytes.data(), call.values.data());
  if (status > 0 && status <= function.num_checks)
    failCheck(function.checks[status - 1], call.values.data(), call.symbols);
  if (status != 0)
    fail(RELAY_EXECUTION_FAILED, "computing shapes failed with code ", status);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void TensorFunction::checkInputs(const DLTensor *const *tensors, int32_t count,
                                 std::vector<int64_t> &symbols) const {
  if (count != function.num_inputs)
    fail(RELAY_INVALID_ARGUMENT, "expects ", function.num_inputs,
         " inputs, but got ", count);
  symbols.assign(function.num_symbols, -1);
  for (int32_t i = 0; i < count; ++i) {
    if (!tensors[i])
      fail(RELAY_INVALID_ARGUMENT, "expects input '", inputs[i].name,
           "', but got a null pointer");
    checkInput(i, *tensors[i], symbols);
  }
}

void TensorFunction::failKernel(int32_t status, const ModuleRun &run) const {
  int32_t code = status & ((1 << RELAY_ERROR_BITS) - 1);
  int32_t call = status >> RELAY_ERROR_BITS;
  if (code == RELAY_KERNEL_DEVICE_FAILED)
    if (const DeviceRun *devices = run.getDevices())
      throw Error(devices->status, devices->error);
  if (code == RELAY_KERNEL_PACKED_FAILED)
    run.failPacked();
  if (call < 0 || call >= artifact.num_calls)
    fail(RELAY_EXECUTION_FAILED, "a kernel failed with code ", status);
  const RelayArtifactCall &failed = artifact.calls[call];
  std::string kernel = std::string("kernel '") + failed.function + "'";
  if (*failed.source)
    kernel += std::string(", of ") + failed.source + ",";
  if (code == RELAY_KERNEL_STRING_FAILED)
    fail(RELAY_INVALID_ARGUMENT, run.getStringError(), ", in kernel '",
         failed.function, "'", *failed.source ? ", of " : "", failed.source);
  if (code != RELAY_KERNEL_CHECK_FAILED || !run.getExpectation())
    fail(RELAY_EXECUTION_FAILED, kernel, " failed with code ", code);
  fail(RELAY_INVALID_ARGUMENT, run.getExpectation(), ", but ", kernel,
       " got something else");
}

void TensorFunction::call(ModuleRun &run, const DLTensor *const *tensors,
                          int32_t count, OutputAllocator &allocator) const {
  CallScratch &call = run.scratch;
  checkInputs(tensors, count, call.symbols);
  computeShapes(call);
  call.inputs.resize(count);
  call.outputs.resize(outputs.size());
  for (int32_t i = 0; i < count; ++i)
    call.inputs[i] = getData(*tensors[i]);
  const int64_t *dims = call.dims.data();
  for (size_t i = 0; i < outputs.size(); dims += outputs[i].ndim, ++i)
    // What a tensor takes has been checked with the shapes.
    call.outputs[i] = allocator.allocate(
        static_cast<int32_t>(i), dims,
        *getNumBytes(outputs[i].dtype, dims, outputs[i].ndim));
  run.provideMemory(call.arenaBytes);
  run.call(*this, call.inputs.data(), call.outputs.data(), call.symbols.data());
}
