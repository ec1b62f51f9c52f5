//===- PackedFunctions.cpp - Calls of functions of the process ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Module.h"
#include "ProcessFunctions.h"

using namespace relay_rt;

RelayStatus relayRegisterFunction(const char *name,
                                  RelayPackedFunction function, void *user) {
  return guard([&] {
    if (!name)
      fail(RELAY_INVALID_ARGUMENT, "expects a name, but got a null pointer");
    ProcessFunctions::get().packed.set(name, function, user);
  });
}

void relaySetLastError(const char *message) {
  try {
    setLastError(message ? message : "");
  } catch (const std::bad_alloc &) {
    // Then the message is that of before.
  }
}

Value relay_rt::callPacked(const char *name, const std::vector<Value> &args,
                           std::optional<int32_t> numOutputs) {
  auto entry = ProcessFunctions::get().packed.lookup(name);
  if (!entry.function)
    fail(RELAY_INCOMPATIBLE, "expects a function that is registered as '", name,
         "', but there is none; register it before the run "
         "(relayRegisterFunction, in Python relay_mlir.register_func)");
  std::vector<RelayValue *> handles;
  for (const Value &arg : args)
    handles.push_back(reinterpret_cast<RelayValue *>(arg.getObject()));
  RelayValue *result = nullptr;
  setLastError("");
  int32_t status = entry.function(
      entry.user, handles.data(), static_cast<int32_t>(handles.size()),
      numOutputs.value_or(0), numOutputs ? nullptr : &result);
  Value owner(reinterpret_cast<Object *>(result));
  if (status != RELAY_OK) {
    const std::string said = relayGetLastError();
    bool isKnown = status > RELAY_OK && status <= RELAY_INTERRUPTED;
    fail(isKnown ? static_cast<RelayStatus>(status) : RELAY_EXECUTION_FAILED,
         "the function that is registered as '", name, "' failed",
         said.empty() ? "" : ": ", said);
  }
  if (numOutputs)
    return Value();
  if (!owner.getObject())
    fail(RELAY_EXECUTION_FAILED,
         "expects a result of the function that is "
         "registered as '",
         name, "', but got none");
  // It may be of elements that are there for the time of the call.
  ownTensors(owner.getObject(), /*isShared=*/true);
  return owner;
}

/// The arguments of a call, in the memory of the run.
static std::vector<Value> borrowTensors(const RelayArtifactCall &call,
                                        void *const *args,
                                        const int64_t *dims) {
  std::vector<Value> values;
  std::vector<int64_t> shape;
  for (int32_t i = 0; i < call.num_args; ++i) {
    const RelayArtifactTensor &tensor = call.args[i];
    shape.assign(tensor.dims, tensor.dims + tensor.rank);
    for (int64_t &size : shape)
      if (size < 0)
        size = *dims++;
    DLDataType type = {tensor.dtype.code, tensor.dtype.bits,
                       tensor.dtype.lanes};
    values.emplace_back(
        TensorObject::borrow(type, shape.data(), tensor.rank, args[i]));
  }
  return values;
}

int32_t ModuleRun::callPacked(const RelayKernelContext *context,
                              int64_t callIndex, void *const *args,
                              const int64_t *dims) {
  auto &run = *static_cast<ModuleRun *>(context->packed_run);
  run.packedStatus = guard([&] {
    const RelayArtifactCall &call = run.module.getArtifact().calls[callIndex];
    std::vector<Value> values = borrowTensors(call, args, dims);
    // What the function keeps goes on without us, also if it fails.
    auto ownKept = [&] {
      for (const Value &value : values)
        if (!value.getObject()->isUnique())
          static_cast<TensorObject *>(value.getObject())->own();
    };
    try {
      relay_rt::callPacked(call.kernel, values, call.num_outputs);
    } catch (...) {
      ownKept();
      throw;
    }
    ownKept();
  });
  if (run.packedStatus == RELAY_OK)
    return 0;
  run.packedError = relayGetLastError();
  return RELAY_KERNEL_PACKED_FAILED;
}
