//===- EmitProducts.cpp - Products of matrices by tensor cores ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of threads computes a tile of the result. It brings parts of both
// operands to shared memory, as floats of 16 bits or integers of 8
// (ProductOperands.cpp), while others are multiplied (ProductInstructions.cpp).
// Results go through shared memory once more, together with what is computed of
// them (ProductResults.cpp).
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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relay::detail;
using cuda::ProductAttr;
using tir::BlockOp;
using tir::BufferAccess;

/// Elements between rows of results in shared memory, for the same reason as
/// with operands.
static constexpr int64_t kResultPadding = 4;
/// Where the patterns of operands that `wgmma` reads may begin.
static constexpr int64_t kSwizzleAlignment = 1024;

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
  MemRefType leftType = getType(getShape(left), piece);
  MemRefType rightType = getType(getShape(right), piece);
  int64_t partRows = kMmaRows * attr.getWarps()[0];
  MemRefType resultType =
      getType({partRows, attr.getTile()[1] + kResultPadding}, getSumType());
  int64_t leftBytes = leftType.getNumElements() * getPieceBytes();
  int64_t operandBytes =
      leftBytes + rightType.getNumElements() * getPieceBytes();
  // Operands are no longer needed when results come.
  Value bytes = memref::AllocaOp::create(
      b, loc,
      getType(std::max(operandBytes, resultType.getNumElements() * 4),
              b.getI8Type()),
      ValueRange(),
      b.getI64IntegerAttr(byWarpgroups() ? kSwizzleAlignment : kLoadBytes));
  auto view = [&](int64_t offset, MemRefType type) {
    return memref::ViewOp::create(b, loc, type, bytes, index(offset),
                                  ValueRange());
  };
  left.shared = view(0, leftType);
  right.shared = view(leftBytes, rightType);
  results = view(0, resultType);
}

void ProductEmitter::clearSums() {
  Value none = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(VectorType::get(2, getSumType())));
  for (int64_t i = 0; i != numSums; ++i)
    storeSums(none, index(i));
}

