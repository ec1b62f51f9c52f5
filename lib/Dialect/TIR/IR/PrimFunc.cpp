//===- PrimFunc.cpp - Kernels -----------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionImplementation.h"
#include "relay-mlir/Dialect/TIR/IR/IndexSize.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tir;

void PrimFuncOp::build(OpBuilder &builder, OperationState &state,
                       StringRef name, TypeRange argumentTypes,
                       int64_t numOutputs) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(
      getFunctionTypeAttrName(state.name),
      TypeAttr::get(builder.getFunctionType(argumentTypes, TypeRange())));
  state.addAttribute(kNumOutputs, builder.getI64IntegerAttr(numOutputs));
  Region *body = state.addRegion();
  Block &block = body->emplaceBlock();
  for (Type type : argumentTypes)
    block.addArgument(type, state.location);
  ensureTerminator(*body, builder, state.location);
}

ParseResult PrimFuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr visibility;
  if (succeeded(parser.parseOptionalKeyword("private")))
    visibility = parser.getBuilder().getStringAttr("private");
  if (visibility)
    result.addAttribute(getSymVisibilityAttrName(result.name), visibility);

  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();

  SmallVector<Type> argumentTypes;
  for (OpAsmParser::Argument &argument : arguments)
    argumentTypes.push_back(argument.type);
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(parser.getBuilder().getFunctionType(
                          argumentTypes, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(
      parser.getBuilder(), result, arguments, resultAttrs,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));

  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void PrimFuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (StringAttr visibility = getSymVisibilityAttr())
    printer << visibility.getValue() << ' ';
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      printer, *this, getArgumentTypes(), /*isVariadic=*/false,
      getResultTypes());
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getSymVisibilityAttrName(), getFunctionTypeAttrName(),
       getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

