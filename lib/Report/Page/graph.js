//===- graph.js - Which part of a graph is seen ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is a tree of items: operations, and groups of them that are open or
// closed. A call of a function that is drawn is a group with what the function
// does; an operation with regions is one; and where a list of items is long,
// neighbours are. Only what is seen is laid out, so that a large graph opens as
// a few closed groups.

// What is seen at first, unless the user opens more.
const kMaxItemsAtFirst = 300;
// Longer lists are divided into groups.
const kMaxList = 400;
const kGroupsOfList = 60;
const kMinGroup = 20;
// More than that is not laid out at once.
const kMaxVisible = 1500;

function text(number) {
  return data.texts[number] ?? '';
}

function isConstant(node) {
  return text(node.op).endsWith('.constant');
}

/** What only places values: the memory plan is a drawing of its own. */
function isMemory(node) {
  return /^relax\.(alloc_storage|alloc_tensor|kill|result_buffer)$/.test(text(node.op));
}

function isReturn(node) {
  return /(^|\.)return$/.test(text(node.op));
}

class GraphView {
  constructor(graph, functionName) {
    this.graph = graph;
    this.functions = new Map(graph.functions.map((f) => [f.name, f]));
    this.setFunction(functionName ?? this.mainFunction());
  }

  /** The functions that one can look at. */
  names() {
    return this.graph.functions.filter((f) => f.nodes.length).map((f) => f.name);
  }

  mainFunction() {
    if (this.functions.get('main')?.nodes.length)
      return 'main';
    const drawn = this.graph.functions.filter((f) => f.nodes.length);
    return (drawn.find((f) => f.kind === 'function') ?? drawn[0])?.name ?? '';
  }

  setFunction(name) {
    this.name = name;
    const func = this.functions.get(name);
    this.root = {id: '', kind: 'root', items: [], open: true, parent: null};
    // Items by scope and node: "scope:node".
    this.itemOf = new Map();
    this.scopes = new Map();
    if (!func)
      return;
    this.fill(this.root, func, {id: '', func, outer: null, call: null});
    this.openAtFirst();
  }

  /** Makes the items of a function in a group. */
  fill(group, func, scope) {
    this.scopes.set(scope.id, scope);
    const children = new Map();
    func.nodes.forEach((node, index) => {
      const parent = node.parent ?? -1;
      if (!children.has(parent))
        children.set(parent, []);
      children.get(parent).push(index);
    });
    const makeItems = (parent) => {
      const items = [];
      for (const index of children.get(parent) ?? []) {
        const node = func.nodes[index];
        if (isConstant(node) || isMemory(node))
          continue;
        // The parameters and the end of what is called are those of the call.
        if (scope.call !== null && parent === -1 &&
            (text(node.op) === 'argument' || isReturn(node)))
          continue;
        items.push(this.makeItem(scope, node, index, () => makeItems(index),
                                 children.has(index)));
      }
      return items;
    };
    this.setItems(group, makeItems(-1));
  }

  makeItem(scope, node, index, makeRegion, hasRegion) {
    const id = `${scope.id}:${index}`;
    const item = {id, scope, node, index, kind: 'op', items: null, open: false};
    const called = this.functions.get(text(node.callee ?? 0));
    if (text(node.op) === 'argument') {
      item.kind = 'argument';
    } else if (hasRegion) {
      // The group has the operation itself, behind what is in its regions.
      const group = {id: id + 'r', scope, node, index, isRegion: true,
                     kind: node.kind ?? 'region', open: false};
      this.setItems(group, [...makeRegion(), item]);
      this.itemOf.set(id, item);
      return group;
    } else if (called && called.nodes.length && called !== scope.func &&
               !this.isRecursive(scope, called)) {
      item.kind = called.kind;
      item.called = called;
      item.items = undefined; // Not made yet.
    } else if (called) {
      item.kind = called.kind === 'function' ? 'op' : called.kind;
    }
    this.itemOf.set(id, item);
    return item;
  }

  isRecursive(scope, func) {
    for (let s = scope; s; s = s.outer)
      if (s.func === func)
        return true;
    return false;
  }

  /** Gives a group its items, those of long lists in groups of their own. */
  setItems(group, items) {
    let list = items;
    if (list.length > kMaxList) {
      const size = Math.max(kMinGroup, Math.ceil(list.length / kGroupsOfList));
      list = [];
      for (let start = 0; start < items.length; start += size) {
        const part = {id: `${group.id}/${start}`, kind: 'chunk', open: false};
        this.setItems(part, items.slice(start, start + size));
        list.push(part);
      }
    }
    group.items = list;
    for (const item of list)
      item.parent = group;
  }

  isGroup(item) {
    return item.items !== null && (item.items === undefined || item.items.length > 0);
  }

  itemsOf(item) {
    if (item.items === undefined)
      this.fill(item, item.called,
                {id: item.id + '>', func: item.called, outer: item.scope, call: item.node});
    return item.items ?? [];
  }

  setOpen(item, open) {
    if (open)
      this.itemsOf(item);
    item.open = open && this.isGroup(item);
  }

