//===- CPUInfo.cpp - What is known of a processor -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <mutex>

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace mlir::relay;

/// Instruction sets of which LLVM makes use by itself, as the run time knows
/// them. The ones every processor of the architecture has are left out.
static constexpr StringLiteral kCheckedFeatures[] = {
    // x86-64
    "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "sahf", "crc32",
    "movbe", "xsave", "lzcnt", "bmi", "bmi2", "f16c", "fma", "avx", "avx2",
    "avx512f", "avx512cd", "avx512dq", "avx512bw", "avx512vl", "avx512ifma",
    "avx512vbmi", "avx512vbmi2", "avx512vnni", "avx512bitalg",
    "avx512vpopcntdq", "avx512bf16", "avx512fp16", "avxvnni", "avxifma", "gfni",
    "aes", "vaes", "pclmul", "vpclmulqdq",
    // AArch64
    "neon", "lse", "fullfp16", "dotprod", "sve", "sve2", "i8mm", "bf16"};

/// Makes LLVM's tables of the architectures that we generate code for known.
static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
  });
}

static std::unique_ptr<llvm::MCSubtargetInfo>
getSubtarget(const llvm::Triple &triple, StringRef cpu, StringRef features) {
  initializeTargets();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target->createMCSubtargetInfo(triple, cpu, features));
}

static llvm::Triple getX86Triple() {
  return llvm::Triple("x86_64-unknown-linux-gnu");
}

static llvm::Triple getAArch64Triple() {
  return llvm::Triple("aarch64-unknown-linux-gnu");
}

/// The caches of a core of servers that are named by their CPU; code for them
/// is mostly generated elsewhere. The last one, which cores share, is what a
/// few of them have of it.
static CacheSizes getCacheSizesOf(StringRef cpu) {
  CacheSizes sizes;
  bool isFromIceLake =
      llvm::StringSwitch<bool>(cpu)
          .Cases({"icelake-server", "sapphirerapids", "emeraldrapids",
                  "graniterapids", "graniterapids-d", "diamondrapids"},
                 true)
          .Default(false);
  if (isFromIceLake) {
    sizes.l1 = 48 << 10;
    sizes.l2 = cpu == "icelake-server" ? 1280 << 10 : 2 << 20;
    sizes.l3 = 16 << 20;
  } else if (cpu == "znver1" || cpu == "znver2" || cpu == "znver3") {
    sizes.l2 = 512 << 10;
    sizes.l3 = cpu == "znver3" ? 32 << 20 : 16 << 20;
  } else if (cpu == "znver4" || cpu == "znver5") {
    sizes.l1 = cpu == "znver5" ? 48 << 10 : 32 << 10;
    sizes.l3 = 32 << 20;
  }
  return sizes;
}

/// Reads the caches of the first core from the kernel's description; what that
/// leaves out is as the CPU's name has it.
static CacheSizes readNativeCacheSizes(StringRef cpu) {
  CacheSizes sizes = getCacheSizesOf(cpu);
  auto read = [](const Twine &path) -> std::string {
    auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
    return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
  };
  for (unsigned index = 0;; ++index) {
    std::string folder =
        ("/sys/devices/system/cpu/cpu0/cache/index" + Twine(index) + "/").str();
    if (!llvm::sys::fs::is_directory(folder))
      return sizes;
    if (read(folder + "type") == "Instruction")
      continue;
    std::string text = read(folder + "size");
    StringRef digits = text;
    int64_t unit = digits.consume_back("K")   ? 1 << 10
                   : digits.consume_back("M") ? 1 << 20
                                              : 1;
    int64_t value;
    if (digits.getAsInteger(10, value))
      continue;
    std::string level = read(folder + "level");
    if (level == "1")
      sizes.l1 = value * unit;
    else if (level == "2")
      sizes.l2 = value * unit;
    else if (level == "3")
      sizes.l3 = value * unit;
  }
}

void CPUInfo::resolveFeatures() {
  features.clear();
  if (auto subtarget = getSubtarget(triple, cpu, featureString))
    for (const llvm::SubtargetFeatureKV &feature :
         subtarget->getEnabledProcessorFeatures())
      features.push_back(feature.Key);
  llvm::sort(features);
  vectorBits = 128;
  if (hasFeature("avx512f") && hasFeature("avx512vl"))
    vectorBits = 512;
  else if (hasFeature("avx2"))
    vectorBits = 256;
}

