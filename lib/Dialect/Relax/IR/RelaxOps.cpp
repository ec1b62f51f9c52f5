//===- RelaxOps.cpp - Operations of the relax dialect ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relax;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// `[e0, e1, ...]` without the attribute's name around it.
static ParseResult parseShapeList(OpAsmParser &parser, ShapeAttr &shape) {
  FailureOr<ShapeAttr> parsed = ShapeAttr::parseList(parser);
  if (failed(parsed))
    return failure();
  shape = *parsed;
  return success();
}

static void printShapeList(OpAsmPrinter &printer, Operation *,
                           ShapeAttr shape) {
  shape.printList(printer.getStream());
}

/// Calls `callback` with every tensor type in `type`.
static void walkTensorTypes(Type type,
                            function_ref<void(SymbolicTensorType)> callback) {
  if (auto tensor = dyn_cast<SymbolicTensorType>(type))
    callback(tensor);
  else if (auto tuple = dyn_cast<TupleType>(type))
    for (Type field : tuple.getTypes())
      walkTensorTypes(field, callback);
}

/// Checks that `values` have the types that `expected` lists.
static LogicalResult verifyTypes(Operation *op, StringRef what,
                                 ValueRange values, TypeRange expected) {
  if (values.size() != expected.size())
    return op->emitOpError() << "expects " << expected.size() << ' ' << what
                             << (expected.size() == 1 ? "" : "s")
                             << ", but got " << values.size();
  for (auto [index, value, type] : llvm::enumerate(values, expected))
    if (value.getType() != type)
      return op->emitOpError()
             << "expects " << what << ' ' << index << " to be " << type
             << ", but got " << value.getType();
  return success();
}

KernelSignature KernelSignature::of(FunctionOpInterface kernel) {
  KernelSignature signature;
  signature.returnsOutputs = kernel.getNumResults() != 0;
  if (signature.returnsOutputs) {
    signature.numInputs = kernel.getNumArguments();
    signature.numOutputs = kernel.getNumResults();
    signature.numWorkspaces = 0;
    return signature;
  }
  auto count = [&](StringRef name) -> unsigned {
    auto attr = kernel->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  };
  signature.numOutputs = count(kNumOutputsAttr);
  signature.numWorkspaces = count(kNumWorkspacesAttr);
  unsigned trailing = signature.numOutputs + signature.numWorkspaces;
  unsigned total = kernel.getNumArguments();
  signature.numInputs = total < trailing ? 0 : total - trailing;
  return signature;
}

/// Whether a kernel has begun its way to the LLVM dialect, in which it has no
/// inputs and outputs anymore.
static bool isLowered(FunctionOpInterface kernel) {
  return kernel->hasAttr(tir::kKernelAttr) ||
         !llvm::all_of(kernel.getArgumentTypes(), llvm::IsaPred<ShapedType>);
}

