//===- Runtime.h - C interface of the run time ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Load, run, free:
//
//   RelayModule *module;
//   if (relayModuleLoad("model.so", &module) != RELAY_OK)
//     return fail(relayGetLastError());
//   DLManagedTensor *output = NULL;
//   if (relayModuleRun(module, inputs, 1, &output, 1) != RELAY_OK) ...
//   output->deleter(output);
//   relayModuleFree(module);
//
// Every function that can fail returns a RelayStatus; relayGetLastError() then
// has one line of text for the calling thread. A module may be run by several
// threads at once.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_C_RUNTIME_H
#define RELAY_MLIR_C_RUNTIME_H

#include "relay-mlir/Runtime/ArtifactFormat.h"

#include <dlpack/dlpack.h>

#if defined(__GNUC__)
#define RELAY_RT_EXPORT __attribute__((visibility("default")))
#else
#define RELAY_RT_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RelayModule RelayModule;

typedef enum RelayStatus {
  RELAY_OK = 0,
  /// A wrong argument: input count, name, shape, dtype, device, ...
  RELAY_INVALID_ARGUMENT = 1,
  /// The file cannot be read, or is not an artefact of this project.
  RELAY_INVALID_ARTIFACT = 2,
  /// An artefact of another version, or for another CPU.
  RELAY_INCOMPATIBLE = 3,
  RELAY_OUT_OF_MEMORY = 4,
  /// A kernel, or a program, reported an error.
  RELAY_EXECUTION_FAILED = 5,
  /// An interrupt function asked for the end of the run.
  RELAY_INTERRUPTED = 6,
} RelayStatus;

/// Describes one input or output. Pointers live as long as the module.
typedef struct RelayTensorInfo {
  const char *name;
  DLDataType dtype;
  int32_t ndim;
  /// Sizes; -1 for a dynamic dimension.
  const int64_t *shape;
  /// Null for a static dimension, else its expression, such as "n".
  const char *const *dim_names;
  /// Not 0 if the elements, of int64, are numbers of strings (Strings.h): those
  /// of relayModuleGetString, and others behind them. Equal strings have equal
  /// numbers.
  int32_t is_string;
} RelayTensorInfo;

/// Returns the version of the run time, "major.minor.patch".
RELAY_RT_EXPORT const char *relayRuntimeVersion(void);

/// Returns the calling thread's last error, one line without a newline; an
/// empty string if there was none.
RELAY_RT_EXPORT const char *relayGetLastError(void);

/// Sets how many threads run the kernels of all modules of this process, from
/// 1 to 1024. The default is RELAY_NUM_THREADS, or else the number of CPUs the
/// process may use, or those that a quota of its control group can keep busy,
/// rounded down, if these are fewer. Runs at the same time share the threads.
RELAY_RT_EXPORT RelayStatus relaySetNumThreads(int32_t num_threads);

/// Stores the number of threads in `num_threads`; fails if RELAY_NUM_THREADS is
/// set to something that is not such a number.
RELAY_RT_EXPORT RelayStatus relayGetNumThreads(int32_t *num_threads);

/// Loads the artefact at `path` and checks that it is as the compiler wrote it
/// and fits this run time and CPU. Nothing in the file runs before that. The
/// module needs the file no longer then: it may be changed, cut or removed.
RELAY_RT_EXPORT RelayStatus relayModuleLoad(const char *path,
                                            RelayModule **module);

/// How to load an artefact.
typedef enum RelayLoadFlags {
  /// Map the weights in place of reading them into memory of the module's own.
  /// Processes that load the same file then share that memory, and loading
  /// reads nothing but code and tables; relayModuleVerify reads and checks the
  /// weights. The file must not be overwritten or cut, other than by replacing
  /// it with another one, for as long as the module lives: what it reads then
  /// is not defined, and the process may end by SIGBUS.
  RELAY_LOAD_MAP_WEIGHTS = 1,
} RelayLoadFlags;

/// Loads an artefact as relayModuleLoad does; `flags` is 0 or an or of
/// RelayLoadFlags.
RELAY_RT_EXPORT RelayStatus relayModuleLoadWithFlags(const char *path,
                                                     int32_t flags,
                                                     RelayModule **module);

