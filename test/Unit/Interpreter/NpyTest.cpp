//===- NpyTest.cpp - Read and write .npy files ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/Npy.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::relay;

/// A version-1 file with the given header and data.
static std::string getFile(std::string header, std::string data,
                           char version = 1) {
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  header += '\n';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  if (version > 1)
    file += std::string(2, '\0');
  return file + header + data;
}

static std::string getError(const std::string &file) {
  auto array = parseNpy(file, "x.npy", nullptr);
  return array ? "" : llvm::toString(array.takeError());
}

template <typename T>
static std::vector<T> getValues(const NpyArray &array) {
  auto *begin = reinterpret_cast<const T *>(array.data.data());
  return std::vector<T>(begin, begin + array.data.size() / sizeof(T));
}

TEST(NpyTest, WritesWhatItReads) {
  int16_t values[] = {1, -2, 3, -4, 5, -6};
  NpyArray array;
  array.kind = NpyArray::Kind::Int;
  array.elementSize = 2;
  array.shape = {2, 3};
  array.data = llvm::ArrayRef(reinterpret_cast<char *>(values), 12);
  std::string file;
  llvm::raw_string_ostream os(file);
  writeNpy(os, array);
  EXPECT_EQ(0u, (file.size() - 12) % 64);
  EXPECT_NE(std::string::npos,
            file.find("{'descr': '<i2', 'fortran_order': False, "
                      "'shape': (2, 3), }"));

  auto read = llvm::cantFail(parseNpy(file, "x.npy", nullptr));
  EXPECT_EQ(NpyArray::Kind::Int, read.kind);
  EXPECT_EQ(2u, read.elementSize);
  EXPECT_EQ((llvm::SmallVector<int64_t>{2, 3}), read.shape);
  EXPECT_EQ((std::vector<int16_t>{1, -2, 3, -4, 5, -6}),
            getValues<int16_t>(read));
}

TEST(NpyTest, WritesEveryRank) {
  char value = 1;
  for (unsigned rank : {0u, 1u, 2u, 20000u}) {
    NpyArray array;
    array.kind = NpyArray::Kind::Bool;
    array.elementSize = 1;
    array.shape.assign(rank, 1);
    array.data = value;
    std::string file;
    llvm::raw_string_ostream os(file);
    writeNpy(os, array);
    auto read = llvm::cantFail(parseNpy(file, "x.npy", nullptr));
    EXPECT_EQ(array.shape, read.shape);
  }
}

TEST(NpyTest, ReadsEveryVersion) {
  for (char version : {1, 2, 3}) {
    std::string file =
        getFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "ab",
                version);
    auto array = llvm::cantFail(parseNpy(file, "x.npy", nullptr));
    EXPECT_EQ((std::vector<char>{'a', 'b'}), getValues<char>(array));
  }
}

TEST(NpyTest, ReadsFortranOrder) {
  std::string file = getFile(
      "{'fortran_order': True, 'shape': (2, 3), 'descr': '|u1', }", "adbecf");
  auto array = llvm::cantFail(parseNpy(file, "x.npy", nullptr));
  EXPECT_EQ((std::vector<char>{'a', 'b', 'c', 'd', 'e', 'f'}),
            getValues<char>(array));
}

TEST(NpyTest, ReadsBigEndian) {
  std::string file =
      getFile("{'descr': \">u2\", 'fortran_order': False, 'shape': (2L,)}",
              std::string("\1\2\3\4"));
  auto array = llvm::cantFail(parseNpy(file, "x.npy", nullptr));
  EXPECT_EQ((std::vector<uint16_t>{0x0102, 0x0304}),
            getValues<uint16_t>(array));
}

TEST(NpyTest, NormalizesBools) {
  std::string file =
      getFile("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}",
              std::string("\0\2\1", 3));
  auto array = llvm::cantFail(parseNpy(file, "x.npy", nullptr));
  EXPECT_EQ((std::vector<char>{0, 1, 1}), getValues<char>(array));
}

TEST(NpyTest, RefusesCorruptFiles) {
  EXPECT_EQ("'x.npy': expects an .npy file, but got other contents",
            getError("PK\3\4 something else"));
  EXPECT_EQ("'x.npy': expects an .npy file, but got other contents",
            getError("\x93NUMPY"));
  EXPECT_EQ("'x.npy': expects .npy version 1, 2 or 3, but got 9",
            getError(getFile("{}", "", 9)));
  std::string good = getFile(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "abcd");
  EXPECT_EQ("", getError(good));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE("", getError(good.substr(0, size))) << size;
  EXPECT_EQ("'x.npy': expects 4 bytes of data, but got 5",
            getError(good + "e"));
}

