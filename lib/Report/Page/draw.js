//===- draw.js - Graphs as drawings ---------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/** An element; text is text and never HTML. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  return fillElement(element, properties, children);
}

function makeSvg(tag, properties = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  return fillElement(element, properties, children);
}

function fillElement(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null)
      element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A drawing that is moved with the pointer and scaled with the wheel. */
class Canvas {
  constructor() {
    this.layer = makeSvg('g');
    const arrow = makeSvg('marker', {id: 'arrow', viewBox: '0 0 8 8', refX: 8, refY: 4,
                                     markerWidth: 8, markerHeight: 8, orient: 'auto',
                                     markerUnits: 'userSpaceOnUse'},
                          makeSvg('path', {d: 'M0,0 L8,4 L0,8 z', fill: '#8a94a0'}));
    this.svg = makeSvg('svg', {tabindex: 0}, makeSvg('defs', {}, arrow), this.layer);
    this.element = make('div', {class: 'canvas'}, this.svg);
    this.scale = 1;
    this.x = this.y = 0;
    // Until somebody moves it, all of it is shown, whatever becomes of the window.
    this.moved = false;
    // The item that is above all others.
    this.top = null;
    new ResizeObserver(() => {
      if (!this.moved)
        this.fit();
    }).observe(this.element);
    let last = null;
    this.svg.addEventListener('pointerdown', (event) => {
      last = [event.clientX, event.clientY];
    });
    this.svg.addEventListener('pointermove', (event) => {
      if (!last || !event.buttons)
        return;
      this.x += event.clientX - last[0];
      this.y += event.clientY - last[1];
      last = [event.clientX, event.clientY];
      this.moved = true;
      this.apply();
    });
    this.svg.addEventListener('pointerup', () => { last = null; });
    this.svg.addEventListener('wheel', (event) => {
      event.preventDefault();
      const box = this.svg.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left,
                event.clientY - box.top);
    }, {passive: false});
    this.svg.addEventListener('keydown', (event) => {
      const factors = {'+': 1.25, '=': 1.25, '-': 0.8};
      if (factors[event.key])
        this.zoom(factors[event.key]);
      else if (event.key === '0')
        this.fit();
    });
  }

  apply() {
    this.layer.setAttribute('transform', `translate(${this.x},${this.y}) scale(${this.scale})`);
  }

  zoom(factor, x, y) {
    this.moved = true;
    const box = this.svg.getBoundingClientRect();
    const [cx, cy] = [x ?? box.width / 2, y ?? box.height / 2];
    const scale = Math.min(4, Math.max(0.02, this.scale * factor));
    this.x = cx - (cx - this.x) * scale / this.scale;
    this.y = cy - (cy - this.y) * scale / this.scale;
    this.scale = scale;
    this.apply();
  }

  /** Shows all of it, or what is around its upper end at a scale that can be read. */
  fit() {
    const box = this.svg.getBoundingClientRect();
    const content = this.layer.getBBox();
    if (!box.width || !content.width)
      return;
    this.moved = false;
    this.scale = Math.max(0.4, Math.min(1.2, (box.width - 24) / content.width,
                                        (box.height - 24) / content.height));
    const middle = content.width * this.scale <= box.width || this.top === null ?
        content.x + content.width / 2 : this.top.x;
    this.x = box.width / 2 - middle * this.scale;
    this.y = 12 - content.y * this.scale;
    this.apply();
  }

  center(item) {
    const box = this.svg.getBoundingClientRect();
    this.moved = true;
    this.scale = Math.max(this.scale, 0.8);
    this.x = box.width / 2 - item.x * this.scale;
    this.y = box.height / 2 - item.y * this.scale;
    this.apply();
  }
}

