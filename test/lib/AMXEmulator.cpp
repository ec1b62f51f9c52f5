//===- AMXEmulator.cpp - AMX where the processor has none -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Preloaded into a process, runs the AMX instructions of kernels: the processor
// refuses them, and the handler of that signal decodes and executes them on
// tiles of the thread, as the processor's manual defines them. So tests execute
// the very machine code that a processor with AMX would. Likewise the products
// of bytes of AVX-VNNI.
//
// The run time asks the processor, not this library, for AMX. Artefacts are
// therefore shown to it without the features that are emulated here: dlsym()
// takes them out of the description in memory. The permission that the
// operating system gives is granted in syscall(), and counted.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/ArtifactFormat.h"

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

constexpr int kNumTiles = 8, kMaxRows = 16, kMaxBytes = 64;

struct Tile {
  alignas(64) uint8_t bytes[kMaxRows][kMaxBytes];
};

/// The tile registers and their configuration, as LDTILECFG reads it.
struct TileState {
  uint8_t palette = 0, startRow = 0;
  uint16_t columnBytes[16] = {};
  uint8_t rows[16] = {};
  Tile tiles[kNumTiles];

  /// What STTILECFG writes.
  void store(uint8_t *memory) const {
    std::memset(memory, 0, 64);
    memory[0] = palette;
    memory[1] = startRow;
    std::memcpy(memory + 16, columnBytes, sizeof(columnBytes));
    std::memcpy(memory + 48, rows, sizeof(rows));
  }
};

thread_local TileState state;
/// What the process itself does with the signal.
struct sigaction previous;
uint64_t numInstructions;

[[noreturn]] void stop(const char *reason) {
  std::fprintf(stderr, "AMX emulator: %s\n", reason);
  std::_Exit(86);
}

/// The C library's function that is called `name`, which `known` keeps. Without
/// the guard of a static variable: ThreadSanitizer, which asks for functions
/// while it starts, stands in for it before it is ready.
template <typename FnT>
FnT *getNext(FnT *&known, const char *name,
             std::initializer_list<const char *> versions) {
  FnT *function = __atomic_load_n(&known, __ATOMIC_RELAXED);
  for (const char *version : versions)
    if (!function)
      function = reinterpret_cast<FnT *>(dlvsym(RTLD_NEXT, name, version));
  __atomic_store_n(&known, function, __ATOMIC_RELAXED);
  return function;
}