  /** Opens groups, level by level, as long as few are seen; neighbours that are
   *  a group for their number stay closed. */
  openAtFirst() {
    let level = this.root.items;
    let count = level.length;
    while (true) {
      const groups = level.filter((item) => this.isGroup(item) && item.kind !== 'chunk');
      for (const item of groups)
        count += item.items?.length ?? item.called.nodes.filter(
            (node) => text(node.op) !== 'argument' && !isConstant(node)).length;
      if (!groups.length || count > kMaxItemsAtFirst)
        return;
      for (const item of groups)
        this.setOpen(item, true);
      level = groups.flatMap((item) => item.items);
    }
  }

  /** All items, those of closed groups included; makes them all if `all`. */
  * walk(all = false, item = this.root) {
    for (const child of item.items === undefined && !all ? [] : this.itemsOf(item)) {
      yield child;
      yield* this.walk(all, child);
    }
  }

  /** The item that is drawn for another one: the outermost closed group. */
  visibleItem(item) {
    let visible = item;
    for (let i = item.parent; i && i !== this.root; i = i.parent)
      if (!i.open)
        visible = i;
    return visible;
  }

  /** The item where a value is made; null for what is not drawn. */
  source(scope, [index, result]) {
    const node = scope.func.nodes[index];
    if (scope.call && text(node.op) === 'argument' && node.parent === undefined) {
      const input = scope.call.inputs[index];
      return input ? this.source(scope.outer, input) : null;
    }
    const item = this.itemOf.get(`${scope.id}:${index}`);
    if (item?.open && item.called) {
      const inner = this.scopes.get(item.id + '>');
      const end = inner.func.nodes.find((n) => isReturn(n) && n.parent === undefined);
      const value = end?.inputs[result];
      return value ? this.source(inner, value) : null;
    }
    return item ?? null;
  }

  /** What is drawn: items in groups, and edges between items that are none. */
  visible() {
    const items = [];
    const collect = (list) => {
      for (const item of list) {
        items.push(item);
        if (item.open)
          collect(item.items);
      }
    };
    collect(this.root.items);
    const edges = new Map();
    for (const item of this.walk()) {
      if (!item.node || item.isRegion || (item.called && item.open))
        continue;
      const target = this.visibleItem(item);
      for (const input of item.node.inputs) {
        const made = this.source(item.scope, input);
        if (!made)
          continue;
        const source = this.visibleItem(made);
        if (source === target || source.open || target.open)
          continue;
        edges.set(`${source.id} ${target.id}`, {source, target});
      }
    }
    return {items, edges: [...edges.values()]};
  }
}

/** Places what is visible; sets x, y, w, h of items and points of edges. */
function layOut(view) {
  const {items, edges} = view.visible();
  if (items.length > kMaxVisible)
    return null;
  const nodes = items.map((item) => {
    const label = itemLabel(item);
    const width = 16 + 7 * Math.max(label.title.length, 0.85 * label.detail.length);
    return {v: item.id, width: Math.max(60, width), height: label.detail ? 38 : 26,
            parent: item.parent === view.root ? undefined : item.parent.id};
  });
  const lines = edges.map((e) => ({v: e.source.id, w: e.target.id}));
  const options = {nodesep: 22, ranksep: 34, edgesep: 10};
  if (items.length > 400)
    options.ranker = 'longest-path';
  dagre.layout(nodes, lines, options, {});
  nodes.forEach((node, i) => {
    Object.assign(items[i], {x: node.x, y: node.y, w: node.width, h: node.height});
  });
  edges.forEach((edge, i) => {
    edge.points = lines[i].points;
  });
  return {items, edges};
}

/** A type without what is the same for most of them. */
function shortType(type) {
  const match = /^tensor<(.*)>$/.exec(type) ?? /^!relax\.tensor<(.*)>$/.exec(type);
  const short = match ? match[1] : type;
  return short.length > 40 ? short.slice(0, 38) + '…' : short;
}

function shortName(op) {
  return op.replace(/^(relay|relax|builtin|func)\./, '');
}

/** How many operations are in a group, and which are most frequent. */
function summarize(item) {
  const counts = new Map();
  let number = 0;
  const visit = (child) => {
    if (child.kind === 'chunk')
      return child.items.forEach(visit);
    ++number;
    const name = child.called ? '@' + child.called.name : shortName(text(child.node.op));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  item.items.forEach(visit);
  const names = [...counts].sort((a, b) => b[1] - a[1]);
  return {number, names: names.map(([name, count]) => `${name} ×${count}`)};
}

function itemLabel(item) {
  if (item.kind === 'chunk') {
    const {number, names} = item.summary ??= summarize(item);
    const detail = names.join(', ');
    return {title: `${number} operations`,
            detail: detail.length > 60 ? detail.slice(0, 58) + '…' : detail};
  }
  const node = item.node;
  const types = node.types.map((type) => shortType(text(type)));
  const detail = types.length > 2 ? `${types.length} results` : types.join(', ');
  if (item.kind === 'argument')
    return {title: text(node.value), detail};
  if (item.isRegion)
    return {title: `in ${shortName(text(node.op))}`, detail: ''};
  if (node.callee && (item.called || item.kind !== 'op'))
    return {title: '@' + text(node.callee), detail};
  return {title: shortName(text(node.op)), detail};
}
