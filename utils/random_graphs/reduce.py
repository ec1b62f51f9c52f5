# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing case smaller for as long as it fails in the same way."""

import numpy as np

from graphs import Case
from reference import CannotEvaluate, Evaluation


def reduce_case(case, outcome, check, limit=150):
    """The smallest case found, and its outcome. `check(case)` runs a case; `limit` is
    how often."""
    smaller = Case(case.graph, case.samples, [outcome.options] if outcome.options else [])
    best, checks = (case, outcome), 0

    def attempt(candidate):
        nonlocal best, checks
        checks += 1
        try:
            found = check(candidate)
        except CannotEvaluate:
            return False
        if found.kind != outcome.kind:
            return False
        best = (candidate, found)
        return True

    attempt(smaller)
    if len(case.samples) > 1 and outcome.kind != "refused":
        attempt(Case(best[0].graph, [best[0].samples[outcome.sample]], best[0].options))
    progress = True
    while progress and checks < limit:
        progress = False
        for candidate in _candidates(best[0]):
            if checks >= limit:
                break
            if attempt(candidate):
                progress = True
                break
    return best


def _candidates(case):
    """Smaller cases: those that cut away most come first."""
    graph = case.graph
    try:
        evaluation = Evaluation(graph.clone(), case.samples)
    except CannotEvaluate:
        return
    graph.types.update(evaluation.graph.types)
    made = [n for node in graph.nodes for n in node.output if n]
    # One output, an early one first.
    for name in made:
        if graph.outputs != [name]:
            yield _with_outputs(case, [name])
    # A value becomes an input.
    for name in reversed(made):
        if name not in graph.outputs:
            candidate = _as_input(case, evaluation, name)
            if candidate:
                yield candidate
    # A value is taken for another one of its type.
    for node in graph.nodes:
        for name in node.output:
            for other in node.input:
                if _same_type(evaluation, name, other):
                    bypassed = graph.clone()
                    bypassed.rename_uses(name, other)
                    if set(bypassed.outputs) & set(made):
                        yield Case(bypassed.prune(), case.samples, case.options)
    # Inputs become constants, and symbols numbers.
    if len(case.samples) == 1:
        for name, (dtype, dims) in graph.inputs.items():
            if any(isinstance(d, str) for d in dims):
                static = graph.clone()
                static.inputs = {n: (t, case.samples[0][n].shape)
                                 for n, (t, _) in graph.inputs.items()}
                yield Case(static, case.samples, case.options)
                break
        for name in graph.inputs:
            if len(graph.inputs) > 1:
                frozen = graph.clone()
                frozen.constants[name] = case.samples[0][name]
                del frozen.inputs[name]
                yield Case(frozen, case.samples, case.options)


def _with_outputs(case, outputs):
    graph = case.graph.clone()
    graph.outputs = list(outputs)
    return Case(graph.prune(), case.samples, case.options)


def _as_input(case, evaluation, name):
    """The case where a value is an input, if its sizes are constant."""
    arrays = [values[name] for values in evaluation.values]
    if len({a.shape for a in arrays}) > 1:
        return None
    graph = case.graph.clone()
    graph.nodes = [n for n in graph.nodes if name not in n.output]
    others = {n for node in case.graph.nodes if name in node.output for n in node.output}
    if others & set(graph.outputs):
        return None
    graph.inputs[name] = (str(arrays[0].dtype), arrays[0].shape)
    for other in others - {name}:
        array = evaluation.values[0][other]
        if any(v[other].shape != array.shape for v in evaluation.values):
            return None
        graph.inputs[other] = (str(array.dtype), array.shape)
    samples = [{**sample, **{n: values[n] for n in others}}
               for sample, values in zip(case.samples, evaluation.values)]
    return Case(graph.prune(), samples, case.options)


def _same_type(evaluation, name, other):
    if other not in evaluation.values[0]:
        return False
    pairs = [(v[name], v[other]) for v in evaluation.values]
    return all(a.dtype == b.dtype and np.shape(a) == np.shape(b) for a, b in pairs)