/// The C library's sigaction().
int setHandler(int signal, const struct sigaction *action,
               struct sigaction *old) {
  using Fn = int(int, const struct sigaction *, struct sigaction *);
  static Fn *known;
  return getNext(known, "sigaction", {"GLIBC_2.2.5"})(signal, action, old);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void release() { std::memset(static_cast<void *>(&state), 0, sizeof(state)); }

void configure(const uint8_t *memory) {
  release();
  if (memory[0] == 0)
    return;
  if (memory[0] != 1)
    stop("expects palette 1");
  for (int i = 2; i < 16; ++i)
    if (memory[i] != 0)
      stop("expects reserved bytes of the configuration to be 0");
  state.palette = 1;
  state.startRow = memory[1];
  std::memcpy(state.columnBytes, memory + 16, sizeof(state.columnBytes));
  std::memcpy(state.rows, memory + 48, sizeof(state.rows));
  for (int i = 0; i < 16; ++i) {
    bool isUsed = state.columnBytes[i] != 0 || state.rows[i] != 0;
    bool isComplete = state.columnBytes[i] != 0 && state.rows[i] != 0;
    if (isUsed && (!isComplete || i >= kNumTiles || state.rows[i] > kMaxRows ||
                   state.columnBytes[i] > kMaxBytes))
      stop("expects tiles of at most 16 rows of 64 bytes");
  }
}

void checkTile(int tile) {
  if (state.palette == 0)
    stop("expects a configuration before a tile instruction");
  if (tile >= kNumTiles || state.rows[tile] == 0)
    stop("expects a configured tile");
}

void load(int tile, const uint8_t *memory, int64_t stride) {
  checkTile(tile);
  std::memset(&state.tiles[tile], 0, sizeof(Tile));
  for (int row = 0; row < state.rows[tile]; ++row)
    std::memcpy(state.tiles[tile].bytes[row], memory + row * stride,
                state.columnBytes[tile]);
}

void store(int tile, uint8_t *memory, int64_t stride) {
  checkTile(tile);
  for (int row = 0; row < state.rows[tile]; ++row)
    std::memcpy(memory + row * stride, state.tiles[tile].bytes[row],
                state.columnBytes[tile]);
}

/// Checks the shapes of dst(m x n) += lhs(m x k) * rhs(k x n), in groups of 4
/// bytes.
void checkProduct(int dst, int lhs, int rhs) {
  checkTile(dst);
  checkTile(lhs);
  checkTile(rhs);
  if (dst == lhs || dst == rhs || lhs == rhs)
    stop("expects three different tiles");
  if (state.rows[dst] != state.rows[lhs] ||
      state.columnBytes[dst] != state.columnBytes[rhs] ||
      state.columnBytes[lhs] != 4 * state.rows[rhs] ||
      state.columnBytes[lhs] % 4 != 0 || state.columnBytes[rhs] % 4 != 0)
    stop("expects tiles of matching shapes");
}

float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

float fromBF16(uint16_t value) {
  uint32_t bits = static_cast<uint32_t>(value) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return flush(result);
}

/// Even and odd elements are summed by themselves, then added.
__attribute__((target("avx2,fma"))) void multiplyBF16(int dst, int lhs,
                                                      int rhs) {
  checkProduct(dst, lhs, rhs);
  int depth = state.columnBytes[lhs] / 4, columns = state.columnBytes[dst] / 4;
  for (int m = 0; m < state.rows[dst]; ++m) {
    float even[16] = {}, odd[16] = {}, sums[16];
    uint16_t left[32];
    std::memcpy(left, state.tiles[lhs].bytes[m], sizeof(left));
    for (int k = 0; k < depth; ++k) {
      uint16_t right[32];
      std::memcpy(right, state.tiles[rhs].bytes[k], sizeof(right));
      float first = fromBF16(left[2 * k]), second = fromBF16(left[2 * k + 1]);
      for (int n = 0; n < columns; ++n) {
        even[n] = flush(__builtin_fmaf(first, fromBF16(right[2 * n]), even[n]));
        odd[n] =
            flush(__builtin_fmaf(second, fromBF16(right[2 * n + 1]), odd[n]));
      }
    }
    std::memcpy(sums, state.tiles[dst].bytes[m], sizeof(sums));
    for (int n = 0; n < columns; ++n)
      sums[n] = flush(flush(sums[n]) + flush(even[n] + odd[n]));
    std::memcpy(state.tiles[dst].bytes[m], sums, sizeof(sums));
  }
}

void multiplyI8(int dst, int lhs, int rhs, bool isLhsSigned, bool isRhsSigned) {
  checkProduct(dst, lhs, rhs);
  auto widen = [](uint8_t value, bool isSigned) {
    return isSigned ? static_cast<int8_t>(value) : static_cast<int>(value);
  };
  int depth = state.columnBytes[lhs], columns = state.columnBytes[dst] / 4;
  for (int m = 0; m < state.rows[dst]; ++m) {
    uint32_t sums[16];
    std::memcpy(sums, state.tiles[dst].bytes[m], sizeof(sums));
    for (int k = 0; k < depth; ++k)
      for (int n = 0; n < columns; ++n)
        sums[n] +=
            widen(state.tiles[lhs].bytes[m][k], isLhsSigned) *
            widen(state.tiles[rhs].bytes[k / 4][4 * n + k % 4], isRhsSigned);
    std::memcpy(state.tiles[dst].bytes[m], sums, sizeof(sums));
  }
}

/// A 256-bit register of the interrupted code: the two halves lie apart.
struct VectorRegister {
  VectorRegister(const ucontext_t &context, int number) {
    // Where XSAVE puts the parts, beside what it wrote at all.
    constexpr size_t kHeader = 512, kUpperHalves = 576;
    auto *area = reinterpret_cast<uint8_t *>(context.uc_mcontext.fpregs);
    low =
        reinterpret_cast<uint8_t *>(&context.uc_mcontext.fpregs->_xmm[number]);
    high = area + kUpperHalves + 16 * number;
    uint64_t written;
    std::memcpy(&written, area + kHeader, sizeof(written));
    if (written & 4)
      return;
    std::memset(area + kUpperHalves, 0, 16 * 16);
    written |= 4;
    std::memcpy(area + kHeader, &written, sizeof(written));
  }
  void read(uint8_t *bytes) const {
    std::memcpy(bytes, low, 16);
    std::memcpy(bytes + 16, high, 16);
  }
  void write(const uint8_t *bytes) const {
    std::memcpy(low, bytes, 16);
    std::memcpy(high, bytes + 16, 16);
  }

  uint8_t *low, *high;
};

/// VPDPBUSD: adds products of bytes without and with a sign, four to a lane.
void addByteProducts(const VectorRegister &dst, const VectorRegister &lhs,
                     const uint8_t *rhs) {
  uint8_t left[32], sums[32];
  lhs.read(left);
  dst.read(sums);
  for (int lane = 0; lane < 8; ++lane) {
    uint32_t sum;
    std::memcpy(&sum, sums + 4 * lane, sizeof(sum));
    for (int i = 4 * lane; i < 4 * lane + 4; ++i)
      sum += static_cast<int>(left[i]) * static_cast<int8_t>(rhs[i]);
    std::memcpy(sums + 4 * lane, &sum, sizeof(sum));
  }
  dst.write(sums);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// A register of the interrupted code, by its number in instructions.
uint64_t getRegister(const ucontext_t &context, int number) {
  static constexpr int kPlaces[] = {
      REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return context.uc_mcontext.gregs[kPlaces[number]];
}

struct Instruction {
  /// Mandatory prefix: 0 for none, 1 for 66, 2 for F3, 3 for F2.
  int prefix, opcode, mod, reg, rm, vvvv, length;
  uint64_t address = 0;
  int64_t stride = 0;
  bool hasIndex = false, is256 = false;
};

/// Reads a VEX instruction of the map 0F 38 at `code`; false if there is none.
bool decode(const ucontext_t &context, const uint8_t *code,
            Instruction &result) {
  if (code[0] != 0xc4 || (code[1] & 0x1f) != 2 || (code[2] & 0x80) != 0)
    return false;
  bool r = !(code[1] & 0x80), x = !(code[1] & 0x40), b = !(code[1] & 0x20);
  result.is256 = code[2] & 4;
  result.vvvv = ~(code[2] >> 3) & 15;
  result.prefix = code[2] & 3;
  result.opcode = code[3];
  result.mod = code[4] >> 6;
  result.reg = (code[4] >> 3 & 7) | (r << 3);
  result.rm = code[4] & 7;
  const uint8_t *next = code + 5;
  if (result.mod == 3) {
    result.rm |= b << 3;
    result.length = next - code;
    return true;
  }
  uint64_t address = 0;
  bool hasBase = true, isRelative = false;
  if (result.rm == 4) {
    uint8_t sib = *next++;
    int index = (sib >> 3 & 7) | (x << 3), base = sib & 7;
    if (index != 4) {
      result.hasIndex = true;
      result.stride = getRegister(context, index) << (sib >> 6);
    }
    hasBase = base != 5 || result.mod != 0;
    if (hasBase)
      address = getRegister(context, base | (b << 3));
  } else if (result.rm == 5 && result.mod == 0) {
    hasBase = false;
    isRelative = true;
  } else {
    address = getRegister(context, result.rm | (b << 3));
  }
  if (result.mod == 1) {
    address += static_cast<int8_t>(*next++);
  } else if (result.mod == 2 || !hasBase) {
    int32_t displacement;
    std::memcpy(&displacement, next, sizeof(displacement));
    address += displacement;
    next += sizeof(displacement);
  }
  if (isRelative)
    address += reinterpret_cast<uint64_t>(next);
  result.length = next - code;
  result.address = address;
  return true;
}

bool execute(const ucontext_t &context, const Instruction &inst) {
  bool isMemory = inst.mod != 3;
  auto *memory = reinterpret_cast<uint8_t *>(inst.address);
  if (inst.is256) {
    if (inst.opcode != 0x50 || inst.prefix != 1)
      return false;
    uint8_t right[32];
    if (isMemory)
      std::memcpy(right, memory + inst.stride, sizeof(right));
    else
      VectorRegister(context, inst.rm).read(right);
    addByteProducts(VectorRegister(context, inst.reg),
                    VectorRegister(context, inst.vvvv), right);
    return true;
  }
  // Without a stride in the instruction, address and stride of a configuration
  // form an address.
  switch (inst.opcode) {
  case 0x49:
    if (isMemory && inst.reg == 0 && inst.prefix == 0)
      return configure(memory + inst.stride), true;
    if (isMemory && inst.reg == 0 && inst.prefix == 1)
      return state.store(memory + inst.stride), true;
    if (!isMemory && inst.prefix == 0 && inst.reg == 0 && inst.rm == 0)
      return release(), true;
    if (!isMemory && inst.prefix == 3 && inst.rm == 0) {
      checkTile(inst.reg);
      std::memset(&state.tiles[inst.reg], 0, sizeof(Tile));
      return true;
    }
    return false;
  case 0x4b:
    if (!isMemory || inst.rm != 4)
      return false;
    if (inst.prefix == 1 || inst.prefix == 3)
      return load(inst.reg, memory, inst.stride), true;
    if (inst.prefix == 2)
      return store(inst.reg, memory, inst.stride), true;
    return false;
  case 0x5c:
    if (isMemory || inst.prefix != 2)
      return false;
    return multiplyBF16(inst.reg, inst.rm, inst.vvvv), true;
  case 0x5e:
    if (isMemory)
      return false;
    // F2: both signed; F3: the first; 66: the second.
    return multiplyI8(inst.reg, inst.rm, inst.vvvv, inst.prefix >= 2,
                      inst.prefix == 3 || inst.prefix == 1),
           true;
  default:
    return false;
  }
}

void handle(int, siginfo_t *, void *where) {
  auto &context = *static_cast<ucontext_t *>(where);
  greg_t &rip = context.uc_mcontext.gregs[REG_RIP];
  // One signal serves the tile instructions that follow each other.
  bool any = false;
  Instruction inst;
  while (decode(context, reinterpret_cast<const uint8_t *>(rip), inst) &&
         execute(context, inst)) {
    __atomic_fetch_add(&numInstructions, 1, __ATOMIC_RELAXED);
    rip += inst.length;
    any = true;
  }
  if (!any)
    setHandler(SIGILL, &previous, nullptr);
}

//===----------------------------------------------------------------------===//
// What the run time sees
//===----------------------------------------------------------------------===//

/// The list without the features that are emulated.
std::string removeEmulated(const char *features) {
  std::string result;
  for (const char *begin = features; *begin;) {
    size_t length = std::strcspn(begin, ",");
    std::string name(begin, length);
    if (name.compare(0, 4, "amx-") != 0 && name != "avxvnni")
      result += (result.empty() ? "" : ",") + name;
    begin += length + (begin[length] == ',');
  }
  return result;
}

/// Writes a text over a longer one, which is in memory that is only read.
void overwrite(char *place, const std::string &text) {
  auto page = static_cast<uintptr_t>(getpagesize());
  uintptr_t begin = reinterpret_cast<uintptr_t>(place) & -page;
  size_t size = reinterpret_cast<uintptr_t>(place) + text.size() + 1 - begin;
  auto *first = reinterpret_cast<void *>(begin);
  if (mprotect(first, size, PROT_READ | PROT_WRITE) != 0)
    stop("cannot write over the description of an artefact");
  std::memcpy(place, text.c_str(), text.size() + 1);
  mprotect(first, size, PROT_READ);
}

/// Calls nothing: sanitizers, which ask for functions while they start, stand
/// in for strcmp() before they have found it.
bool isArtifact(const char *name) {
  const char *expected = RELAY_ARTIFACT_SYMBOL;
  for (; *expected && *name == *expected; ++name)
    ++expected;
  return *name == *expected;
}

/// The C library's dlsym().
void *findNext(void *handle, const char *name) {
  using Fn = void *(void *, const char *);
  static Fn *known;
  return getNext(known, "dlsym", {"GLIBC_2.34", "GLIBC_2.2.5"})(handle, name);
}

__attribute__((constructor)) void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  setHandler(SIGILL, &action, &previous);
}

} // namespace

extern "C" {

/// Others' handlers of the signal come after this one.
int sigaction(int signal, const struct sigaction *action,
              struct sigaction *old) noexcept {
  if (signal != SIGILL)
    return setHandler(signal, action, old);
  if (old)
    *old = previous;
  if (action)
    previous = *action;
  return 0;
}

/// How many tile instructions ran so far.
uint64_t amx_emulator_count() {
  return __atomic_load_n(&numInstructions, __ATOMIC_RELAXED);
}

void *dlsym(void *handle, const char *name) noexcept {
  void *found = findNext(handle, name);
  if (!found || !isArtifact(name))
    return found;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (const char *features =
          static_cast<const RelayArtifact *>(found)->required_features)
    overwrite(const_cast<char *>(features), removeEmulated(features));
  return found;
}

} // extern "C"
