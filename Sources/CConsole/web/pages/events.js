// The events page: operations as they arrive at this node, and changes in the state of nodes.

import { button, fill, h, tableHead } from '../base/dom.js';
import { author, count, moment, things, visible } from '../base/format.js';
import { decoded } from '../base/paths.js';
import { route } from '../base/routes.js';
import { feed, forAdministrators, hasToken } from '../base/session.js';
import { ClusterState } from '../parts/cluster-state.js';
import '../parts/spark-line.js';

/** The most rows that the page keeps. */
const limit = 300;
/** How many seconds the line of rates shows. */
const seconds = 120;

const listOf = (value) => (Array.isArray(value) ? value : Object.values(value ?? {}));

/** Makes the page. */
export function eventsPage() {
  const page = new EventsPage();
  return { element: page.element, end: () => page.end() };
}

class EventsPage {
  #rows = [];
  #left = 0;
  #id = 0;
  #isPaused = false;
  #timer = 0;
  #pending = 0;
  #states = new Map();

  constructor() {
    this.path = h('input', { class: 'mono', placeholder: '/', 'aria-label': 'Location', spellcheck: false, onchange: () => this.#follow() });
    this.node = h('select', { 'aria-label': 'Accepted by', onchange: () => this.#draw() }, h('option', { value: '' }, 'All nodes'));
    this.pause = button('Pause', { picture: 'pause', onclick: () => this.#togglePause() });
    this.rate = document.createElement('spark-line');
    this.rateText = h('span', { class: 'muted' }, '0 operations/s');
    this.state = h('p', { class: 'muted', role: 'status' });
    this.body = h('tbody', {});
    this.notice = h('div', { hidden: true });
    this.card = h('section', { class: 'card' },
      h('header', { class: 'wrap' }, h('label', { class: 'row' }, h('span', { class: 'muted' }, 'At or below'), this.path), this.node, h('div', { class: 'grow' }), this.rate, this.rateText, this.pause,
        button('Clear', { kind: 'quiet', onclick: () => { this.#rows = []; this.#left = 0; this.#draw(); } })),
      h('div', { class: 'table-box' }, h('table', { class: 'events' }, tableHead(['Time', 'Accepted by', 'For', 'Writes']), this.body)), this.state);
    this.element = h('div', { class: 'page' }, h('div', { class: 'page-head' }, h('div', { class: 'grow' }, h('h1', {}, 'Events'), h('p', {}, 'Operations as they arrive at this node, whichever node accepted them, and changes in the state of nodes.'))), this.notice, this.card);
    this.history = new Array(seconds).fill(0);
    this.cluster = new ClusterState(() => sessionStorage.getItem('hearth.token'));
    this.endings = [feed.about.follow(() => this.#begin()), this.cluster.changes.follow(() => this.#watchNodes())];
    this.#timer = setInterval(() => this.#tick(), 1000);
  }

  end() {
    clearInterval(this.#timer);
    for (const end of this.endings) end();
    this.cluster.end();
    if (this.#id) feed.close(this.#id);
  }

  #begin() {
    const about = feed.about.value;
    const options = (about?.nodes ?? []).map(({ name }) => h('option', { value: name }, name));
    fill(this.node, h('option', { value: '' }, 'All nodes'), options);
    this.#follow();
  }

  /** Asks for the operations at or below the location of the field. */
  #follow() {
    const request = { t: 'events', path: decoded(this.path.value.trim() || '/') };
    if (this.#id) feed.update(this.#id, request);
    else this.#id = feed.open(request, (message) => this.#receive(message));
    this.#showNotice(null);
    this.#draw();
  }

  #receive(message) {
    if (message.t === 'refused') return this.#showNotice(message);
    this.#showNotice(null);
    const operations = listOf(message.report.operations);
    this.#pending += operations.length + message.left;
    if (this.#isPaused) { this.#left += operations.length + message.left; return; }
    if (message.left > 0 || message.skipped) this.#add({ kind: 'left', text: message.skipped ? 'Some operations were passed over: too many arrive.' : `${things(message.left, 'operation')} left out.` });
    for (const operation of operations) this.#add({ kind: 'operation', operation });
    this.#draw();
  }

  #add(row) {
    this.#rows.unshift(row);
    this.#rows.length = Math.min(this.#rows.length, limit);
  }

  #watchNodes() {
    for (const node of this.cluster.nodes) {
      const [kind, word] = this.cluster.state(node);
      const before = this.#states.get(node.name);
      if (before === word) continue;
      this.#states.set(node.name, word);
      if (before === undefined || before === 'Asking' || word === 'Asking') continue;
      this.#add({ kind: 'news', tone: kind, node: node.name, word, time: Date.now() });
      this.#draw();
    }
  }

  #tick() {
    this.history.push(this.#pending);
    this.history.shift();
    this.#pending = 0;
    this.rate.values = this.history;
    this.rateText.textContent = `${count(this.history.at(-1))} operations/s`;
  }

  #togglePause() {
    this.#isPaused = !this.#isPaused;
    if (!this.#isPaused && this.#left > 0) this.#add({ kind: 'left', text: `${things(this.#left, 'operation')} arrived meanwhile.` });
    if (!this.#isPaused) this.#left = 0;
    this.pause.setAttribute('aria-pressed', String(this.#isPaused));
    this.#draw();
  }

  #showNotice(message) {
    this.notice.hidden = message === null;
    this.card.hidden = message !== null;
    if (message) {
      fill(this.notice, h('div', { class: 'card notice' }, h('h2', {}, 'The events are for administrators'), h('p', {}, forAdministrators()),
        !hasToken() && h('div', { class: 'actions' }, button('Sign in', { kind: 'main', onclick: () => window.dispatchEvent(new Event('hearth-sign-in')) }))));
    }
  }

  #draw() {
    const wanted = this.node.value;
    const rows = this.#rows.filter((row) => !wanted || (row.kind === 'operation' ? row.operation.node ?? row.operation.member : row.node) === wanted || row.kind === 'left');
    fill(this.body, rows.map((row) => this.#row(row)));
    this.state.hidden = rows.length > 0;
    this.state.textContent = this.#isPaused ? 'Paused.' : 'Waiting for the next operation.';
  }

  #row(row) {
    if (row.kind === 'left') return h('tr', { class: 'left-out' }, h('td', { colSpan: 4 }, row.text));
    if (row.kind === 'news') return h('tr', {}, h('td', { class: 'number' }, moment(row.time)), h('td', {}, row.node), h('td', {}), h('td', {}, h('span', { class: `tag ${row.tone}` }, row.word)));
    const { operation } = row;
    return h('tr', {}, h('td', { class: 'number' }, moment(operation.time ?? operation.milliseconds)), h('td', {}, operation.node ?? operation.member ?? operation.origin),
      h('td', {}, h('bdi', {}, author(operation))),
      h('td', {}, listOf(operation.writes).slice(0, 8).map((write) => h('div', { class: 'mono write' }, h('a', { href: route.address('data', write.path || '/') }, h('bdi', {}, visible(write.path || '/'))), ' ', h('bdi', {}, visible(write.kind === 'nothing' ? 'removed' : write.text)))),
        listOf(operation.writes).length > 8 && h('small', { class: 'muted' }, `and ${listOf(operation.writes).length - 8} more`)));
  }
}
