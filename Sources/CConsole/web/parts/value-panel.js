// The panel beside the tree: the chosen value, how to change it, the same location at every node, and why it is so.

import { button, copy, fill, h, toast } from '../base/dom.js';
import { parseInput, read, readWithTag, Refusal, writeIf } from '../base/data.js';
import { bytes, moment, pushTime, short, things, visible } from '../base/format.js';
import { dataAddress, nameOf } from '../base/paths.js';
import { route } from '../base/routes.js';
import { feed, hasToken, isAdministrator } from '../base/session.js';
import { addChild, attempt, removeValue, rename, sentences } from './actions.js';
import { compareNodes } from './compare-nodes.js';
import { valueHistory } from './value-history.js';

const textLimit = 4096;

/** A text of several lines, with its other invisible characters as codes. */
const inLines = (text) => text.split('\n').map(visible).join('\n');

/** The panel; `element` sends `leave` once the user is done with it. */
export class ValuePanel {
  #path = null;
  #row = null;
  #editor = null;

  constructor() {
    this.element = h('aside', { class: 'panel is-idle', 'aria-label': 'Chosen value' });
    this.element.addEventListener('keydown', (event) => { if (event.key === 'Escape') this.#leave(); });
    this.show(null);
  }

  end() { this.#path = null; clearTimeout(this.timer); }

  /** Shows a location; null shows how to use the page. */
  show(path, row = null, { isQuiet = false } = {}) {
    if (path !== null && path === this.#path) return this.update(path, row);
    this.#path = path;
    this.#row = row;
    this.#editor = null;
    this.element.classList.toggle('is-idle', path === null || isQuiet);
    if (path === null) return fill(this.element, this.#hints());
    this.value = h('section');
    this.nodes = h('section', { hidden: true });
    this.why = h('section');
    this.actions = this.#actions();
    fill(this.element, this.#head(), this.value, this.actions, this.nodes, this.why);
    this.#drawValue();
    this.#drawNodes();
    this.#drawWhy();
  }

  /** Shows a later value of the same location. */
  update(path, row) {
    if (path !== this.#path || !row) return;
    this.#row = row;
    if (!this.#editor) this.#drawValue();
    else this.#editor.changed();
    this.#drawNodes(true);
  }

  #leave() {
    if (this.#editor) this.#endEdit();
    else this.element.classList.add('is-idle');
    this.element.dispatchEvent(new Event('leave'));
  }

  #head() {
    return h('header', {}, h('h2', { class: 'grow', title: this.#path }, h('bdi', {}, visible(nameOf(this.#path)) || '/')),
      button('Copy the path', { picture: 'copy', kind: 'quiet', hidesLabel: true, onclick: () => copy(this.#path, 'the path') }),
      h('div', { class: 'only-sheet' }, button('Close', { picture: 'close', kind: 'quiet', hidesLabel: true, onclick: () => this.#leave() })));
  }

  #hints() {
    const lines = [
      ['↑ ↓', 'Move'], ['→ ←', 'Open and close'], ['Enter', 'Edit a value, enter an object'], ['⌫', 'Go to the parent'], ['Delete', 'Remove, with undo'],
      ['/', 'Find a key'], ['a', 'Add a child'], ['c', 'Copy the path'], ['j', 'Copy the JSON'], ['u', 'Copy the curl line'],
    ];
    return h('section', {}, h('h2', {}, 'Choose a row'), h('p', { class: 'muted' }, 'Its value, the same location at every node, and why it has this value appear here.'),
      h('div', { class: 'shortcuts' }, lines.map(([keys, text]) => [h('div', {}, keys.split(' ').map((key) => [h('kbd', {}, key), ' '])), h('span', {}, text)])));
  }

  #drawValue() {
    const [, kind, text, size, priority] = this.#row ?? [null, 'null', null, 0];
    const time = pushTime(nameOf(this.#path));
    const body = h('bdi', { class: `text value is-${kind}` });
    body.textContent = kind === 'object' ? '' : kind === 'string' ? `"${inLines(text)}"` : String(text);
    if (kind === 'string' && size > new TextEncoder().encode(text).length) this.#showLong(body, size);
    this.actions.hidden = this.#row?.[1] === 'null';
    fill(this.value,
      this.actions.hidden ? h('p', { class: 'muted' }, 'Nothing is here any more.') : kind === 'object' ? h('p', {}, `Object with ${things(size, 'child', 'children')}`) : body,
      h('dl', { class: 'facts' },
        h('dt', {}, 'Type'), h('dd', {}, kind === 'string' ? `string, ${bytes(size)}` : kind),
        priority !== undefined && priority !== null && [h('dt', {}, 'Priority'), h('dd', { class: 'mono' }, visible(priority))],
        time !== null && [h('dt', {}, 'Push ID of'), h('dd', {}, moment(time))],
        h('dt', {}, 'Path'), h('dd', { class: 'mono' }, h('bdi', {}, visible(this.#path)))));
  }

  /** Shows more of a long text than a row has. */
  async #showLong(element, size) {
    const path = this.#path;
    try {
      const { text } = await read(path, { limit: textLimit });
      if (path !== this.#path) return;
      element.textContent = inLines(size > textLimit ? `${text.slice(0, textLimit)}…` : text);
    } catch { /* The row's text stays. */ }
  }

  #actions() {
    const isObject = this.#row?.[1] === 'object';
    return h('section', {}, h('div', { class: 'actions' },
      isObject
        ? [button('Open', { picture: 'open', onclick: () => route.go('data', this.#path) }), button('Add', { picture: 'add', onclick: () => addChild(this.#path) })]
        : button('Edit', { picture: 'edit', onclick: () => this.edit() }),
      this.#path !== '/' && button('Rename', { onclick: () => rename(this.#path) }),
      h('a', { class: 'button', href: dataAddress(this.#path, { print: 'pretty' }), target: '_blank', rel: 'noopener' }, 'JSON'),
      button('Copy curl', { onclick: () => copy(`curl '${location.origin}${dataAddress(this.#path)}'${hasToken() ? ' -H "Authorization: Bearer $TOKEN"' : ''}`, 'the curl line') }),
      button('Remove', { picture: 'trash', kind: 'danger', onclick: () => removeValue(this.#path) })));
  }

  #drawNodes(isUpdate = false) {
    // While rows are passed by quickly, or change often, the nodes are not asked for each.
    const [path, row] = [this.#path, this.#row];
    clearTimeout(this.timer);
    if (!isUpdate) this.nodes.hidden = true;
    this.timer = setTimeout(() => { if (path === this.#path) compareNodes(this.nodes, path, row, isUpdate); }, isUpdate ? 500 : 200);
  }

  #drawWhy() {
    const path = this.#path;
    if (feed.about.value && !isAdministrator()) { this.why.hidden = true; return; }
    fill(this.why, h('header', {}, h('h3', { class: 'grow' }, 'Why it has this value'), button('Explain', { kind: 'quiet', onclick: () => valueHistory(this.why, path) })),
      h('p', { class: 'muted' }, 'The writes that reached this location: when, by whom, and which one decided.'));
  }

  // MARK: Editing

  /** Edits the value. The edit is refused if somebody else has changed it meanwhile. */
  edit() {
    if (this.#editor || this.#path === null || this.#row?.[1] === 'object') return;
    this.element.classList.remove('is-idle');
    attempt(async () => {
      const path = this.#path;
      const { text, tag, isWhole } = await readWithTag(path);
      if (path !== this.#path) return;
      if (!isWhole) throw new Refusal(0, 'The value has more than 1 MB.', 'write it with a program');
      this.#openEditor(path, text, tag);
    });
  }

  #openEditor(path, text, tag) {
    const input = h('textarea', { value: text === 'null' ? '' : text, rows: Math.min(10, 2 + text.length / 44), spellcheck: false, 'aria-label': 'Value' });
    const kind = h('span', { class: 'tag' });
    const error = h('p', { class: 'error', role: 'alert' });
    const save = button('Save', { kind: 'main', onclick: () => this.#save(path, input, error) });
    const check = () => {
      const result = parseInput(input.value);
      kind.textContent = result.problem ? 'not a value yet' : result.kind;
      kind.className = `tag ${result.problem ? 'warn' : ''}`;
      save.disabled = Boolean(result.problem);
    };
    input.addEventListener('input', () => { error.textContent = ''; check(); });
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); if (!save.disabled) this.#save(path, input, error); }
    });
    this.#editor = {
      tag, text,
      changed: () => { error.textContent = 'Somebody has changed this value since you began. Save shows the conflict.'; },
    };
    check();
    this.actions.hidden = true;
    fill(this.value, h('div', { class: 'editor' }, input, error,
      h('div', { class: 'row' }, kind, h('div', { class: 'grow' }), button('Cancel', { onclick: () => this.#leave() }), save)));
    input.focus();
    input.select();
  }

  /** Writes the value before an edit, if the edited value is still there. */
  #undo(path, json, before) {
    attempt(async () => {
      const { text, tag } = await readWithTag(path);
      const isSame = JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(json));
      const isDone = isSame && await writeIf(tag, path, before === 'null' ? null : before);
      if (isDone) toast(`${visible(path)} is ${short(before)} again.`, { seconds: 5 });
      else toast(`${visible(path)} has another value by now, so nothing was undone.`, { kind: 'bad' });
    });
  }

  #endEdit() {
    this.#editor = null;
    this.#drawValue();
  }

  async #save(path, input, error) {
    const { json } = parseInput(input.value);
    const before = this.#editor.text;
    try {
      if (await writeIf(this.#editor.tag, path, json)) {
        this.#leave();
        toast(`Saved ${visible(path)}. It was ${short(before)} before.`, { action: 'Undo', seconds: 30, onaction: () => this.#undo(path, json, before) });
        return;
      }
      const { text, tag } = await readWithTag(path);
      const take = button('Take theirs', { onclick: () => this.#leave() });
      const keep = button('Overwrite with mine', { kind: 'danger', onclick: () => { Object.assign(this.#editor, { tag, text }); this.#save(path, input, error); } });
      fill(error, 'Not saved: it has changed to ', h('code', {}, h('bdi', {}, visible(text.slice(0, 200)))), ' since you began.', h('span', { class: 'actions' }, take, keep));
    } catch (failure) {
      // The editor keeps the text, so the message stays beside it.
      error.textContent = sentences(failure);
    }
  }
}

