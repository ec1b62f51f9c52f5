//===- Lists.cpp - Lists and optional values in ONNX models ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lists.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

static constexpr StringRef kListName = "List";
static constexpr StringRef kOptionName = "Option";

static Type getDataType(StringRef name, Type element) {
  return ADTType::get(FlatSymbolRefAttr::get(element.getContext(), name),
                      element);
}

static Type getDataElement(StringRef name, Type type) {
  auto data = dyn_cast_if_present<ADTType>(type);
  return data && data.getName().getValue() == name ? data.getArgs().front()
                                                   : Type();
}

Type mlir::relay::onnx::getListType(Type element) {
  return getDataType(kListName, element);
}
Type mlir::relay::onnx::getListElement(Type type) {
  return getDataElement(kListName, type);
}
Type mlir::relay::onnx::getOptionType(Type element) {
  return getDataType(kOptionName, element);
}
Type mlir::relay::onnx::getOptionElement(Type type) {
  return getDataElement(kOptionName, type);
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

void ListBuilder::define(StringRef name, StringRef text) {
  if (module.lookupSymbol(name))
    return;
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(text, module.getContext());
  assert(parsed && "definitions are well-formed");
  Block *body = module.getBody();
  for (Operation &op : llvm::make_early_inc_range(*parsed->getBody()))
    if (!module.lookupSymbol(cast<SymbolOpInterface>(op).getNameAttr()))
      op.moveBefore(body, body->begin());
}

static constexpr StringRef kList = R"(
relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">,
                          !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}
)";

static constexpr StringRef kOption = R"(
relay.adt @Option["A"] {
  relay.constructor @Some(!relay.typevar<"A">)
  relay.constructor @None
}
)";

void ListBuilder::defineList() { define(kListName, kList); }
void ListBuilder::defineOption() { define(kOptionName, kOption); }

/// `$NAME` is the function, `$T` the type of elements. Neighbours are joined,
/// then neighbours of what that gives, and so on. Each round turns the list
/// round.
static constexpr StringRef kJoin = R"(
!e = $T
!l = !relay.adt<@List, [!e]>
func.func private @$NAME(%list: !l, %out: !l, %reversed: tensor<i1>) -> !e {
  %0 = relay.match %list : !l -> !e {
  case @List::@Cons("x" %x: !e, @List::@Cons("y" %y: !e, "rest" %rest: !l)) {
    %joined = relay.if %reversed : tensor<i1> -> !e {
      %1 = relay.concatenate %y, %x {axis = 0 : i64} : (!e, !e) -> !e
      relay.yield %1 : !e
    } else {
      %1 = relay.concatenate %x, %y {axis = 0 : i64} : (!e, !e) -> !e
      relay.yield %1 : !e
    }
    %2 = relay.construct @List::@Cons(%joined, %out) : (!e, !l) -> !l
    %3 = relay.call @$NAME(%rest, %2, %reversed) : (!l, !l, tensor<i1>) -> !e
    relay.yield %3 : !e
  }
  case @List::@Cons("x" %x: !e, _) {
    %1 = relay.match %out : !l -> !e {
    case @List::@Nil {
      relay.yield %x : !e
    }
    case _ {
      %2 = relay.construct @List::@Cons(%x, %out) : (!e, !l) -> !l
      %3 = relay.construct @List::@Nil() : () -> !l
      %4 = relay.logical_not %reversed : (tensor<i1>) -> tensor<i1>
      %5 = relay.call @$NAME(%2, %3, %4) : (!l, !l, tensor<i1>) -> !e
      relay.yield %5 : !e
    }
    }
    relay.yield %1 : !e
  }
  case @List::@Nil {
    %1 = relay.logical_not %reversed : (tensor<i1>) -> tensor<i1>
    %2 = relay.call @$NAME(%out, %list, %1) : (!l, !l, tensor<i1>) -> !e
    relay.yield %2 : !e
  }
  }
  return %0 : !e
}
)";

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static SymbolRefAttr getConstructor(MLIRContext *context, StringRef type,
                                    StringRef name) {
  return SymbolRefAttr::get(context, type,
                            FlatSymbolRefAttr::get(context, name));
}

Value ListBuilder::createNil(Type element) {
  defineList();
  return ConstructOp::create(
      builder, loc, getListType(element),
      getConstructor(builder.getContext(), kListName, "Nil"), ValueRange());
}

Value ListBuilder::createCons(Value head, Value tail) {
  defineList();
  return ConstructOp::create(
      builder, loc, tail.getType(),
      getConstructor(builder.getContext(), kListName, "Cons"),
      ValueRange{head, tail});
}

Value ListBuilder::createSome(Value value) {
  defineOption();
  return ConstructOp::create(
      builder, loc, getOptionType(value.getType()),
      getConstructor(builder.getContext(), kOptionName, "Some"),
      ValueRange{value});
}

Value ListBuilder::createNone(Type element) {
  defineOption();
  return ConstructOp::create(
      builder, loc, getOptionType(element),
      getConstructor(builder.getContext(), kOptionName, "None"), ValueRange());
}

Value ListBuilder::call(StringRef name, ValueRange args, Type result) {
  return CallOp::create(builder, loc, result,
                        FlatSymbolRefAttr::get(builder.getContext(), name),
                        args, /*arg_attrs=*/ArrayAttr(),
                        /*res_attrs=*/ArrayAttr())
      .getResult(0);
}

/// `text` with each of `replacements`, a letter sequence and what it stands
/// for.
static std::string
fillIn(StringRef text,
       ArrayRef<std::pair<StringRef, std::string>> replacements) {
  std::string result;
  while (!text.empty()) {
    auto [before, after] = text.split('$');
    result += before;
    if (before.size() == text.size())
      break;
    text = after;
    for (const auto &[name, value] : replacements)
      if (text.consume_front(name)) {
        result += value;
        break;
      }
  }
  return result;
}

Value ListBuilder::joinReversed(Value list) {
  Type element = getListElement(list.getType());
  std::string typeText;
  llvm::raw_string_ostream(typeText) << element;
  // A name for each type: "join_" and the type without punctuation.
  std::string name = "join_";
  for (char c : typeText)
    name += llvm::isAlnum(c) ? c : c == '?' ? 'n' : '_';
  defineList();
  define(name, kList.str() + fillIn(kJoin, {{"NAME", name}, {"T", typeText}}));
  Value isReversed = ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI1Type()),
                             true));
  return call(name, {list, createNil(element), isReversed}, element);
}
