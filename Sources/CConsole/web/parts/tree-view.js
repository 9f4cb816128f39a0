// A tree of a location: some fifty elements show any number of rows.

import { announce, h } from '../base/dom.js';
import { count } from '../base/format.js';
import { childOf } from '../base/paths.js';
import { Branch, tableLimit, windowLimit } from './tree-model.js';
import { keyAction } from './tree-keys.js';
import { drawRow, flashRow, makeRow } from './tree-row.js';
import { rowHeight, TreeScroll } from './tree-scroll.js';
import { TableColumns } from './table-columns.js';

const requestInterval = 60;

/**
 * `<tree-view>`: shows the children of a location, of which some may be open.
 *
 * Give it `feed`, and call `show(path)`. Events: `choose` ({path, row}), `edit`, `enter`, `remove`, `command` (a letter),
 * `count` ({total, at, refusal}).
 */
export class TreeView extends HTMLElement {
  #root = null;
  #scroll = null;
  #pool = [];
  #chosen = { path: null, index: 0 };
  #frame = 0;
  #requestTimer = 0;
  #lastRequest = 0;
  #flashes = new Map();
  #paused = false;
  #waiting = [];

  feed = null;
  /** `key`, `value`, `priority`, or `child:` and a path. */
  order = 'key';
  isDescending = false;
  /** The columns of a table; null for a tree. */
  columns = null;

  constructor() {
    super();
    this.spacer = h('div', { class: 'tree-spacer' });
    this.layer = h('div', { class: 'tree-rows', role: 'none' });
  }

