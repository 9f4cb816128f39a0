// The cluster page: a row a node, the picture of links, the matrix of contacts, and what is wrong.

import { button, card, dialog, field, fill, h, icon, tableHead, toast } from '../base/dom.js';
import { bytes, count, duration } from '../base/format.js';
import { feed, forAdministrators, mayReadStatus } from '../base/session.js';
import { ClusterState, freshMilliseconds, staleMilliseconds } from '../parts/cluster-state.js';
import '../parts/cluster-picture.js';
import '../parts/spark-line.js';

/** Makes the page. */
export function clusterPage() {
  const page = new ClusterPage();
  return { element: page.element, end: () => page.end() };
}

class ClusterPage {
  #frame = 0;
  #rows = new Map();

  constructor() {
    this.state = new ClusterState(() => sessionStorage.getItem('hearth.token'));
    this.summary = h('p');
    this.table = h('tbody');
    this.picture = document.createElement('cluster-picture');
    this.matrix = h('div', { class: 'table-box' });
    this.findings = h('div');
    this.content = h('div', { class: 'stack' }, this.#nodesCard(), h('div', { class: 'pair' }, this.#pictureCard(), h('div', { class: 'stack' }, this.#findingsCard(), this.#matrixCard())));
    this.notice = h('div', { hidden: true });
    this.element = h('div', { class: 'page' },
      h('div', { class: 'page-head' }, h('div', { class: 'grow' }, h('h1', {}, 'Cluster'), this.summary),
        this.commands = h('div', { class: 'actions' }, button('Back up', { picture: 'download', hint: 'Have this node write a copy of its database', onclick: () => this.#backUp() }),
        button('Evict a node', { kind: 'danger', onclick: () => this.#evict() }))),
      this.notice, this.content);
    this.endings = [this.state.changes.follow(() => this.#redraw()), feed.about.follow(() => this.#redraw()), feed.state.follow(() => this.#redraw())];
  }

  end() {
    for (const end of this.endings) end();
    this.state.end();
  }

  #nodesCard() {
    const heads = ['Node', 'State', 'Operations', h('span', { class: 'unseen' }, 'Operations of five minutes'), 'Behind', 'Stable', 'Repaired', 'Memory', h('span', { class: 'unseen' }, 'Memory of five minutes'), 'Disk', 'Clients'];
    return h('section', { class: 'card' }, h('div', { class: 'table-box' }, h('table', { class: 'nodes' },
      tableHead(heads, [2, 4, 5, 6, 7, 9, 10]), this.table)));
  }

  #pictureCard() {
    return card('Who hears whom', [this.picture,
      h('div', { class: 'legend' },
        h('span', {}, h('span', { class: 'dot good' }), 'heard just now'), h('span', {}, h('span', { class: 'dot warn' }), 'late'),
        h('span', {}, h('span', { class: 'dot bad' }), 'not heard'), h('span', {}, h('span', { class: 'dot' }), 'not known'))]);
  }

  #matrixCard() { return card('Last contact', this.matrix); }

  #findingsCard() { return card('Findings', this.findings); }

  #redraw() { this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw(); }); }

  #draw() {
    const about = feed.about.value;
    const isHidden = about !== null && !mayReadStatus();
    this.content.hidden = isHidden || !about;
    this.commands.hidden = this.content.hidden;
    this.notice.hidden = !this.content.hidden;
    if (!about) return fill(this.notice, h('div', { class: 'notice card' }, h('div', { class: 'spinner' }), h('h2', {}, 'Asking the node')));
    if (isHidden) {
      return fill(this.notice, h('div', { class: 'notice card' }, h('h2', {}, 'The cluster is for administrators and monitors'), h('p', {}, forAdministrators()),
        h('div', { class: 'actions' }, button('Sign in', { kind: 'main', onclick: () => window.dispatchEvent(new Event('hearth-sign-in')) }))));
    }
    fill(this.notice);
    const serving = this.state.nodes.filter((node) => this.state.state(node)[1] === 'Serving').length;
    this.summary.textContent = `${about.cluster}: ${serving} of ${this.state.nodes.length} nodes serve. ${coordinatorText(this.state.nodes)}`;
    this.#drawRows();
    this.picture.state = this.state;
    this.#drawMatrix();
    this.#drawFindings();
  }

  #drawRows() {
    for (const node of this.state.nodes) {
      let cells = this.#rows.get(node.name);
      if (!cells) {
        cells = makeRow(node);
        this.#rows.set(node.name, cells);
        this.table.append(cells.row);
      }
      drawRow(cells, node, this.state);
    }
  }

  #drawMatrix() {
    const { nodes } = this.state;
    const cell = (to, from) => {
      if (to === from) return h('td', { class: 'muted' }, '·');
      const age = this.state.age(to, from);
      if (age === undefined) return h('td', { class: 'muted' }, '–');
      if (age === Infinity) return h('td', { class: 'bad' }, 'none');
      return h('td', { class: age < freshMilliseconds ? 'good' : age < staleMilliseconds ? 'warn' : 'bad' }, duration(Math.round(age / 10) * 10));
    };
    fill(this.matrix, h('table', { class: 'matrix' },
      tableHead(['hears', ...nodes.map((node) => node.name)]),
      h('tbody', {}, nodes.map((to) => h('tr', {}, h('th', { scope: 'row' }, to.name), nodes.map((from) => cell(to, from)))))));
  }

  #drawFindings() {
    const findings = this.state.findings();
    const key = JSON.stringify(findings);
    if (key === this.lastFindings) return;
    this.lastFindings = key;
    if (findings.length === 0) return fill(this.findings, h('div', { class: 'finding' }, h('span', { class: 'dot good' }), h('p', {}, 'Nothing is wrong: all nodes serve and hear each other.')));
    fill(this.findings, findings.slice(0, 30).map(({ kind, problem, fix }) => h('div', { class: `finding ${kind}` }, icon('warn'), h('p', {}, problem), h('p', {}, fix))));
  }

  // MARK: Commands

  async #backUp() {
    const node = feed.about.value?.node ?? 'this node';
    const name = new Date().toISOString().slice(0, 16).replace(/[T:]/g, '-');
    const values = await dialog(`Back up ${node}`, [
      h('p', { class: 'muted' }, 'The node writes a backup of all its databases into its folder. It goes on serving meanwhile.'),
      field('Name of the backup', h('input', { name: 'name', value: name, class: 'mono', autocomplete: 'off' })),
    ], { accept: 'Back up', check: ({ name: text }) => (/^[A-Za-z0-9_-]{1,64}$/.test(text) ? null : 'Use 1 to 64 letters, digits, - and _.') });
    if (!values) return;
    const answer = await feed.ask({ t: 'backup', name: values.name }, 600_000);
    if (answer.t === 'done') toast(`Wrote ${answer.text}.`, { seconds: 15 });
    else toast(`${answer.problem}; ${answer.fix}`, { kind: 'bad', seconds: 15 });
  }

  async #evict() {
    const names = this.state.nodes.map((node) => node.name);
    const values = await dialog('Evict a node', [
      h('p', { class: 'muted' }, 'The others go on without it and no longer wait for it. Writes that it alone has come back when it rejoins. Evict a node that does not return soon.'),
      field('Type the name of the node to confirm', h('input', { name: 'member', class: 'mono', autocomplete: 'off', placeholder: names.join(', ') })),
    ], { accept: 'Evict', kind: 'danger full', check: ({ member }) => (names.includes(member) ? null : `The nodes are ${names.join(', ')}.`) });
    if (!values) return;
    const answer = await feed.ask({ t: 'evict', member: values.member });
    if (answer.t === 'done') toast(`${feed.about.value.node} votes to evict ${values.member}.`, { seconds: 8 });
    else toast(`${answer.problem}; ${answer.fix}`, { kind: 'bad', seconds: 15 });
  }
}

function coordinatorText(nodes) {
  const names = new Set(nodes.filter((node) => node.isFresh && node.status.coordinator).map((node) => node.status.coordinator));
  return names.size === 0 ? 'No coordinator is known.' : `Coordinator of transactions: ${[...names].join(', ')}.`;
}

function makeRow(node) {
  const cell = (kind = '') => h('td', { class: kind });
  const cells = { name: h('th', { scope: 'row' }), state: cell(), rate: cell('number'), rateLine: document.createElement('spark-line'), lag: cell('number'), stable: cell('number'), repaired: cell('number'), memory: cell('number'), memoryLine: document.createElement('spark-line'), disk: cell('number'), clients: cell('number') };
  fill(cells.name, node.isOwn || !node.address ? node.name : h('a', { href: `${node.address}/.cluster`, target: '_blank', rel: 'noopener', title: `Open the console at ${node.address}` }, node.name));
  cells.row = h('tr', {}, cells.name, cells.state, cells.rate, h('td', {}, cells.rateLine), cells.lag, cells.stable, cells.repaired, cells.memory, h('td', {}, cells.memoryLine), cells.disk, cells.clients);
  return cells;
}

function drawRow(cells, node, state) {
  const [kind, word] = state.state(node);
  const status = node.isFresh ? node.status : null;
  const set = (cell, text) => { if (cell.textContent !== text) cell.textContent = text; };
  if (cells.state.textContent !== word) fill(cells.state, h('span', { class: 'row' }, h('span', { class: `dot ${kind}` }), h('span', {}, word)));
  const rate = node.history.rate.at(-1);
  set(cells.rate, rate === null || rate === undefined ? '–' : `${count(rate)}/s`);
  cells.rateLine.values = node.history.rate;
  set(cells.lag, status ? count(status.lag) : '–');
  set(cells.stable, status ? `${duration(Math.max(0, status.wallMilliseconds - status.stableMilliseconds))} ago` : '–');
  set(cells.repaired, status ? count(status.repaired) : '–');
  set(cells.memory, bytes(status?.process?.residentBytes));
  cells.memoryLine.values = node.history.memory;
  set(cells.disk, bytes(status?.process?.databaseBytes));
  set(cells.clients, status ? count(status.process?.sessions ?? status.sessions) : '–');
}
