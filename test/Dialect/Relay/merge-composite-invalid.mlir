// What files of patterns may get wrong: an error at the place in the file.
// RUN: split-file %s %t
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/syntax.mlir 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/operator.mlir 2>&1 | FileCheck %s --check-prefix=OPERATOR
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/operands.mlir 2>&1 | FileCheck %s --check-prefix=OPERANDS
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/attribute.mlir 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/constraint.mlir 2>&1 | FileCheck %s --check-prefix=CONSTRAINT
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/rewrite.mlir 2>&1 | FileCheck %s --check-prefix=REWRITE
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/program.mlir 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=compiler=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/text.pdll 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: rm -f %t/pipe.mlir && mkfifo %t/pipe.mlir
// RUN: not timeout 60 relay-opt %t/program.mlir --relay-merge-composite=patterns=%t/pipe.mlir 2>&1 | FileCheck %s --check-prefix=PIPE

// MISSING: missing.mlir:1:1: error: cannot read patterns: No such file or directory
// SYNTAX: syntax.mlir:2:{{.*}}error:
// OPERATOR: operator.mlir:3:{{.*}}error: {{.*}}expects the name of an operator, but got 'relay.nn.conv7d'
// OPERANDS: operands.mlir:3:{{.*}}error: {{.*}}expects 2 operands of 'relay.add', but got 1
// ATTRIBUTE: attribute.mlir:4:{{.*}}error: {{.*}}expects an attribute of 'relay.nn.conv2d', but got 'stride'
// CONSTRAINT: constraint.mlir:3:{{.*}}error: {{.*}}expects the constraint 'is_constant', but got 'is_large'
// REWRITE: rewrite.mlir:5:{{.*}}error: {{.*}}expects only the rewrite 'composite', with the root and a name
// NAME: name.mlir:6:{{.*}}error: {{.*}}expects the root, an operation of the pattern, and a name, a string
// PROGRAM: program.mlir:1:{{.*}}error: {{.*}}expects a pattern of PDL, but got 'func.func'
// NOBODY: error: expects the name of a compiler that has patterns, but got 'nobody'
// EMPTY: empty.mlir:1:1: error: expects patterns, but got none
// PIPE: error: loc("{{.*}}pipe.mlir"): cannot read patterns: expects a file, but got a pipe

// TEXT: text.pdll:3:3: error: cannot read rules: expected `;` after statement

//--- text.pdll
Pattern Rule {
  let root = op<relay.negative>(x: Value)
  replace root with x;
}

//--- empty.mlir

//--- program.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- syntax.mlir
pdl.pattern @p : benefit(1) {
  %0 = operand of
}
//--- operator.mlir
pdl.pattern @p : benefit(1) {
  %0 = operand
  %1 = operation "relay.nn.conv7d"(%0 : !pdl.value)
  rewrite %1 {
    %2 = attribute = "t.p"
    apply_native_rewrite "composite"(%1, %2 : !pdl.operation, !pdl.attribute)
  }
}
//--- operands.mlir
pdl.pattern @p : benefit(1) {
  %0 = operand
  %1 = operation "relay.add"(%0 : !pdl.value)
  rewrite %1 {
    %2 = attribute = "t.p"
    apply_native_rewrite "composite"(%1, %2 : !pdl.operation, !pdl.attribute)
  }
}
//--- attribute.mlir
pdl.pattern @p : benefit(1) {
  %0 = operand
  %1 = attribute = 1
  %2 = operation "relay.nn.conv2d"(%0, %0 : !pdl.value, !pdl.value) {"stride" = %1}
  rewrite %2 {
    %3 = attribute = "t.p"
    apply_native_rewrite "composite"(%2, %3 : !pdl.operation, !pdl.attribute)
  }
}
//--- constraint.mlir
pdl.pattern @p : benefit(1) {
  %0 = operand
  apply_native_constraint "is_large"(%0 : !pdl.value)
  %1 = operation "relay.nn.relu"(%0 : !pdl.value)
  rewrite %1 {
    %2 = attribute = "t.p"
    apply_native_rewrite "composite"(%1, %2 : !pdl.operation, !pdl.attribute)
  }
}
//--- rewrite.mlir
pdl.pattern @p : benefit(1) {
  %0 = operand
  %1 = operation "relay.nn.relu"(%0 : !pdl.value)
  rewrite %1 {
    erase %1
  }
}
//--- name.mlir
pdl.pattern @p : benefit(1) {
  %0 = operand
  %1 = operation "relay.nn.relu"(%0 : !pdl.value)
  rewrite %1 {
    %2 = attribute = 7
    apply_native_rewrite "composite"(%1, %2 : !pdl.operation, !pdl.attribute)
  }
}
