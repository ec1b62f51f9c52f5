//===- MappingGuard.cpp - Files that shrink while mapped ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingGuard.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <unistd.h>

using namespace mlir;
using namespace mlir::relay::onnx;

namespace {

/// What a signal handler may read: no memory of others, no locks.
struct MappedFile {
  std::atomic<const char *> begin{nullptr};
  std::atomic<const char *> end{nullptr};
  /// The message, which stays for the life of the process.
  std::atomic<const char *> message{nullptr};
};

} // namespace

static constexpr int kMaxMappings = 64;
static MappedFile mappedFiles[kMaxMappings];
static struct sigaction previousAction;

static void handleBusError(int signal, siginfo_t *info, void *) {
  const auto *address = static_cast<const char *>(info->si_addr);
  for (MappedFile &file : mappedFiles) {
    const char *begin = file.begin.load();
    if (!begin || address < begin || address >= file.end.load())
      continue;
    const char *message = file.message.load();
    (void)!write(STDERR_FILENO, message, std::strlen(message));
    // Half-written outputs go, as after an interrupt.
    llvm::sys::RunInterruptHandlers();
    _exit(1);
  }
  // Not ours: the access faults again, for whoever was here before.
  sigaction(signal, &previousAction, nullptr);
}

static void installHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = handleBusError;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previousAction);
  });
}

MappingGuard::MappingGuard(const char *data, size_t size, StringRef path) {
  installHandler();
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  for (int i = 0; i != kMaxMappings; ++i) {
    MappedFile &file = mappedFiles[i];
    if (file.begin.load())
      continue;
    std::string text =
        ("error: the file changed while it was read: " + path + "\n").str();
    file.message.store(strdup(text.c_str()));
    file.end.store(data + size);
    file.begin.store(data);
    place = i;
    return;
  }
}

MappingGuard::~MappingGuard() {
  if (place >= 0)
    mappedFiles[place].begin.store(nullptr);
}
