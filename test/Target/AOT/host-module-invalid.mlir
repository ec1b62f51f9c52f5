// RUN: split-file %s %t
// RUN: not relay-translate %t/no-main.mlir --relax-to-host 2>&1 | FileCheck %s --check-prefix=NOMAIN
// RUN: not relay-translate %t/element.mlir --relax-to-host 2>&1 | FileCheck %s --check-prefix=ELEMENT

//--- no-main.mlir
// NOMAIN: error: expects a relax.func named @main
relax.func @other() {
  relax.return
}

//--- element.mlir
// ELEMENT: error: 'relax.func' op expects an element type that an artefact can describe, but got 'f8E5M2'
relax.func @main(%x: !relax.tensor<[4], f8E5M2>) {
  relax.return
}
