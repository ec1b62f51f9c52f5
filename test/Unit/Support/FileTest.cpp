//===- FileTest.cpp - Reading and writing files ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/ChildProcess.h"
#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <csignal>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::relay;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {

class FileTest : public ::testing::Test {
protected:
  FileTest() {
    EXPECT_FALSE(fs::createUniqueDirectory("relay-file-test", folder));
  }
  ~FileTest() override { fs::remove_directories(folder); }

  std::string getPath(StringRef name) { return (folder + "/" + name).str(); }
  std::string read(StringRef name) {
    auto buffer = readInputFile(getPath(name));
    return buffer ? (*buffer)->getBuffer().str()
                  : "error: " + buffer.getError().message();
  }
  std::set<std::string> list() {
    std::set<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; it != end;
         it.increment(error))
      names.insert(StringRef(it->path()).rsplit('/').second.str());
    return names;
  }
  static auto writeText(StringRef text) {
    return [text](int file) {
      return writeAt(file, llvm::ArrayRef(text.data(), text.size()), 0);
    };
  }

  llvm::SmallString<128> folder;
};

TEST_F(FileTest, OutputIsReplacedAtOnce) {
  std::string path = getPath("a");
  ASSERT_FALSE(writeOutputFile(path, 0640, writeText("old")));
  EXPECT_EQ(read("a"), "old");
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(status.st_mode & 0777, 0640 & ~mask);

  // Who has it open keeps what was there.
  auto before = InputFile::open(path);
  ASSERT_TRUE(bool(before));
  std::error_code error = writeOutputFile(path, 0666, [&](int file) {
    std::error_code error = writeAt(file, {'n', 'e', 'w'}, 0);
    // Nobody sees a part of it.
    EXPECT_EQ(read("a"), "old");
    EXPECT_EQ(list(), std::set<std::string>{"a"});
    return error;
  });
  ASSERT_FALSE(error);
  EXPECT_EQ(read("a"), "new");
  char bytes[3];
  EXPECT_FALSE(before->read(bytes, 0));
  EXPECT_EQ(StringRef(bytes, 3), "old");
  EXPECT_EQ(list(), std::set<std::string>{"a"});
}

TEST_F(FileTest, OutputThatFailsLeavesNothing) {
  ASSERT_FALSE(writeOutputFile(getPath("a"), 0666, writeText("old")));
  auto fail = [](int file) {
    EXPECT_FALSE(writeAt(file, {'x'}, 100000));
    return std::make_error_code(std::errc::no_space_on_device);
  };
  for (StringRef name : {"a", "b"})
    EXPECT_EQ(writeOutputFile(getPath(name), 0666, fail),
              std::errc::no_space_on_device);
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(list(), std::set<std::string>{"a"});
  EXPECT_EQ(writeOutputFile(getPath("none/a"), 0666, writeText("")),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(writeOutputFile(folder, 0666, writeText("")),
            std::errc::is_a_directory);
  if (fs::exists("/dev/full"))
    EXPECT_EQ(writeOutputFile("/dev/full", 0666, writeText("text")),
              std::errc::no_space_on_device);
}

// Not even what no handler is told of leaves a file.
TEST_F(FileTest, KilledProcessLeavesNothing) {
  pid_t child = fork();
  if (child == 0) {
    (void)writeOutputFile(getPath("a"), 0666, [](int file) {
      (void)writeAt(file, {'x'}, 100000);
      raise(SIGKILL);
      return std::error_code();
    });
    _exit(0);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(list(), std::set<std::string>());
}

TEST_F(FileTest, OutputInMemory) {
  llvm::ErrorOr<FileDescriptor> file = FileDescriptor::createInMemory("test");
  ASSERT_TRUE(bool(file));
  std::string path = "/proc/self/fd/" + std::to_string(file->get());
  ASSERT_FALSE(writeOutputFile(path, 0666, writeText("text")));
  EXPECT_EQ(StringRef(readAll(file->get())->data(), 4), "text");
  ASSERT_FALSE(file->seal());
  EXPECT_TRUE(bool(writeAt(file->get(), {'x'}, 0)));
}

TEST_F(FileTest, InputThatIsNoFileOrShrinks) {
  EXPECT_EQ(InputFile::open(getPath("none")).getError(),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(InputFile::open(folder).getError().message(), "is a directory");
  EXPECT_EQ(InputFile::open("/dev/null").getError().message(),
            "expects a file, but got a device");
  // Nobody writes to it: that must not wait.
  ASSERT_EQ(::mkfifo(getPath("pipe").c_str(), 0600), 0);
  alarm(20);
  EXPECT_EQ(InputFile::open(getPath("pipe")).getError().message(),
            "expects a file, but got a pipe");
  alarm(0);
  ASSERT_FALSE(writeOutputFile(getPath("a"), 0666, writeText("0123456789")));
  auto file = InputFile::open(getPath("a"));
  ASSERT_TRUE(bool(file));
  EXPECT_EQ(file->getSize(), 10u);
  ASSERT_EQ(::truncate(getPath("a").c_str(), 5), 0);
  char bytes[4];
  EXPECT_FALSE(file->read(bytes, 1));
  EXPECT_EQ(file->read(bytes, 2).message(),
            "the file changed while it was read");
}

TEST_F(FileTest, ChildrenGetTheirFiles) {
  llvm::ErrorOr<FileDescriptor> output = FileDescriptor::createInMemory("out");
  llvm::ErrorOr<FileDescriptor> input = FileDescriptor::createInMemory("in");
  ASSERT_TRUE(output && input);
  ASSERT_FALSE(writeAt(input->get(), {'h', 'e', 'l', 'l', 'o'}, 0));
  // In an order in which one would overwrite the other.
  llvm::ErrorOr<ExitStatus> status =
      runChild("/bin/sh", {"sh", "-c", "cat <&3; exit 3"},
               {-1, output->get(), -1, input->get()});
  ASSERT_TRUE(bool(status)) << status.getError().message();
  EXPECT_EQ(status->code, 3);
  std::vector<char> bytes = *readAll(output->get());
  EXPECT_EQ(StringRef(bytes.data(), bytes.size()), "hello");

  // A thread that blocks signals has children that signals end.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &previous);
  status = runChild("/bin/sh", {"sh", "-c", "kill -TERM $$; exit 0"}, {-1});
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  ASSERT_TRUE(bool(status));
  EXPECT_EQ(status->signal, SIGTERM);
  EXPECT_FALSE(bool(runChild("/no/such/program", {"x"}, {-1})));
}

} // namespace
