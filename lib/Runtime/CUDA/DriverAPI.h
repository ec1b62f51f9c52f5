//===- DriverAPI.h - What of the driver is used -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types, values and functions of NVIDIA's driver, as its documentation has
// them, so that no header of CUDA is needed. All of them are in drivers for
// CUDA 12.0. DriverTypesTest.cpp compares them with cuda.h where there is one.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CUDA_DRIVERAPI_H
#define RELAY_MLIR_LIB_RUNTIME_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace relay_cuda {

/// Results of functions that are told apart.
enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kStubLibrary = 34,
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGPU = 209,
  kECCUncorrectable = 214,
  kInvalidPTX = 218,
  kNVLinkUncorrectable = 220,
  kUnsupportedPTXVersion = 222,
  kContained = 226,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPC = 718,
  kLaunchFailed = 719,
  kTensorMemoryLeak = 721,
  kSystemNotReady = 802,
  kSystemDriverMismatch = 803,
  kCompatNotSupported = 804,
  kStreamCaptureInvalidated = 901,
};

using DeviceNumber = int;
/// An address on a device.
using Address = unsigned long long;
using Context = struct ContextState *;
using DriverModule = struct ModuleState *;
using Function = struct FunctionState *;
using StreamHandle = struct StreamState *;
using Event = struct EventState *;
using MemoryPool = struct PoolState *;
using Graph = struct GraphState *;
using GraphExec = struct GraphExecState *;

/// What a stream calls on the host.
using HostFunction = void (*)(void *user);

enum DeviceAttribute : int {
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kMajor = 75,
  kMinor = 76,
  kMaxSharedBytes = 97,
  kMemoryPoolsSupported = 115,
  kClusterLaunch = 120,
};

enum FunctionAttribute : int {
  kMaxThreads = 0,
  kStaticSharedBytes = 1,
  kMaxDynamicSharedBytes = 8,
  kNonPortableClusters = 14,
};

enum JITOption : int { kErrorLog = 5, kErrorLogBytes = 6 };

enum PoolAttribute : int {
  kReleaseThreshold = 4,
  kReservedBytes = 5,
  kUsedBytes = 7,
};

enum : unsigned {
  kNonBlocking = 1,       // of streams
  kDisableTiming = 2,     // of events
  kCaptureThreadLocal = 1 // of captures
};

/// Where memory is: on a device.
struct MemoryLocation {
  int type = 1;
  int device = 0;
};

