// What is wrong with rules is said at their line, and what they make at the
// operation that they rewrite.
// RUN: split-file %s %t
// RUN: cd %t
// RUN: not relay-opt program.mlir --relay-rewrite=missing.pdll 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: missing.pdll:1:1: error: cannot read rules: No such file or directory
// RUN: not relay-opt program.mlir --relay-rewrite=program.txt 2>&1 | FileCheck %s --check-prefix=SUFFIX
// SUFFIX: error: expects rules in a file .pdll or .mlir, but got 'program.txt'
// RUN: not relay-opt program.mlir --relay-rewrite=program.mlir 2>&1 | FileCheck %s --check-prefix=NORULE
// NORULE: program.mlir:2:1: error: expects pdl.pattern, but got 'func.func'
// RUN: not relay-opt program.mlir --relay-rewrite=empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.mlir:1:1: error: expects rules, but got none
// RUN: not relay-opt program.mlir --relay-rewrite="rules=AddZero,AddNothing" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: expects the name of a rule, but got "AddNothing"
// NAME: note: `relay-opt --list-rewrites` lists the rules of the compiler
// RUN: rm -f pipe.pdll && mkfifo pipe.pdll
// RUN: not timeout 60 relay-opt program.mlir --relay-rewrite=pipe.pdll 2>&1 | FileCheck %s --check-prefix=PIPE
// PIPE: error: loc("pipe.pdll"): cannot read rules: expects a file, but got a pipe

// RUN: not relay-opt program.mlir --relay-rewrite=syntax.pdll 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: syntax.pdll:3:3: error: cannot read rules: expected `;` after statement
//--- syntax.pdll
Pattern Rule {
  let root = op<relay.negative>(x: Value)
  replace root with x;
}

// What an attribute or a type is, is a text of its own in the file; mlir-pdll
// ends at a type that is none.
//--- text.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=text.pdll 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: text.pdll:5:48: error: cannot read rules: {{.*}}expected constant value{{.*}}: found trailing characters: 'frob'
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  replace root with op<relay.clip>(x) {a_min = attr<"1.0 frob">};
}

//--- typetext.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=typetext.pdll 2>&1 | FileCheck %s --check-prefix=TYPETEXT
// TYPETEXT: typetext.pdll:4:53: error: cannot read rules: expected non-function type
Pattern Rule {
  let root = op<relay.negative>(x: Value) -> (type<"tensr<3xf32>">);
  replace root with x;
}

//--- itself-included.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=itself-included.pdll 2>&1 | FileCheck %s --check-prefix=INCLUDES
// INCLUDES: itself-included.pdll:1:1: error: cannot read rules: {{.*}}mlir-pdll{{.*}} was ended by signal
#include "itself-included.pdll"

//--- types.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=types.pdll 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: types.pdll:[[#]]:{{.*}} error: cannot read rules: unable to convert expression of type `Attr` to the expected type of `Value`
Constraint IsZero(value: Value);
Pattern Rule {
  let root = op<relay.clip>(x: Value) {a_min = low: Attr};
  IsZero(low);
  replace root with x;
}

//--- operation.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=operation.pdll 2>&1 | FileCheck %s --check-prefix=OPERATION
// OPERATION: operation.pdll:4:14: error: expects the name of an operation, but got "relay.negatives"
Pattern Rule {
  let root = op<relay.negatives>(x: Value);
  replace root with x;
}

//--- attribute.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=attribute.pdll 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: attribute.pdll:4:14: error: expects attributes of 'relay.clip' (a_max, a_min), but got 'low'
Pattern Rule {
  let root = op<relay.clip>(x: Value) {low = low: Attr};
  replace root with x;
}

//--- function.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=function.pdll 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: function.pdll:6:3: error: expects a function of the vocabulary, but got "IsNice"
Constraint IsNice(value: Value);
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  IsNice(x);
  replace root with x;
}

//--- kinds.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=kinds.pdll 2>&1 | FileCheck %s --check-prefix=KINDS
// KINDS: kinds.pdll:6:3: error: expects arguments of IsZero to be (Value), but got (Attr)
Constraint IsZero(low: Attr);
Pattern Rule {
  let root = op<relay.clip>(x: Value) {a_min = low: Attr};
  IsZero(low);
  replace root with x;
}

//--- named.mlir
// RUN: not relay-opt program.mlir --relay-rewrite=named.mlir 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: named.mlir:5:3: error: expects a rewrite with a body, but got "somewhere"
pdl.pattern @Rule : benefit(1) {
  %root = operation "relay.negative"
  rewrite %root with "somewhere"
}

//--- again.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=again.pdll 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: program.mlir:2:1: error: expects rule "Again" to be done after 100 rounds, but it still applies
// AGAIN: again.pdll:6:1: note: the rule is here
// RUN: not relay-opt program.mlir --relay-rewrite="files=again.pdll max-rounds=7" 2>&1 | FileCheck %s --check-prefix=SEVEN
// SEVEN: program.mlir:2:1: error: expects rule "Again" to be done after 7 rounds, but it still applies
Pattern Again {
  let root = op<relay.negative>(x: Value) -> (type: Type);
  replace root with op<relay.negative>(op<relay.abs>(x) -> (type)) -> (type);
}

