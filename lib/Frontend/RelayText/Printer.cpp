//===- Printer.cpp - Printer of Relay text --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Printer.h"

#include "Lexer.h"
#include "Literals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;
using Kind = ast::Expr::Kind;

static constexpr unsigned kIndent = 2;

/// Leaves are printed where they are used.
static bool isLeaf(const ast::Expr &expr) {
  switch (expr.getKind()) {
  case Kind::Var:
  case Kind::GlobalVar:
  case Kind::Constant:
  case Kind::Op:
  case Kind::Constructor:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

void Printer::countUses(const ast::ExprPtr &root) {
  // A node that was counted before, in another function, has one use more.
  std::vector<const ast::Expr *> pending;
  auto enter = [&](const ast::ExprPtr &expr) {
    if (++uses[expr.get()] == 1)
      pending.push_back(expr.get());
  };
  if (uses.try_emplace(root.get(), 0).second)
    pending.push_back(root.get());
  while (!pending.empty()) {
    const ast::Expr *expr = pending.back();
    pending.pop_back();
    ast::forEachChild(*expr, enter);
  }
}

void Printer::run() {
  while (!tasks.empty()) {
    Task task = std::move(tasks.back());
    tasks.pop_back();
    execute(std::move(task));
  }
}

/// Has the parts visited that are referred to in the line of `expr`. Since
/// version 0.0.5 an operand's line is made only after the operands of all of
/// them have theirs.
void Printer::pushOperands(const ast::Expr &expr) {
  SmallVector<const ast::Expr *> operands;
  auto add = [&](const ast::ExprPtr &operand) {
    operands.push_back(operand.get());
  };
  if (auto *ifExpr = dyn_cast<ast::If>(&expr)) {
    add(ifExpr->condition);
  } else if (auto *match = dyn_cast<ast::Match>(&expr)) {
    add(match->data);
  } else if (auto *call = dyn_cast<ast::Call>(&expr)) {
    llvm::for_each(call->args, add);
    // The name of a constructor is not an expression of its own here.
    if (!isa<ast::Constructor>(*call->callee))
      add(call->callee);
  } else if (!isa<ast::Function, ast::Let>(expr)) {
    ast::forEachChild(expr, add);
  }
  for (const ast::Expr *operand : llvm::reverse(operands))
    push({Task::Kind::Visit, operand});
  if (options.version == TextVersion::V0_0_5 && operands.size() > 1)
    for (const ast::Expr *operand : llvm::reverse(operands))
      push({Task::Kind::Prepare, operand});
}

/// Has the operands of a call, tuple or projection visited, but not itself.
void Printer::prepare(const ast::Expr &expr) {
  if (references.contains(&expr))
    return;
  if (isLeaf(expr))
    visit(expr);
  else if (isa<ast::Call, ast::Tuple, ast::TupleGetItem>(expr) &&
           prepared.insert(&expr).second)
    pushOperands(expr);
}

void Printer::visit(const ast::Expr &expr) {
  if (references.contains(&expr))
    return;
  if (!isLeaf(expr)) {
    push({Task::Kind::BeginStatement, &expr});
    if (!prepared.contains(&expr))
      pushOperands(expr);
    return;
  }
  auto *var = dyn_cast<ast::Var>(&expr);
  if (!var) {
    references[&expr] = getLeaf(expr);
    return;
  }
  // All others have been bound when they are used.
  std::string binder = bind(*var);
  startLine();
  text += "free_var " + binder;
  text += options.version == TextVersion::V0_0_5 ? ";\n" : "\n";
}

void Printer::beginRoot(Task task) {
  const ast::Expr &expr = *task.expr;
  if (isLeaf(expr) || references.contains(&expr) || isShared(expr)) {
    task.kind = Task::Kind::RootReference;
    push(std::move(task));
    push({Task::Kind::Visit, &expr});
    return;
  }
  // Without a line of its own, the lets are lines of this scope.
  if (isa<ast::Let>(expr) && task.text.empty()) {
    push({Task::Kind::EndRoot, &expr, "", task.suffix});
    push({Task::Kind::LetChain, &expr});
    return;
  }
  task.kind = Task::Kind::BeginRoot;
  push(std::move(task));
  pushOperands(expr);
}

void Printer::execute(Task task) {
  switch (task.kind) {
  case Task::Kind::Prepare:
    return prepare(*task.expr);
  case Task::Kind::Visit:
    return visit(*task.expr);
  case Task::Kind::BeginStatement:
    startLine();
    push({Task::Kind::EndStatement, task.expr, "", "", slots.size()});
    slots.emplace_back(text.size(), "");
    push({Task::Kind::Body, task.expr});
    return;
  case Task::Kind::EndStatement: {
    text += getInfo(*task.expr);
    text += options.version == TextVersion::V0_0_1 ? "\n" : ";\n";
    std::string name = "%" + std::to_string(numGraphVars++);
    slots[task.slot].second = name + " = ";
    references[task.expr] = std::move(name);
    return;
  }
  case Task::Kind::Root:
    return beginRoot(std::move(task));
  case Task::Kind::RootReference:
    startLine();
    text += task.text + getReference(*task.expr) + task.suffix;
    return;
  case Task::Kind::BeginRoot:
    startLine();
    text += task.text;
    push({Task::Kind::EndRoot, task.expr, "", task.suffix});
    push({Task::Kind::Body, task.expr});
    return;
  case Task::Kind::EndRoot:
    text += getInfo(*task.expr) + task.suffix;
    return;
  case Task::Kind::Body:
    return printBody(*task.expr);
  case Task::Kind::LetChain:
    return printLetChain(*cast<ast::Let>(task.expr));
  case Task::Kind::LetBody: {
    const ast::Expr &body = *cast<ast::Let>(task.expr)->body;
    bool isChain = isa<ast::Let>(body) && !isShared(body);
    push({isChain ? Task::Kind::LetChain : Task::Kind::Root, &body});
    return;
  }
  case Task::Kind::Scope:
    text += "\n";
    indent += kIndent;
    push({Task::Kind::EndScope});
    push({Task::Kind::Root, task.expr});
    return;
  case Task::Kind::EndScope:
    text += "\n";
    indent -= kIndent;
    startLine();
    return;
  case Task::Kind::Clause:
    return printClause(*cast<ast::Match>(task.expr), task.slot);
  case Task::Kind::EndMatch:
    indent -= kIndent;
    startLine();
    text += "}";
    return;
  case Task::Kind::Text:
    text += task.text;
    return;
  }
}

//===----------------------------------------------------------------------===//
// Expressions with scopes
//===----------------------------------------------------------------------===//

/// Whether `function`, which is shared, calls itself by the name that it is
/// bound to.
static bool isRecursive(const ast::ExprPtr &function, const ast::Var *var) {
  bool found = false;
  ast::visitPostOrder(
      function, [&](const ast::ExprPtr &expr) { found |= expr.get() == var; });
  return found;
}

void Printer::printLetChain(const ast::Let &let) {
  std::string prefix = "let " + bind(*let.var) + " = ";
  push({Task::Kind::LetBody, &let});
  // It must not stand before the let that names it.
  if (isa<ast::Function>(*let.value) && isShared(*let.value) &&
      !references.contains(let.value.get()) &&
      isRecursive(let.value, let.var.get())) {
    references[let.value.get()] = getReference(*let.var);
    push({Task::Kind::BeginRoot, let.value.get(), prefix, ";\n"});
    return;
  }
  push({Task::Kind::Root, let.value.get(), prefix, ";\n"});
}

void Printer::printClause(const ast::Match &match, size_t index) {
  const ast::Clause &clause = match.clauses[index];
  startLine();
  text += formatPattern(*clause.pattern) + " => {";
  pushText("},\n");
  push({Task::Kind::Scope, clause.body.get()});
}

void Printer::printBody(const ast::Expr &expr) {
  llvm::TypeSwitch<const ast::Expr *>(&expr)
      .Case([&](const ast::Call *call) { text += formatCall(*call); })
      .Case([&](const ast::Tuple *tuple) { text += formatTuple(*tuple); })
      .Case([&](const ast::TupleGetItem *item) {
        text += formatProjection(*item);
      })
      .Case([&](const ast::RefCreate *create) {
        text += "ref(" + getReference(*create->value) + ")";
      })
      .Case([&](const ast::RefRead *read) {
        text += "ref_read(" + getReference(*read->ref) + ")";
      })
      .Case([&](const ast::RefWrite *write) {
        text += "ref_write(" + getReference(*write->ref) + ", " +
                getReference(*write->value) + ")";
      })
      .Case([&](const ast::Let *let) {
        text += "(\n";
        indent += kIndent;
        pushText(")");
        push({Task::Kind::EndScope});
        push({Task::Kind::LetChain, let});
      })
      .Case([&](const ast::If *ifExpr) {
        text += "if (" + getReference(*ifExpr->condition) + ") {";
        pushText("}");
        push({Task::Kind::Scope, ifExpr->falseBranch.get()});
        pushText("} else {");
        push({Task::Kind::Scope, ifExpr->trueBranch.get()});
      })
      .Case([&](const ast::Function *function) {
        text += "fn " + formatSignature(*function) + "{";
        pushText("}");
        push({Task::Kind::Scope, function->body.get()});
      })
      .Case([&](const ast::Match *match) {
        text += match->complete ? "match (" : "match? (";
        text += getReference(*match->data) + ") {\n";
        indent += kIndent;
        push({Task::Kind::EndMatch});
        for (size_t i = match->clauses.size(); i > 0; --i)
          push({Task::Kind::Clause, match, "", "", i - 1});
      })
      .Default([](const ast::Expr *) {
        llvm_unreachable("leaves have no line of their own");
      });
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

void Printer::printExpr(const ast::ExprPtr &expr) {
  countUses(expr);
  push({Task::Kind::Root, expr.get()});
  run();
}

void Printer::printModule(const ast::Module &module) {
  auto byName = [](const auto *lhs, const auto *rhs) {
    return lhs->name < rhs->name;
  };
  std::vector<const ast::TypeData *> types;
  for (const ast::TypeData &type : module.types)
    types.push_back(&type);
  llvm::sort(types, byName);
  StringRef separator = "";
  for (const ast::TypeData *type : types) {
    text += separator;
    text += formatTypeDefinition(*type);
    separator = "\n";
  }
  std::vector<const ast::Module::Definition *> functions;
  for (const ast::Module::Definition &definition : module.functions) {
    functions.push_back(&definition);
    countUses(definition.function);
  }
  llvm::sort(functions, byName);
  for (const ast::Module::Definition *definition : functions) {
    const ast::Function &function = *definition->function;
    text += separator;
    text +=
        "def @" + (isPlainName(definition->name) ? definition->name
                                                 : escape(definition->name));
    text += formatSignature(function) + "{";
    pushText("}\n");
    push({Task::Kind::Scope, function.body.get()});
    run();
    separator = "\n";
  }
}

void Printer::finish(raw_ostream &os) {
  bool isLegacy = options.version != TextVersion::V0_0_5;
  StringRef version =
      options.version == TextVersion::V0_0_1 ? "v0.0.1" : "v0.0.4";
  if (options.showVersion)
    os << (isLegacy ? version : "#[version = \"0.0.5\"]") << "\n";
  size_t position = 0;
  for (const auto &[offset, inserted] : slots) {
    os << StringRef(text).slice(position, offset) << inserted;
    position = offset;
  }
  os << StringRef(text).drop_front(position);
  if (metadata.empty())
    return;
  if (options.showMetadata) {
    os << "\n";
    if (options.version == TextVersion::V0_0_1)
      os << "# meta data\n";
    else
      os << (isLegacy ? "METADATA:\n" : "#[metadata]\n");
    metadata.print(os);
  } else if (options.showVersion) {
    os << "\n/* The metadata section, which holds the values of\n"
          " * meta[...], has been left out here. It is printed\n"
          " * if `show_meta_data` is true.\n"
          " */\n";
  }
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

void relay::printRelay(raw_ostream &os, const ast::Module &module,
                       const PrintOptions &options) {
  Printer printer(options);
  printer.printModule(module);
  printer.finish(os);
}

void relay::printRelay(raw_ostream &os, const ast::ExprPtr &expr,
                       const PrintOptions &options) {
  Printer printer(options);
  printer.printExpr(expr);
  printer.finish(os);
}

void relay::printRelayType(raw_ostream &os, Type type) {
  os << formatType(type, TextVersion::V0_0_5);
}