  connectedCallback() {
    if (this.firstChild) return;
    this.className = 'tree';
    this.tabIndex = 0;
    this.setAttribute('role', 'tree');
    this.setAttribute('aria-label', 'Data');
    this.append(this.layer, this.spacer);
    this.#scroll = new TreeScroll(this, this.spacer, () => this.#redraw());
    this.addEventListener('keydown', (event) => this.#onkey(event));
    this.addEventListener('click', (event) => this.#onclick(event));
    this.addEventListener('dblclick', (event) => this.#ondoubleclick(event));
    this.resizing = new ResizeObserver(() => { this.#scroll.measure(); this.#redraw(); });
    this.resizing.observe(this);
  }

  /** Shows a location. */
  show(path) {
    this.end();
    this.#root = new Branch(path, 1);
    this.#chosen = { path: null, index: 0 };
    this.#scroll.reset();
    this.#open(this.#root);
    this.#redraw();
  }

  /** Closes all windows. */
  end() {
    for (const branch of this.#root?.all() ?? []) this.feed.close(branch.id);
    this.#root = null;
    this.#waiting = [];
  }

  /** Shows the rows in another order. */
  sort(order, isDescending) {
    Object.assign(this, { order, isDescending });
    this.columns?.drawHead();
    if (this.#root) this.show(this.#root.path);
  }

  /** Shows the children as a table, or as a tree. */
  set isTable(isTable) {
    this.columns = isTable ? new TableColumns(this) : null;
    this.classList.toggle('is-table', isTable);
    for (const element of this.#pool) element.remove();
    this.#pool = [];
    this.querySelector('.table-head')?.remove();
    if (isTable) this.prepend(this.columns.head);
    if (this.#root) this.show(this.#root.path);
  }

  get isTable() { return this.columns !== null; }

  /** While paused, changes wait. */
  get isPaused() { return this.#paused; }

  set isPaused(isPaused) {
    this.#paused = isPaused;
    if (isPaused) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [branch, message] of waiting) this.#apply(branch, message);
  }

  /** The chosen row: its path and its row, if that is known. */
  get chosen() {
    if (!this.#root || this.#chosen.path === null) return null;
    const { branch, rank } = this.#root.locate(this.#chosen.index);
    const row = branch.row(rank);
    if (!row || childOf(branch.path, row[0]) !== this.#chosen.path) return { path: this.#chosen.path, row: null };
    return { path: this.#chosen.path, row };
  }

  /** Scrolls to the first child whose key is not before a text, and chooses it; returns its key, or why there is none. */
  async jump(text) {
    const answer = await this.feed.ask({ t: 'window', path: this.#root.path, key: text, count: 1, order: this.#order });
    this.feed.close(answer.id);
    if (answer.t !== 'rows') return { refusal: answer };
    if (answer.total === 0) return {};
    // The list may have been opened just before.
    this.#draw();
    this.#choose(this.#root.indexOf(this.#root, answer.from), answer.rows[0], this.#root.path);
    this.#scroll.reveal(this.#chosen.index, true);
    return { key: answer.rows[0][0] };
  }

  get #order() { return this.isDescending ? `-${this.order}` : this.order; }

  /** The request for a window. */
  #window(branch) {
    return { t: 'window', path: branch.path, ...branch.wanted, order: this.#order, fields: this.isTable || undefined };
  }

  // MARK: Windows

  #open(branch) {
    branch.wanted = { from: 0, count: Math.min(this.isTable ? tableLimit : 128, this.#scroll.count + 40) };
    branch.id = this.feed.open(this.#window(branch), (message) => this.#receive(branch, message));
  }

  #receive(branch, message) {
    // A page that the user has paused shows what it has, but learns of rows that it asks for.
    if (this.#paused && branch.at && !message.first && message.from === branch.from) {
      this.#waiting.push([branch, message]);
      if (this.#waiting.length > 1000) this.isPaused = false;
      return;
    }
    this.#apply(branch, message);
  }

  #apply(branch, message) {
    const changes = branch.apply(message);
    this.columns?.update(this.#root.rows);
    for (const child of changes.closed) for (const gone of child.all()) this.feed.close(gone.id);
    const now = performance.now();
    for (const key of changes.added) this.#flashes.set(childOf(branch.path, key), { kind: 'added', until: now + 900 });
    for (const key of changes.changed) this.#flashes.set(childOf(branch.path, key), { kind: 'changed', until: now + 900 });
    if (changes.removed.length > 0 && branch !== this.#root) this.#flashes.set(branch.path, { kind: 'removed', until: now + 900 });
    if (branch === this.#root) {
      this.#emit('count', { total: branch.total, at: branch.at, refusal: branch.refusal, removed: changes.removed.length });
    }
    const chosen = this.chosen;
    if (chosen?.row && (changes.changed.includes(chosen.row[0]) || changes.added.includes(chosen.row[0]))) this.#emit('change', chosen);
    const gone = changes.removed.find((key) => childOf(branch.path, key) === this.#chosen.path);
    if (gone !== undefined) this.#emit('change', { path: this.#chosen.path, row: [gone, 'null', null, 0] });
    this.#redraw();
  }

  #requestRows() {
    const wait = this.#lastRequest + requestInterval - performance.now();
    if (wait > 0) {
      this.#requestTimer ||= setTimeout(() => { this.#requestTimer = 0; this.#requestRows(); }, wait);
      return;
    }
    if (!this.#root) return;
    const parts = new Map();
    const first = Math.floor(this.#scroll.top);
    const last = Math.min(first + this.#scroll.count, this.#root.size - 1);
    for (let index = first; index <= last; index += 1) {
      const { branch, rank } = this.#root.locate(index);
      const part = parts.get(branch);
      if (part) part.last = rank;
      else parts.set(branch, { first: rank, last: rank });
    }
    for (const [branch, part] of parts) {
      const next = branch.windowFor(part.first, part.last, this.isTable ? tableLimit : windowLimit);
      if (!next) continue;
      branch.wanted = next;
      this.#lastRequest = performance.now();
      this.feed.update(branch.id, this.#window(branch));
    }
  }

  // MARK: Drawing

  #redraw() { this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw(); }); }

  #draw() {
    const root = this.#root;
    if (!root || !this.isConnected) return;
    const size = root.at === null && !root.refusal ? 0 : root.total === 0 ? 0 : root.size;
    this.#scroll.resize(size);
    const first = Math.floor(this.#scroll.top);
    // An element keeps its row while that is in sight, so that scrolling moves elements and draws new rows alone.
    const count = this.#resizePool(Math.min(size, this.#scroll.count));
    const base = first - first % 1000;
    this.layer.style.transform = `translateY(${Math.round((base - this.#scroll.top) * rowHeight)}px)`;
    const now = performance.now();
    for (let index = first; index < first + count; index += 1) {
      const element = this.#pool[index % count];
      element.hidden = index >= size;
      if (index < size) this.#drawRow(element, index, index - base, now);
    }
    for (const [path, flash] of this.#flashes) if (flash.until < now) this.#flashes.delete(path);
    this.#requestRows();
  }

  /** Makes elements for so many rows; returns how many there are, which never becomes less. */
  #resizePool(count) {
    while (this.#pool.length < count) {
      const element = makeRow();
      element.id = `row-${this.#pool.length}`;
      this.#pool.push(element);
      this.layer.append(element);
    }
    return this.#pool.length;
  }

  #drawRow(element, index, place, now) {
    const { branch, rank } = this.#root.locate(index);
    const row = branch.row(rank);
    const path = row ? childOf(branch.path, row[0]) : null;
    const isChosen = path !== null && path === this.#chosen.path;
    if (isChosen) this.#chosen.index = index;
    if (element.place !== place) element.style.transform = `translateY(${place * rowHeight}px)`;
    Object.assign(element, { index, place });
    drawRow(element, { branch, rank, row, isChosen, columns: this.columns });
    if (isChosen) this.setAttribute('aria-activedescendant', element.id);
    flashRow(element, path === null ? undefined : this.#flashes.get(path), now);
  }

  // MARK: Choosing

  #choose(index, row, parent) {
    this.#chosen = { path: childOf(parent, row[0]), index };
    this.#emit('choose', { path: this.#chosen.path, row });
    this.#redraw();
  }

  /** Chooses a row that is known; returns whether it is. */
  #chooseAt(index) {
    const last = this.#root.size - 1;
    const next = Math.max(0, Math.min(index, last));
    const { branch, rank } = this.#root.locate(next);
    const row = branch.row(rank);
    this.#scroll.reveal(next);
    if (row) this.#choose(next, row, branch.path);
    else this.#chosen.index = next;
  }

  #toggle(index) {
    const { branch, rank } = this.#root.locate(index);
    const row = branch.row(rank);
    if (!row || row[1] !== 'object' || this.isTable) return;
    const open = branch.child(row[0]);
    if (open) {
      branch.remove(open);
      for (const gone of open.all()) this.feed.close(gone.id);
      announce(`${row[0]} closed`);
    } else {
      this.#open(branch.add(row[0], rank));
      announce(`${row[0]} opened, ${count(row[3])} children`);
    }
    this.#redraw();
  }

  #rowOf(event) { return event.target.closest?.('.tree-row'); }

  #onclick(event) {
    const element = this.#rowOf(event);
    if (!element) return;
    const { branch, rank } = this.#root.locate(element.index);
    const row = branch.row(rank);
    if (!row) return;
    this.#choose(element.index, row, branch.path);
    if (event.target.closest('.twist')) this.#toggle(element.index);
  }

  #ondoubleclick(event) {
    const element = this.#rowOf(event);
    if (!element || event.target.closest('.twist')) return;
    this.#activate();
  }

  #activate() {
    const chosen = this.chosen;
    if (chosen?.row) this.#emit(chosen.row[1] === 'object' ? 'enter' : 'edit', chosen);
  }

  #onkey(event) {
    if (event.target !== this || event.ctrlKey || event.metaKey || event.altKey || !this.#root || this.#root.total === 0) return;
    const at = this.#chosen.path === null ? -1 : this.#chosen.index;
    const page = Math.max(1, Math.floor(this.#scroll.height / rowHeight) - 1);
    const action = keyAction(event.key, this.#root, at, page);
    if (!action) return;
    event.preventDefault();
    if ('choose' in action) this.#chooseAt(action.choose);
    else if ('toggle' in action) this.#toggle(action.toggle);
    else if (action.activate) this.#activate();
    else if (action.emit) this.#emit(action.emit, { ...action.detail, ...this.chosen });
  }

  #emit(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }
}

customElements.define('tree-view', TreeView);