/// Reads a non-negative count off a discardable attribute.
static int64_t getCount(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

/// Whether an op of the body, which is not verified yet, has a map that fits
/// its operands.
static bool isWellFormed(affine::AffineApplyOp op) {
  auto map = dyn_cast_or_null<AffineMapAttr>(op->getAttr("map"));
  return map && map.getValue().getNumResults() == 1 &&
         map.getValue().getNumInputs() == op->getNumOperands();
}

/// Checks that index arithmetic can be composed, which whoever looks at an
/// access does: before anyone does.
static LogicalResult verifyIndexSizes(PrimFuncOp kernel) {
  IndexSizes sizes;
  WalkResult result = kernel.walk([&](affine::AffineApplyOp op) {
    int64_t size = isWellFormed(op) ? sizes.get(op.getResult()) : 1;
    if (size <= IndexSizes::kMax)
      return WalkResult::advance();
    InFlightDiagnostic diag =
        op.emitOpError("expects an index of at most ")
        << IndexSizes::kMax
        << " operands and operations when what it is computed from is written "
           "out, but got ";
    if (size < IndexSizes::kUnbounded)
      diag << size;
    else
      diag << "more than " << IndexSizes::kUnbounded - 1;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult PrimFuncOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError("expects no results, but got ")
           << getResultTypes().size();
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<MemRefType>(type))
      return emitOpError("expects argument ")
             << index << " to be a ranked memref, but got " << type;
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (cast<MemRefType>(type).getMemorySpace() && !isIntrinsic())
      return emitOpError("expects argument ")
             << index << " to be in the default memory, but got " << type;

  for (StringRef name : {kNumOutputs, kWorkspaces}) {
    Attribute attr = (*this)->getAttr(name);
    auto count = dyn_cast_or_null<IntegerAttr>(attr);
    if (attr && (!count || count.getInt() < 0))
      return emitOpError("expects ")
             << name << " to be a count, but got " << attr;
  }
  int64_t numTrailing = getNumOutputs() + getNumWorkspaces();
  if (numTrailing > static_cast<int64_t>(getNumArguments()))
    return emitOpError("expects at least ")
           << numTrailing
           << " arguments for its outputs and workspaces, but got "
           << getNumArguments();

  for (StringRef name : {kFlopsAttr, kBytesAttr}) {
    Attribute attr = (*this)->getAttr(name);
    auto map = dyn_cast_or_null<AffineMapAttr>(attr);
    int64_t numSizes = 0;
    for (Type type : getArgumentTypes().drop_back(getNumWorkspaces()))
      numSizes += cast<MemRefType>(type).getNumDynamicDims();
    if (attr &&
        (!map || map.getValue().getNumDims() != 0 ||
         map.getValue().getNumResults() != 1 ||
         static_cast<int64_t>(map.getValue().getNumSymbols()) > numSizes))
      return emitOpError("expects ")
             << name << " to be a map from its " << numSizes
             << " dynamic sizes, as symbols, to one number, but got " << attr;
  }

  if (Attribute attr = (*this)->getAttr(kLayoutFree)) {
    auto indices = dyn_cast<ArrayAttr>(attr);
    if (!indices)
      return emitOpError("expects tir.layout_free to be an array, but got ")
             << attr;
    for (Attribute element : indices) {
      auto index = dyn_cast<IntegerAttr>(element);
      if (!index || index.getInt() < 0 || index.getInt() >= getNumInputs())
        return emitOpError("expects tir.layout_free to list inputs, but got ")
               << element;
    }
  }
  if (Attribute attr = (*this)->getAttr(kByteBoundsAttr)) {
    auto entries = dyn_cast<ArrayAttr>(attr);
    if (!entries)
      return emitOpError("expects ")
             << kByteBoundsAttr << " to be an array, but got " << attr;
    for (Attribute element : entries) {
      auto entry = dyn_cast<DenseI64ArrayAttr>(element);
      if (!entry || entry.size() != 3 || entry[0] < 0 ||
          entry[0] >= getNumInputs() ||
          !getElementTypeOrSelf(getArgumentTypes()[entry[0]])
               .isSignlessInteger(8))
        return emitOpError("expects ")
               << kByteBoundsAttr
               << " to list inputs of bytes, each with two bounds, but got "
               << element;
    }
  }
  for (unsigned index = 0, e = getNumArguments(); index != e; ++index) {
    Attribute layout = getArgAttr(index, kLayout);
    Attribute original = getArgAttr(index, kOriginalType);
    if (!layout && !original)
      continue;
    auto map = dyn_cast_or_null<AffineMapAttr>(layout);
    auto type = dyn_cast_or_null<TypeAttr>(original);
    if (!map || !type || !isa<MemRefType>(type.getValue()))
      return emitOpError("expects argument ")
             << index << " to have both an affine map " << kLayout
             << " and a memref " << kOriginalType;
    auto originalType = cast<MemRefType>(type.getValue());
    auto packedType = cast<MemRefType>(getArgumentTypes()[index]);
    // The pieces of elements are a last dimension.
    int64_t numDims =
        originalType.getRank() + (getArgAttr(index, kPiecesAttr) ? 1 : 0);
    // And the halves of bytes one of the packed ones.
    int64_t numResults =
        packedType.getRank() + (getArgAttr(index, kNibblesAttr) ? 1 : 0);
    if (map.getValue().getNumDims() != numDims ||
        map.getValue().getNumResults() != numResults)
      return emitOpError("expects tir.layout of argument ")
             << index << " to map rank " << numDims << " to rank " << numResults
             << ", but got " << map;
  }
  return verifyIndexSizes(*this);
}

int64_t PrimFuncOp::getNumOutputs() { return getCount(*this, kNumOutputs); }

int64_t PrimFuncOp::getNumWorkspaces() { return getCount(*this, kWorkspaces); }

int64_t PrimFuncOp::getNumInputs() {
  return getNumArguments() - getNumOutputs() - getNumWorkspaces();
}

Block::BlockArgListType PrimFuncOp::getInputs() {
  return getArguments().take_front(getNumInputs());
}

Block::BlockArgListType PrimFuncOp::getOutputs() {
  return getArguments().slice(getNumInputs(), getNumOutputs());
}

bool PrimFuncOp::isOutput(Value buffer) {
  return llvm::is_contained(getOutputs(), buffer);
}

bool PrimFuncOp::isIntrinsic() { return (*this)->hasAttr(kIntrinsic); }

bool PrimFuncOp::isLayoutFree(unsigned index) {
  auto indices = (*this)->getAttrOfType<ArrayAttr>(kLayoutFree);
  return indices && llvm::any_of(indices, [&](Attribute attr) {
           return cast<IntegerAttr>(attr).getInt() == index;
         });
}

SmallVector<BlockOp, 6> PrimFuncOp::getBlocks() {
  SmallVector<BlockOp, 6> blocks;
  walk<WalkOrder::PreOrder>([&](BlockOp block) { blocks.push_back(block); });
  return blocks;
}

BlockOp PrimFuncOp::getBlock(StringRef name) {
  BlockOp found;
  walk([&](BlockOp block) {
    if (block.getName() != name)
      return WalkResult::advance();
    found = block;
    return WalkResult::interrupt();
  });
  return found;
}

OwningOpRef<ModuleOp> PrimFuncOp::cloneIntoModule() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(getLoc());
  if (auto parent = (*this)->getParentOfType<ModuleOp>())
    (*module)->setDiscardableAttrs(
        parent->getDiscardableAttrDictionary().getValue());
  module->push_back((*this)->clone());
  return module;
}

std::string PrimFuncOp::getUniqueBlockName(StringRef prefix) {
  llvm::StringSet<> names;
  walk([&](BlockOp block) {
    if (block.getName().starts_with(prefix))
      names.insert(block.getName());
  });
  std::string name = prefix.str();
  for (unsigned suffix = 1; names.contains(name); ++suffix)
    name = (prefix + "_" + Twine(suffix)).str();
  return name;
}
