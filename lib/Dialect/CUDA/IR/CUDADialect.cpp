//===- CUDADialect.cpp - NVIDIA GPUs as targets ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cuda;

#include "relay-mlir/Dialect/CUDA/IR/CUDADialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/CUDA/IR/CUDAAttributes.cpp.inc"

static constexpr int64_t kKiB = 1024;

static constexpr ArchInfo kArchs[] = {
    {"sm_80", 70, 108, 163 * kKiB, 164 * kKiB, false},
    {"sm_86", 71, 84, 99 * kKiB, 100 * kKiB, false},
    {"sm_87", 74, 16, 163 * kKiB, 164 * kKiB, false},
    {"sm_89", 78, 128, 99 * kKiB, 100 * kKiB, false},
    {"sm_90", 78, 132, 227 * kKiB, 228 * kKiB, false},
    {"sm_90a", 80, 132, 227 * kKiB, 228 * kKiB, true},
    {"sm_100", 86, 148, 227 * kKiB, 228 * kKiB, false},
    {"sm_100a", 86, 148, 227 * kKiB, 228 * kKiB, false},
    {"sm_103a", 88, 148, 227 * kKiB, 228 * kKiB, false},
    {"sm_120", 87, 170, 99 * kKiB, 100 * kKiB, false},
    {"sm_120a", 87, 170, 99 * kKiB, 100 * kKiB, false},
};

const ArchInfo *mlir::cuda::lookupArch(StringRef arch) {
  const ArchInfo *found = llvm::find_if(
      kArchs, [&](const ArchInfo &info) { return info.name == arch; });
  return found == std::end(kArchs) ? nullptr : found;
}

const ArchInfo *mlir::cuda::lookupArchOfDevice(int capability) {
  // Later ones are newer, or have more.
  const ArchInfo *best = nullptr;
  for (const ArchInfo &info : kArchs) {
    StringRef number = info.name;
    number.consume_front("sm_");
    bool isAlone = number.consume_back("a");
    int oldest = 0;
    bool isNumber = !number.getAsInteger(10, oldest);
    assert(isNumber && "names of architectures have numbers");
    (void)isNumber;
    if (isAlone ? oldest == capability : oldest <= capability)
      best = &info;
  }
  return best;
}

std::string mlir::cuda::getArchNames() {
  std::string names;
  for (const ArchInfo &info : kArchs)
    names += (names.empty() ? "" : ", ") + info.name.str();
  return names;
}

LogicalResult GPUAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringRef arch, StringRef code) {
  if (!lookupArch(arch))
    return emitError() << "expects an architecture of " << getArchNames()
                       << ", but got '" << arch << "'";
  if (code != "ptx" && code != "cubin" && code != "mlir")
    return emitError() << "expects code in the form ptx, cubin or mlir, but "
                          "got '"
                       << code << "'";
  return success();
}

LogicalResult ProductAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  DenseI64ArrayAttr, DenseI64ArrayAttr,
                                  DenseI64ArrayAttr, DenseI64ArrayAttr,
                                  DenseI64ArrayAttr tileAttr,
                                  DenseI64ArrayAttr warpsAttr, int64_t pieces,
                                  int64_t stages, StringRef instruction,
                                  StringRef) {
  ArrayRef<int64_t> tile = tileAttr.asArrayRef();
  ArrayRef<int64_t> warps = warpsAttr.asArrayRef();
  if (tile.size() != 3 || warps.size() != 2)
    return emitError() << "expects three sizes of a tile and two of warps, but "
                          "got "
                       << tile.size() << " and " << warps.size();
  if (pieces != 1 && pieces != 2)
    return emitError() << "expects elements of one or two pieces, but got "
                       << pieces;
  if (stages < 1 || stages > 8)
    return emitError() << "expects 1 to 8 stages, but got " << stages;
  // The product of larger numbers may be no number.
  if (warps[0] < 1 || warps[1] < 1 || warps[0] > 32 || warps[1] > 32 ||
      warps[0] * warps[1] > 32)
    return emitError() << "expects 1 to 32 warps, but got " << warps[0] << " x "
                       << warps[1];
  bool byWarpgroups = instruction == kWgmma;
  if (!byWarpgroups && instruction != kMma)
    return emitError() << "expects the instruction mma or wgmma, but got '"
                       << instruction << "'";
  if (byWarpgroups && (warps[0] % 4 != 0 || warps[1] != 1))
    return emitError() << "expects warpgroups of four warps below each other, "
                          "but got "
                       << warps[0] << " x " << warps[1] << " warps";
  if (byWarpgroups &&
      (tile[0] != 16 * warps[0] || tile[1] < 64 || tile[1] > 256 ||
       tile[1] % 64 != 0 || (tile[2] != 64 && tile[2] != 128)))
    return emitError() << "expects a tile of warpgroups to be " << 16 * warps[0]
                       << " x (64, 128, 192 or 256) x (64 or 128), "
                       << "but got " << tile[0] << " x " << tile[1] << " x "
                       << tile[2];
  // Warps compute 16 x 16 results at a time, of 16 products each.
  constexpr int64_t kMaxTile = 1024;
  for (auto [size, unit] :
       {std::pair(tile[0], 16 * warps[0]), std::pair(tile[1], 16 * warps[1]),
        std::pair(tile[2], int64_t(16))})
    if (size < 1 || size % unit != 0 || size > kMaxTile)
      return emitError() << "expects a tile of multiples of " << unit
                         << ", at most " << kMaxTile << ", but got " << size;
  return success();
}

const ArchInfo &GPUAttr::getInfo() const { return *lookupArch(getArch()); }

StringRef GPUAttr::getKind() const { return kDeviceKind; }

std::string GPUAttr::getDescription() const { return "GPU " + getArch().str(); }

int64_t GPUAttr::getVectorBits() const { return 128; }

SmallVector<relay::MemoryInfo> GPUAttr::getMemories() const {
  using namespace relay;
  return {{MemoryAttr::kLocal, MemorySharing::Thread, MemoryAccess::Flat, 0},
          {kShared, MemorySharing::Kernel, MemoryAccess::Elements,
           getInfo().sharedPerBlock}};
}

/// Tensor cores take them as they are.
bool GPUAttr::multipliesHalves() const { return true; }

relay::Threading GPUAttr::getThreading() const {
  return relay::Threading::Grid;
}

void CUDADialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "relay-mlir/Dialect/CUDA/IR/CUDAAttributes.cpp.inc"
      >();
}