struct PoolProperties {
  int allocationType = 1; // pinned, the only one
  int handleTypes = 0;
  MemoryLocation location;
  void *securityAttributes = nullptr;
  size_t maxSize = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

struct AccessDescription {
  MemoryLocation location;
  int flags = 3; // reads and writes
};

struct LaunchAttribute {
  int kind = 4; // the size of clusters
  char padding[4] = {};
  union {
    char bytes[64] = {};
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};

struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// Functions: their name in Driver, their symbol, and their parameters. Symbols
/// have the suffixes that cuda.h gives them.
#define RELAY_CUDA_FUNCTIONS(F)                                                \
  F(init, cuInit, (unsigned flags))                                            \
  F(driverGetVersion, cuDriverGetVersion, (int *version))                      \
  F(getErrorName, cuGetErrorName, (Result result, const char **name))          \
  F(getErrorString, cuGetErrorString, (Result result, const char **text))      \
  F(deviceGetCount, cuDeviceGetCount, (int *count))                            \
  F(deviceGet, cuDeviceGet, (DeviceNumber * device, int index))                \
  F(deviceGetName, cuDeviceGetName,                                            \
    (char *name, int size, DeviceNumber device))                               \
  F(deviceGetAttribute, cuDeviceGetAttribute,                                  \
    (int *value, DeviceAttribute attribute, DeviceNumber device))              \
  F(deviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, DeviceNumber device)) \
  F(deviceCanAccessPeer, cuDeviceCanAccessPeer,                                \
    (int *can, DeviceNumber device, DeviceNumber peer))                        \
  F(devicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                          \
    (Context * context, DeviceNumber device))                                  \
  F(ctxGetCurrent, cuCtxGetCurrent, (Context * context))                       \
  F(ctxPushCurrent, cuCtxPushCurrent_v2, (Context context))                    \
  F(ctxPopCurrent, cuCtxPopCurrent_v2, (Context * context))                    \
  F(memGetInfo, cuMemGetInfo_v2, (size_t *free, size_t *total))                \
  F(memAlloc, cuMemAlloc_v2, (Address * address, size_t bytes))                \
  F(memFree, cuMemFree_v2, (Address address))                                  \
  F(memPoolCreate, cuMemPoolCreate,                                            \
    (MemoryPool * pool, const PoolProperties *properties))                     \
  F(memPoolTrimTo, cuMemPoolTrimTo, (MemoryPool pool, size_t bytes))           \
  F(memPoolSetAttribute, cuMemPoolSetAttribute,                                \
    (MemoryPool pool, PoolAttribute attribute, void *value))                   \
  F(memPoolGetAttribute, cuMemPoolGetAttribute,                                \
    (MemoryPool pool, PoolAttribute attribute, void *value))                   \
  F(memPoolSetAccess, cuMemPoolSetAccess,                                      \
    (MemoryPool pool, const AccessDescription *access, size_t count))          \
  F(memAllocFromPoolAsync, cuMemAllocFromPoolAsync,                            \
    (Address * address, size_t bytes, MemoryPool pool, StreamHandle stream))   \
  F(memFreeAsync, cuMemFreeAsync, (Address address, StreamHandle stream))      \
  F(memHostAlloc, cuMemHostAlloc,                                              \
    (void **memory, size_t bytes, unsigned flags))                             \
  F(memFreeHost, cuMemFreeHost, (void *memory))                                \
  F(memcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                     \
    (Address to, const void *from, size_t bytes, StreamHandle stream))         \
  F(memcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                     \
    (void *to, Address from, size_t bytes, StreamHandle stream))               \
  F(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                     \
    (Address to, Address from, size_t bytes, StreamHandle stream))             \
  F(memcpyPeerAsync, cuMemcpyPeerAsync,                                        \
    (Address to, Context toContext, Address from, Context fromContext,         \
     size_t bytes, StreamHandle stream))                                       \
  F(memsetD32Async, cuMemsetD32Async,                                          \
    (Address to, unsigned value, size_t count, StreamHandle stream))           \
  F(streamCreate, cuStreamCreate, (StreamHandle * stream, unsigned flags))     \
  F(streamDestroy, cuStreamDestroy_v2, (StreamHandle stream))                  \
  F(streamSynchronize, cuStreamSynchronize, (StreamHandle stream))             \
  F(streamBeginCapture, cuStreamBeginCapture_v2,                               \
    (StreamHandle stream, unsigned mode))                                      \
  F(streamEndCapture, cuStreamEndCapture,                                      \
    (StreamHandle stream, Graph * graph))                                      \
  F(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (GraphExec * exec, Graph graph, unsigned long long flags))                 \
  F(graphDestroy, cuGraphDestroy, (Graph graph))                               \
  F(graphExecDestroy, cuGraphExecDestroy, (GraphExec exec))                    \
  F(graphLaunch, cuGraphLaunch, (GraphExec exec, StreamHandle stream))         \
  F(launchHostFunc, cuLaunchHostFunc,                                          \
    (StreamHandle stream, HostFunction function, void *user))                  \
  F(eventCreate, cuEventCreate, (Event * event, unsigned flags))               \
  F(eventDestroy, cuEventDestroy_v2, (Event event))                            \
  F(eventRecord, cuEventRecord, (Event event, StreamHandle stream))            \
  F(eventSynchronize, cuEventSynchronize, (Event event))                       \
  F(eventElapsedTime, cuEventElapsedTime,                                      \
    (float *milliseconds, Event start, Event end))                             \
  F(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (DriverModule * module, const void *image, unsigned numOptions,            \
     JITOption *options, void **values))                                       \
  F(moduleUnload, cuModuleUnload, (DriverModule module))                       \
  F(moduleGetFunction, cuModuleGetFunction,                                    \
    (Function * function, DriverModule module, const char *name))              \
  F(funcGetAttribute, cuFuncGetAttribute,                                      \
    (int *value, FunctionAttribute attribute, Function function))              \
  F(funcSetAttribute, cuFuncSetAttribute,                                      \
    (Function function, FunctionAttribute attribute, int value))               \
  F(launchKernel, cuLaunchKernel,                                              \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ,        \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     StreamHandle stream, void **params, void **extra))                        \
  F(launchKernelEx, cuLaunchKernelEx,                                          \
    (const LaunchConfig *config, Function function, void **params,             \
     void **extra))

} // namespace relay_cuda

#endif // RELAY_MLIR_LIB_RUNTIME_CUDA_DRIVERAPI_H