TEST(NpyTest, RefusesWrongHeaders) {
  auto getHeaderError = [](const std::string &header) {
    return getError(getFile(header, "abcd"));
  };
  EXPECT_EQ("'x.npy': expects a dtype of floats, integers or bools, but got "
            "'<c8'",
            getHeaderError(
                "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}"));
  EXPECT_EQ("'x.npy': expects a string in the header, but got "
            "'[('a', '<f4')], 'for'",
            getHeaderError("{'descr': [('a', '<f4')], 'fortran_order': "
                           "False, 'shape': (1,)}"));
  EXPECT_EQ("'x.npy': expects a size in the header, but got '-1,)}'",
            getHeaderError(
                "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"));
  EXPECT_EQ("'x.npy': expects the keys 'descr', 'fortran_order' and 'shape' in "
            "the header, but got fewer",
            getHeaderError("{'descr': '<f4', 'shape': (1,)}"));
  EXPECT_EQ("'x.npy': expects a shape whose bytes fit 64 bits, but got "
            "(4611686018427387904, 8)",
            getHeaderError("{'descr': '<f4', 'fortran_order': False, "
                           "'shape': (4611686018427387904, 8)}"));
}

TEST(NpyTest, NamesMissingFiles) {
  auto array = readNpy("/does/not/exist.npy");
  ASSERT_FALSE(static_cast<bool>(array));
  EXPECT_EQ("'/does/not/exist.npy': cannot open: No such file or directory",
            llvm::toString(array.takeError()));
  EXPECT_EQ("'/does/not/exist.npy': cannot write: No such file or directory",
            llvm::toString(writeNpy("/does/not/exist.npy", NpyArray())));
}

static std::string getStringsError(const std::string &file) {
  auto strings = parseNpyStrings(file, "x.npy");
  return strings ? "" : llvm::toString(strings.takeError());
}

TEST(NpyTest, WritesStringsThatItReads) {
  NpyStrings strings;
  // The last begins with U+FEFF, which is not the file's mark of an order.
  strings.shape = {5, 1};
  strings.texts = {"", "a", "\xc3\xbc\xe6\xb0\xb4", "\xf0\x9f\x99\x82",
                   "\xef\xbb\xbf\xc3\xbc"};
  std::string file;
  llvm::raw_string_ostream os(file);
  writeNpyStrings(os, strings);
  EXPECT_NE(std::string::npos, file.find("'descr': '<U2'"));
  auto read = llvm::cantFail(parseNpyStrings(file, "x.npy"));
  EXPECT_EQ(strings.shape, read.shape);
  EXPECT_EQ(strings.texts, read.texts);
}

TEST(NpyTest, ReadsStringsInOtherOrders) {
  const char *header = "{'descr': '>U1', 'fortran_order': True, "
                       "'shape': (2, 2)}";
  std::string data("\0\0\0a\0\0\0b\0\0\0\xfc\0\0\0\0", 16);
  auto read = llvm::cantFail(parseNpyStrings(getFile(header, data), "x.npy"));
  EXPECT_EQ((std::vector<std::string>{"a", "\xc3\xbc", "b", ""}), read.texts);

  header = "{'descr': '|S3', 'fortran_order': False, 'shape': (2,)}";
  read = llvm::cantFail(
      parseNpyStrings(getFile(header, std::string("a\0\0xyz", 6)), "x.npy"));
  EXPECT_EQ((std::vector<std::string>{"a", "xyz"}), read.texts);

  // However large the other sizes are, there is nothing.
  header = "{'descr': '<U9', 'fortran_order': False, "
           "'shape': (4611686018427387904, 0)}";
  EXPECT_TRUE(llvm::cantFail(parseNpyStrings(getFile(header, ""), "x.npy"))
                  .texts.empty());
}

TEST(NpyTest, RefusesWhatIsNoString) {
  auto getHeader = [](const char *descr) {
    return std::string("{'descr': '") + descr +
           "', 'fortran_order': False, 'shape': (1,)}";
  };
  std::string zeros(4, '\0');
  for (const char *descr :
       {"<f4", "<U", "<U0", "<U-1", "U1x", "<U999999999999", "<U1073741825"})
    EXPECT_NE(std::string::npos,
              getStringsError(getFile(getHeader(descr), zeros))
                  .find("expects a dtype of strings, '<U' and a number"))
        << descr;
  EXPECT_EQ("'x.npy': expects 8 bytes of data, but got 4",
            getStringsError(getFile(getHeader("<U2"), zeros)));
  // A surrogate, what is above all characters (also where that is U+FEFF with
  // its bytes swapped), and a zero within.
  for (const std::string &data : {std::string("\0\xd8\0\0\0\0\0\0", 8),
                                  std::string("\0\0\x11\0\0\0\0\0", 8),
                                  std::string("\0\0\xfe\xff\0\0\0\xfc", 8),
                                  std::string("\0\0\0\0a\0\0\0", 8)})
    EXPECT_EQ("'x.npy': expects strings of Unicode without zeros",
              getStringsError(getFile(getHeader("<U2"), data)));
}
