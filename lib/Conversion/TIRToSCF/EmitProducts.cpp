//===- EmitProducts.cpp - Products of matrices by tensor cores ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of threads computes a tile of the result. It brings parts of both
// operands to shared memory, as numbers of 16 bits, while the next parts are on
// their way to registers. Each warp multiplies its rows by its columns with
// `mma.sync`. Results go through shared memory once more, so that neighbouring
// threads store neighbouring elements, together with what is computed of them.
//
// Variables of the block make rows, columns and steps of the reduction, so that
// operands are addressed as the block says, whatever they are: the matrix that
// a convolution multiplies is never there.
//
//===----------------------------------------------------------------------===//

#include "EmitProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"

using namespace mlir;
using namespace mlir::relay::detail;
using cuda::ProductAttr;
using tir::BlockOp;
using tir::BufferAccess;

static constexpr int64_t kWarp = cuda::ArchInfo::kWarpSize;
/// Rows, columns and steps of one `mma.sync` on numbers of 16 bits.
static constexpr int64_t kMmaRows = 16, kMmaColumns = 8, kMmaSteps = 16;
/// Elements between rows in shared memory, so that the eight rows which a warp
/// reads at once are in different banks.
static constexpr int64_t kRowPadding = 8;
static constexpr int64_t kResultPadding = 4;
/// Bytes of the widest load.
static constexpr int64_t kLoadBytes = 16;

std::optional<ProductAccesses>
mlir::relay::detail::matchProduct(BlockOp block,
                                  ArrayRef<BufferAccess> accesses) {
  const BufferAccess *store = nullptr;
  for (const BufferAccess &access : accesses)
    if (access.isWrite && !access.op->getParentOfType<tir::InitOp>())
      store = &access;
  auto find = [&](Value value) -> const BufferAccess * {
    while (Operation *op = value.getDefiningOp()) {
      for (const BufferAccess &access : accesses)
        if (access.op == op)
          return &access;
      if (!isa<arith::ExtFOp>(op))
        break;
      value = op->getOperand(0);
    }
    return nullptr;
  };
  Operation *sum = store ? store->op->getOperand(0).getDefiningOp() : nullptr;
  if (auto narrow = dyn_cast_or_null<arith::TruncFOp>(sum))
    sum = narrow.getIn().getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp>(sum))
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    auto product = sum->getOperand(i).getDefiningOp<arith::MulFOp>();
    const BufferAccess *old = find(sum->getOperand(1 - i));
    if (!product || !old || old->buffer != store->buffer)
      continue;
    const BufferAccess *left = find(product.getLhs());
    const BufferAccess *right = find(product.getRhs());
    if (left && right && left->map && right->map && store->map)
      return ProductAccesses{*left, *right, *store};
  }
  return std::nullopt;
}

ProductEmitter::ProductEmitter(KernelEmitter &emitter, BlockOp block,
                               ProductAttr attr)
    : emitter(emitter), b(emitter.builder), loc(block.getLoc()), block(block),
      attr(attr), numThreads(kWarp * attr.getWarps()[0] * attr.getWarps()[1]) {}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value ProductEmitter::index(int64_t value) {
  return emitter.getConstantIndex(value);
}
Value ProductEmitter::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}
Value ProductEmitter::mul(Value lhs, Value rhs) {
  return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
}
Value ProductEmitter::div(Value lhs, Value rhs) {
  return b.createOrFold<arith::DivUIOp>(loc, lhs, rhs);
}
Value ProductEmitter::rem(Value lhs, Value rhs) {
  return b.createOrFold<arith::RemUIOp>(loc, lhs, rhs);
}
Value ProductEmitter::isLess(Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, lhs,
                                       rhs);
}

Value ProductEmitter::count(ArrayRef<int64_t> vars) {
  Value total = index(1);
  for (int64_t var : vars)
    total = mul(total, extents[var]);
  return total;
}

Value ProductEmitter::countTiles(ArrayRef<int64_t> vars, int64_t size) {
  return div(add(count(vars), index(size - 1)), index(size));
}

void ProductEmitter::decode(Value linear, ArrayRef<int64_t> vars,
                            SmallVectorImpl<Value> &position) {
  for (size_t i = vars.size(); i-- != 0;) {
    if (i == 0) {
      position[vars[i]] = linear;
      break;
    }
    position[vars[i]] = rem(linear, extents[vars[i]]);
    linear = div(linear, extents[vars[i]]);
  }
}

