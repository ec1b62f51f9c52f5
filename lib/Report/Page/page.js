//===- page.js - The parts of the page ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

const data = JSON.parse(document.getElementById('data').textContent);

//===----------------------------------------------------------------------===//
// Times and kernels
//===----------------------------------------------------------------------===//

function formatTime(us) {
  return us >= 1000 ? `${(us / 1000).toFixed(2)} ms` : `${us.toFixed(1)} us`;
}

// All calls of a kernel together.
const kernelTimes = new Map();
for (const {kernel, us} of data.profile)
  kernelTimes.set(kernel, (kernelTimes.get(kernel) ?? 0) + us);

// Which kernel an operation became a part of, by its place in the source: fusion
// keeps the places.
const kernelOfPlace = new Map();
for (const graph of data.graphs)
  for (const func of graph.functions)
    if (func.kind !== 'function')
      for (const node of func.nodes)
        if (node.location && text(node.op) !== 'argument')
          kernelOfPlace.set(node.location, func.name);

// The number of each call among those that run, as a profile counts them.
const callNumbers = new Map();
for (const graph of data.graphs)
  for (const func of graph.functions)
    func.nodes.filter((node) => /^relax\.(call_kernel|copy)$/.test(text(node.op)))
        .forEach((node, i) => callNumbers.set(node, i));

function itemKernel(item) {
  const node = item.node;
  if (!node || item.kind === 'argument')
    return null;
  if (node.callee)
    return text(node.callee);
  if (item.scope.func.kind !== 'function')
    return item.scope.func.name;
  return kernelOfPlace.get(node.location) ?? null;
}