function drawEdge(edge) {
  const points = edge.points.map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`);
  return makeSvg('path', {class: 'edge', d: 'M' + points.join(' L'),
                          'marker-end': 'url(#arrow)'});
}

/** Draws an item; a group that is open has its name above what is in it. */
function drawItem(item, isGroup) {
  const label = itemLabel(item);
  const [x, y] = [item.x - item.w / 2, item.y - item.h / 2];
  const parts = [];
  let title = (isGroup ? (item.open ? '▾ ' : '▸ ') : '') + label.title;
  if (item.open) {
    // What is in it may be narrower than its name.
    const room = Math.max(8, Math.floor(item.w / 6.5));
    if (title.length > room)
      title = title.slice(0, room - 1) + '…';
    parts.push(makeSvg('rect', {x, y: y - 6, width: item.w, height: item.h + 6, rx: 6}),
               makeSvg('text', {x: x + 6, y: y + 8}, title));
  } else {
    parts.push(makeSvg('rect', {x, y, width: item.w, height: item.h, rx: isGroup ? 8 : 4}),
               makeSvg('text', {x: item.x, y: y + 16, 'text-anchor': 'middle'}, title));
    if (label.detail)
      parts.push(makeSvg('text', {x: item.x, y: y + 30, 'text-anchor': 'middle',
                                  class: 'small'}, label.detail));
  }
  const time = itemTime(item);
  if (time !== null)
    parts.push(makeSvg('text', {x: x + item.w - 4, y: y - (item.open ? 9 : 3),
                                'text-anchor': 'end', class: 'time'}, formatTime(time)));
  return makeSvg('g', {class: `item k-${item.kind}`, 'data-id': item.id}, ...parts);
}

/** A graph with what one needs to look at it. */
class GraphPane {
  constructor(graphIndex, onSelect) {
    this.onSelect = onSelect;
    this.canvas = new Canvas();
    this.graphSelect = make('select', {title: 'which graph', onchange: () => {
      this.setGraph(Number(this.graphSelect.value));
    }}, ...data.graphs.map((graph, i) => make('option', {value: i}, `${i}: ${graph.title}`)));
    this.functionSelect = make('select', {title: 'which function', onchange: () => {
      this.view.setFunction(this.functionSelect.value);
      this.draw(true);
    }});
    this.search = make('input', {type: 'search', placeholder: 'search', onkeydown: (event) => {
      if (event.key === 'Enter')
        this.find(this.search.value);
    }});
    this.results = make('div', {class: 'results', hidden: ''});
    const button = (label, title, act) => make('button', {title, onclick: act}, label);
    this.element = make(
        'section', {class: 'pane'},
        make('div', {class: 'tools'}, this.graphSelect, this.functionSelect, this.search,
             button('+', 'larger', () => this.canvas.zoom(1.25)),
             button('−', 'smaller', () => this.canvas.zoom(0.8)),
             button('fit', 'show all of it', () => this.canvas.fit())),
        this.results, this.canvas.element);
    this.setGraph(graphIndex);
  }

  setGraph(index) {
    this.index = index;
    this.graphSelect.value = index;
    this.view = new GraphView(data.graphs[index]);
    this.functionSelect.replaceChildren(
        ...this.view.names().map((name) => make('option', {value: name}, '@' + name)));
    this.functionSelect.value = this.view.name;
    this.results.hidden = true;
    this.draw(true);
  }

  draw(fit) {
    const drawing = layOut(this.view);
    this.shapes = new Map();
    if (!drawing) {
      this.canvas.layer.replaceChildren(makeSvg(
          'text', {x: 0, y: 20}, `more than ${kMaxVisible} items: close some of them first`));
      return;
    }
    this.edges = drawing.edges.map((edge) => ({...edge, shape: drawEdge(edge)}));
    const groups = [];
    const others = [];
    for (const item of drawing.items) {
      const isGroup = this.view.isGroup(item);
      const shape = drawItem(item, isGroup);
      shape.addEventListener('click', (event) => {
        event.stopPropagation();
        this.select(item);
      });
      if (isGroup)
        shape.addEventListener('dblclick', () => this.toggle(item));
      this.shapes.set(item.id, shape);
      (item.open ? groups : others).push(shape);
    }
    this.canvas.layer.replaceChildren(...groups, ...this.edges.map((edge) => edge.shape),
                                      ...others);
    this.canvas.top = drawing.items.filter((item) => !item.open)
        .reduce((top, item) => (top && top.y <= item.y ? top : item), null);
    if (fit)
      this.canvas.fit();
  }

  /** Opens or closes a group, which stays where it is. */
  toggle(item) {
    const [x, y] = [item.x, item.y - item.h / 2];
    this.view.setOpen(item, !item.open);
    this.draw(false);
    this.canvas.moved = true;
    this.canvas.x += (x - item.x) * this.canvas.scale;
    this.canvas.y += (y - (item.y - item.h / 2)) * this.canvas.scale;
    this.canvas.apply();
    this.select(item);
  }

  select(item) {
    for (const shape of this.canvas.layer.querySelectorAll('.selected'))
      shape.classList.remove('selected');
    this.shapes.get(item.id)?.classList.add('selected');
    for (const edge of this.edges)
      edge.shape.classList.toggle('near', edge.source === item || edge.target === item);
    this.onSelect(this, item);
  }

  /** Lists the items that have a text in their name, type, place or attributes. */
  find(query) {
    const words = query.toLowerCase().trim();
    this.results.hidden = !words;
    if (!words)
      return;
    const found = [];
    for (const item of this.view.walk(true)) {
      if (!item.node || item.isRegion)
        continue;
      const node = item.node;
      const all = [node.op, node.value, node.attributes, node.location, ...node.types,
                   node.callee ?? 0].map(text).join('\n').toLowerCase();
      if (all.includes(words))
        found.push(item);
    }
    const shown = found.slice(0, 200).map((item) => make('button', {onclick: () => {
      for (let group = item.parent; group !== this.view.root; group = group.parent)
        this.view.setOpen(group, true);
      this.draw(false);
      this.canvas.center(item);
      this.select(item);
    }}, `${text(item.node.value)} ${itemLabel(item).title} ${itemLabel(item).detail}`));
    this.results.replaceChildren(
        make('span', {class: 'note'}, `${found.length} found` +
             (found.length > shown.length ? `, the first ${shown.length} are listed` : '')),
        ...shown);
  }
}