SmallVector<Value> ProductEmitter::evaluate(const BufferAccess &access,
                                            ArrayRef<Value> position) {
  SmallVector<Lowered> operands;
  for (Value value : position)
    operands.push_back(Lowered::uniform(value ? value : index(0)));
  SmallVector<Value> indices;
  for (AffineExpr expr : access.map->getResults())
    indices.push_back(
        emitter.evaluate(expr, access.map->getNumDims(), operands).value);
  return indices;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The variable of the reduction along which elements are consecutive, last.
static bool bringContiguousLast(const BufferAccess &access,
                                SmallVectorImpl<int64_t> &vars) {
  auto *it = llvm::find_if(
      vars, [&](int64_t var) { return tir::isContiguous(access, var); });
  if (it == vars.end())
    return false;
  std::rotate(it, it + 1, vars.end());
  return true;
}

/// How many consecutive elements along the last of `reduction` one load may
/// have.
int64_t ProductEmitter::getVectorSize(const BufferAccess &access) {
  auto type = cast<MemRefType>(access.buffer.getType());
  int64_t size = kLoadBytes * 8 / type.getElementTypeBitWidth();
  int64_t last = reduction.back();
  std::optional<int64_t> extent = getConstantIntValue(extents[last]);
  if (!tir::isContiguous(access, last) || !extent || *extent % size != 0 ||
      !type.hasStaticShape())
    return 1;
  for (int64_t var = 0, e = extents.size(); var != e; ++var) {
    if (var == last || getConstantIntValue(extents[var]) == 1)
      continue;
    std::optional<int64_t> stride = tir::getStride(access, var);
    if (!stride || *stride % size != 0)
      return 1;
  }
  // Where everything starts.
  SmallVector<AffineExpr> zeros(access.map->getNumDims(),
                                b.getAffineConstantExpr(0));
  for (AffineExpr expr : access.map->getResults()) {
    auto start = dyn_cast<AffineConstantExpr>(expr.replaceDims(zeros));
    if (!start || start.getValue() != 0)
      return 1;
  }
  return size;
}

ProductEmitter::Operand
ProductEmitter::createOperand(const BufferAccess &access,
                              ArrayRef<int64_t> lines, int64_t numLines) {
  Operand operand;
  operand.access = access;
  operand.buffer = emitter.lookup(access.buffer).value;
  operand.lines.assign(lines.begin(), lines.end());
  operand.numLines = numLines;
  operand.element = cast<MemRefType>(operand.buffer.getType()).getElementType();
  operand.vectorSize = getVectorSize(access);
  operand.alongReduction = tir::isContiguous(access, reduction.back());
  operand.numChunks =
      numLines * attr.getTile()[2] / (operand.vectorSize * numThreads);
  operand.registers = memref::AllocaOp::create(
      b, loc,
      MemRefType::get({operand.numChunks, operand.vectorSize},
                      operand.element));
  return operand;
}

/// The line and the step of a thread's chunk in a tile.
std::pair<Value, Value> ProductEmitter::getChunk(const Operand &operand,
                                                 Value thread, int64_t chunk) {
  Value number = add(thread, index(chunk * numThreads));
  if (operand.alongReduction) {
    Value perLine = index(attr.getTile()[2] / operand.vectorSize);
    return {div(number, perLine),
            mul(rem(number, perLine), index(operand.vectorSize))};
  }
  Value numLines = index(operand.numLines);
  return {rem(number, numLines), div(number, numLines)};
}

static bool isMultipleOf(Value total, int64_t size) {
  std::optional<int64_t> constant = getConstantIntValue(total);
  return constant && *constant % size == 0;
}

void ProductEmitter::loadTile(const Operand &operand, Value thread,
                              Value firstLine, Value firstStep) {
  Value numLines = count(operand.lines), numSteps = count(reduction);
  bool isGuarded = !isMultipleOf(numLines, operand.numLines) ||
                   !isMultipleOf(numSteps, attr.getTile()[2]);
  auto type = VectorType::get(operand.vectorSize, operand.element);
  for (int64_t chunk = 0; chunk != operand.numChunks; ++chunk) {
    auto [tileLine, tileStep] = getChunk(operand, thread, chunk);
    Value line = add(firstLine, tileLine), step = add(firstStep, tileStep);
    auto load = [&]() -> Value {
      SmallVector<Value> position(batchPosition);
      decode(line, operand.lines, position);
      decode(step, reduction, position);
      SmallVector<Value> indices = evaluate(operand.access, position);
      if (operand.vectorSize == 1)
        return vector::BroadcastOp::create(
            b, loc, type,
            memref::LoadOp::create(b, loc, operand.buffer, indices));
      auto vectorLoad =
          vector::LoadOp::create(b, loc, type, operand.buffer, indices);
      vectorLoad.setAlignment(kLoadBytes);
      return vectorLoad;
    };
    Value elements;
    if (isGuarded) {
      Value isInside = arith::AndIOp::create(b, loc, isLess(line, numLines),
                                             isLess(step, numSteps));
      auto ifOp = scf::IfOp::create(b, loc, type, isInside,
                                    /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(ifOp.thenBlock());
      scf::YieldOp::create(b, loc, load());
      b.setInsertionPointToStart(ifOp.elseBlock());
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      scf::YieldOp::create(b, loc, zero);
      elements = ifOp.getResult(0);
    } else {
      elements = load();
    }
    vector::StoreOp::create(b, loc, elements, operand.registers,
                            ValueRange{index(chunk), index(0)});
  }
}

void ProductEmitter::storeTile(const Operand &operand, Value thread) {
  for (int64_t chunk = 0; chunk != operand.numChunks; ++chunk) {
    auto [line, step] = getChunk(operand, thread, chunk);
    Value elements = vector::LoadOp::create(
        b, loc, VectorType::get(operand.vectorSize, operand.element),
        operand.registers, ValueRange{index(chunk), index(0)});
    auto narrow = VectorType::get(operand.vectorSize, piece);
    for (int64_t part = 0; part != attr.getPieces(); ++part) {
      Value stored = elements;
      if (operand.element != piece) {
        stored = arith::TruncFOp::create(b, loc, narrow, elements);
        if (part + 1 != attr.getPieces())
          elements = arith::SubFOp::create(
              b, loc, elements,
              arith::ExtFOp::create(b, loc, elements.getType(), stored));
      }
      auto store = vector::StoreOp::create(
          b, loc, stored, operand.shared,
          ValueRange{index(0), index(part), line, step});
      store.setAlignment(operand.vectorSize * 2);
    }
  }
}

void ProductEmitter::copyTile(const Operand &operand, Value thread,
                              Value firstLine, Value firstStep, Value stage) {
  Value numLines = count(operand.lines), numSteps = count(reduction);
  bool isGuarded = !isMultipleOf(numLines, operand.numLines) ||
                   !isMultipleOf(numSteps, attr.getTile()[2]);
  for (int64_t chunk = 0; chunk != operand.numChunks; ++chunk) {
    auto [tileLine, tileStep] = getChunk(operand, thread, chunk);
    Value line = add(firstLine, tileLine), step = add(firstStep, tileStep);
    // Nothing is read of what is not there, and zeros are written.
    Value numElements;
    if (isGuarded) {
      Value isInside = arith::AndIOp::create(b, loc, isLess(line, numLines),
                                             isLess(step, numSteps));
      Value zero = index(0);
      line = arith::SelectOp::create(b, loc, isInside, line, zero);
      step = arith::SelectOp::create(b, loc, isInside, step, zero);
      numElements = arith::SelectOp::create(b, loc, isInside,
                                            index(operand.vectorSize), zero);
    }
    SmallVector<Value> position(batchPosition);
    decode(line, operand.lines, position);
    decode(step, reduction, position);
    nvgpu::DeviceAsyncCopyOp::create(
        b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()),
        operand.shared, ValueRange{stage, index(0), tileLine, tileStep},
        operand.buffer, evaluate(operand.access, position),
        b.getIndexAttr(operand.vectorSize), numElements,
        /*bypassL1=*/b.getUnitAttr());
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Each thread says where eight numbers of a row are, and gets two of each of
/// four matrices of eight rows.
Value ProductEmitter::loadFragments(const Operand &operand, Value stage,
                                    int64_t part, Value line, Value step) {
  return nvgpu::LdMatrixOp::create(
      b, loc, VectorType::get({4, 2}, piece), operand.shared,
      ValueRange{stage, index(part), line, step}, /*transpose=*/false,
      /*numTiles=*/uint32_t(4));
}

Value ProductEmitter::join(ArrayRef<Value> pairs) {
  auto pair = cast<VectorType>(pairs.front().getType());
  auto type =
      VectorType::get({int64_t(pairs.size()), 2}, pair.getElementType());
  Value joined = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  for (auto [i, value] : llvm::enumerate(pairs))
    joined = vector::InsertOp::create(b, loc, value, joined,
                                      ArrayRef<int64_t>{int64_t(i)});
  return joined;
}

Value ProductEmitter::loadSums(Value pair) {
  return vector::LoadOp::create(b, loc, VectorType::get(2, b.getF32Type()),
                                sums, ValueRange{pair, index(0)});
}

void ProductEmitter::storeSums(Value value, Value pair) {
  vector::StoreOp::create(b, loc, value, sums, ValueRange{pair, index(0)});
}

void ProductEmitter::multiply(Value thread, Value stage) {
  Value lane = rem(thread, index(kWarp)), warp = div(thread, index(kWarp));
  // Whose addresses are which rows and steps of the four matrices.
  Value leftRow =
      add(mul(div(warp, index(attr.getWarps()[1])), index(warpRows)),
          rem(lane, index(kMmaRows)));
  Value leftStep = mul(div(lane, index(kMmaRows)), index(8));
  Value rightColumn = add(
      mul(rem(warp, index(attr.getWarps()[1])), index(warpColumns)),
      add(mul(div(lane, index(16)), index(kMmaColumns)), rem(lane, index(8))));
  Value rightStep = mul(rem(div(lane, index(8)), index(2)), index(8));
  int64_t numRows = warpRows / kMmaRows, numColumns = warpColumns / kMmaColumns;
  for (int64_t step = 0; step != attr.getTile()[2]; step += kMmaSteps) {
    SmallVector<SmallVector<Value>> lefts(attr.getPieces()),
        rights(attr.getPieces());
    for (int64_t part = 0; part != attr.getPieces(); ++part) {
      for (int64_t i = 0; i != numRows; ++i)
        lefts[part].push_back(loadFragments(left, stage, part,
                                            add(leftRow, index(i * kMmaRows)),
                                            add(leftStep, index(step))));
      for (int64_t j = 0; j != numColumns; j += 2) {
        Value both = loadFragments(right, stage, part,
                                   add(rightColumn, index(j * kMmaColumns)),
                                   add(rightStep, index(step)));
        for (int64_t half : {0, 1})
          rights[part].push_back(vector::ExtractStridedSliceOp::create(
              b, loc, both, ArrayRef<int64_t>{half * 2}, ArrayRef<int64_t>{2},
              ArrayRef<int64_t>{1}));
      }
    }
    for (int64_t i = 0; i != numRows; ++i)
      for (int64_t j = 0; j != numColumns; ++j) {
        Value first = index((i * numColumns + j) * 2);
        Value second = index((i * numColumns + j) * 2 + 1);
        Value sum = join({loadSums(first), loadSums(second)});
        auto accumulate = [&](int64_t leftPart, int64_t rightPart) {
          sum = nvgpu::MmaSyncOp::create(
              b, loc, lefts[leftPart][i], rights[rightPart][j], sum,
              ArrayRef<int64_t>{kMmaRows, kMmaColumns, kMmaSteps});
        };
        // The product of the two small parts is less than what is lost anyway.
        if (attr.getPieces() == 2) {
          accumulate(1, 0);
          accumulate(0, 1);
        }
        accumulate(0, 0);
        for (auto [half, place] : {std::pair(0, first), std::pair(1, second)})
          storeSums(
              vector::ExtractOp::create(b, loc, sum, ArrayRef<int64_t>{half}),
              place);
      }
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Writes the rows `part` of each warp's results to shared memory.
void ProductEmitter::shareResults(Value thread, int64_t part) {
  Value lane = rem(thread, index(kWarp)), warp = div(thread, index(kWarp));
  Value row = add(mul(div(warp, index(attr.getWarps()[1])), index(kMmaRows)),
                  div(lane, index(4)));
  Value column =
      add(mul(rem(warp, index(attr.getWarps()[1])), index(warpColumns)),
          mul(rem(lane, index(4)), index(2)));
  int64_t numColumns = warpColumns / kMmaColumns;
  for (int64_t j = 0; j != numColumns; ++j)
    for (int64_t half : {0, 1}) {
      Value pair = loadSums(index((part * numColumns + j) * 2 + half));
      auto store = vector::StoreOp::create(
          b, loc, pair, results,
          ValueRange{add(row, index(half * 8)),
                     add(column, index(j * kMmaColumns))});
      store.setAlignment(8);
    }
}

LogicalResult ProductEmitter::storeResults(Value thread, int64_t part,
                                           Value firstRow, Value firstColumn) {
  int64_t partRows = kMmaRows * attr.getWarps()[0];
  int64_t tileColumns = attr.getTile()[1];
  Value numRows = count(rows), numColumns = count(columns);
  auto loop = scf::ForOp::create(
      b, loc, index(0), index(partRows * tileColumns / numThreads), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = add(thread, mul(loop.getInductionVar(), index(numThreads)));
  // Along what is next to each other where results go.
  bool alongRows =
      !rows.empty() && tir::isContiguous(accesses.out, rows.back());
  Value partRow = alongRows ? rem(number, index(partRows))
                            : div(number, index(tileColumns));
  Value partColumn = alongRows ? div(number, index(partRows))
                               : rem(number, index(tileColumns));
  Value row =
      add(add(firstRow, mul(div(partRow, index(kMmaRows)), index(warpRows))),
          add(rem(partRow, index(kMmaRows)), index(part * kMmaRows)));
  Value column = add(firstColumn, partColumn);
  Value isInside = arith::AndIOp::create(b, loc, isLess(row, numRows),
                                         isLess(column, numColumns));
  auto ifOp = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(ifOp.thenBlock());
  Value value =
      memref::LoadOp::create(b, loc, results, ValueRange{partRow, partColumn});
  SmallVector<Value> position(batchPosition);
  decode(row, rows, position);
  decode(column, columns, position);
  SmallVector<Value> indices = evaluate(accesses.out, position);
  Value buffer =
      epilogue ? createCell() : emitter.lookup(accesses.out.buffer).value;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  if (element != value.getType())
    value = arith::TruncFOp::create(b, loc, element, value);
  memref::StoreOp::create(b, loc, value, buffer, indices);
  return epilogue ? emitEpilogue(indices) : success();
}

/// A buffer that looks like the one of all results, and is one element: what
/// the epilogue reads of it has just been written.
Value ProductEmitter::createCell() {
  auto type = cast<MemRefType>(accesses.out.buffer.getType());
  Value cell = memref::AllocaOp::create(
      b, loc, MemRefType::get(1, type.getElementType()));
  SmallVector<int64_t> strides(type.getRank(), 0);
  auto layout = StridedLayoutAttr::get(b.getContext(), 0, strides);
  Value buffer = memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType(), layout),
      cell,
      /*offset=*/int64_t(0), type.getShape(), strides);
  emitter.map(accesses.out.buffer, Lowered::uniform(buffer));
  return buffer;
}

/// Runs the instance of the epilogue that reads the element at `indices`.
LogicalResult ProductEmitter::emitEpilogue(ArrayRef<Value> indices) {
  std::optional<AffineMap> map;
  for (const BufferAccess &access : tir::collectAccesses(epilogue))
    if (access.buffer == accesses.out.buffer)
      map = access.map;
  if (!map)
    return block.emitOpError("expects an epilogue that reads its results");
  SmallVector<Value> position(epilogue.getNumIters());
  for (auto [expr, value] : llvm::zip(map->getResults(), indices))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      position[dim.getPosition()] = value;
  for (auto [var, value] : llvm::zip(epilogue.getIterVars(), position))
    emitter.map(var, Lowered::uniform(value ? value : index(0)));
  return emitter.emitBody(*epilogue.getBody());
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

LogicalResult
ProductEmitter::emitOnThreads(llvm::function_ref<LogicalResult(Value)> body) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1),
               size = b.getIndexAttr(numThreads);
  auto mapping =
      gpu::GPUThreadMappingAttr::get(b.getContext(), gpu::MappingId::DimX);
  auto forall = scf::ForallOp::create(b, loc, zero, size, one, ValueRange(),
                                      b.getArrayAttr(mapping));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  return body(forall.getInductionVar(0));
}

void ProductEmitter::allocateShared() {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto getType = [&](ArrayRef<int64_t> shape, Type element) {
    return MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  };
  ArrayRef<int64_t> tile = attr.getTile().asArrayRef();
  int64_t lineSize = tile[2] + kRowPadding;
  int64_t partBytes = attr.getPieces() * lineSize * 2;
  int64_t leftBytes = tile[0] * partBytes * numStages;
  int64_t rightBytes = tile[1] * partBytes * numStages;
  int64_t partRows = kMmaRows * attr.getWarps()[0];
  int64_t resultBytes = partRows * (tile[1] + kResultPadding) * 4;
  // Operands are no longer needed when results come.
  Value bytes = memref::AllocaOp::create(
      b, loc,
      getType(std::max(leftBytes + rightBytes, resultBytes), b.getI8Type()),
      ValueRange(), b.getI64IntegerAttr(kLoadBytes));
  auto view = [&](int64_t offset, ArrayRef<int64_t> shape, Type element) {
    return memref::ViewOp::create(b, loc, getType(shape, element), bytes,
                                  index(offset), ValueRange());
  };
  left.shared =
      view(0, {numStages, attr.getPieces(), tile[0], lineSize}, piece);
  right.shared =
      view(leftBytes, {numStages, attr.getPieces(), tile[1], lineSize}, piece);
  results = view(0, {partRows, tile[1] + kResultPadding}, b.getF32Type());
}

void ProductEmitter::clearSums() {
  Value none = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(VectorType::get(2, b.getF32Type())));
  for (int64_t i = 0; i != numSums; ++i)
    storeSums(none, index(i));
}

void ProductEmitter::emitSteps(Value numSteps, Value firstRow,
                               Value firstColumn) {
  Value zero = index(0), one = index(1);
  (void)emitOnThreads([&](Value thread) {
    clearSums();
    loadTile(left, thread, firstRow, zero);
    loadTile(right, thread, firstColumn, zero);
    return success();
  });
  auto loop = scf::ForOp::create(b, loc, zero, numSteps, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  (void)emitOnThreads([&](Value thread) {
    storeTile(left, thread);
    storeTile(right, thread);
    return success();
  });
  (void)emitOnThreads([&](Value thread) {
    Value next = add(loop.getInductionVar(), one);
    auto ifOp = scf::IfOp::create(b, loc, isLess(next, numSteps),
                                  /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(ifOp.thenBlock());
      Value firstStep = mul(next, index(attr.getTile()[2]));
      loadTile(left, thread, firstRow, firstStep);
      loadTile(right, thread, firstColumn, firstStep);
    }
    multiply(thread, zero);
    return success();
  });
}

/// A stage is filled when the one before has been multiplied by everybody.
void ProductEmitter::emitAsyncSteps(Value numSteps, Value firstRow,
                                    Value firstColumn) {
  Value zero = index(0), one = index(1);
  int64_t numAhead = numStages - 1;
  auto copy = [&](Value thread, Value step) {
    auto ifOp = scf::IfOp::create(b, loc, isLess(step, numSteps),
                                  /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(ifOp.thenBlock());
      Value firstStep = mul(step, index(attr.getTile()[2]));
      Value stage = rem(step, index(numStages));
      copyTile(left, thread, firstRow, firstStep, stage);
      copyTile(right, thread, firstColumn, firstStep, stage);
    }
    // Also of nothing, so that there are as many as there are steps.
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
  };
  (void)emitOnThreads([&](Value thread) {
    clearSums();
    for (int64_t step = 0; step != numAhead; ++step)
      copy(thread, index(step));
    return success();
  });
  auto loop = scf::ForOp::create(b, loc, zero, numSteps, one);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    (void)emitOnThreads([&](Value) {
      NVVM::CpAsyncWaitGroupOp::create(b, loc, uint32_t(numAhead - 1));
      return success();
    });
    (void)emitOnThreads([&](Value thread) {
      copy(thread, add(loop.getInductionVar(), index(numAhead)));
      multiply(thread, rem(loop.getInductionVar(), index(numStages)));
      return success();
    });
  }
  // Results come to where operands are.
  (void)emitOnThreads([&](Value) {
    NVVM::CpAsyncWaitGroupOp::create(b, loc, uint32_t(0));
    return success();
  });
}

LogicalResult ProductEmitter::emitTile(Value number) {
  ArrayRef<int64_t> tile = attr.getTile().asArrayRef();
  Value rowTiles = countTiles(rows, tile[0]);
  Value columnTiles = countTiles(columns, tile[1]);
  // Tiles of the same columns run together, which keeps those in cache.
  // (Squares of tiles were 10 % slower on an H200.)
  Value inBatch = rem(number, mul(rowTiles, columnTiles));
  Value firstRow = mul(rem(inBatch, rowTiles), index(tile[0]));
  Value firstColumn = mul(div(inBatch, rowTiles), index(tile[1]));
  batchPosition.assign(extents.size(), Value());
  decode(div(number, mul(rowTiles, columnTiles)), attr.getBatch().asArrayRef(),
         batchPosition);

  left = createOperand(accesses.left, rows, tile[0]);
  right = createOperand(accesses.right, columns, tile[1]);
  auto isCopied = [&](const Operand &operand) {
    return operand.element == piece && operand.vectorSize * 2 == kLoadBytes;
  };
  bool isAsync = attr.getStages() > 1 && isCopied(left) && isCopied(right);
  numStages = isAsync ? attr.getStages() : 1;
  allocateShared();
  numSums = warpRows / kMmaRows * (warpColumns / kMmaColumns) * 2;
  sums = memref::AllocaOp::create(
      b, loc, MemRefType::get({numSums, 2}, b.getF32Type()));
  Value numSteps = countTiles(reduction, tile[2]);
  if (isAsync)
    emitAsyncSteps(numSteps, firstRow, firstColumn);
  else
    emitSteps(numSteps, firstRow, firstColumn);
  for (int64_t part = 0; part != warpRows / kMmaRows; ++part) {
    (void)emitOnThreads([&](Value thread) {
      shareResults(thread, part);
      return success();
    });
    if (failed(emitOnThreads([&](Value thread) {
          return storeResults(thread, part, firstRow, firstColumn);
        })))
      return failure();
  }
  return success();
}

LogicalResult ProductEmitter::emit() {
  SmallVector<BufferAccess> all = tir::collectAccesses(block);
  std::optional<ProductAccesses> found = matchProduct(block, all);
  if (!found)
    return block.emitOpError("expects a sum of products of elements with the "
                             "annotation ")
           << ProductAttr::kAttrName;
  accesses = *found;
  for (OpFoldResult extent : block.getExtents())
    extents.push_back(isa<Value>(extent)
                          ? emitter.lookup(cast<Value>(extent)).value
                          : index(*getConstantIntValue(extent)));
  rows.assign(attr.getRows().asArrayRef());
  columns.assign(attr.getColumns().asArrayRef());
  reduction.assign(attr.getReduction().asArrayRef());
  if (!bringContiguousLast(accesses.left, reduction))
    (void)bringContiguousLast(accesses.right, reduction);
  warpRows = attr.getTile()[0] / attr.getWarps()[0];
  warpColumns = attr.getTile()[1] / attr.getWarps()[1];
  Type element =
      cast<MemRefType>(accesses.left.buffer.getType()).getElementType();
  piece = element.isF32() ? Type(b.getBF16Type()) : element;
  if (!attr.getEpilogue().empty()) {
    epilogue = emitter.kernel.getBlock(attr.getEpilogue());
    if (!epilogue)
      return block.emitOpError("expects a block @")
             << attr.getEpilogue() << ", which its annotation names";
  }

  ArrayRef<int64_t> tile = attr.getTile().asArrayRef();
  Value numTiles =
      mul(mul(countTiles(rows, tile[0]), countTiles(columns, tile[1])),
          count(attr.getBatch().asArrayRef()));
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  auto mapping =
      gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimX);
  auto forall =
      scf::ForallOp::create(b, loc, zero, getAsOpFoldResult(numTiles), one,
                            ValueRange(), b.getArrayAttr(mapping));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  return emitTile(forall.getInductionVar(0));
}