bool CPUInfo::hasFeature(StringRef feature) const {
  return llvm::binary_search(features, feature.str());
}

/// Whether the operating system lets this process use the registers of AMX. The
/// processor's own answer does not say so.
static bool mayUseTiles() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

CPUInfo CPUInfo::getNative() {
  CPUInfo target;
  target.triple = llvm::Triple(llvm::sys::getDefaultTargetTriple());
  target.cpu = llvm::sys::getHostCPUName().str();
  // The CPU's name alone promises features that a hypervisor may have taken
  // away.
  target.resolveFeatures();
  SmallVector<std::string> changes;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    bool isTile = feature.first().starts_with("amx-");
    bool isOn = feature.second && (!isTile || mayUseTiles());
    if (isOn != target.hasFeature(feature.first()))
      changes.push_back((isOn ? "+" : "-") + feature.first().str());
  }
  llvm::sort(changes);
  target.featureString = llvm::join(changes, ",");
  target.caches = readNativeCacheSizes(target.cpu);
  target.resolveFeatures();
  return target;
}

LogicalResult
CPUInfo::addFeatures(ArrayRef<StringRef> changes,
                     llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (changes.empty())
    return success();
  // What every CPU of the architecture has, code generation and the C library
  // rely on.
  std::unique_ptr<llvm::MCSubtargetInfo> baseline =
      getSubtarget(triple, triple.isX86() ? "x86-64" : "generic", "");
  for (StringRef change : changes) {
    StringRef feature = change.drop_front(!change.empty());
    bool isKnown =
        llvm::any_of(baseline->getAllProcessorFeatures(),
                     [&](const auto &entry) { return entry.Key == feature; });
    if (!isKnown || (change.front() != '+' && change.front() != '-'))
      return emitError() << "expects +<feature> or -<feature> of "
                         << triple.getArchName() << ", but got '" << change
                         << "'";
    // Modes are not features of a CPU.
    bool isMode = feature.ends_with("-mode") ||
                  feature.starts_with("reserve-") ||
                  feature.contains("thunk") ||
                  llvm::is_contained({"soft-float", "x32", "64bit"}, feature);
    if (isMode || (change.front() == '-' &&
                   baseline->checkFeatures(("+" + feature).str())))
      return emitError() << "expects a change to what some CPUs of "
                         << triple.getArchName()
                         << " have and others have not, but got '" << change
                         << "'";
    featureString += (featureString.empty() ? "" : ",");
    featureString += change;
  }
  return success();
}

/// Whether LLVM has the CPU, as one that we generate code for.
static bool isKnownCPU(const llvm::Triple &triple, StringRef cpu) {
  // Looked up before use: LLVM complains about unknown CPUs on its own.
  std::unique_ptr<llvm::MCSubtargetInfo> any = getSubtarget(triple, "", "");
  return any && any->isCPUStringValid(cpu) &&
         (!triple.isX86() ||
          getSubtarget(triple, cpu, "")->checkFeatures("+64bit"));
}

/// The names of all CPUs of an architecture.
static std::string getCPUNames(const llvm::Triple &triple) {
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget =
      getSubtarget(triple, "", "");
  if (!subtarget)
    return "none";
  SmallVector<StringRef> names;
  for (const llvm::SubtargetSubTypeKV &entry :
       subtarget->getAllProcessorDescriptions())
    names.push_back(entry.Key);
  return llvm::join(names, ", ");
}

FailureOr<CPUInfo>
CPUInfo::parse(StringRef description,
               llvm::function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<StringRef> parts;
  description.split(parts, ',');
  if (parts.front().trim() == "native")
    if (const char *native = std::getenv("RELAY_NATIVE_TARGET");
        native && *native) {
      parts.erase(parts.begin());
      SmallVector<StringRef> replaced;
      StringRef(native).split(replaced, ',');
      parts.insert(parts.begin(), replaced.begin(), replaced.end());
    }
  StringRef name = parts.front().trim();

  CPUInfo target;
  auto tryCPU = [&](const llvm::Triple &triple, StringRef cpu) {
    if (!isKnownCPU(triple, cpu))
      return false;
    target.triple = triple;
    target.cpu = cpu.str();
    target.caches = getCacheSizesOf(cpu);
    return true;
  };
  StringRef armCPU = name;
  bool known = true;
  if (name == "native")
    target = getNative();
  else if (name == "aarch64")
    known = tryCPU(getAArch64Triple(), "generic");
  else if (armCPU.consume_front("aarch64-"))
    known = tryCPU(getAArch64Triple(), armCPU);
  else
    known = name != "generic" &&
            (tryCPU(getX86Triple(), name) || tryCPU(getAArch64Triple(), name));
  if (!known) {
    InFlightDiagnostic diag = emitError();
    diag << "expects a target (native, x86-64, x86-64-v2, x86-64-v3, "
            "x86-64-v4, aarch64, aarch64-<cpu>, or a CPU), but got '"
         << name << "'";
    bool isArm = name.starts_with("aarch64-");
    diag.attachNote() << "CPUs are: "
                      << getCPUNames(isArm ? getAArch64Triple()
                                           : getX86Triple());
    return diag;
  }

  SmallVector<StringRef> changes;
  for (StringRef part : llvm::drop_begin(parts))
    changes.push_back(part.trim());
  if (failed(target.addFeatures(changes, emitError)))
    return failure();
  target.resolveFeatures();
  return target;
}

