// A run in space and time: a lane for each node and client, time to the right, and a line for each message.

import { announce } from '../base/dom.js';
import { clock } from './run-text.js';
import { lastAtMost } from './tree-history.js';

const laneHeight = 34;
const head = 54;
const foot = 24;
const margin = 64;
/** The most messages that are drawn as lines; beyond, lanes show how much happens. */
const lineLimit = 3000;

/** `<space-time>`: shows a `RunRecord`; `chosen` events name the event that was chosen. */
export class SpaceTime extends HTMLElement {
  #run = null;
  #range = [0, 1];
  #event = 0;
  #cone = null;
  #hidden = new Set();
  #matches = null;
  #drag = null;
  showsBeats = false;

  connectedCallback() {
    if (this.canvas) return;
    this.canvas = this.appendChild(document.createElement('canvas'));
    this.tabIndex = 0;
    this.setAttribute('role', 'application');
    this.setAttribute('aria-roledescription', 'space-time diagram');
    new ResizeObserver(() => this.draw()).observe(this);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    this.addEventListener('wheel', (event) => this.#zoomByWheel(event), { passive: false });
    this.addEventListener('pointerdown', (event) => this.#beginDrag(event));
    this.addEventListener('pointermove', (event) => this.#moveDrag(event));
    this.addEventListener('pointerup', (event) => this.#endDrag(event));
    this.addEventListener('keydown', (event) => this.press(event));
  }

  set run(run) {
    this.#run = run;
    this.fit();
  }

  get range() { return this.#range; }
  set range(range) { this.#range = range; this.draw(); }
  get event() { return this.#event; }
  set event(event) { this.#event = event; this.draw(); }
  set cone(cone) { this.#cone = cone; this.draw(); }
  set matches(matches) { this.#matches = matches; this.draw(); }
  get hidden_lanes() { return this.#hidden; }

  /** Shows or hides a lane. */
  toggle(lane) {
    if (!this.#hidden.delete(lane)) this.#hidden.add(lane);
    this.draw();
  }

  /** Shows the whole run. */
  fit() { this.#setRange(0, Math.max(1, this.#run.end)); }

  /** Shows some time around an event. */
  show(event, width = 400_000) {
    const time = this.#run.times[event];
    this.#setRange(time - width * 0.6, time + width * 0.4);
  }

  /** Chooses an event, and shows it if it is out of sight. */
  choose(event) {
    this.#event = event;
    const time = this.#run.times[event];
    const [from, to] = this.#range;
    if (time < from || time > to) this.#setRange(time - (to - from) / 2, time + (to - from) / 2);
    this.draw();
    announce(`${clock(time)}, ${this.#run.line(event)}`.slice(0, 300));
    this.dispatchEvent(new CustomEvent('chosen', { detail: event }));
  }

  #setRange(from, to) {
    const width = Math.max(200, Math.min(to - from, this.#run.end * 1.04 + 1000));
    const start = Math.max(-width * 0.02, Math.min(from, this.#run.end + width * 0.02 - width));
    this.#range = [start, start + width];
    this.draw();
    this.dispatchEvent(new CustomEvent('ranged', { detail: this.#range }));
  }

  // Places

  get #lanes() { return this.#run.lanes.map((_, lane) => lane).filter((lane) => !this.#hidden.has(lane)); }
  #x(time) { return margin + (time - this.#range[0]) / (this.#range[1] - this.#range[0]) * (this.canvas.clientWidth - margin - 12); }
  #time(x) { return this.#range[0] + (x - margin) / (this.canvas.clientWidth - margin - 12) * (this.#range[1] - this.#range[0]); }
  #isShown(event) { return this.showsBeats || !this.#run.isBeat(event); }
  #isDim(event) { return (this.#cone && !this.#cone[event]) || (this.#matches && !this.#matches[event]); }

  // Drawing

  draw() {
    if (!this.canvas || !this.#run || this.canvas.clientWidth === 0) return;
    const run = this.#run;
    const lanes = this.#lanes;
    const y = new Map(lanes.map((lane, row) => [lane, head + laneHeight * (row + 0.5)]));
    const height = head + foot + laneHeight * lanes.length;
    this.canvas.style.height = `${height}px`;
    const scale = devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const context = this.canvas.getContext('2d');
    context.scale(scale, scale);
    const style = getComputedStyle(this);
    const colours = Object.fromEntries(['line', 'text', 'muted', 'accent', 'good', 'warn', 'bad', 'blue', 'surface', 'raised', 'removed', 'changed', 'tint'].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    const pen = { context, colours, y, width, height };
    this.#drawMarks(pen);
    this.#drawAxis(pen);
    this.#drawLanes(pen);
    context.save();
    context.beginPath();
    context.rect(margin, 0, width - margin, height);
    context.clip();
    const [first, last] = [Math.max(0, lastAtMost(run.times, this.#range[0])), lastAtMost(run.times, this.#range[1])];
    const lines = this.#visibleMessages(first, last, y);
    if (lines) this.#drawMessages(pen, lines);
    if (lines && last - first < 2 * lineLimit) this.#drawEvents(pen, first, last);
    else this.#drawDensity(pen, first, last);
    this.#drawMoment(pen);
    context.restore();
    this.setAttribute('aria-label', `${lanes.length} lanes from ${clock(this.#range[0])} to ${clock(this.#range[1])}. Arrows step along a lane, N shows the next finding, F the whole run.`);
  }

  #drawAxis({ context, colours, width, height }) {
    const [from, to] = this.#range;
    const steps = [1, 2, 5].flatMap((digit) => [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8].map((power) => digit * power)).sort((a, b) => a - b);
    const step = steps.find((candidate) => (to - from) / candidate <= width / 90) ?? 1e9;
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'center';
    for (let time = Math.ceil(Math.max(0, from) / step) * step; time <= to; time += step) {
      const x = this.#x(time);
      context.fillStyle = colours.line;
      context.fillRect(Math.round(x), head - 6, 1, height - head - foot + 6);
      context.fillStyle = colours.muted;
      context.fillText(clock(time, step), x, height - 8);
    }
  }

  #drawLanes({ context, colours, y, width }) {
    context.font = '600 12px ui-monospace, monospace';
    context.textAlign = 'right';
    for (const [lane, place] of y) {
      context.fillStyle = colours.line;
      context.fillRect(margin, Math.round(place), width - margin - 12, 1);
      context.fillStyle = lane < this.#run.nodes.length ? colours.text : colours.muted;
      context.fillText(this.#run.lanes[lane], margin - 14, place + 4);
    }
    // Where a node does not run, or cannot hear anything, its lane shows it.
    for (const [node, spans] of this.#spans().entries()) {
      if (!y.has(node)) continue;
      for (const { from, to, state } of spans) {
        const [x, end] = [Math.max(margin, this.#x(from)), Math.min(width - 12, this.#x(to))];
        if (end <= x) continue;
        context.fillStyle = state === 'paused' ? colours.changed : colours.removed;
        context.fillRect(x, y.get(node) - 9, end - x, 19);
        context.fillStyle = colours.muted;
        context.font = '11px system-ui, sans-serif';
        context.textAlign = 'left';
        if (end - x > 44) context.fillText(state, x + 6, y.get(node) + 4);
      }
    }
  }

  /** The times in which each node did not run. */
  #spans() {
    const run = this.#run;
    return run.nodes.map((_, node) => {
      const spans = [];
      let [state, since] = ['up', 0];
      for (const [event, of, next] of [...run.states.filter((entry) => entry[1] === node), [run.count - 1, node, 'end']]) {
        if (of !== node) continue;
        if (state !== 'up') spans.push({ from: since, to: run.times[event], state });
        [state, since] = [next, run.times[event]];
      }
      return spans;
    });
  }

  /** Above the lanes: when nodes could not reach each other, faults and requests of the scenario; findings as lines across the lanes. */
  #drawMarks({ context, colours, width, height }) {
    const inside = (time) => Math.max(margin, Math.min(width - 12, this.#x(time)));
    for (const { from, to } of this.#cuts()) {
      const [x, end] = [inside(from), inside(to)];
      if (end <= x) continue;
      context.fillStyle = colours.changed;
      context.globalAlpha = 0.35;
      context.fillRect(x, head - 8, end - x, laneHeight * this.#lanes.filter((lane) => lane < this.#run.nodes.length).length + 8);
      context.globalAlpha = 1;
    }
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'left';
    const rows = [[], [], []];
    const isFree = (row, from, to) => !row.some(([start, end]) => from < end && start < to);
    const script = (this.#run.scenario?.events ?? []).map(([line, event]) => ({ x: this.#x(this.#run.times[event]), text: this.#run.scenario.lines[line].replace(/^at \S+ /, '').slice(0, 40) }));
    // Faults come first where there is no room for all texts.
    for (const { x, text } of script.sort((a, b) => /^c\d/.test(a.text) - /^c\d/.test(b.text) || a.x - b.x)) {
      if (x < margin || x > width - 12) continue;
      const isFault = !/^c\d/.test(text);
      context.fillStyle = isFault ? colours.warn : colours.muted;
      context.fillRect(Math.round(x), 42, 1, isFault ? height - 42 - foot : 6);
      context.beginPath();
      context.moveTo(x - 4, 38); context.lineTo(x + 5, 38); context.lineTo(x + 0.5, 44);
      context.fill();
      // The line from a text down to its mark crosses no other text.
      const end = x + context.measureText(text).width + 12;
      const row = rows.findIndex((row, index) => isFree(row, x + 1, end) && rows.slice(index + 1).every((lower) => isFree(lower, x - 1, x)));
      if (row < 0 || end > width) continue;
      rows.forEach((lower, index) => index >= row && lower.push(index === row ? [x + 1, end] : [x - 1, x]));
      context.fillRect(Math.round(x), 12 * row + 2, 1, 36 - 12 * row);
      context.fillText(text, x + 4, 12 * row + 10);
    }
    for (const finding of this.#run.findings) {
      const x = this.#x(this.#run.times[finding.event]);
      if (x < margin || x > width - 12) continue;
      context.fillStyle = colours.bad;
      context.fillRect(Math.round(x) - 1, head - 8, 2, height - head - foot + 8);
    }
  }

  /** The times in which some node could not send to another one. */
  #cuts() {
    const spans = [];
    const cut = new Set();
    let since = 0;
    for (const [event, from, to, isOpen] of this.#run.links) {
      const before = cut.size;
      if (isOpen) cut.delete(`${from} ${to}`);
      else cut.add(`${from} ${to}`);
      if (before === 0 && cut.size > 0) since = this.#run.times[event];
      if (before > 0 && cut.size === 0) spans.push({ from: since, to: this.#run.times[event] });
    }
    return cut.size > 0 ? [...spans, { from: since, to: this.#run.end }] : spans;
  }

  #visibleMessages(first, last, y) {
    const run = this.#run;
    const lines = [];
    for (const message of run.messages) {
      const end = message.received < 0 ? message.sent : message.received;
      if (end < first || message.sent > last || !y.has(message.from) || !y.has(message.to)) continue;
      if (message.isBeat && !this.showsBeats) continue;
      lines.push(message);
      if (lines.length > lineLimit) return null;
    }
    return lines;
  }

  #drawMessages({ context, colours, y }, messages) {
    const run = this.#run;
    for (const message of messages) {
      const isLost = message.received === -1;
      const isDim = this.#isDim(message.sent) || (message.received >= 0 && this.#isDim(message.received));
      const from = [this.#x(run.times[message.sent]), y.get(message.from)];
      const full = message.received >= 0 ? this.#x(run.times[message.received]) : from[0] + 14;
      const to = [full, y.get(message.to)];
      const part = message.received < 0 ? 0.45 : 1;
      const end = [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
      context.globalAlpha = isDim ? 0.12 : message.isBeat ? 0.4 : 0.75;
      context.strokeStyle = isLost ? colours.bad : { published: colours.blue, asked: colours.warn, answered: colours.warn }[message.kind] ?? colours.muted;
      context.lineWidth = isLost ? 1.5 : 1;
      context.setLineDash(message.isCopy ? [4, 3] : []);
      context.beginPath();
      context.moveTo(...from);
      context.lineTo(...end);
      if (isLost) for (const [a, b] of [[4, 4], [4, -4]]) { context.moveTo(end[0] - a, end[1] - b); context.lineTo(end[0] + a, end[1] + b); }
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  #drawEvents({ context, colours, y }, first, last) {
    const run = this.#run;
    for (let event = Math.max(0, first); event <= last; event += 1) {
      const place = y.get(run.lane(event));
      if (place === undefined || !this.#isShown(event)) continue;
      context.globalAlpha = this.#isDim(event) ? 0.15 : 1;
      context.fillStyle = run.does(event).length > 0 ? colours.text : colours.muted;
      context.beginPath();
      context.arc(this.#x(run.times[event]), place, run.does(event).length > 0 ? 3 : 2, 0, 7);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  /** How much happens in each lane, by bars of three pixels. */
  #drawDensity({ context, colours, y }, first, last) {
    const run = this.#run;
    const bins = new Map();
    for (let event = Math.max(0, first); event <= last; event += 1) {
      const lane = run.lane(event);
      if (!y.has(lane) || !this.#isShown(event) || this.#isDim(event)) continue;
      const key = `${lane} ${Math.floor((this.#x(run.times[event]) - margin) / 3)}`;
      bins.set(key, (bins.get(key) ?? 0) + 1);
    }
    const most = Math.max(1, ...bins.values());
    context.fillStyle = colours.blue;
    for (const [key, number] of bins) {
      const [lane, bin] = key.split(' ').map(Number);
      const size = 3 + 22 * Math.sqrt(number / most);
      context.globalAlpha = 0.35 + 0.5 * number / most;
      context.fillRect(margin + bin * 3, y.get(lane) - size / 2, 2.5, size);
    }
    context.globalAlpha = 1;
    const lost = run.messages.filter((message) => message.received === -1 && !message.isBeat && message.sent >= first && message.sent <= last && y.has(message.from));
    context.fillStyle = colours.bad;
    for (const message of lost.slice(0, 4000)) context.fillRect(this.#x(run.times[message.sent]), y.get(message.from) + (message.to > message.from ? 10 : -13), 1.5, 4);
  }

  #drawMoment({ context, colours, y, height }) {
    const run = this.#run;
    const x = this.#x(run.times[this.#event] ?? 0);
    context.fillStyle = colours.accent;
    context.globalAlpha = 0.5;
    context.fillRect(Math.round(x), head - 8, 1, height - head - foot + 8);
    context.globalAlpha = 1;
    const place = y.get(run.lane(this.#event));
    if (place === undefined) return;
    context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, place, 6, 0, 7);
    context.stroke();
  }

  // Pointer and keys

  #zoomByWheel(event) {
    event.preventDefault();
    const [from, to] = this.#range;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      const move = (event.deltaX || event.deltaY) / this.canvas.clientWidth * (to - from);
      return this.#setRange(from + move, to + move);
    }
    this.zoom(Math.exp(event.deltaY * 0.0015), this.#time(event.offsetX));
  }

  /** Shows a longer or shorter time around a moment. */
  zoom(factor, around = this.#run.times[this.#event]) {
    const [from, to] = this.#range;
    this.#setRange(around - (around - from) * factor, around + (to - around) * factor);
  }

  #beginDrag(event) {
    this.setPointerCapture(event.pointerId);
    this.#drag = { x: event.clientX, range: this.#range, isMoved: false };
    this.focus();
  }

  #moveDrag(event) {
    if (!this.#drag) return;
    const move = event.clientX - this.#drag.x;
    if (Math.abs(move) > 3) this.#drag.isMoved = true;
    if (!this.#drag.isMoved) return;
    const [from, to] = this.#drag.range;
    const time = move / (this.canvas.clientWidth - margin - 12) * (to - from);
    this.#setRange(from - time, to - time);
  }

  #endDrag(event) {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag || drag.isMoved) return;
    const lane = this.#lanes[Math.floor((event.offsetY - head) / laneHeight)];
    const nearest = this.#nearest(lane, this.#time(event.offsetX));
    if (nearest !== null) this.choose(nearest);
  }

  /** The event of a lane, or of any, that is nearest to a time. */
  #nearest(lane, time) {
    const events = (this.#run.byLane[lane] ?? []).filter((event) => this.#isShown(event));
    if (events.length === 0) return this.#run.eventAt(time);
    const before = lastAtMost(events, time, (event) => this.#run.times[event]);
    const [a, b] = [events[Math.max(0, before)], events[Math.min(events.length - 1, before + 1)]];
    return Math.abs(this.#run.times[a] - time) <= Math.abs(this.#run.times[b] - time) ? a : b;
  }

  /** Chooses the next or previous event of the same lane. */
  step(direction) {
    const events = (this.#run.byLane[this.#run.lane(this.#event)] ?? []).filter((event) => this.#isShown(event) || event === this.#event);
    const next = events[events.indexOf(this.#event) + direction];
    if (next !== undefined) this.choose(next);
  }

  /** Chooses the next or previous finding. */
  stepFinding(direction) {
    const events = [...new Set(this.#run.findings.map((finding) => finding.event))].sort((a, b) => a - b);
    const next = direction > 0 ? events.find((event) => event > this.#event) ?? events[0] : events.findLast((event) => event < this.#event) ?? events.at(-1);
    if (next === undefined) return;
    this.show(next);
    this.choose(next);
  }

  /** Does what a key stands for. */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const lanes = this.#lanes;
    const row = lanes.indexOf(this.#run.lane(this.#event));
    const move = (direction) => {
      const next = this.#nearest(lanes[Math.max(0, Math.min(lanes.length - 1, row + direction))], this.#run.times[this.#event]);
      if (next !== null) this.choose(next);
    };
    const actions = {
      ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1),
      n: () => this.stepFinding(1), p: () => this.stepFinding(-1), f: () => this.fit(), '+': () => this.zoom(0.6), '=': () => this.zoom(0.6), '-': () => this.zoom(1.6),
      c: () => this.dispatchEvent(new CustomEvent('cone')), Home: () => this.choose(0), End: () => this.choose(this.#run.count - 1),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}

customElements.define('space-time', SpaceTime);
