// The columns of a table: the fields of the first rows of a list.

import { fill, h } from '../base/dom.js';
import { visible } from '../base/format.js';
import { summary } from './row-text.js';

const rowLimit = 50;
const columnLimit = 12;

/** The columns, their heads, and the cells of a row. */
export class TableColumns {
  names = [];
  /** Changes with the columns. */
  version = 0;

  constructor(view) {
    this.view = view;
    this.head = h('div', { class: 'table-head', role: 'row' });
    this.drawHead();
  }

  /** Takes the fields that most of the first rows have. */
  update(rows) {
    const counts = new Map();
    for (const row of rows.slice(0, rowLimit)) {
      for (const name of Object.keys(row[5] ?? {})) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const names = [...counts].sort((one, other) => other[1] - one[1]).slice(0, columnLimit).map(([name]) => name);
    // Columns stay where they are while other rows come into view.
    const next = [...this.names.filter((name) => counts.has(name)), ...names.filter((name) => !this.names.includes(name))].slice(0, columnLimit);
    if (next.length === 0 || next.join('/') === this.names.join('/')) return;
    this.names = next;
    this.version += 1;
    this.drawHead();
  }

  /** Draws the heads, which choose the order. */
  drawHead() {
    this.view.style.setProperty('--columns', this.names.length || 1);
    const cell = (name, order) => h('button', {
      type: 'button', title: `Order by ${name}`, 'aria-pressed': String(this.view.order === order),
      onclick: () => this.view.dispatchEvent(new CustomEvent('order', { detail: { order } })),
    }, h('bdi', {}, visible(name)), this.view.order === order && h('span', { 'aria-hidden': 'true' }, this.view.isDescending ? ' ↓' : ' ↑'));
    fill(this.head, cell('key', 'key'), this.names.length === 0 ? h('span', {}, 'value') : this.names.map((name) => cell(name, `child:${name}`)));
  }

  /** Draws the cells of a row. */
  draw(element, row) {
    const count = Math.max(1, this.names.length);
    while (element.children.length < count) element.append(h('bdi'));
    while (element.children.length > count) element.lastChild.remove();
    const fields = row?.[5] ?? {};
    for (let index = 0; index < count; index += 1) {
      const name = this.names[index];
      const text = !row ? '' : name === undefined || (index === 0 && row[1] !== 'object') ? summary(row) : fields[name] ?? '';
      const cell = element.children[index];
      const shown = visible(text);
      if (cell.textContent === shown && cell.className) continue;
      cell.textContent = shown;
      cell.className = `cell value ${text.startsWith('"') ? 'is-string' : /^[-0-9]/.test(text) ? 'is-number' : /^(true|false)$/.test(text) ? 'is-boolean' : ''}`;
    }
  }
}
