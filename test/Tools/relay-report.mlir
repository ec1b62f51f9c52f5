// What a report cannot be written to, or read from, and a pass that fails.
// RUN: relay-opt %s --relay-infer-types --relay-report=%t.html | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=PAGE < %t.html
// RUN: relay-opt %s --relay-infer-types --relay-report=%t.json -o /dev/null
// RUN: FileCheck %s --check-prefix=GRAPHS < %t.json
// RUN: not relay-opt %s --relay-report=%t.none/out.html -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not relay-opt %s --relay-report=/dev/full -o /dev/null 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: cp %s %t.copy.mlir
// RUN: not relay-opt %t.copy.mlir --relay-report=%t.copy.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: ln -sf %t.copy.mlir %t.link.mlir
// RUN: not relay-opt %t.copy.mlir --relay-report=%t.link.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: diff %s %t.copy.mlir
// RUN: not relay-opt %s --relay-report=%t.out -o %t.out 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not relay-opt %s --relay-report=- 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relay-compile %s -o %t.so --report= 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relay-opt %s --relay-report-profile=%s 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not relay-opt %s --relay-report=%t.html --relay-report-profile=%s 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not relay-opt %s --relay-report=%t.html --relay-report-profile=%t.none 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not relay-compile %s -o %t.so --report=%t.so 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not relay-compile %t.copy.mlir -o %t.so --report=%t.copy.mlir 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: rm -rf %t.new && mkdir %t.new && cd %t.new
// RUN: not relay-compile %s -o new.so --report=./new.so 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not relay-opt %s -o %t.new/new.html --relay-report=new.html 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not relay-compile %s -o %t.so --report=/dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not relay-compile %s -o %t.so --report-profile=%s 2>&1 | FileCheck %s --check-prefix=ALONE-COMPILE
// A pass that fails is in the report, with what it said.
// RUN: not relay-opt %s --relay-infer-types --verify-relay-fused --cse --relay-report=%t.failed.html 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: FileCheck %s --check-prefix=FAILED < %t.failed.html

// OUT: relay.nn.relu
// PAGE: <!DOCTYPE html>
// PAGE: "name":"relay-infer-types"
// GRAPHS: {"graphs":[{"id":"at the start","nodes":[
// GRAPHS-SAME: "label":"relay.nn.relu"
// FOLDER: error: cannot write the report '{{.*}}.none/out.html': No such file or directory
// FULL: error: cannot write the report '/dev/full': No space left on device
// SAME: error: expects the report to be another file than '{{.*}}', but got '{{.*}}'
// NONE: error: expects a file for the report, but got '{{-?}}'
// ALONE: error: expects no --relay-report-profile without --relay-report: it has no effect there
// ALONE-COMPILE: error: expects no --report-profile without --report: it has no effect there
// PROFILE: error: expects '{{.*}}' to be a profile of relay-run --profile, but got no JSON
// MISSING: error: cannot read '{{.*}}': No such file or directory
// ERROR: error: {{.*}}expects a constant, a tuple or a call of a primitive function
// FAILED: "errors":["{{.*}}relay-report.mlir\":[[@LINE+3]]:{{.*}}expects a constant, a tuple or a call of a primitive function{{.*}}"],"failed":true
// FAILED-NOT: "name":"cse"
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = relay.nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