FailureOr<CPUInfo>
CPUInfo::get(StringRef triple, StringRef cpu, StringRef features,
             CacheSizes caches,
             llvm::function_ref<InFlightDiagnostic()> emitError) {
  CPUInfo info;
  info.triple = llvm::Triple(triple);
  bool isKnownArch = info.triple.getArch() == llvm::Triple::x86_64 ||
                     info.triple.getArch() == llvm::Triple::aarch64;
  // Others have other objects, or pointers of 32 bits.
  bool isKnownABI = llvm::is_contained(
      {llvm::Triple::UnknownEnvironment, llvm::Triple::GNU, llvm::Triple::Musl},
      info.triple.getEnvironment());
  if (!isKnownArch || !isKnownABI || !info.triple.isOSLinux() ||
      !info.triple.isOSBinFormatELF())
    return emitError() << "expects a triple of x86-64 or AArch64 with Linux, "
                          "such as x86_64-unknown-linux-gnu, but got '"
                       << triple << "'";
  if (!isKnownCPU(info.triple, cpu)) {
    InFlightDiagnostic diag = emitError();
    diag << "expects a CPU of " << info.triple.getArchName() << ", but got '"
         << cpu << "'";
    diag.attachNote() << "CPUs are: " << getCPUNames(info.triple);
    return diag;
  }
  info.cpu = cpu.str();
  SmallVector<StringRef> changes;
  features.split(changes, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (failed(info.addFeatures(changes, emitError)))
    return failure();
  info.resolveFeatures();
  CacheSizes known = getCacheSizesOf(cpu);
  info.caches = {caches.l1 ? caches.l1 : known.l1,
                 caches.l2 ? caches.l2 : known.l2,
                 caches.l3 ? caches.l3 : known.l3};
  return info;
}

CPUAttr CPUInfo::getAttr(MLIRContext *context) const {
  // What the name says need not be said twice.
  CacheSizes known = getCacheSizesOf(cpu);
  auto changed = [](int64_t size, int64_t known) {
    return size == known ? 0 : size;
  };
  return CPUAttr::get(
      context, triple.str(), cpu, featureString, changed(caches.l1, known.l1),
      changed(caches.l2, known.l2), changed(caches.l3, known.l3));
}

StringRef CPUInfo::getTuneCPU() const {
  constexpr StringLiteral kServer = "sapphirerapids";
  // A level of the architecture is no processor. With the pipelines that LLVM
  // assumes then, loads move so far ahead that results in registers are
  // spilled.
  if (cpu == "x86-64-v4")
    return kServer;
  // Scheduling for a processor that has no matrix units may rename their
  // registers after LLVM has decided how they are configured.
  if (hasFeature("amx-tile") &&
      !getSubtarget(triple, cpu, "")->checkFeatures("+amx-tile"))
    return kServer;
  return "";
}

std::string CPUInfo::getRequiredFeatures() const {
  std::string result;
  for (StringRef feature : kCheckedFeatures)
    if (hasFeature(feature))
      (result += result.empty() ? "" : ",") += feature;
  return result;
}

bool CPUInfo::hasTiles(bool isFloat) const {
  return hasFeature("amx-tile") &&
         hasFeature(isFloat ? "amx-bf16" : "amx-int8");
}

std::string CPUInfo::getKey() const {
  std::string key = triple.str() + "/" + cpu + "/" + llvm::join(features, ",");
  return key + "/" + std::to_string(caches.l1) + "/" +
         std::to_string(caches.l2) + "/" + std::to_string(caches.l3);
}
