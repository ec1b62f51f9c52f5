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
#include "llvm/Support/ScopedPrinter.h"

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

void ListBuilder::define(Type type) {
  if (Type element = getListElement(type)) {
    defineList();
    define(element);
  } else if (Type element = getOptionElement(type)) {
    defineOption();
    define(element);
  }
}

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
      %1 = relay.concatenate %y, %x {axis = $AXIS : i64} : (!e, !e) -> !e
      relay.yield %1 : !e
    } else {
      %1 = relay.concatenate %x, %y {axis = $AXIS : i64} : (!e, !e) -> !e
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
    %1 = relay.match partial %out : !l -> !e {
    case @List::@Cons(_, _) {
      %2 = relay.logical_not %reversed : (tensor<i1>) -> tensor<i1>
      %3 = relay.call @$NAME(%out, %list, %2) : (!l, !l, tensor<i1>) -> !e
      relay.yield %3 : !e
    }
    }
    relay.yield %1 : !e
  }
  }
  return %0 : !e
}
)";

/// Puts the elements of a list, changed, before those of another.
static constexpr StringRef kReverse = R"(
!e = $E
!f = $F
!l = !relay.adt<@List, [!e]>
!m = !relay.adt<@List, [!f]>
func.func private @$NAME(%list: !l, %out: !m) -> !m {
  %0 = relay.match %list : !l -> !m {
  case @List::@Cons("x" %x: !e, "rest" %rest: !l) {
    %y = $MAP
    %1 = relay.construct @List::@Cons(%y, %out) : (!f, !m) -> !m
    %2 = relay.call @$NAME(%rest, %1) : (!l, !m) -> !m
    relay.yield %2 : !m
  }
  case @List::@Nil {
    relay.yield %out : !m
  }
  }
  return %0 : !m
}
)";

static constexpr StringRef kLength = R"(
!l = !relay.adt<@List, [$E]>
func.func private @$NAME(%list: !l, %n: tensor<i64>) -> tensor<i64> {
  %0 = relay.match %list : !l -> tensor<i64> {
  case @List::@Cons(_, "rest" %rest: !l) {
    %one = relay.constant dense<1> : tensor<i64>
    %1 = relay.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = relay.call @$NAME(%rest, %1) : (!l, tensor<i64>) -> tensor<i64>
    relay.yield %2 : tensor<i64>
  }
  case @List::@Nil {
    relay.yield %n : tensor<i64>
  }
  }
  return %0 : tensor<i64>
}
)";

/// No position below 0 is ever reached, so it is an error where the list ends.
static constexpr StringRef kElement = R"(
!e = $E
!l = !relay.adt<@List, [!e]>
func.func private @$NAME(%list: !l, %n: tensor<i64>) -> !e {
  %0 = relay.match partial %list : !l -> !e {
  case @List::@Cons("x" %x: !e, "rest" %rest: !l) {
    %zero = relay.constant dense<0> : tensor<i64>
    %here = relay.equal %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %1 = relay.if %here : tensor<i1> -> !e {
      relay.yield %x : !e
    } else {
      %one = relay.constant dense<1> : tensor<i64>
      %2 = relay.subtract %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %3 = relay.call @$NAME(%rest, %2) : (!l, tensor<i64>) -> !e
      relay.yield %3 : !e
    }
    relay.yield %1 : !e
  }
  }
  return %0 : !e
}
)";

/// Moves elements from the front of one list to that of another, until `$HERE`
/// gives the list that goes on from there.
static constexpr StringRef kChange = R"(
!e = $E
!l = !relay.adt<@List, [!e]>
func.func private @$NAME_back(%list: !l, %out: !l) -> !l {
  %0 = relay.match %list : !l -> !l {
  case @List::@Cons("x" %x: !e, "rest" %rest: !l) {
    %1 = relay.construct @List::@Cons(%x, %out) : (!e, !l) -> !l
    %2 = relay.call @$NAME_back(%rest, %1) : (!l, !l) -> !l
    relay.yield %2 : !l
  }
  case @List::@Nil {
    relay.yield %out : !l
  }
  }
  return %0 : !l
}
func.func private @$NAME(%list: !l, %n: tensor<i64>, %front: !l$PARAM) -> !l {
  %zero = relay.constant dense<0> : tensor<i64>
  %here = relay.equal %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0 = relay.if %here : tensor<i1> -> !l {
    $HERE
    %1 = relay.call @$NAME_back(%front, %changed) : (!l, !l) -> !l
    relay.yield %1 : !l
  } else {
    %1 = relay.match partial %list : !l -> !l {
    case @List::@Cons("x" %x: !e, "rest" %rest: !l) {
      %2 = relay.construct @List::@Cons(%x, %front) : (!e, !l) -> !l
      %one = relay.constant dense<1> : tensor<i64>
      %3 = relay.subtract %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %4 = relay.call @$NAME(%rest, %3, %2$ARG) : (!l, tensor<i64>, !l$TYPE) -> !l
      relay.yield %4 : !l
    }
    }
    relay.yield %1 : !l
  }
  return %0 : !l
}
)";
static constexpr StringRef kInsertHere =
    "%changed = relay.construct @List::@Cons(%v, %list) : (!e, !l) -> !l";
