// A text with line numbers and marks at its errors.

import { button, fill, h } from '../base/dom.js';
import { visible } from '../base/format.js';

/** How long the editor waits after a key before the text is checked. */
const patience = 350;

/** The line and column at the start of a message such as `3:24: …`. */
export function positionOf(message) {
  const match = /^(\d+):(\d+): (.*)$/s.exec(message);
  return match ? { line: Number(match[1]), column: Number(match[2]), text: match[3] } : { line: 0, column: 0, text: message };
}

/** The offset of a line and a column, both counted from 1, columns in characters. */
export function offsetOf(text, line, column) {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, other) => sum + other.length + 1, 0);
  return Math.min(text.length, before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length);
}

/** An editor. `check` resolves with the errors and warnings of a text. */
export class RulesEditor {
  #timer = 0;
  #checks = 0;
  saved = '';
  hasErrors = false;

  constructor({ check, onchange }) {
    Object.assign(this, { check, onchange });
    this.lines = h('pre', { class: 'lines', 'aria-hidden': 'true' });
    this.field = h('textarea', { class: 'source', spellcheck: false, autocapitalize: 'off', wrap: 'off', 'aria-label': 'Rules', oninput: () => this.#input(), onscroll: () => { this.lines.scrollTop = this.field.scrollTop; }, onkeydown: (event) => this.#indent(event) });
    this.messages = h('div', { class: 'messages', role: 'status' });
    this.element = h('div', { class: 'rules-editor' }, h('div', { class: 'source-box' }, this.lines, this.field), this.messages);
  }

  get text() { return this.field.value; }
  get isChanged() { return this.field.value !== this.saved; }

  /** Shows a text as the one that is published. */
  load(text) {
    this.saved = text;
    this.edit(text);
  }

  /** Shows a text as an edit. */
  edit(text) {
    this.field.value = text;
    this.#input();
  }

  #input() {
    this.#drawLines([]);
    this.hasErrors = true;
    this.onchange();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#examine(), patience);
  }

  async #examine() {
    this.#checks += 1;
    const number = this.#checks;
    const result = await this.check(this.text);
    if (number !== this.#checks) return;
    const errors = result.errors.map(positionOf);
    const warnings = result.warnings.map(positionOf);
    this.hasErrors = errors.length > 0 || Boolean(result.problem);
    this.field.setAttribute('aria-invalid', String(errors.length > 0));
    this.#drawLines(errors);
    fill(this.messages, result.problem && h('p', { class: 'error' }, result.problem), errors.map((error) => this.#message(error, 'bad')), warnings.map((warning) => this.#message(warning, 'warn')),
      errors.length + warnings.length === 0 && !result.problem && h('p', { class: 'muted' }, 'No errors.'));
    this.onchange();
  }

  #message({ line, column, text }, kind) {
    return h('div', { class: 'row message' }, h('span', { class: `dot ${kind}` }), line > 0 && button(`${line}:${column}`, { kind: 'quiet', hint: 'Go there', onclick: () => this.#go(line, column) }), h('span', { class: 'grow' }, h('bdi', {}, visible(text))));
  }

  #go(line, column) {
    const offset = offsetOf(this.text, line, column);
    this.field.focus();
    this.field.setSelectionRange(offset, offset + 1);
    this.field.scrollTop = Math.max(0, (line - 4) * 20);
  }

  #drawLines(errors) {
    const bad = new Set(errors.map((error) => error.line));
    fill(this.lines, this.text.split('\n').map((_, index) => h('span', { class: bad.has(index + 1) ? 'bad' : '' }, `${index + 1}\n`)));
    this.lines.scrollTop = this.field.scrollTop;
  }

  /** Tab writes two spaces. Escape, then Tab leaves the text. */
  #indent(event) {
    if (event.key === 'Escape') { this.leaves = true; return; }
    if (event.key === 'Tab' && !event.shiftKey && !this.leaves) {
      event.preventDefault();
      const { selectionStart, selectionEnd } = this.field;
      this.field.setRangeText('  ', selectionStart, selectionEnd, 'end');
      this.#input();
    }
    this.leaves = false;
  }
}
