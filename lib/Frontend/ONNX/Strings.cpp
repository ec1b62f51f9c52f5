//===- Strings.cpp - Strings as numbers of a table ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strings.h"

#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type mlir::relay::onnx::getStringType(MLIRContext *context) {
  return IntegerType::get(context, 63);
}

bool mlir::relay::onnx::isStringType(Type type) {
  return type.isSignlessInteger(63);
}

bool mlir::relay::onnx::isStringElement(StringRef text) {
  return llvm::json::isUTF8(text);
}

/// In texts that have types among others, those of strings are found by what
/// stands around them: a name in a model may be "i63".
static bool renameStrings(std::string &text) {
  bool isChanged = false;
  for (StringRef old : {"xi63>", "<i63>", "'i63'"}) {
    for (size_t at = 0; (at = text.find(old.str(), at)) != std::string::npos;) {
      text.replace(at + 1, old.size() - 2, "string");
      isChanged = true;
    }
  }
  return isChanged;
}

static void nameStrings(Diagnostic &diagnostic, MLIRContext *context) {
  for (DiagnosticArgument &argument : diagnostic.getArguments()) {
    std::string text;
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      llvm::raw_string_ostream(text) << '\'' << argument.getAsType() << '\'';
    else if (argument.getKind() ==
             DiagnosticArgument::DiagnosticArgumentKind::String)
      text = argument.getAsString();
    // The context keeps what the diagnostic only refers to.
    if (renameStrings(text))
      argument = DiagnosticArgument(StringAttr::get(context, text).getValue());
  }
}

StringTypeNames::StringTypeNames(MLIRContext *context)
    : ScopedDiagnosticHandler(context, [context](Diagnostic &diagnostic) {
        nameStrings(diagnostic, context);
        for (Diagnostic &note : diagnostic.getNotes())
          nameStrings(note, context);
        // Others print it.
        return failure();
      }) {}

DenseElementsAttr mlir::relay::onnx::getStringElements(
    MLIRContext *context, ArrayRef<int64_t> shape, ArrayRef<int64_t> numbers) {
  return DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get(shape, getStringType(context)),
      ArrayRef(reinterpret_cast<const char *>(numbers.data()),
               numbers.size() * sizeof(int64_t)));
}

Type mlir::relay::onnx::getTensorElementType(MLIRContext *context,
                                             DataType type) {
  return type == DataType::String ? getStringType(context)
                                  : getElementType(context, type);
}

bool mlir::relay::onnx::takesStrings(StringRef domain, StringRef opType) {
  static const llvm::StringSet<> standard = {"Cast",
                                             "CastLike",
                                             "CenterCropPad",
                                             "Compress",
                                             "Concat",
                                             "ConcatFromSequence",
                                             "ConstantOfShape",
                                             "DepthToSpace",
                                             "Equal",
                                             "Expand",
                                             "Flatten",
                                             "Gather",
                                             "GatherElements",
                                             "GatherND",
                                             "Identity",
                                             "If",
                                             "Loop",
                                             "OneHot",
                                             "Optional",
                                             "OptionalGetElement",
                                             "OptionalHasElement",
                                             "Pad",
                                             "Reshape",
                                             "RegexFullMatch",
                                             "ReverseSequence",
                                             "Scan",
                                             "Scatter",
                                             "ScatterElements",
                                             "ScatterND",
                                             "SequenceAt",
                                             "SequenceConstruct",
                                             "SequenceErase",
                                             "SequenceInsert",
                                             "SequenceLength",
                                             "Shape",
                                             "Size",
                                             "Slice",
                                             "SpaceToDepth",
                                             "Split",
                                             "SplitToSequence",
                                             "Squeeze",
                                             "StringConcat",
                                             "StringNormalizer",
                                             "StringSplit",
                                             "TensorScatter",
                                             "TfIdfVectorizer",
                                             "Tile",
                                             "Transpose",
                                             "Unique",
                                             "Unsqueeze",
                                             "Where"};
  static const llvm::StringSet<> ml = {"ArrayFeatureExtractor",
                                       "CategoryMapper", "LabelEncoder",
                                       "OneHotEncoder"};
  if (domain.empty() || domain == "ai.onnx")
    return standard.contains(opType);
  if (domain == "com.microsoft")
    return opType == "MurmurHash3" || opType == "Tokenizer";
  return domain == "ai.onnx.ml" && ml.contains(opType);
}

//===----------------------------------------------------------------------===//
// The end of the import
//===----------------------------------------------------------------------===//

static bool hasStrings(Type type) {
  return type
      .walk([](Type part) {
        return isStringType(part) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult mlir::relay::onnx::finishStrings(func::FuncOp main,
                                               const StringTable &table) {
  MLIRContext *context = main.getContext();
  auto isTensorOfStrings = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isStringType(tensor.getElementType());
  };
  bool isAtBorder = false;
  auto mark = [&](TypeRange types, StringRef what,
                  function_ref<void(unsigned)> setAttr) -> LogicalResult {
    for (auto [index, type] : llvm::enumerate(types)) {
      if (isTensorOfStrings(type)) {
        setAttr(index);
        isAtBorder = true;
      } else if (hasStrings(type)) {
        return main.emitError() << "expects strings in tensors as " << what
                                << "s, but got a sequence or an optional value "
                                   "of strings as "
                                << what << " " << index;
      }
    }
    return success();
  };
  UnitAttr unit = UnitAttr::get(context);
  if (failed(mark(main.getArgumentTypes(), "input",
                  [&](unsigned index) {
                    main.setArgAttr(index, kIsStringAttrName, unit);
                  })) ||
      failed(mark(main.getResultTypes(), "output", [&](unsigned index) {
        main.setResultAttr(index, kIsStringAttrName, unit);
      })))
    return failure();

  auto module = main->getParentOfType<ModuleOp>();
  Type number = IntegerType::get(context, 64);
  module.walk([&](ConstantOp constant) {
    auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (value && isStringType(value.getElementType()))
      constant.setValueAttr(DenseElementsAttr::getFromRawBuffer(
          value.getType().clone(number), value.getRawData()));
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](IntegerType type) -> std::optional<Type> {
    return isStringType(type) ? number : Type(type);
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  WalkResult walk =
      module.walk([](StringMapOp) { return WalkResult::interrupt(); });
  if (isAtBorder || walk.wasInterrupted())
    module->setAttr(kStringsAttrName, table.getAttr(context));
  return success();
}