/// Loads an artefact, and lets `device` run its kernels for devices of a kind,
/// where there is a choice: "vta:tsim" is the kind and a name that what drives
/// the kind knows, such as one of its simulators. Null leaves the choice to it.
RELAY_RT_EXPORT RelayStatus relayModuleLoadFor(const char *path, int32_t flags,
                                               const char *device,
                                               RelayModule **module);

/// Checks that the weights of a loaded module are those that the compiler
/// wrote; fails with RELAY_INVALID_ARTIFACT if not. relayModuleLoad has checked
/// what it has read.
RELAY_RT_EXPORT RelayStatus relayModuleVerify(const RelayModule *module);

/// Frees a module; null is allowed. Outputs that it returned stay valid.
RELAY_RT_EXPORT void relayModuleFree(RelayModule *module);

RELAY_RT_EXPORT int32_t relayModuleGetNumInputs(const RelayModule *module);
RELAY_RT_EXPORT int32_t relayModuleGetNumOutputs(const RelayModule *module);
RELAY_RT_EXPORT RelayStatus relayModuleGetInputInfo(const RelayModule *module,
                                                    int32_t index,
                                                    RelayTensorInfo *info);
RELAY_RT_EXPORT RelayStatus relayModuleGetOutputInfo(const RelayModule *module,
                                                     int32_t index,
                                                     RelayTensorInfo *info);

/// The strings that the model knows, in UTF-8 whose zeros are C0 80; number 0
/// is the empty one. There are none if no input or output has strings, and
/// nothing looks into them. A null pointer for another number. Strings.h has
/// those of a run, for inputs and outputs of any strings.
RELAY_RT_EXPORT int64_t relayModuleGetNumStrings(const RelayModule *module);
RELAY_RT_EXPORT const char *relayModuleGetString(const RelayModule *module,
                                                 int64_t number);

/// What the file of the model says of itself, in UTF-8: stores entry number
/// `index`, such as "producer_name" and "pytorch". Returns 0 if there is none.
RELAY_RT_EXPORT int32_t relayModuleGetMetadata(const RelayModule *module,
                                               int64_t index, const char **key,
                                               const char **text);

/// Stores the position of the input called `name` in `index`; fails, naming the
/// inputs there are, if there is none.
RELAY_RT_EXPORT RelayStatus relayModuleFindInput(const RelayModule *module,
                                                 const char *name,
                                                 int32_t *index);

/// Runs the model on CPU tensors. `inputs` are in the model's order, of its
/// dtypes and shapes; strided ones are copied, others are read in place. Where
/// `outputs[i]` is null, a new tensor is returned there, which the caller frees
/// through its `deleter`; otherwise the result is written into `outputs[i]`,
/// which must be contiguous and of the right shape and dtype. On failure
/// `outputs` is unchanged. The module keeps the memory of tensors that were
/// freed for its next runs, at most twice what one run returns. Several threads
/// may call it at once: two runs for each CPU are in at a time, and others wait
/// in the order in which they came, unless runs are shorter than 0.2 ms.
RELAY_RT_EXPORT RelayStatus relayModuleRun(RelayModule *module,
                                           const DLTensor *const *inputs,
                                           int32_t num_inputs,
                                           DLManagedTensor **outputs,
                                           int32_t num_outputs);

/// Stores, for each kernel call of a run on `inputs` (whose data is not read),
/// the arithmetic operations and the bytes that the call must touch in `flops`
/// and `bytes`, which have room for RelayArtifact::num_calls values; -1 for
/// what does not follow from the shapes.
RELAY_RT_EXPORT RelayStatus relayModuleGetWork(const RelayModule *module,
                                               const DLTensor *const *inputs,
                                               int32_t num_inputs,
                                               int64_t *flops, int64_t *bytes);

/// The call index with which an observer is told that the first kernel of a
/// function of tensors is about to run: of a model, or of a part of a program.
#define RELAY_OBSERVER_START (-1)

