//===- CUDADriverTest.cpp - Declarations of the driver --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares DriverAPI.h with cuda.h, where there is one.
//
//===----------------------------------------------------------------------===//

#include "CUDA/DriverAPI.h"

#include <cuda.h>

#include "gtest/gtest.h"

#include <cstddef>
#include <type_traits>

using namespace relay_cuda;

/// Types of parameters are the same in memory: pointers, or numbers of one
/// size.
template <typename A, typename B>
struct IsAlike
    : std::bool_constant<sizeof(A) == sizeof(B) &&
                         std::is_pointer_v<A> == std::is_pointer_v<B>> {};

template <typename F, typename G>
struct AreAlike : std::false_type {};
template <typename... As, typename... Bs>
struct AreAlike<Result(As...), CUresult(Bs...)> {
  static constexpr bool get() {
    if constexpr (sizeof...(As) != sizeof...(Bs))
      return false;
    else
      return (IsAlike<As, Bs>::value && ...);
  }
  static constexpr bool value = get();
};

#define COMPARE(NAME, SYMBOL, PARAMETERS)                                      \
  static_assert(AreAlike<Result PARAMETERS, decltype(SYMBOL)>::value,          \
                "parameters of " #SYMBOL);

TEST(CUDADriverTest, ValuesAreThoseOfCUDA) {
  EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, int(kOutOfMemory));
  EXPECT_EQ(CUDA_ERROR_NO_DEVICE, int(kNoDevice));
  EXPECT_EQ(CUDA_ERROR_INVALID_IMAGE, int(kInvalidImage));
  EXPECT_EQ(CUDA_ERROR_NO_BINARY_FOR_GPU, int(kNoBinaryForGPU));
  EXPECT_EQ(CUDA_ERROR_ECC_UNCORRECTABLE, int(kECCUncorrectable));
  EXPECT_EQ(CUDA_ERROR_INVALID_PTX, int(kInvalidPTX));
  EXPECT_EQ(CUDA_ERROR_NVLINK_UNCORRECTABLE, int(kNVLinkUncorrectable));
  EXPECT_EQ(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, int(kUnsupportedPTXVersion));
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND, int(kNotFound));
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, int(kIllegalAddress));
  EXPECT_EQ(CUDA_ERROR_LAUNCH_TIMEOUT, int(kLaunchTimeout));
  EXPECT_EQ(CUDA_ERROR_CONTEXT_IS_DESTROYED, int(kContextIsDestroyed));
  EXPECT_EQ(CUDA_ERROR_ASSERT, int(kAssert));
  EXPECT_EQ(CUDA_ERROR_HARDWARE_STACK_ERROR, int(kHardwareStackError));
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_INSTRUCTION, int(kIllegalInstruction));
  EXPECT_EQ(CUDA_ERROR_MISALIGNED_ADDRESS, int(kMisalignedAddress));
  EXPECT_EQ(CUDA_ERROR_INVALID_ADDRESS_SPACE, int(kInvalidAddressSpace));
  EXPECT_EQ(CUDA_ERROR_INVALID_PC, int(kInvalidPC));
  EXPECT_EQ(CUDA_ERROR_LAUNCH_FAILED, int(kLaunchFailed));

  EXPECT_EQ(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, int(kMajor));
  EXPECT_EQ(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, int(kMinor));
  EXPECT_EQ(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            int(kMaxSharedBytes));
  EXPECT_EQ(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
            int(kMemoryPoolsSupported));
  EXPECT_EQ(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, int(kClusterLaunch));
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, int(kMaxThreads));
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, int(kStaticSharedBytes));
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            int(kMaxDynamicSharedBytes));
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
            int(kNonPortableClusters));
  EXPECT_EQ(CU_JIT_ERROR_LOG_BUFFER, int(kErrorLog));
  EXPECT_EQ(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, int(kErrorLogBytes));
  EXPECT_EQ(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, int(kReleaseThreshold));
  EXPECT_EQ(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, int(kReservedBytes));
  EXPECT_EQ(CU_STREAM_NON_BLOCKING, unsigned(kNonBlocking));
  EXPECT_EQ(CU_EVENT_DISABLE_TIMING, unsigned(kDisableTiming));
  EXPECT_EQ(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, unsigned(kCaptureThreadLocal));
  EXPECT_EQ(CU_MEM_LOCATION_TYPE_DEVICE, MemoryLocation().type);
  EXPECT_EQ(CU_MEM_ALLOCATION_TYPE_PINNED, PoolProperties().allocationType);
  EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, AccessDescription().flags);
  EXPECT_EQ(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, LaunchAttribute().kind);
}

TEST(CUDADriverTest, StructuresAreThoseOfCUDA) {
  EXPECT_EQ(sizeof(CUdeviceptr), sizeof(Address));
  EXPECT_EQ(sizeof(CUmemPoolProps), sizeof(PoolProperties));
  EXPECT_EQ(offsetof(CUmemPoolProps, location),
            offsetof(PoolProperties, location));
  EXPECT_EQ(offsetof(CUmemPoolProps, maxSize),
            offsetof(PoolProperties, maxSize));
  EXPECT_EQ(sizeof(CUmemAccessDesc), sizeof(AccessDescription));
  EXPECT_EQ(offsetof(CUmemAccessDesc, flags),
            offsetof(AccessDescription, flags));
  EXPECT_EQ(sizeof(CUlaunchAttribute), sizeof(LaunchAttribute));
  EXPECT_EQ(offsetof(CUlaunchAttribute, value),
            offsetof(LaunchAttribute, value));
  EXPECT_EQ(sizeof(CUlaunchConfig), sizeof(LaunchConfig));
  EXPECT_EQ(offsetof(CUlaunchConfig, hStream), offsetof(LaunchConfig, stream));
  EXPECT_EQ(offsetof(CUlaunchConfig, attrs),
            offsetof(LaunchConfig, attributes));
  EXPECT_EQ(offsetof(CUlaunchConfig, numAttrs),
            offsetof(LaunchConfig, numAttributes));
}

TEST(CUDADriverTest, FunctionsHaveTheParametersOfCUDA) {
  RELAY_CUDA_FUNCTIONS(COMPARE)
}