static constexpr StringRef kEraseHere =
    R"(%changed = relay.match partial %list : !l -> !l {
    case @List::@Cons(_, "rest" %rest: !l) {
      relay.yield %rest : !l
    }
    })";

static constexpr StringRef kSplit = R"(
!t = $E
!f = $F
!m = !relay.adt<@List, [!f]>
func.func private @$NAME(%x: !t, %n: tensor<i64>, %out: !m) -> !m {
  %zero = relay.constant dense<0> : tensor<i64>
  %more = relay.greater %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0 = relay.if %more : tensor<i1> -> !m {
    %one = relay.constant dense<1> : tensor<i64>
    %1 = relay.subtract %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = relay.take %x, %1 {axis = $AXIS : i64} : (!t, tensor<i64>) -> $G
    $KEEP
    %3 = relay.construct @List::@Cons(%y, %out) : (!f, !m) -> !m
    %4 = relay.call @$NAME(%x, %1, %3) : (!t, tensor<i64>, !m) -> !m
    relay.yield %4 : !m
  } else {
    relay.yield %out : !m
  }
  return %0 : !m
}
)";

static constexpr StringRef kParts = R"(
!t = $E
!f = $F
!m = !relay.adt<@List, [!f]>
!p = $P
func.func private @$NAME(%x: !t, %begins: !p, %ends: !p, %n: tensor<i64>, %out: !m) -> !m {
  %zero = relay.constant dense<0> : tensor<i64>
  %more = relay.greater %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0 = relay.if %more : tensor<i1> -> !m {
    %one = relay.constant dense<1> : tensor<i64>
    %i = relay.subtract %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %step = relay.constant dense<1> : tensor<1xi64>
    %1 = relay.take %begins, %i {axis = 0 : i64} : (!p, tensor<i64>) -> tensor<i64>
    %begin = relay.expand_dims %1 {axis = 0 : i64} : (tensor<i64>) -> tensor<1xi64>
    %2 = relay.take %ends, %i {axis = 0 : i64} : (!p, tensor<i64>) -> tensor<i64>
    %end = relay.expand_dims %2 {axis = 0 : i64} : (tensor<i64>) -> tensor<1xi64>
    %y = relay.dyn.strided_slice %x, %begin, %end, %step {axes = array<i64: $AXIS>}
        : (!t, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !f
    %3 = relay.construct @List::@Cons(%y, %out) : (!f, !m) -> !m
    %4 = relay.call @$NAME(%x, %begins, %ends, %i, %3) : (!t, !p, !p, tensor<i64>, !m) -> !m
    relay.yield %4 : !m
  } else {
    relay.yield %out : !m
  }
  return %0 : !m
}
)";

static constexpr StringRef kHas = R"(
!o = !relay.adt<@Option, [$E]>
func.func private @$NAME(%option: !o) -> tensor<i1> {
  %0 = relay.match %option : !o -> tensor<i1> {
  case @Option::@Some(_) {
    %1 = relay.constant dense<true> : tensor<i1>
    relay.yield %1 : tensor<i1>
  }
  case @Option::@None {
    %1 = relay.constant dense<false> : tensor<i1>
    relay.yield %1 : tensor<i1>
  }
  }
  return %0 : tensor<i1>
}
)";

static constexpr StringRef kGet = R"(
!e = $E
!o = !relay.adt<@Option, [!e]>
func.func private @$NAME(%option: !o) -> !e {
  %0 = relay.match partial %option : !o -> !e {
  case @Option::@Some("x" %x: !e) {
    relay.yield %x : !e
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

Value ListBuilder::call(StringRef base, StringRef text, ValueRange args,
                        Type result,
                        ArrayRef<std::pair<StringRef, std::string>> others) {
  // A name for each signature: its types without punctuation.
  std::string name = base.str(), types;
  for (Type type : args.getTypes())
    types += "_" + llvm::to_string(type);
  for (const auto &[key, value] : others)
    if (key == "AXIS")
      types += "_" + value;
  for (char c : types) {
    char mapped = llvm::isAlnum(c) ? c : c == '?' ? 'n' : '_';
    if (mapped != '_' || name.back() != '_')
      name += mapped;
  }
  SmallVector<std::pair<StringRef, std::string>> replacements(others);
  replacements.emplace_back("NAME", name);
  define(name, kList.str() + kOption.str() + fillIn(text, replacements));
  return CallOp::create(builder, loc, result,
                        FlatSymbolRefAttr::get(builder.getContext(), name),
                        args, /*arg_attrs=*/ArrayAttr(),
                        /*res_attrs=*/ArrayAttr())
      .getResult(0);
}

Value ListBuilder::createNumber(int64_t value) {
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()),
                             value));
}