/// Looks up the kernel of a call and checks the number of its buffers. Leaves
/// `signature` empty if the kernel has none anymore.
static LogicalResult
verifyKernelCall(Operation *call, FlatSymbolRefAttr callee, unsigned numInputs,
                 unsigned numOutputs, SymbolTableCollection &symbolTable,
                 std::optional<KernelSignature> &signature) {
  auto kernel = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
      call, callee.getAttr());
  if (!kernel)
    return call->emitOpError() << "expects a kernel named " << callee;
  // Once kernels are lowered, only their names are left to check.
  if (isLowered(kernel))
    return success();
  signature = KernelSignature::of(kernel);
  auto check = [&](StringRef what, unsigned expected,
                   unsigned actual) -> LogicalResult {
    if (expected == actual)
      return success();
    InFlightDiagnostic diag = call->emitOpError()
                              << "expects " << expected << ' ' << what
                              << (expected == 1 ? "" : "s") << ", but got "
                              << actual;
    diag.attachNote(kernel.getLoc()) << "kernel " << callee << " is here";
    return diag;
  };
  if (failed(check("input", signature->numInputs, numInputs)))
    return failure();
  return check("output", signature->numOutputs, numOutputs);
}

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type, ArrayRef<NamedAttribute> attrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attrs.begin(), attrs.end());
  state.addRegion();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFuncType =
      [](Builder &builder, ArrayRef<Type> argTypes, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag,
         std::string &) { return builder.getFunctionType(argTypes, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildFuncType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

SmallVector<StringAttr> FuncOp::getSymbols() {
  llvm::SetVector<StringAttr> symbols;
  for (Type type : getArgumentTypes())
    walkTensorTypes(type, [&](SymbolicTensorType tensor) {
      for (size_t i = 0, e = tensor.getShape().size(); i < e; ++i)
        if (StringAttr symbol = tensor.getShape().getBareSymbol(i))
          symbols.insert(symbol);
    });
  return symbols.takeVector();
}

void FuncOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setNameFn) {
  if (region.empty())
    return;
  for (BlockArgument arg : region.getArguments()) {
    auto name = getArgAttrOfType<StringAttr>(arg.getArgNumber(), kNameAttr);
    // The printer makes names valid and unique.
    if (name && !name.getValue().empty())
      setNameFn(arg, name.getValue());
  }
}

LogicalResult FuncOp::verify() {
  for (Type type :
       llvm::concat<const Type>(getArgumentTypes(), getResultTypes()))
    if (!isa<SymbolicTensorType, TupleType, ObjectType>(type))
      return emitOpError() << "expects parameters and results of relax types, "
                              "but got "
                           << type;
  bool hasObjects = llvm::any_of(
      llvm::concat<const Type>(getArgumentTypes(), getResultTypes()),
      llvm::IsaPred<ObjectType>);
  if (hasObjects && !isObjectFunction(*this))
    return emitOpError() << "expects all parameters to be objects, and one "
                            "result, in a function of objects, but got "
                         << getFunctionType();
  return success();
}

/// Checks that `op` uses no symbol in `shape` that the function does not bind.
static LogicalResult verifySymbolUses(Operation *op, ShapeAttr shape,
                                      const DenseSet<StringAttr> &bound) {
  for (StringAttr symbol : shape.getSymbols())
    if (!bound.contains(symbol))
      return op->emitOpError()
             << "uses symbol " << symbol
             << ", which is not a bare dimension of a function parameter, and "
                "not bound before";
  return success();
}

static LogicalResult verifySymbolUses(Operation *op, TypeRange types,
                                      const DenseSet<StringAttr> &bound) {
  LogicalResult result = success();
  for (Type type : types)
    walkTensorTypes(type, [&](SymbolicTensorType tensor) {
      if (succeeded(result))
        result = verifySymbolUses(op, tensor.getShape(), bound);
    });
  return result;
}

/// The shapes that `op` has as attributes.
static SmallVector<ShapeAttr, 2> getShapeAttrs(Operation *op) {
  if (auto storage = dyn_cast<AllocStorageOp>(op))
    return {storage.getSize()};
  if (auto tensor = dyn_cast<AllocTensorOp>(op))
    return {tensor.getOffset()};
  if (auto assertion = dyn_cast<AssertEqualOp>(op))
    return {assertion.getLhs(), assertion.getRhs()};
  if (auto assertion = dyn_cast<AssertAtLeastOp>(op))
    return {assertion.getLhs(), assertion.getRhs()};
  if (auto assertion = dyn_cast<AssertBroadcastOp>(op))
    return {assertion.getLhs(), assertion.getRhs()};
  return {};
}

/// Adds the symbols that operations of `body` bind to `bound`.
static LogicalResult collectDefinedSymbols(Region &body,
                                           DenseSet<StringAttr> &bound) {
  WalkResult result = body.walk([&](Operation *op) {
    if (auto cast = dyn_cast<MatchCastOp>(op)) {
      if (failed(verifySymbolUses(op, cast.getSource().getType(), bound)))
        return WalkResult::interrupt();
      ShapeAttr shape = cast.getType().getShape();
      for (size_t dim = 0, e = shape.size(); dim != e; ++dim)
        if (StringAttr symbol = shape.getBareSymbol(dim))
          bound.insert(symbol);
      return WalkResult(verifySymbolUses(op, shape, bound));
    }
    std::optional<ExtremeSize> size = ExtremeSize::of(op);
    if (!size)
      return WalkResult::advance();
    if (failed(verifySymbolUses(op, size->sizes, bound)))
      return WalkResult::interrupt();
    if (!bound.insert(size->symbol).second) {
      op->emitOpError() << "binds symbol " << size->symbol
                        << ", which is bound already";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult FuncOp::verifyRegions() {
  SmallVector<StringAttr> symbols = getSymbols();
  DenseSet<StringAttr> bound(symbols.begin(), symbols.end());
  if (failed(verifySymbolUses(*this, getArgumentTypes(), bound)) ||
      failed(collectDefinedSymbols(getBody(), bound)) ||
      failed(verifySymbolUses(*this, getResultTypes(), bound)))
    return failure();
  WalkResult result = getBody().walk([&](Operation *op) {
    for (ShapeAttr shape : getShapeAttrs(op))
      if (failed(verifySymbolUses(op, shape, bound)))
        return WalkResult::interrupt();
    return WalkResult(verifySymbolUses(op, op->getResultTypes(), bound));
  });
  return failure(result.wasInterrupted());
}

LogicalResult ReturnOp::verify() {
  auto func = cast<FuncOp>((*this)->getParentOp());
  return verifyTypes(*this, "result", getOperands(), func.getResultTypes());
}

//===----------------------------------------------------------------------===//
// DataflowOp
//===----------------------------------------------------------------------===//

LogicalResult OutputOp::verify() {
  auto block = cast<DataflowOp>((*this)->getParentOp());
  return verifyTypes(*this, "result", getOperands(), block.getResultTypes());
}

LogicalResult DataflowOp::verifyRegions() {
  for (Operation &op : getBody().front()) {
    // What a cast states is of sizes, which are known before a run.
    if (isMemoryEffectFree(&op) || isa<MatchCastOp>(op))
      continue;
    InFlightDiagnostic diag =
        emitOpError("expects operations without side effects");
    diag.attachNote(op.getLoc()) << op.getName() << " has side effects";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  auto tensor = dyn_cast<RankedTensorType>(adaptor.getValue().getShapedType());
  if (!tensor)
    return emitOptionalError(loc, "expects elements of a tensor, but got ",
                             adaptor.getValue().getType());
  relay::DeviceAttr device = adaptor.getDeviceAttr();
  if (device && device.isHost())
    return emitOptionalError(
        loc, "expects no device for data on the host, but got ", device);
  results.push_back(getSymbolicType(tensor).withDevice(device));
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  results.push_back(TupleType::get(context, TypeRange(adaptor.getFields())));
  return success();
}

LogicalResult TupleGetItemOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  auto type = cast<TupleType>(adaptor.getTuple().getType());
  uint64_t index = adaptor.getIndex();
  if (index >= type.size())
    return emitOptionalError(loc, "expects an index below ", type.size(),
                             ", but got ", static_cast<int64_t>(index));
  results.push_back(type.getType(index));
  return success();
}

OpFoldResult TupleGetItemOp::fold(FoldAdaptor) {
  if (auto tuple = getTuple().getDefiningOp<TupleOp>())
    return tuple.getFields()[getIndex()];
  return {};
}

Value relax::getReshapeRoot(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getSource();
  return value;
}

LogicalResult ReshapeOp::verify() {
  SymbolicTensorType source = getSource().getType();
  SymbolicTensorType result = getResult().getType();
  if (source.getElementType() != result.getElementType())
    return emitOpError() << "expects element type " << source.getElementType()
                         << ", but got " << result.getElementType();
  if (source.getDevice() != result.getDevice())
    return emitOpError() << "expects the device of the source, "
                         << relay::DeviceAttr::getName(source.getDevice())
                         << ", but got "
                         << relay::DeviceAttr::getName(result.getDevice());
  SymbolScope scope(getContext());
  Polynomial difference(getNumElements(result, scope) -
                        getNumElements(source, scope));
  // What depends on a relation between symbols is checked at run time.
  std::optional<int64_t> constant = difference.getConstant();
  if (constant && *constant != 0)
    return emitOpError() << "expects as many elements as the source " << source
                         << " has, but got " << result;
  return success();
}

/// The constant `source` under the shape of `type`; its bytes stay where they
/// are.
static Attribute reshapeConstant(Attribute source, SymbolicTensorType type) {
  auto elements = dyn_cast_or_null<ElementsAttr>(source);
  if (!elements || !type.isStatic())
    return {};
  SmallVector<int64_t> dims;
  for (size_t i = 0, e = type.getShape().size(); i < e; ++i)
    dims.push_back(*type.getShape().getConstant(i));
  auto tensor = RankedTensorType::get(dims, elements.getElementType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(source))
    return DenseResourceElementsAttr::get(tensor, resource.getRawHandle());
  if (auto dense = dyn_cast<DenseElementsAttr>(source))
    return dense.reshape(tensor);
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (Attribute constant = reshapeConstant(adaptor.getSource(), getType()))
    return constant;
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

/// Checks that a copy changes nothing but the device.
static LogicalResult verifyCopy(Operation *op, SymbolicTensorType source,
                                SymbolicTensorType target) {
  if (target.withDevice(source.getDevice()) == source)
    return success();
  return op->emitOpError() << "expects a copy of " << source << ", but got "
                           << target;
}

LogicalResult ToDeviceOp::verify() {
  return verifyCopy(*this, getSource().getType(), getType());
}

OpFoldResult ToDeviceOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return adaptor.getSource();
}

relay::DeviceAttr relax::getCallDevice(Operation *call) {
  for (Type type : llvm::concat<const Type>(call->getOperandTypes(),
                                            call->getResultTypes()))
    return cast<SymbolicTensorType>(type).getDevice();
  return {};
}

/// Checks that all buffers of a call are on one device, on which it runs.
static LogicalResult verifyOneDevice(Operation *op) {
  std::optional<relay::DeviceAttr> device;
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    relay::DeviceAttr other = cast<SymbolicTensorType>(type).getDevice();
    if (device && *device != other)
      return op->emitOpError() << "expects tensors on one device, but got "
                               << relay::DeviceAttr::getName(*device) << " and "
                               << relay::DeviceAttr::getName(other);
    device = other;
  }
  return success();
}

LogicalResult CallTIROp::verify() { return verifyOneDevice(*this); }

LogicalResult CallTIROp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  std::optional<KernelSignature> signature;
  return verifyKernelCall(*this, getCalleeAttr(), getArgs().size(),
                          getNumResults(), symbolTable, signature);
}

LogicalResult CallDPSPackedOp::verify() {
  for (Type type :
       llvm::concat<const Type>(getOperandTypes(), getResultTypes()))
    if (relay::DeviceAttr device = cast<SymbolicTensorType>(type).getDevice())
      return emitOpError() << "expects tensors on the host, but got one on "
                           << relay::DeviceAttr::getName(device);
  if (getNumResults() == 0)
    return emitOpError("expects at least one result, which the function "
                       "writes, but got none");
  return verifyPackedName(*this, getFunction());
}

LogicalResult MatchCastOp::verify() {
  SymbolicTensorType source = getSource().getType(), result = getType();
  auto differ = [&](StringRef what) {
    return emitOpError() << "expects the " << what << " of the source, "
                         << source << ", but got " << result;
  };
  if (source.getElementType() != result.getElementType())
    return differ("elements");
  if (source.getDevice() != result.getDevice())
    return differ("device");
  if (source.getRank() != result.getRank())
    return differ("rank");
  SymbolScope scope(getContext());
  for (auto [size, other] : llvm::zip_equal(scope.import(source.getShape()),
                                            scope.import(result.getShape())))
    if (Polynomial(size - other).getConstant().value_or(0) != 0)
      return differ("sizes");
  return success();
}

static LogicalResult verifyPairs(Operation *op, ShapeAttr lhs, ShapeAttr rhs) {
  if (lhs.size() != rhs.size())
    return op->emitOpError() << "expects lists of one length, but got "
                             << lhs.size() << " and " << rhs.size() << " sizes";
  return success();
}

LogicalResult AssertEqualOp::verify() {
  return verifyPairs(*this, getLhs(), getRhs());
}

LogicalResult AssertAtLeastOp::verify() {
  return verifyPairs(*this, getLhs(), getRhs());
}

LogicalResult AssertBroadcastOp::verify() {
  return verifyPairs(*this, getLhs(), getRhs());
}

static LogicalResult verifyExtremeSize(Operation *op, ShapeAttr sizes) {
  if (sizes.size() == 0)
    return op->emitOpError("expects at least one size");
  return success();
}

std::optional<ExtremeSize> ExtremeSize::of(Operation *op) {
  // Names of dimensions are strings without a type.
  auto getName = [](auto size) {
    return StringAttr::get(size->getContext(), size.getSymbol());
  };
  if (auto size = dyn_cast<MinSizeOp>(op))
    return ExtremeSize{getName(size), size.getSizes(), /*isMax=*/false};
  if (auto size = dyn_cast<MaxSizeOp>(op))
    return ExtremeSize{getName(size), size.getSizes(), /*isMax=*/true};
  return std::nullopt;
}

bool relax::isAboutSizes(Operation *op) {
  return isa<AssertAtLeastOp, AssertBroadcastOp, AssertEqualOp, MaxSizeOp,
             MinSizeOp>(op);
}

LogicalResult MinSizeOp::verify() {
  return verifyExtremeSize(*this, getSizes());
}

LogicalResult MaxSizeOp::verify() {
  return verifyExtremeSize(*this, getSizes());
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

LogicalResult AllocStorageOp::verify() {
  if (getSize().size() == 0)
    return emitOpError("expects at least one size expression");
  if (getAlignment() <= 0 || !llvm::isPowerOf2_64(getAlignment()))
    return emitOpError() << "expects an alignment that is a power of two, "
                            "but got "
                         << getAlignment();
  return success();
}

LogicalResult AllocTensorOp::verify() {
  if (getOffset().size() != 1)
    return emitOpError() << "expects one offset, but got "
                         << getOffset().size();
  return success();
}

LogicalResult ResultBufferOp::verify() {
  auto func = (*this)->getParentOfType<FuncOp>();
  if (!func)
    return emitOpError("expects to be in a relax.func");
  ArrayRef<Type> results = func.getResultTypes();
  uint64_t index = getIndex();
  if (index >= results.size())
    return emitOpError() << "expects a result number below " << results.size()
                         << ", but got " << static_cast<int64_t>(index);
  if (getType() != results[index])
    return emitOpError() << "expects the type of result " << index << ", "
                         << results[index] << ", but got " << getType();
  return success();
}

LogicalResult CallKernelOp::verify() { return verifyOneDevice(*this); }

LogicalResult CopyOp::verify() {
  return verifyCopy(*this, getSource().getType(), getTarget().getType());
}

LogicalResult
CallKernelOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  std::optional<KernelSignature> signature;
  if (failed(verifyKernelCall(*this, getCalleeAttr(), getInputs().size(),
                              getOutputs().size(), symbolTable, signature)))
    return failure();
  if (!signature)
    return success();
  if (signature->returnsOutputs)
    return emitOpError() << "expects a kernel on buffers, but "
                         << getCalleeAttr() << " returns values";
  if (signature->numWorkspaces != getWorkspaces().size())
    return emitOpError() << "expects " << signature->numWorkspaces
                         << " workspaces, but got " << getWorkspaces().size();
  return success();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relax/IR/RelaxOps.cpp.inc"
