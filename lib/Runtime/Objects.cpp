//===- Objects.cpp - Values of bytecode programs --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "Error.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

using namespace relay_rt;

//===----------------------------------------------------------------------===//
// Memory of small objects
//===----------------------------------------------------------------------===//

namespace {

/// Memory of small objects that a thread has freed, for those that it makes
/// next: the system takes several times as long for aligned memory as a small
/// kernel. A block belongs to whoever has freed it.
class BlockCache {
public:
  /// Larger blocks are not kept, nor more bytes together.
  static constexpr size_t kMaxBlock = 2048, kMaxBytes = 1 << 20;

  /// That of the thread; null after its end, when objects may still be freed.
  static BlockCache *get() {
    static thread_local BlockCache cache;
    return isGone ? nullptr : &cache;
  }

  /// Of blocks of one alignment, those of each multiple of it.
  template <size_t align>
  class Sizes {
  public:
    static constexpr size_t roundUp(size_t bytes) {
      return (bytes + align - 1) / align * align;
    }

  private:
    friend class BlockCache;
    struct Block {
      Block *next;
    };
    std::array<Block *, kMaxBlock / align + 1> first = {};
  };

  /// Null if there is none of this size.
  template <size_t align>
  void *take(Sizes<align> BlockCache::*sizes, size_t bytes) {
    auto *&first = (this->*sizes).first[bytes / align];
    auto *block = first;
    if (block) {
      first = block->next;
      keptBytes -= bytes;
    }
    return block;
  }
  /// Whether the block is kept.
  template <size_t align>
  bool keep(Sizes<align> BlockCache::*sizes, void *memory, size_t bytes) {
    if (keptBytes + bytes > kMaxBytes)
      return false;
    auto *&first = (this->*sizes).first[bytes / align];
    first = new (memory) typename Sizes<align>::Block{first};
    keptBytes += bytes;
    return true;
  }

  Sizes<alignof(std::max_align_t)> plain;
  Sizes<RELAY_BUFFER_ALIGNMENT> aligned;

private:
  BlockCache() = default;
  ~BlockCache() {
    isGone = true;
    auto freeAll = [](auto &sizes) {
      for (auto *first : sizes.first)
        while (first)
          std::free(std::exchange(first, first->next));
    };
    freeAll(plain);
    freeAll(aligned);
  }

  size_t keptBytes = 0;
  static thread_local bool isGone;
};

} // namespace

thread_local bool BlockCache::isGone = false;

