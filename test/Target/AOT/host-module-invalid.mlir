// RUN: split-file %s %t
// RUN: not relay-translate %t/no-main.mlir --relax-to-host 2>&1 | FileCheck %s --check-prefix=NOMAIN
// RUN: not relay-translate %t/element.mlir --relax-to-host 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not relay-translate %t/zero.mlir --relax-to-host 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not relay-translate %t/utf8.mlir --relax-to-host 2>&1 | FileCheck %s --check-prefix=UTF8
// RUN: not relay-translate %t/dimension.mlir --relax-to-host 2>&1 | FileCheck %s --check-prefix=DIMENSION
// RUN: not relay-translate %t/twice.mlir --relax-to-host 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not relay-translate %t/default.mlir --relax-to-host 2>&1 | FileCheck %s --check-prefix=DEFAULT

//--- no-main.mlir
// NOMAIN: error: expects a relax.func named @main
relax.func @other() {
  relax.return
}

//--- element.mlir
// ELEMENT: error: 'relax.func' op expects an element type that an artefact can describe, but got 'f8E3M4'
relax.func @main(%x: !relax.tensor<[4], f8E3M4>) {
  relax.return
}

// What names inputs must be a string of C, and of Python.
//--- zero.mlir
// ZERO: error: expects names of UTF-8 without zeros, but got "a\00b" for input 0
relax.func @main(%x: !relax.tensor<[4], f32> {relax.name = "a\00b"}) {
  relax.return
}

//--- utf8.mlir
// UTF8: error: expects names of UTF-8 without zeros, but got "a\FF" for input 1
relax.func @main(%x: !relax.tensor<[4], f32> {relax.name = "\C3\A9"},
                 %y: !relax.tensor<[4], f32> {relax.name = "a\FF"}) {
  relax.return
}

//--- dimension.mlir
// DIMENSION: error: expects names of UTF-8 without zeros, but got "n\FE" for a dimension
relax.func @main(%x: !relax.tensor<["n\FE"], f32>) {
  relax.return
}

//--- twice.mlir
// TWICE: error: expects names that differ, but got 'x' for input 0 and input 2
relax.func @main(%x: !relax.tensor<[4], f32> {relax.name = "x"},
                 %y: !relax.tensor<[4], f32> {relax.name = "y"},
                 %z: !relax.tensor<[4], f32> {relax.name = "x"}) {
  relax.return
}

// A name that is not given is made from the position.
//--- default.mlir
// DEFAULT: error: expects names that differ, but got 'input1' for input 0 and input 1
relax.func @main(%x: !relax.tensor<[4], f32> {relax.name = "input1"},
                 %y: !relax.tensor<[4], f32>) {
  relax.return
}