void ProductEmitter::emitIfStep(Value step, Value numSteps,
                                llvm::function_ref<void()> body) {
  auto ifOp = scf::IfOp::create(b, loc, isLess(step, numSteps),
                                /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

void ProductEmitter::loadTiles(Value thread, Value firstRow, Value firstColumn,
                               Value step) {
  Value firstStep = mul(step, index(attr.getTile()[2]));
  loadTile(left, thread, firstRow, firstStep);
  loadTile(right, thread, firstColumn, firstStep);
}

void ProductEmitter::storeTiles(Value thread, Value stage) {
  storeTile(left, thread, stage);
  storeTile(right, thread, stage);
}

void ProductEmitter::emitSteps(Value numSteps, Value firstRow,
                               Value firstColumn) {
  Value zero = index(0), one = index(1);
  (void)emitOnThreads([&](Value thread) {
    clearSums();
    loadTiles(thread, firstRow, firstColumn, zero);
    return success();
  });
  auto loop = scf::ForOp::create(b, loc, zero, numSteps, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  (void)emitOnThreads([&](Value thread) {
    storeTiles(thread, zero);
    return success();
  });
  (void)emitOnThreads([&](Value thread) {
    Value next = add(loop.getInductionVar(), one);
    emitIfStep(next, numSteps,
               [&] { loadTiles(thread, firstRow, firstColumn, next); });
    multiply(thread, zero);
    return success();
  });
}

/// While the products of a stage are computed, the next one is filled from
/// registers, and those from memory.
void ProductEmitter::emitOverlappedSteps(Value numSteps, Value firstRow,
                                         Value firstColumn) {
  Value zero = index(0), one = index(1);
  auto load = [&](Value thread, Value step) {
    emitIfStep(step, numSteps,
               [&] { loadTiles(thread, firstRow, firstColumn, step); });
  };
  auto store = [&](Value thread, Value step) {
    emitIfStep(step, numSteps,
               [&] { storeTiles(thread, rem(step, index(numStages))); });
  };
  (void)emitOnThreads([&](Value thread) {
    clearSums();
    load(thread, zero);
    store(thread, zero);
    load(thread, one);
    return success();
  });
  auto loop = scf::ForOp::create(b, loc, zero, numSteps, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  (void)emitOnThreads([&](Value) {
    fence();
    return success();
  });
  (void)emitOnThreads([&](Value thread) {
    multiply(thread, rem(step, index(numStages)));
    store(thread, add(step, one));
    load(thread, add(step, index(2)));
    waitForProducts(0);
    return success();
  });
}

/// A stage is filled when the one before has been multiplied by everybody; by
/// warpgroups, which are still at that one, the one before it.
void ProductEmitter::emitAsyncSteps(Value numSteps, Value firstRow,
                                    Value firstColumn) {
  Value zero = index(0), one = index(1);
  int64_t numAhead = numStages - (byWarpgroups() ? 2 : 1);
  auto copy = [&](Value thread, Value step) {
    emitIfStep(step, numSteps, [&] {
      Value firstStep = mul(step, index(attr.getTile()[2]));
      Value stage = rem(step, index(numStages));
      copyTile(left, thread, firstRow, firstStep, stage);
      copyTile(right, thread, firstColumn, firstStep, stage);
    });
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
    Value step = loop.getInductionVar();
    (void)emitOnThreads([&](Value) {
      NVVM::CpAsyncWaitGroupOp::create(b, loc, uint32_t(numAhead - 1));
      if (byWarpgroups())
        fence();
      return success();
    });
    (void)emitOnThreads([&](Value thread) {
      Value stage = rem(step, index(numStages));
      if (byWarpgroups())
        multiply(thread, stage);
      copy(thread, add(step, index(numAhead)));
      if (byWarpgroups())
        waitForProducts(1);
      else
        multiply(thread, stage);
      return success();
    });
  }
  // Results come to where operands are.
  (void)emitOnThreads([&](Value) {
    NVVM::CpAsyncWaitGroupOp::create(b, loc, uint32_t(0));
    if (byWarpgroups())
      waitForProducts(0);
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
  if (failed(verifyOperand(left)) || failed(verifyOperand(right)))
    return failure();
  auto isCopied = [&](const Operand &operand) {
    return operand.element == piece && operand.vectorSize == getLoadSize();
  };
  bool isAsync = attr.getStages() > 2 && isCopied(left) && isCopied(right);
  // One stage is filled while the other is multiplied.
  numStages = isAsync ? attr.getStages() : byWarpgroups() ? 2 : 1;
  allocateShared();
  numSums = warpRows / kMmaRows * (warpColumns / kMmaColumns) * 2;
  sums = memref::AllocaOp::create(b, loc,
                                  MemRefType::get({numSums, 2}, getSumType()));
  Value numSteps = countTiles(reduction, tile[2]);
  if (isAsync)
    emitAsyncSteps(numSteps, firstRow, firstColumn);
  else if (byWarpgroups())
    emitOverlappedSteps(numSteps, firstRow, firstColumn);
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

//===----------------------------------------------------------------------===//
// Checks, of schedules that people write
//===----------------------------------------------------------------------===//

/// Whether each variable has one place, where operands let it be.
LogicalResult ProductEmitter::verifyVars() {
  SmallVector<int64_t> uses(block.getNumIters());
  std::pair<StringRef, ArrayRef<int64_t>> lists[] = {
      {"batch", attr.getBatch().asArrayRef()},
      {"rows", attr.getRows().asArrayRef()},
      {"columns", attr.getColumns().asArrayRef()},
      {"reduction", attr.getReduction().asArrayRef()}};
  for (auto [name, vars] : lists)
    for (int64_t var : vars) {
      if (var < 0 || var >= int64_t(uses.size()))
        return block.emitOpError("expects variables of ")
               << ProductAttr::kAttrName << " below " << uses.size()
               << ", but got " << var;
      ++uses[var];
      bool isReduce = block.getIterKind(var) == tir::IterKind::Reduce;
      bool isLeft = tir::dependsOn(accesses.left, var);
      bool isRight = tir::dependsOn(accesses.right, var);
      bool isPlaced = isReduce == (name == "reduction") &&
                      !(name == "rows" && isRight) &&
                      !(name == "columns" && isLeft);
      if (!isPlaced && getConstantIntValue(block.getExtents()[var]) != 1)
        return block.emitOpError("expects ")
               << name << " of " << ProductAttr::kAttrName
               << " to be variables "
               << "of that kind, but got variable " << var;
    }
  for (auto [var, count] : llvm::enumerate(uses))
    if (count != 1)
      return block.emitOpError("expects each variable once in ")
             << ProductAttr::kAttrName << ", but got variable " << var << " "
             << count << " times";
  if (attr.getReduction().empty())
    return block.emitOpError("expects a variable of the reduction");
  return success();
}

/// Whether the block and its epilogue name each other, and each result belongs
/// to one instance of that.
LogicalResult ProductEmitter::verifyEpilogue() {
  StringRef name = attr.getEpilogue();
  for (BlockOp other : emitter.kernel.getBlocks()) {
    auto product =
        other->getAttrOfType<StringAttr>(ProductAttr::kEpilogueAttrName);
    bool isEpilogue = product && product.getValue() == block.getName();
    if (isEpilogue != (!name.empty() && other.getName() == name))
      return other.emitOpError("expects ")
             << ProductAttr::kEpilogueAttrName << " and the epilogue of @"
             << block.getName() << " to name each other";
  }
  if (name.empty())
    return success();
  epilogue = emitter.kernel.getBlock(name);
  if (!epilogue)
    return block.emitOpError("expects a block @")
           << name << ", which its annotation names";
  for (const BufferAccess &access : tir::collectAccesses(epilogue)) {
    if (access.buffer != accesses.out.buffer)
      continue;
    bool isSimple = access.map && access.map->isProjectedPermutation(
                                      /*allowZeroInResults=*/true);
    for (unsigned var = 0; isSimple && var != epilogue.getNumIters(); ++var)
      isSimple = access.map->isFunctionOfDim(var) ||
                 getConstantIntValue(epilogue.getExtents()[var]) == 1;
    if (!isSimple)
      return epilogue.emitOpError("expects to read each result of @")
             << block.getName() << " once";
  }
  return success();
}

LogicalResult ProductEmitter::verify() {
  auto gpu = dyn_cast_or_null<cuda::GPUAttr>(lookupTarget(block));
  if (byWarpgroups() && gpu && !gpu.getInfo().hasWarpgroupProducts)
    return block.emitOpError("expects an architecture with the instruction ")
           << ProductAttr::kWgmma << ", such as sm_90a, but got "
           << gpu.getArch();
  Type element =
      cast<MemRefType>(accesses.left.buffer.getType()).getElementType();
  Type other =
      cast<MemRefType>(accesses.right.buffer.getType()).getElementType();
  Type sum = cast<MemRefType>(accesses.out.buffer.getType()).getElementType();
  if (element != other || (!element.isF32() && !element.isF16() &&
                           !element.isBF16() && !element.isInteger(8)))
    return block.emitOpError("expects products of two elements of f32, f16, "
                             "bf16 or i8, but got ")
           << element << " and " << other;
  if (element.isInteger() && !sum.isInteger(32))
    return block.emitOpError("expects sums of i32, but got ") << sum;
  // It would need PTX 8.4, and a driver that knows that.
  if (byWarpgroups() && element.isInteger() &&
      tir::isUnsigned(accesses.left) != tir::isUnsigned(accesses.right))
    return block.emitOpError("expects the instruction ")
           << ProductAttr::kMma
           << " for elements with a sign and such without, but got "
           << attr.getInstruction();
  int64_t bytes = element.isInteger() ? 1 : 2;
  int64_t steps = attr.getTile()[2];
  if (byWarpgroups() ? steps * bytes != kSwizzleBytes
                     : steps * bytes % kMmaBytes != 0)
    return block.emitOpError("expects a tile of ")
           << (byWarpgroups() ? "" : "multiples of ")
           << (byWarpgroups() ? kSwizzleBytes : kMmaBytes) / bytes
           << " steps for elements of " << element << ", but got " << steps;
  if (attr.getPieces() != 1 && !element.isF32())
    return block.emitOpError("expects one piece for elements of ")
           << element << ", but got " << attr.getPieces();
  return success(succeeded(verifyVars()) && succeeded(verifyEpilogue()));
}

/// Whether threads have loads of the same number, which make the whole tile.
LogicalResult ProductEmitter::verifyOperand(const Operand &operand) {
  int64_t numElements = operand.numLines * attr.getTile()[2];
  int64_t atOnce = operand.vectorSize * numThreads;
  if (numElements % atOnce == 0)
    return success();
  return block.emitOpError("expects a tile of an operand to be loads of ")
         << operand.vectorSize << " elements by each of " << numThreads
         << " threads, but got " << operand.numLines << " x "
         << attr.getTile()[2] << " elements";
}

LogicalResult ProductEmitter::emit() {
  std::optional<tir::SumOfProducts> found =
      tir::matchSumOfProducts(tir::BlockNest::getWithoutLoops(block));
  if (!found)
    return block.emitOpError("expects a sum of products of elements with the "
                             "annotation ")
           << ProductAttr::kAttrName;
  accesses = *found;
  if (failed(verify()))
    return failure();
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