Value ListBuilder::createFlag(bool value) {
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI1Type()),
                             value));
}

Value ListBuilder::joinReversed(Value list, int64_t axis) {
  Type element = getListElement(list.getType());
  return call(
      "join", kJoin, {list, createNil(element), createFlag(true)}, element,
      {{"T", llvm::to_string(element)}, {"AXIS", std::to_string(axis)}});
}

Value ListBuilder::reverse(Value list) {
  Type element = getListElement(list.getType());
  std::string text = llvm::to_string(element);
  // The operation that changes nothing goes when types are inferred.
  return call("reverse", kReverse, {list, createNil(element)}, list.getType(),
              {{"E", text}, {"F", text}, {"MAP", "relay.let \"y\" %x : !e"}});
}

Value ListBuilder::reverseRows(Value list, int64_t axis, bool isNewAxis) {
  auto element = cast<RankedTensorType>(getListElement(list.getType()));
  SmallVector<int64_t> shape(element.getShape());
  std::string number = std::to_string(axis), map;
  if (isNewAxis)
    shape.insert(shape.begin() + axis, 1);
  SmallVector<int64_t> open(shape);
  open[axis] = ShapedType::kDynamic;
  RankedTensorType row = element.clone(open);
  if (isNewAxis)
    // The new axis is of one element; what it is joined to is not.
    map = "relay.ascribe %z : " + llvm::to_string(element.clone(shape)) +
          " as !f";
  else if (row == element)
    map = "relay.let \"y\" %x : !e";
  else
    map = "relay.ascribe %x : !e as !f";
  std::string text = kReverse.str();
  if (isNewAxis)
    text.replace(text.find("    %y = "), 4,
                 "    %z = relay.expand_dims %x {axis = " + number +
                     " : i64} : (!e) -> " +
                     llvm::to_string(element.clone(shape)) + "\n    ");
  return call("rows", text, {list, createNil(row)}, getListType(row),
              {{"E", llvm::to_string(element)},
               {"F", llvm::to_string(row)},
               {"AXIS", number},
               {"MAP", map}});
}

Value ListBuilder::split(Value tensor, int64_t axis, bool keepsAxis,
                         Value count) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  RankedTensorType part = type.clone(shape), row = part;
  std::string keep = "%y = relay.let \"y\" %2 : !f";
  if (keepsAxis) {
    shape.insert(shape.begin() + axis, 1);
    row = type.clone(shape);
    keep = "%y = relay.expand_dims %2 {axis = " + std::to_string(axis) +
           " : i64} : (" + llvm::to_string(part) + ") -> !f";
  }
  return call("split", kSplit, {tensor, count, createNil(row)},
              getListType(row),
              {{"E", llvm::to_string(type)},
               {"F", llvm::to_string(row)},
               {"G", llvm::to_string(part)},
               {"AXIS", std::to_string(axis)},
               {"KEEP", keep}});
}

Value ListBuilder::split(Value tensor, int64_t axis, Value begins, Value ends,
                         Value count) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = ShapedType::kDynamic;
  RankedTensorType part = type.clone(shape);
  return call("parts", kParts, {tensor, begins, ends, count, createNil(part)},
              getListType(part),
              {{"E", llvm::to_string(type)},
               {"F", llvm::to_string(part)},
               {"P", llvm::to_string(begins.getType())},
               {"AXIS", std::to_string(axis)}});
}

Value ListBuilder::getLength(Value list) {
  return call("length", kLength, {list, createNumber(0)},
              RankedTensorType::get({}, builder.getI64Type()),
              {{"E", llvm::to_string(getListElement(list.getType()))}});
}

Value ListBuilder::getElement(Value list, Value position) {
  Type element = getListElement(list.getType());
  return call("element", kElement, {list, position}, element,
              {{"E", llvm::to_string(element)}});
}

Value ListBuilder::insert(Value list, Value position, Value value) {
  Type element = getListElement(list.getType());
  return call("insert", kChange, {list, position, createNil(element), value},
              list.getType(),
              {{"E", llvm::to_string(element)},
               {"PARAM", ", %v: !e"},
               {"ARG", ", %v"},
               {"TYPE", ", !e"},
               {"HERE", kInsertHere.str()}});
}

Value ListBuilder::erase(Value list, Value position) {
  Type element = getListElement(list.getType());
  return call("erase", kChange, {list, position, createNil(element)},
              list.getType(),
              {{"E", llvm::to_string(element)},
               {"PARAM", ""},
               {"ARG", ""},
               {"TYPE", ""},
               {"HERE", kEraseHere.str()}});
}

Value ListBuilder::hasElement(Value option) {
  return call("has", kHas, {option},
              RankedTensorType::get({}, builder.getI1Type()),
              {{"E", llvm::to_string(getOptionElement(option.getType()))}});
}

Value ListBuilder::getOptional(Value option) {
  Type element = getOptionElement(option.getType());
  return call("get", kGet, {option}, element,
              {{"E", llvm::to_string(element)}});
}