/// Called with RELAY_OBSERVER_START and null pointers, once for a model and at
/// each function of tensors of a program, then after each kernel call
/// `call_index` (an index into RelayArtifact::calls) with the call's arguments,
/// see RelayArtifactCall.
typedef void (*RelayObserver)(void *user, int64_t call_index, void *const *args,
                              const int64_t *dims);

/// Sets or, with null, removes the observer of the module's later runs. Not to
/// be called while the module runs.
RELAY_RT_EXPORT void relayModuleSetObserver(RelayModule *module,
                                            RelayObserver observer, void *user);

/// The thread number with which a thread observer is told of a whole loop, as
/// the calling thread sees it.
#define RELAY_WHOLE_LOOP (-1)

/// Called by each thread of a parallel loop after each piece that it has run:
/// thread 0 is the one that called relayModuleRun, the others are workers.
/// Times are in nanoseconds of the system's monotonic clock. Pieces are [begin,
/// end) of the loop. Several threads may call it at once.
typedef void (*RelayThreadObserver)(void *user, int32_t thread, int64_t begin,
                                    int64_t end, int64_t start_ns,
                                    int64_t end_ns);

/// Sets or, with null, removes the thread observer of the module's later runs.
/// Not to be called while the module runs.
RELAY_RT_EXPORT void relayModuleSetThreadObserver(RelayModule *module,
                                                  RelayThreadObserver observer,
                                                  void *user);

/// Called for each call that a device with a clock of its own has run, in the
/// order in which they were put into its stream, when a model or a function of
/// tensors of a program has run. Times are in nanoseconds of the system's
/// monotonic clock, as well as the device's clock can be compared with it;
/// their difference is exact.
typedef void (*RelayDeviceObserver)(void *user, int64_t call_index,
                                    int64_t start_ns, int64_t end_ns);

/// Sets or, with null, removes the device observer of the module's later runs.
/// With one, calls on such devices run without the host waiting after each of
/// them, also if there is an observer of calls, which then sees when they are
/// put into a stream. Not to be called while the module runs.
RELAY_RT_EXPORT void relayModuleSetDeviceObserver(RelayModule *module,
                                                  RelayDeviceObserver observer,
                                                  void *user);

/// A number that a device has counted, such as cycles. Those called "...
/// cycles" are a part of those called "cycles".
typedef struct RelayDeviceCounter {
  const char *name;
  int64_t value;
} RelayDeviceCounter;

/// Called after a device observer for the same call, on devices that count
/// something, with pointers that live for the call.
typedef void (*RelayCounterObserver)(void *user, int64_t call_index,
                                     const RelayDeviceCounter *counters,
                                     int32_t num_counters);

/// Sets or, with null, removes the counter observer of the module's later runs;
/// without a device observer it is not called. Not to be called while the
/// module runs.
RELAY_RT_EXPORT void
relayModuleSetCounterObserver(RelayModule *module,
                              RelayCounterObserver observer, void *user);

/// Returns the artefact's own description, which lives as long as the module.
RELAY_RT_EXPORT const RelayArtifact *
relayModuleGetArtifact(const RelayModule *module);

//===----------------------------------------------------------------------===//
// Programs in bytecode
//===----------------------------------------------------------------------===//

/// A value of a program: counted, and immutable but for the contents of
/// references. Functions that return one give the caller a reference of its
/// own. Values of data types and closures belong to their module, which must
/// live longer. References can make cycles, which nobody frees: who makes one
/// should break it by writing to a reference. Several threads may use a value
/// at once.
typedef struct RelayValue RelayValue;

typedef enum RelayValueKind {
  RELAY_VALUE_TENSOR = 0,
  RELAY_VALUE_TUPLE = 1,
  /// Of a data type.
  RELAY_VALUE_DATA = 2,
  RELAY_VALUE_CLOSURE = 3,
  RELAY_VALUE_REFERENCE = 4,
} RelayValueKind;

/// Null is allowed.
RELAY_RT_EXPORT void relayValueRetain(RelayValue *value);
RELAY_RT_EXPORT void relayValueRelease(RelayValue *value);
RELAY_RT_EXPORT RelayValueKind relayValueGetKind(const RelayValue *value);

/// Makes a tensor of a copy of the elements.
RELAY_RT_EXPORT RelayStatus relayValueFromTensor(const DLTensor *tensor,
                                                 RelayValue **value);
