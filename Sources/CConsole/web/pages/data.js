// The data page: the path, the tree, and the panel of what is chosen.

import { announce, button, copy, dialog, field, fill, h, icon, toast } from '../base/dom.js';
import { databases, read, valueLimit } from '../base/data.js';
import { bytes, pushPrefix, things, visible } from '../base/format.js';
import { dataAddress, database, decoded, inDatabase, keyProblem, keysOf, parentOf, pathOf } from '../base/paths.js';
import { route } from '../base/routes.js';
import { feed, hasToken, isAdministrator } from '../base/session.js';
import { addChild, attempt, exportFile, removeValue } from '../parts/actions.js';
import { importFile } from '../parts/import-file.js';
import { summary } from '../parts/row-text.js';
import { ValuePanel } from '../parts/value-panel.js';
import '../parts/tree-view.js';

/** Makes the page. */
export function dataPage() {
  const page = new DataPage();
  return { element: page.element, end: () => page.end() };
}

class DataPage {
  #path = '/';
  #endings = [];
  #at = null;

  constructor() {
    this.crumbs = h('nav', { class: 'crumbs', 'aria-label': 'Path' });
    this.counts = h('span', { class: 'counts wide' });
    this.place = h('div', { class: 'place' });
    this.database = h('select', { 'aria-label': 'Database', title: 'The database of the node', hidden: true, onchange: () => location.assign(inDatabase('/', this.database.value)) });
    this.find = h('input', { type: 'search', placeholder: 'Find a key or a time', 'aria-label': 'Find a key or a time in this list', spellcheck: false, autocomplete: 'off' });
    this.pause = button('Pause', { picture: 'pause', kind: 'quiet', hint: 'Keep the picture still', onclick: () => this.#togglePause() });
    this.order = h('select', { 'aria-label': 'Order', title: 'The order of the children', onchange: () => this.#chooseOrder() });
    this.direction = button('Ascending', { picture: 'sort', kind: 'quiet', hint: 'Turn the order', onclick: () => this.#sort(this.tree.order, !this.tree.isDescending) });
    this.table = button('Table', { picture: 'table', kind: 'quiet', hint: 'Show the fields of the children in columns', onclick: () => this.#toggleTable() });
    this.tree = document.createElement('tree-view');
    this.tree.feed = feed;
    this.cover = h('div', { class: 'cover', hidden: true });
    this.panel = new ValuePanel();
    this.side = h('div', { class: 'tree-side' },
      h('div', { class: 'tree-head' }, h('label', { class: 'find' }, icon('find'), this.find), this.order, this.direction, this.table, this.pause),
      this.tree, this.cover);
    this.element = h('div', { class: 'data' }, this.place, this.side, this.panel.element);
    this.#showOrders();
    this.#listen();
    this.#endings.push(route.follow(({ page, path }) => { if (page === 'data') this.#show(path); }));
    this.#endings.push(feed.state.follow(() => this.#showCover()));
    this.#endings.push(feed.about.follow(() => { this.#showCover(); this.#showDatabases(); }));
  }

  end() {
    for (const end of this.#endings) end();
    this.tree.end();
    this.panel.end();
  }

  #listen() {
    const on = (name, listener) => this.tree.addEventListener(name, (event) => listener(event.detail));
    on('choose', ({ path, row }) => this.panel.show(path, row));
    on('change', ({ path, row }) => this.panel.update(path, row));
    on('count', (detail) => this.#showCount(detail));
    on('enter', ({ path }) => route.go('data', path));
    on('leave', () => this.#leave());
    on('order', ({ order }) => this.#sort(order, order === this.tree.order && !this.tree.isDescending));
    on('edit', () => this.panel.edit());
    on('remove', (chosen) => { if (chosen.path) removeValue(chosen.path); });
    on('command', (command) => this.#command(command));
    this.panel.element.addEventListener('leave', () => this.tree.focus());
    this.find.addEventListener('keydown', (event) => { if (event.key === 'Enter') this.#find(); if (event.key === 'Escape') this.tree.focus(); });
    this.side.addEventListener('dragover', (event) => { if (event.dataTransfer.types.includes('Files')) event.preventDefault(); });
    this.side.addEventListener('drop', (event) => {
      const [file] = event.dataTransfer.files;
      if (!file) return;
      event.preventDefault();
      attempt(() => importFile(this.#path, file));
    });
  }

  #show(path) {
    this.#path = path;
    this.#at = null;
    this.find.value = '';
    this.counts.textContent = '';
    document.title = `${visible(path)} · Hearth`;
    this.#showPlace();
    this.#showCover();
    this.panel.show(null);
    // A page that is not shown yet has no height, from which the first window follows.
    requestAnimationFrame(() => { this.tree.show(path); if (document.activeElement === document.body) this.tree.focus(); });
  }

  /** Offers the databases of the node, if it has several. */
  async #showDatabases() {
    if (!isAdministrator()) return;
    let list = [];
    try { list = await databases(); } catch { return; }
    const own = database ?? 'default';
    this.database.hidden = list.length < 2;
    fill(this.database, list.map(({ name, hasData }) => h('option', { value: name, selected: name === own }, hasData ? name : `${name} (empty)`)));
    this.others = list.filter(({ name, hasData }) => hasData && name !== own).map(({ name }) => name);
    this.#showCover();
  }

  #showPlace() {
    const keys = keysOf(this.#path);
    fill(this.crumbs, h('a', { href: inDatabase('/'), title: 'The root of the database' }, location.host),
      keys.map((key, index) => [h('span', {}, '/'), h('a', { href: route.address('data', pathOf(keys.slice(0, index + 1))) }, h('bdi', {}, visible(key)))]),
      h('div', { class: 'rest', onclick: () => this.#typePath() }));
    fill(this.place, this.database, this.crumbs,
      button('Go to a path', { picture: 'edit', hidesLabel: true, kind: 'quiet', onclick: () => this.#typePath() }),
      this.counts,
      button('Add', { picture: 'add', hint: 'Add a child (a)', onclick: () => addChild(this.#path) }),
      h('label', { class: 'button', title: 'Import a JSON file here', tabIndex: 0, role: 'button', onkeydown: pressWithKeys }, icon('upload'), h('span', {}, 'Import'),
        h('input', { type: 'file', accept: '.json,application/json', hidden: true, onchange: (event) => { const [file] = event.target.files; event.target.value = ''; if (file) attempt(() => importFile(this.#path, file)); } })),
      button('Export', { picture: 'download', hint: 'Save this location as a JSON file', onclick: () => exportFile(this.#path) }));
    requestAnimationFrame(() => { this.crumbs.scrollLeft = 1e6; });
  }

  #typePath() {
    const input = h('input', { class: 'path-input mono', value: this.#path, 'aria-label': 'Path', spellcheck: false, autocomplete: 'off' });
    const back = () => { if (input.isConnected) input.replaceWith(this.crumbs); };
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') { back(); this.tree.focus(); }
      if (event.key !== 'Enter') return;
      let path = pathOf(keysOf(input.value.trim()));
      if (/^https?:/.test(input.value)) path = decoded(new URL(input.value).pathname.replace(/\.json$/, ''));
      back();
      route.go('data', path);
      this.tree.focus();
    });
    input.addEventListener('blur', back);
    this.crumbs.replaceWith(input);
    input.select();
  }

  #showCount({ total, at, refusal, removed }) {
    if (removed) this.counts.animate([{ color: 'var(--bad)' }, { color: 'var(--bad)', offset: 0.5 }, {}], 900);
    this.#at = refusal ? { refusal } : { at, total };
    this.counts.textContent = refusal || !at ? '' : at[1] === 'object' ? things(total, 'child', 'children') : '';
    this.#showCover();
  }

  /** Covers the tree with what is to be said instead of it. */
  #showCover() {
    const content = this.#coverContent();
    this.cover.hidden = !content;
    // A location without rows needs no controls for rows.
    this.side.classList.toggle('is-bare', Boolean(content && this.#at));
    fill(this.cover, content);
  }

  #coverContent() {
    if (!this.#at) {
      if (feed.state.value === 'lost') return notice('The node does not answer', 'It may be starting, or stopped. The page connects once it is there.', [], true);
      return notice(this.tree.order === 'key' ? 'Loading' : 'Ordering the children', '', [], true);
    }
    const { refusal, at } = this.#at;
    if (refusal?.code === 'permission_denied' && !feed.about.value?.tokens) return notice('Sign in to see the data', 'This node shows data to those with a secret of the cluster.', [signInButton()]);
    if (refusal?.code === 'permission_denied') {
      return notice('The rules do not permit this', hasToken() ? 'You may still see locations below: type a path.' : 'Sign in, or type the path of a location that is public.',
        [button('Go to a path', { picture: 'edit', onclick: () => this.#typePath() }), hasToken() ? null : signInButton()]);
    }
    if (refusal) return notice('This location cannot be shown', `${refusal.problem}; ${refusal.fix}.`);
    if (at[1] === 'null') {
      return notice(this.#path === '/' ? 'The database is empty' : 'Nothing is here',
        this.#path === '/' ? 'Add a first value, drop a JSON file here, or connect an app.' : 'A location exists once something is written to it.',
        [this.#path === '/' && this.others?.map((name) => h('a', { class: 'button', href: inDatabase('/', name) }, `Data is in ${name}`)), button('Add a value', { kind: 'main', picture: 'add', onclick: () => addChild(this.#path) }), h('a', { class: 'button', href: '/.connect' }, 'Connect an app')]);
    }
    if (at[1] !== 'object') return this.#leaf(at);
    return null;
  }

  #leaf(row) {
    this.panel.show(this.#path, row, { isQuiet: true });
    const [, kind, , size] = row;
    return h('div', { class: 'leaf' }, h('h3', {}, kind === 'string' ? `String · ${bytes(size)}` : kind[0].toUpperCase() + kind.slice(1)),
      h('bdi', { class: `value is-${kind}` }, summary(row)),
      h('div', { class: 'actions' }, button('Edit', { picture: 'edit', onclick: () => this.panel.edit() }),
        button('Remove', { picture: 'trash', kind: 'danger', onclick: () => removeValue(this.#path) })));
  }

  // MARK: Commands

  #leave() {
    const parent = parentOf(this.#path);
    if (parent !== null) route.go('data', parent);
  }

  async #find() {
    const text = this.find.value.trim();
    if (!text) return;
    const isTime = /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text));
    const { key, refusal } = await this.tree.jump(isTime ? pushPrefix(Date.parse(text)) : text);
    if (refusal) {
      return toast('In a list of more than 5,000 children, keys are found in the order of keys.', {
        action: 'Order by key', onaction: () => { this.#sort('key', this.tree.isDescending); this.#find(); },
      });
    }
    if (!key) return toast('The list is empty.', { seconds: 3 });
    this.tree.focus();
    if (!isTime && !key.startsWith(text)) toast(`No key begins with ${text}: this is the next one.`, { seconds: 3 });
  }

  #sort(order, isDescending) {
    this.direction.lastChild.textContent = isDescending ? 'Descending' : 'Ascending';
    this.direction.setAttribute('aria-pressed', isDescending);
    this.#at = null;
    this.tree.sort(order, isDescending);
    this.#showCover();
    this.#showOrders();
    this.tree.focus();
  }

  #showOrders() {
    const { order } = this.tree;
    const orders = [['key', 'By key'], ['value', 'By value'], ['priority', 'By priority']];
    if (order.startsWith('child:')) orders.push([order, `By ${order.slice(6)}`]);
    fill(this.order, [...orders, ['child', 'By a child …']].map(([value, text]) => h('option', { value, selected: value === order }, text)));
  }

  async #chooseOrder() {
    let order = this.order.value;
    if (order === 'child') {
      const values = await dialog('Order by a child', field('Path below each child', 
        h('input', { name: 'path', class: 'mono', placeholder: 'author/name', spellcheck: false, autocomplete: 'off' })),
      { accept: 'Order', check: ({ path }) => keysOf(path).map(keyProblem).find(Boolean) ?? (keysOf(path).length ? null : 'Enter a path.') });
      order = values ? `child:${keysOf(values.path).join('/')}` : this.tree.order;
    }
    this.#sort(order, this.tree.isDescending);
  }

  #toggleTable() {
    this.tree.isTable = !this.tree.isTable;
    this.table.setAttribute('aria-pressed', this.tree.isTable);
    this.tree.focus();
  }

  #togglePause() {
    this.tree.isPaused = !this.tree.isPaused;
    const { isPaused } = this.tree;
    this.pause.setAttribute('aria-pressed', isPaused);
    fill(this.pause, icon(isPaused ? 'play' : 'pause'), h('span', {}, isPaused ? 'Continue' : 'Pause'));
    announce(isPaused ? 'Changes wait' : 'Changes are shown');
  }

  async #command({ letter, path, row }) {
    if (letter === '/') return this.find.select();
    if (letter === 'a') return addChild(row?.[1] === 'object' ? path : this.#path);
    if (!path) return;
    if (letter === 'c') copy(path, 'the path');
    if (letter === 'u') copy(curlLine(path), 'the curl line');
    if (letter === 'j') {
      const { text, isWhole } = await read(path);
      if (isWhole) copy(text, 'the JSON');
      else toast(`The JSON has more than ${bytes(valueLimit)}: export it instead.`);
    }
  }
}

function pressWithKeys(event) {
  if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); event.currentTarget.querySelector('input').click(); }
}

const signInButton = () => button('Sign in', { kind: 'main', onclick: () => window.dispatchEvent(new Event('hearth-sign-in')) });

function notice(title, text, actions = [], isWaiting = false) {
  return h('div', { class: 'notice' }, isWaiting && h('div', { class: 'spinner' }), h('h2', {}, title), text && h('p', {}, text),
    actions.length > 0 && h('div', { class: 'actions' }, actions));
}

/** The line that reads a location with curl. */
export const curlLine = (path) => `curl '${location.origin}${dataAddress(path)}'${hasToken() ? ' -H "Authorization: Bearer $TOKEN"' : ''}`;