/** The time of a call; null for what has none of its own. */
function itemTime(item) {
  if (!data.profile.length || !item.node?.callee)
    return null;
  const number = callNumbers.get(item.node);
  if (number !== undefined && data.profile[number]?.kernel === text(item.node.callee))
    return data.profile[number].us;
  return kernelTimes.get(text(item.node.callee)) ?? null;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

function total(counts) {
  return Object.values(counts).reduce((a, b) => a + b, 0);
}

function changedCounts(step) {
  const names = [...new Set([...Object.keys(step.before), ...Object.keys(step.after)])].sort();
  return names.map((name) => [name, step.before[name] ?? 0, step.after[name] ?? 0])
      .filter(([, before, after]) => before !== after);
}

function drawDiff(difference) {
  const classes = {'+': 'added', '-': 'removed', '@': 'hunk', ' ': 'same'};
  const lines = difference.lines.map(
      (line) => make('span', {class: classes[line[0]]}, line[0] === '@' ? line : line || ' '));
  const notes = [];
  if (difference.replaced)
    notes.push('so much differs that the texts are not compared line by line');
  if (difference.omitted)
    notes.push(`${difference.omitted} more lines changed and are not shown`);
  return make('div', {},
              make('h2', {}, `${difference.where}: ${difference.removed} lines removed, ` +
                   `${difference.added} added`),
              make('pre', {class: 'diff'}, ...lines),
              notes.length ? make('p', {class: 'note'}, notes.join('; ')) : null);
}

function describeStep(step) {
  const parts = [make('h2', {}, step.name)];
  if (step.failed)
    parts.push(make('p', {class: 'error'}, 'The pass failed.'));
  for (const error of step.errors)
    parts.push(make('pre', {class: 'error'}, error));
  if (step.kind === 'phase')
    return [...parts, make('p', {}, 'A phase that is no pass; only its time is known.')];
  const changes = changedCounts(step);
  if (changes.length)
    parts.push(make('table', {},
                    make('tr', {}, make('th', {}, 'operator'),
                         make('th', {class: 'number'}, 'before'),
                         make('th', {class: 'number'}, 'after')),
                    ...changes.map(([name, before, after]) => make(
                        'tr', {}, make('td', {}, name), make('td', {class: 'number'}, before),
                        make('td', {class: 'number'}, after)))));
  else
    parts.push(make('p', {class: 'note'}, 'The numbers of operators did not change.'));
  parts.push(...step.differences.map(drawDiff));
  if (!step.differences.length && !step.omitted)
    parts.push(make('p', {class: 'note'}, 'The text did not change.'));
  if (step.omitted)
    parts.push(make('p', {class: 'note'},
                    `${step.omitted} more differences are not shown.`));
  return parts;
}

function makePasses(showGraphs) {
  const side = make('div', {class: 'scroll', id: 'step'});
  const longest = Math.max(...data.steps.map((step) => step.seconds), 1e-9);
  const rows = data.steps.map((step, i) => {
    const same = !step.differences.length && !step.omitted;
    const row = make(
        'tr', {class: `step${step.failed ? ' failed' : ''}${same ? ' quiet' : ''}`,
               'data-step': i, onclick: () => select(i)},
        make('td', {class: 'number'}, i), make('td', {}, step.name + (step.failed ? ' (failed)' : '')),
        make('td', {}, step.kind === 'phase' ? 'phase' : step.operations === 1 ? step.operation :
             `${step.operations} x ${step.operation}`),
        make('td', {class: 'number'}, (step.seconds * 1e3).toFixed(2)),
        make('td', {}, make('div', {class: 'bar',
                                    style: `width:${80 * step.seconds / longest}px`})),
        make('td', {class: 'number'}, step.kind === 'phase' ? '' : total(step.before)),
        make('td', {class: 'number'}, step.kind === 'phase' ? '' : total(step.after)));
    return row;
  });
  function select(i) {
    rows.forEach((row, j) => row.classList.toggle('selected', i === j));
    const graphs = data.graphs.map((graph, j) => [graph.step ?? -1, j]);
    const before = graphs.filter(([step]) => step < i).at(-1) ?? graphs[0];
    const after = graphs.find(([step]) => step >= i) ?? graphs.at(-1);
    side.replaceChildren(
        ...describeStep(data.steps[i]),
        before ? make('button', {onclick: () => showGraphs(before[1], after[1])},
                      'graphs before and after') : '');
  }
  const table = make('table', {id: 'steps'},
                     make('tr', {}, make('th', {class: 'number'}, '#'), make('th', {}, 'pass'),
                          make('th', {}, 'on'), make('th', {class: 'number'}, 'ms'),
                          make('th', {}), make('th', {class: 'number'}, 'before'),
                          make('th', {class: 'number'}, 'after')), ...rows);
  const sum = data.steps.reduce((seconds, step) => seconds + step.seconds, 0);
  const list = make('div', {class: 'scroll'}, table,
                    make('p', {class: 'note'}, `${data.steps.length} passes and phases, ` +
                         `${(sum * 1e3).toFixed(1)} ms; grey ones changed nothing. The time of ` +
                         'passes of functions is that of all functions together.'),
                    make('h2', {}, 'Pipeline'),
                    ...data.pipelines.map((pipeline) => make('pre', {}, pipeline)));
  const failed = data.steps.findIndex((step) => step.failed);
  if (data.steps.length)
    select(failed >= 0 ? failed : Math.max(0, data.steps.findIndex((s) => s.differences.length)));
  return make('div', {class: 'tab'}, list, side);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

function describeItem(pane, item) {
  const entries = [];
  const add = (name, value) => {
    if (value)
      entries.push(make('dt', {}, name), make('dd', {}, value));
  };
  const node = item.node;
  if (node) {
    add('operation', text(node.op));
    add('value', text(node.value));
    add(node.types.length > 1 ? 'types' : 'type', node.types.map(text).join('\n'));
    add('attributes', text(node.attributes));
    add('place', text(node.location));
    add('calls', node.callee ? `@${text(node.callee)}` : '');
    if (item.called)
      add('function', item.called.compiler ? `for the compiler ${item.called.compiler}` :
          item.called.kind);
    const kernel = itemKernel(item);
    add('kernel', kernel);
    const time = itemTime(item);
    if (time !== null)
      add('time', formatTime(time));
    else if (kernel && kernelTimes.has(kernel))
      add('time of the kernel', formatTime(kernelTimes.get(kernel)));
    const constants = node.inputs.map(([index]) => item.scope.func.nodes[index])
        .filter((input) => input && isConstant(input));
    add('constants', constants.map((c) => `${text(c.value)}: ${c.types.map(text)} ` +
                                   text(c.attributes).slice(0, 80)).join('\n'));
  } else {
    add('group', `${item.summary.number} operations that follow each other`);
    add('of them', item.summary.names.join('\n'));
  }
  const toggle = pane.view.isGroup(item) ?
      make('button', {onclick: () => pane.toggle(item)}, item.open ? 'close' : 'open') : null;
  return make('div', {}, make('h2', {}, itemLabel(item).title), toggle, make('dl', {}, ...entries));
}

function makeGraphs() {
  const details = make('aside', {class: 'details', id: 'details'});
  const legend = make('div', {class: 'legend'}, ...[
    ['op', 'operator'], ['primitive', 'fused'], ['external', 'other compiler'],
    ['function', 'function'], ['kernel', 'kernel'], ['chunk', 'group'],
  ].map(([kind, name]) => make('span', {}, make('i', {class: `k-${kind}`}), name)));
  const help = make('p', {class: 'note'}, 'Click an operator for its type, attributes and ' +
      'place. Double-click a group (▸ ▾) to open or close it. Drag to move, turn the wheel to zoom.');
  const select = (pane, item) => details.replaceChildren(describeItem(pane, item), legend);
  details.append(help, legend);
  if (data.graphsOmitted)
    details.append(make('p', {class: 'note'}, `${data.graphsOmitted} graphs between the first ` +
                        'and the last one are left out, because of their size.'));
  for (const graph of data.graphs)
    for (const func of graph.functions)
      if (func.omitted)
        details.append(make('p', {class: 'note'}, `${func.omitted} operations of @${func.name} ` +
                            `${graph.title} are left out, because of their number.`));
  // The last graph in which something is fused tells most.
  const fused = data.graphs.findLastIndex((graph) => graph.functions.some(
      (f) => f.kind !== 'function' && f.nodes.some((n) => text(n.op).startsWith('relay.'))));
  const panes = [new GraphPane(0, select),
                 new GraphPane(fused > 0 ? fused : data.graphs.length - 1, select)];
  panes[1].element.hidden = data.graphs.length === 1;
  const element = make('div', {class: 'tab'}, panes[0].element, panes[1].element, details);
  return {element, panes};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

function formatBytes(bytes) {
  for (const [unit, size] of [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]])
    if (bytes >= size)
      return `${(bytes / size).toFixed(2)} ${unit}`;
  return `${bytes} B`;
}

function makeMemory() {
  const memory = data.memory;
  const steps = memory.steps.length;
  const bases = [];
  let sum = 0;
  for (const storage of memory.storages) {
    bases.push(sum);
    sum += storage.bytes;
  }
  const live = memory.steps.map((_, step) => memory.tensors.filter(
      (t) => t.first <= step && step <= t.last).reduce((bytes, t) => bytes + t.bytes, 0));
  const peak = Math.max(...live, 0);
  const [width, height, left, bottom] = [900, 440, 90, 24];
  const x = (step) => left + width * step / Math.max(steps, 1);
  const y = (bytes) => height * (1 - bytes / Math.max(sum, 1)) + 10;
  const note = make('pre', {id: 'tensor'}, 'Click a tensor.');
  const shapes = memory.storages.map((storage, i) => makeSvg('rect', {
    x: x(storage.first), y: y(bases[i] + storage.bytes), fill: '#f0f2f5',
    width: x(storage.last + 1) - x(storage.first), height: height * storage.bytes / Math.max(sum, 1),
  }));
  memory.tensors.forEach((tensor, i) => {
    const start = bases[tensor.storage] + tensor.offset;
    shapes.push(makeSvg('rect', {
      class: 'tensor', x: x(tensor.first), y: y(start + tensor.bytes),
      width: x(tensor.last + 1) - x(tensor.first), height: height * tensor.bytes / Math.max(sum, 1),
      fill: `hsl(${(i * 47) % 360} 60% 80%)`, onclick: () => {
        note.textContent = `${tensor.type}\n${formatBytes(tensor.bytes)} at ${tensor.offset} of ` +
            `storage ${tensor.storage}, steps ${tensor.first} (${memory.steps[tensor.first]}) to ` +
            `${tensor.last} (${memory.steps[tensor.last]})`;
      }}));
  });
  const line = live.map((bytes, step) => `${x(step)},${y(bytes)} ${x(step + 1)},${y(bytes)}`);
  shapes.push(makeSvg('polyline', {points: line.join(' '), fill: 'none', stroke: '#b00020',
                                   'stroke-width': 2}),
              makeSvg('text', {x: 4, y: y(sum) + 10}, formatBytes(sum)),
              makeSvg('text', {x: 4, y: y(0)}, '0'),
              makeSvg('text', {x: left, y: height + bottom + 6}, 'step 0'),
              makeSvg('text', {x: left + width, y: height + bottom + 6, 'text-anchor': 'end'},
                      `step ${steps - 1}`));
  const symbols = memory.symbols.length ? ` Sizes that are open (${memory.symbols.join(', ')}) ` +
      'count as 1.' : '';
  const rows = memory.storages.map((storage, i) => make(
      'tr', {}, make('td', {class: 'number'}, i), make('td', {}, storage.type),
      make('td', {class: 'number'}, formatBytes(storage.bytes)), make('td', {}, storage.size),
      make('td', {}, `${storage.first} – ${storage.last}`)));
  return make('div', {class: 'tab'}, make(
      'div', {class: 'scroll'},
      make('h2', {}, `Memory of @${memory.function}`),
      make('p', {}, `${memory.tensors.length} tensors in ${memory.storages.length} pieces of ` +
           `storage, ${formatBytes(sum)}; at most ${formatBytes(peak)} are in use at once (red ` +
           `line), in ${steps} steps. Weights, inputs and outputs are not counted.${symbols}`),
      makeSvg('svg', {id: 'memory', width: width + left + 20, height: height + bottom + 20}, ...shapes),
      note,
      make('table', {}, make('tr', {}, make('th', {}, 'storage'), make('th', {}, 'type'),
                             make('th', {class: 'number'}, 'bytes'), make('th', {}, 'size'),
                             make('th', {}, 'steps')), ...rows)));
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

document.getElementById('title').textContent = `${data.tool}: ${data.input}`;
document.title = `${data.tool}: ${data.input}`;
const tabs = [];
function addTab(name, element, onShow) {
  const button = make('button', {id: `tab-${name}`, onclick: () => show(name)}, name);
  tabs.push({name, element, button, onShow});
  document.getElementById('tabs').append(button);
  document.getElementById('main').append(element);
}
function show(name) {
  for (const tab of tabs) {
    tab.element.hidden = tab.name !== name;
    tab.button.setAttribute('aria-selected', tab.name === name);
    if (tab.name === name)
      tab.onShow?.();
  }
}
// Graphs are laid out when one wants to see them.
const graphTab = make('div', {class: 'tab'});
let graphs = null;
function openGraphs() {
  if (graphs)
    return;
  graphs = makeGraphs();
  graphTab.append(graphs.element);
}
addTab('passes', makePasses((before, after) => {
  show('graphs');
  graphs.panes[0].setGraph(before);
  graphs.panes[1].setGraph(after);
}));
if (data.graphs.length)
  addTab('graphs', graphTab, openGraphs);
if (data.memory)
  addTab('memory', makeMemory());
show(tabs.some((tab) => `#${tab.name}` === location.hash) ? location.hash.slice(1) : 'passes');