/// Makes a tensor without a copy, for arguments of a call, themselves or in
/// tuples: the elements must stay there until the call has returned, which
/// copies those that are still in use.
RELAY_RT_EXPORT RelayStatus relayValueBorrowTensor(const DLTensor *tensor,
                                                   RelayValue **value);
RELAY_RT_EXPORT RelayStatus relayValueMakeTuple(RelayValue *const *fields,
                                                int32_t num_fields,
                                                RelayValue **value);
RELAY_RT_EXPORT RelayStatus relayValueMakeReference(RelayValue *contents,
                                                    RelayValue **value);
/// Makes a value of a data type, by the names of the type and its constructor.
RELAY_RT_EXPORT RelayStatus relayModuleMakeData(
    const RelayModule *module, const char *type, const char *constructor,
    RelayValue *const *fields, int32_t num_fields, RelayValue **value);

/// Describes a tensor, which is the value's own.
RELAY_RT_EXPORT RelayStatus relayValueGetTensor(const RelayValue *value,
                                                DLTensor *tensor);
/// Returns a tensor that the caller frees through its `deleter`: the value's
/// own elements if nobody else has the value, otherwise a copy.
RELAY_RT_EXPORT RelayStatus relayValueExportTensor(RelayValue *value,
                                                   DLManagedTensor **tensor);
/// Of a tuple or a value of a data type.
RELAY_RT_EXPORT RelayStatus relayValueGetNumFields(const RelayValue *value,
                                                   int32_t *count);
RELAY_RT_EXPORT RelayStatus relayValueGetField(const RelayValue *value,
                                               int32_t index,
                                               RelayValue **field);
RELAY_RT_EXPORT RelayStatus relayValueGetConstructor(
    const RelayValue *value, const RelayArtifactConstructor **constructor);
RELAY_RT_EXPORT RelayStatus relayValueReadReference(const RelayValue *value,
                                                    RelayValue **contents);
/// Refuses contents of another type than those that are there; tensors may have
/// other sizes.
RELAY_RT_EXPORT RelayStatus relayValueWriteReference(RelayValue *value,
                                                     RelayValue *contents);

/// Calls a function of a program by its name. `module` must not be one
/// function of tensors alone.
RELAY_RT_EXPORT RelayStatus relayModuleInvoke(RelayModule *module,
                                              const char *function,
                                              RelayValue *const *args,
                                              int32_t num_args,
                                              RelayValue **result);

/// Calls a closure that a call of this module has returned.
RELAY_RT_EXPORT RelayStatus relayModuleInvokeClosure(RelayModule *module,
                                                     RelayValue *closure,
                                                     RelayValue *const *args,
                                                     int32_t num_args,
                                                     RelayValue **result);

/// Asked now and then while a program runs: another value than 0 ends it with
/// RELAY_INTERRUPTED.
typedef int32_t (*RelayInterrupt)(void *user);

/// Sets or, with null, removes the interrupt function of the module's later
/// calls. Not to be called while the module runs.
RELAY_RT_EXPORT void relayModuleSetInterrupt(RelayModule *module,
                                             RelayInterrupt interrupt,
                                             void *user);

/// Is shown a value by a program, which it may keep with relayValueRetain:
/// another result than 0 ends the program with RELAY_INTERRUPTED.
typedef int32_t (*RelayDebugFunction)(void *user, RelayValue *value);

/// Sets or, with null, removes what all programs of the process call where they
/// say `debug` with this name. Without a function they go on. Any thread may
/// call it, and the function may be called by any thread that runs a program.
RELAY_RT_EXPORT RelayStatus relaySetDebugFunction(const char *name,
                                                  RelayDebugFunction function,
                                                  void *user);

/// Writes the bytecode as text to `buffer`, of which `size` bytes are used, the
/// last one for a zero, and its full length to `length`.
RELAY_RT_EXPORT RelayStatus relayModulePrintProgram(const RelayModule *module,
                                                    char *buffer, uint64_t size,
                                                    uint64_t *length);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // RELAY_MLIR_C_RUNTIME_H