//--- double.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=double.pdll 2>&1 | FileCheck %s --check-prefix=DOUBLE
// DOUBLE: program.mlir:3:8: error: expects rule "Double" to apply up to 100 times for each operation, but got more
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"
Pattern Double {
  let root = op<relay.negative>(x: Value);
  replace root with op<relay.add>(op<relay.negative>(x), op<relay.negative>(x));
}

//--- operands.mlir
// RUN: not relay-opt program.mlir --relay-rewrite=operands.mlir 2>&1 | FileCheck %s --check-prefix=OPERANDS
// OPERANDS: program.mlir:3:8: error: expects rule "Rule" to make operations that verify, but got: 'relay.add' expects 2 operands, but got 1
// OPERANDS: operands.mlir:[[#]]:1: note: the rule is here
pdl.pattern @Rule : benefit(1) {
  %x = operand
  %type = type
  %root = operation "relay.negative"(%x : !pdl.value) -> (%type : !pdl.type)
  rewrite %root {
    %new = operation "relay.add"(%x : !pdl.value)
    replace %root with %new
  }
}

//--- operand.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=operand.pdll 2>&1 | FileCheck %s --check-prefix=OPERAND
// OPERAND: program.mlir:3:8: error: expects rule "Rule" to make operations that verify, but got: 'relay.logical_not' expects data to be
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  replace root with op<relay.logical_not>(x);
}

//--- inference.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=inference.pdll 2>&1 | FileCheck %s --check-prefix=INFERENCE
// INFERENCE: program.mlir:3:8: error: expects rule "Rule" to make operations that verify, but got: 'relay.transpose' expects axes to be a permutation of 2 dimensions, but got [0, 5]
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"
#include "relay-mlir/Dialect/Relay/IR/RelayTensorOps.td"
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  replace root with op<relay.transpose>(x) {axes = attr<"array<i64: 0, 5>">};
}

//--- kind.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=kind.pdll 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: program.mlir:3:8: error: expects rule "Rule" to make operations that verify, but got: 'relay.transpose' {{.*}}axes
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"
#include "relay-mlir/Dialect/Relay/IR/RelayTensorOps.td"
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  replace root with op<relay.transpose>(x) {axes = attr<"\"10\"">};
}

//--- result.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=result.pdll 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: program.mlir:3:8: error: expects rule "Rule" to make a value of type 'tensor<2x3xf32>', but got 'tensor<3x2xf32>'
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"
#include "relay-mlir/Dialect/Relay/IR/RelayTensorOps.td"
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  replace root with op<relay.transpose>(x) {axes = attr<"array<i64: 1, 0>">};
}

//--- without.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=without.pdll 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: program.mlir:3:8: error: {{.*}}rule "Rule"{{.*}}requires attribute 'newshape'
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  replace root with op<relay.reshape>(x);
}

//--- novalue.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=novalue.pdll 2>&1 | FileCheck %s --check-prefix=NOVALUE
// NOVALUE: program.mlir:3:8: error: {{.*}}rule "Rule"{{.*}}requires attribute 'value'
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  replace root with op<relay.constant>;
}

//--- cycle.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=cycle.pdll 2>&1 | FileCheck %s --check-prefix=CYCLE
// CYCLE: program.mlir:3:8: error: expects rule "Rule" not to use what it replaces, but got a use
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  replace root with op<relay.negative>(root);
}

//--- itself.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=itself.pdll 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: program.mlir:3:8: error: expects rule "Rule" to make a value that is there where the replaced one is read, but got a later one
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  replace root with root;
}

//--- reader.pdll
// RUN: not relay-opt chain.mlir --relay-rewrite=reader.pdll 2>&1 | FileCheck %s --check-prefix=READER
// READER: chain.mlir:4:8: error: expects rule "Rule" to make a value that is there where the replaced one is read, but got a later one
Pattern Rule {
  let inner = op<relay.negative>(x: Value);
  let root = op<relay.abs>(inner);
  rewrite root with { replace inner with root; };
}

//--- chain.mlir

func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = relay.negative %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.abs %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

//--- end.mlir
// RUN: not relay-opt program.mlir --relay-rewrite=end.mlir 2>&1 | FileCheck %s --check-prefix=END
// END: program.mlir:4:3: error: expects rule "Rule" not to erase the end of a block, but got 'func.return' erased
// END: end.mlir:[[#]]:1: note: the rule is here
pdl.pattern @Rule : benefit(1) {
  %x = operand
  %root = operation "func.return"(%x : !pdl.value)
  rewrite %root {
    erase %root
  }
}

//--- erase.pdll
// RUN: not relay-opt program.mlir --relay-rewrite=erase.pdll 2>&1 | FileCheck %s --check-prefix=ERASE
// ERASE: program.mlir:3:8: error: expects rule "Rule" to replace what it erases, but got uses
Pattern Rule {
  let root = op<relay.negative>(x: Value);
  erase root;
}

//--- empty.mlir

//--- program.txt

//--- program.mlir

func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = relay.negative %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