template <size_t align>
static void *allocateBlock(BlockCache::Sizes<align> BlockCache::*sizes,
                           size_t bytes) {
  bytes = BlockCache::Sizes<align>::roundUp(bytes);
  if (bytes <= BlockCache::kMaxBlock)
    if (BlockCache *cache = BlockCache::get())
      if (void *block = cache->take(sizes, bytes))
        return block;
  void *memory = align > alignof(std::max_align_t)
                     ? std::aligned_alloc(align, bytes)
                     : std::malloc(bytes);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

/// The same number of bytes that the block was allocated with.
template <size_t align>
static void freeBlock(BlockCache::Sizes<align> BlockCache::*sizes, void *block,
                      size_t bytes) {
  bytes = BlockCache::Sizes<align>::roundUp(bytes);
  if (bytes <= BlockCache::kMaxBlock)
    if (BlockCache *cache = BlockCache::get())
      if (cache->keep(sizes, block, bytes))
        return;
  std::free(block);
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

/// Whether that was the last reference.
static bool giveUp(Object *object) {
  return object->numReferences.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

namespace {

/// What an object holds.
struct Fields {
  Value *values = nullptr;
  uint32_t count = 0;
};

} // namespace

static Fields getFields(Object *object) {
  switch (object->kind) {
  case RELAY_VALUE_TENSOR:
    break;
  case RELAY_VALUE_TUPLE:
  case RELAY_VALUE_DATA: {
    auto *data = static_cast<DataObject *>(object);
    return {data->getFields(), data->numFields};
  }
  case RELAY_VALUE_CLOSURE: {
    auto *closure = static_cast<ClosureObject *>(object);
    return {closure->getCaptured(), closure->numCaptured};
  }
  case RELAY_VALUE_REFERENCE:
    return {&static_cast<ReferenceObject *>(object)->contents, 1};
  }
  return {};
}

/// Destroys an object whose fields have been taken.
static void destroy(Object *object) {
  size_t fieldBytes = getFields(object).count * sizeof(Value);
  switch (object->kind) {
  case RELAY_VALUE_TENSOR: {
    auto *tensor = static_cast<TensorObject *>(object);
    size_t blockSize = tensor->blockSize;
    tensor->~TensorObject();
    if (blockSize != 0)
      return freeBlock(&BlockCache::aligned, object, blockSize);
    break;
  }
  case RELAY_VALUE_TUPLE:
  case RELAY_VALUE_DATA:
    static_cast<DataObject *>(object)->~DataObject();
    return freeBlock(&BlockCache::plain, object,
                     sizeof(DataObject) + fieldBytes);
  case RELAY_VALUE_CLOSURE:
    static_cast<ClosureObject *>(object)->~ClosureObject();
    return freeBlock(&BlockCache::plain, object,
                     sizeof(ClosureObject) + fieldBytes);
  case RELAY_VALUE_REFERENCE:
    static_cast<ReferenceObject *>(object)->~ReferenceObject();
    break;
  }
  std::free(object);
}

// A list is as deep as it is long, and memory may be what there is none of: the
// way back is kept in the objects themselves. One that waits for a field to be
// freed has, in place of this field, the object that waits for it, and in place
// of the number of its references, how many of its fields are taken.
void relay_rt::release(Object *object) noexcept {
  if (!giveUp(object))
    return;
  Value waiting;
  uint32_t numTaken = 0;
  while (true) {
    auto [fields, count] = getFields(object);
    Object *next = nullptr;
    while (!next && numTaken < count)
      if (Value &field = fields[numTaken++]; field.getObject())
        if (Object *held = field.take(); giveUp(held)) {
          if (held->kind == RELAY_VALUE_TENSOR)
            destroy(held);
          else
            next = held;
        }
    if (next && numTaken < count) {
      object->numReferences.store(numTaken, std::memory_order_relaxed);
      fields[numTaken - 1] = std::exchange(waiting, Value(object));
      object = next;
      numTaken = 0;
      continue;
    }
    destroy(object);
    if (next) {
      object = next;
      numTaken = 0;
      continue;
    }
    object = waiting.take();
    if (!object)
      return;
    numTaken = object->numReferences.load(std::memory_order_relaxed);
    waiting = std::move(getFields(object).values[numTaken - 1]);
  }
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

static void *allocate(size_t bytes) {
  void *memory = std::malloc(bytes);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

static void describe(TensorObject &object, DLDataType type, const int64_t *dims,
                     int32_t rank) {
  auto *shape = reinterpret_cast<int64_t *>(&object + 1);
  std::copy(dims, dims + rank, shape);
  object.tensor.device = {kDLCPU, 0};
  object.tensor.ndim = rank;
  object.tensor.dtype = type;
  object.tensor.shape = shape;
}

TensorObject *TensorObject::create(DLDataType type, const int64_t *dims,
                                   int32_t rank, size_t bytes) {
  // Large blocks are allocated in a way of their own.
  constexpr size_t kMaxInside = 64 << 10;
  using Blocks = BlockCache::Sizes<RELAY_BUFFER_ALIGNMENT>;
  size_t header =
      Blocks::roundUp(sizeof(TensorObject) + rank * sizeof(int64_t));
  AlignedBuffer outside;
  if (bytes > kMaxInside)
    outside = allocateAligned(bytes);
  size_t size = header + (outside ? 0 : Blocks::roundUp(bytes));
  void *memory = allocateBlock(&BlockCache::aligned, size);
  auto *object = new (memory) TensorObject;
  object->blockSize = static_cast<uint32_t>(size);
  describe(*object, type, dims, rank);
  object->tensor.data =
      outside ? outside.get() : static_cast<char *>(memory) + header;
  object->owned = std::move(outside);
  return object;
}

TensorObject *TensorObject::borrow(DLDataType type, const int64_t *dims,
                                   int32_t rank, void *data) {
  void *memory = allocate(sizeof(TensorObject) + rank * sizeof(int64_t));
  auto *object = new (memory) TensorObject;
  describe(*object, type, dims, rank);
  object->tensor.data = data;
  object->isBorrowed = true;
  return object;
}

void TensorObject::own() {
  // Nobody has elements of a tensor that has none.
  if (!isBorrowed || !tensor.data)
    return;
  size_t bytes = *getNumBytes(tensor.dtype, tensor.shape, tensor.ndim);
  owned = allocateAligned(bytes);
  if (bytes != 0)
    std::memcpy(owned.get(), tensor.data, bytes);
  tensor.data = owned.get();
  isBorrowed = false;
}

DataObject *DataObject::create(const RelayArtifactConstructor *constructor,
                               uint32_t numFields) {
  void *memory = allocateBlock(&BlockCache::plain,
                               sizeof(DataObject) + numFields * sizeof(Value));
  auto *object = new (memory) DataObject(constructor, numFields);
  std::uninitialized_value_construct_n(object->getFields(), numFields);
  return object;
}

ClosureObject *ClosureObject::create(const BytecodeFunction &function,
                                     uint32_t numCaptured) {
  void *memory = allocateBlock(
      &BlockCache::plain, sizeof(ClosureObject) + numCaptured * sizeof(Value));
  auto *object = new (memory) ClosureObject(function, numCaptured);
  std::uninitialized_value_construct_n(object->getCaptured(), numCaptured);
  return object;
}

ReferenceObject *ReferenceObject::create(Value contents) {
  void *memory = allocate(sizeof(ReferenceObject));
  return new (memory) ReferenceObject(std::move(contents));
}

const char *relay_rt::describeKind(const Value &value) {
  Object *object = value.getObject();
  if (!object)
    return value.isInteger() ? "a number" : "nothing";
  switch (object->kind) {
  case RELAY_VALUE_TENSOR:
    return "a tensor";
  case RELAY_VALUE_TUPLE:
    return "a tuple";
  case RELAY_VALUE_DATA:
    return "a value of a data type";
  case RELAY_VALUE_CLOSURE:
    return "a function";
  case RELAY_VALUE_REFERENCE:
    return "a reference";
  }
  return "something else";
}

void relay_rt::checkData(const TensorObject &tensor) {
  const DLTensor &described = tensor.tensor;
  if (!described.data &&
      getNumBytes(described.dtype, described.shape, described.ndim) != 0)
    fail(RELAY_EXECUTION_FAILED,
         "expects a tensor with elements, but got sizes only");
}

DLManagedTensor *relay_rt::exportTensor(TensorObject *tensor) {
  checkData(*tensor);
  Value value;
  if (tensor->isUnique() && !tensor->isBorrowed) {
    value = Value::share(tensor);
  } else {
    const DLTensor &from = tensor->tensor;
    size_t bytes = *getNumBytes(from.dtype, from.shape, from.ndim);
    TensorObject *copy =
        TensorObject::create(from.dtype, from.shape, from.ndim, bytes);
    value = Value(copy);
    if (bytes != 0)
      std::memcpy(copy->tensor.data, from.data, bytes);
    tensor = copy;
  }
  auto managed = std::make_unique<DLManagedTensor>();
  managed->dl_tensor = tensor->tensor;
  managed->manager_ctx = value.take();
  managed->deleter = [](DLManagedTensor *self) {
    release(static_cast<TensorObject *>(self->manager_ctx));
    delete self;
  };
  return managed.release();
}
