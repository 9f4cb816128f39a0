// The rules page: the document with its errors, what it says of an operation, what its parts came to, and earlier documents.

import { button, card, dialog, field, fill, h, tableHead, toast } from '../base/dom.js';
import { Refusal, request } from '../base/data.js';
import { count, moment, visible } from '../base/format.js';
import { feed, forAdministrators, hasToken } from '../base/session.js';
import { sentences } from '../parts/actions.js';
import { RulesEditor } from '../parts/rules-editor.js';

const documentPath = '/.settings/rules';
const listOf = (value) => (Array.isArray(value) ? value : Object.values(value ?? {}));

/** Makes the page. */
export function rulesPage() {
  const page = new RulesPage();
  return { element: page.element, end: () => page.end() };
}

class RulesPage {
  #tag = null;
  #isOver = false;

  constructor() {
    this.editor = new RulesEditor({ check: (text) => this.#check(text), onchange: () => this.#showButtons() });
    this.save = button('Publish', { kind: 'main', disabled: true, onclick: () => this.#publish() });
    this.revert = button('Revert', { kind: 'quiet', disabled: true, onclick: () => this.editor.load(this.editor.saved) });
    this.summary = h('p', {}, 'Reading the rules …');
    this.notice = h('div', { hidden: true });
    this.coverage = h('div', { class: 'table-box' });
    this.counting = h('div', { class: 'actions' });
    this.history = h('div');
    this.content = h('div', { class: 'stack' },
      h('div', { class: 'connect' },
        card('Rules', this.editor.element, [this.revert, this.save]),
        h('div', { class: 'stack' }, this.#playground(), card('History', this.history))),
      card('Coverage', this.coverage, this.counting));
    this.element = h('div', { class: 'page' }, h('div', { class: 'page-head' }, h('div', { class: 'grow' }, h('h1', {}, 'Rules'), this.summary)), this.notice, this.content);
    this.end = feed.about.follow((about) => { if (about) this.#read(); });
    const stop = this.end;
    this.end = () => { this.#isOver = true; stop(); };
  }

  // The document

  async #read() {
    try {
      const response = await request('GET', documentPath);
      this.#tag = response.headers.get('ETag');
      const text = await response.text();
      if (this.#isOver) return;
      this.#showNotice(null);
      if (!this.editor.isChanged) this.editor.load(text);
      this.#readReports();
    } catch (error) {
      this.#showNotice(error);
    }
  }

  #readReports() {
    this.#readStatus();
    this.#readHistory();
    this.#readCoverage('GET');
  }

  async #readStatus() {
    const status = await this.#report('/.settings/rules/status');
    if (!status?.digest) { this.summary.textContent = 'The database has no rules: each client may read and write everything, unless tokens are configured.'; return; }
    const without = Object.entries(status.members ?? {}).filter(([, has]) => !has).map(([name]) => name);
    this.summary.textContent = `Rules ${status.digest.slice(0, 8)}, accepted ${moment(status.acceptedMilliseconds)}. ${without.length > 0 ? `${without.join(' and ')} may not have them yet.` : 'All nodes have them.'}`;
  }

  /** Reads a report; null if the node refuses it. */
  async #report(path, method = 'GET') {
    try { return await (await request(method, path)).json(); } catch { return null; }
  }

  /** The errors and warnings of a document. */
  async #check(text) {
    try {
      const answer = await (await request('PUT', documentPath, { body: text, parameters: { dryRun: 'true', warnings: 'true' } })).json();
      return { errors: [], warnings: answer.warnings ?? [] };
    } catch (error) {
      if (error instanceof Refusal && error.status === 400) return { errors: error.message.trim().split('\n'), warnings: [] };
      return { errors: [], warnings: [], problem: error.message };
    }
  }

  #showButtons() {
    this.save.disabled = !this.editor.isChanged || this.editor.hasErrors;
    this.revert.disabled = !this.editor.isChanged;
  }

  async #publish() {
    const text = this.editor.text;
    const accepted = await dialog('Publish the rules', [h('p', {}, 'The rules apply to all clients of all nodes at once. Administrators may still do everything.')], { accept: 'Publish' });
    if (!accepted) return;
    try {
      const headers = this.#tag ? { 'if-match': this.#tag } : {};
      const response = await request('PUT', documentPath, { body: text, headers, parameters: { confirm: 'majority' } });
      if (response.status === 412) throw new Refusal(412, 'Others have changed the rules meanwhile.', 'compare with the newest document of the history');
      this.#tag = response.headers.get('ETag') ?? this.#tag;
      this.editor.load(text);
      toast('The rules are published.');
      this.#readReports();
    } catch (error) {
      toast(`${error.message} ${error.fix ?? ''}`, { kind: 'bad', seconds: 12 });
    }
  }

  // What the rules say of an operation

  #playground() {
    const kind = h('select', { name: 'kind', onchange: () => { data.hidden = ['read', 'delete'].includes(kind.value); } }, ['read', 'write', 'update', 'delete'].map((name) => h('option', { value: name }, name)));
    const path = h('input', { class: 'mono', value: '/', spellcheck: false });
    const value = h('textarea', { rows: 3, spellcheck: false, placeholder: '{"title": "Hall"}' });
    const user = h('input', { class: 'mono', spellcheck: false, placeholder: 'none, or {"uid": "ada"}' });
    const data = field('Data', value);
    data.hidden = true;
    const answer = h('div', { class: 'verdict', role: 'status' });
    const simulate = async (event) => {
      event.preventDefault();
      const operation = data.hidden ? `${kind.value} ${path.value}` : `${kind.value} ${path.value} ${value.value.trim() || 'null'}`;
      // A longer document does not fit into a message.
      const source = this.editor.isChanged && this.editor.text.length < 48_000 ? this.editor.text : undefined;
      const reply = await feed.ask({ t: 'explain', source, statement: `${operation} as ${user.value.trim() || 'none'}` });
      fill(answer, reply.t === 'explained' ? [verdict(reply.lines), source && h('p', { class: 'muted' }, 'By the rules in the editor, which are not published.')] : h('p', { class: 'error' }, `${reply.problem}; ${reply.fix}`));
    };
    return h('section', { class: 'card playground' }, h('header', {}, h('h2', {}, 'Try an operation')),
      h('form', { class: 'body stack tight', onsubmit: simulate }, h('p', { class: 'muted' }, 'The rules in the editor are evaluated with the data of this node. Nothing is done.'),
        h('div', { class: 'row' }, field('Operation', kind), h('div', { class: 'grow' }, field('Location', path))), data, field('User', user),
        h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'button' }, 'Evaluate')), answer));
  }

  // Coverage and history

  async #readCoverage(method) {
    const report = await this.#report('/.inspect/coverage', method);
    if (this.#isOver || !report) return;
    fill(this.counting, report.isCounting
      ? [button('Read again', { kind: 'quiet', onclick: () => this.#readCoverage('GET') }), button('Stop counting', { onclick: () => this.#readCoverage('DELETE') })]
      : button('Count requests', { hint: 'Count what each part of the rules comes to for requests of users at this node', onclick: () => this.#readCoverage('POST') }));
    const rules = listOf(report.rules);
    if (!report.sinceMilliseconds || rules.length === 0) return fill(this.coverage, h('p', { class: 'notice' }, rules.length === 0 ? 'There are no rules to count.' : 'This node does not count what the rules come to.'));
    fill(this.coverage, h('table', {}, tableHead(['Rule', 'Part', 'True', 'False', 'Failed', ''], [2, 3, 4]),
      h('tbody', {}, rows(rules))), h('p', { class: 'muted pad' }, `${count(report.judged)} requests of users since ${moment(report.sinceMilliseconds)}; ${report.outcomesSeen} of ${report.outcomes} outcomes were seen.`));
  }

  async #readHistory() {
    const report = await this.#report('/.settings/rules/history');
    const records = listOf(report?.records);
    fill(this.history, records.length === 0 ? h('p', { class: 'notice' }, 'No rules were ever published.') : records.slice(0, 12).map((record) => h('div', { class: 'row record' },
      h('div', { class: 'grow' }, h('code', {}, record.digest.slice(0, 8)), ' ', record.isCurrent && h('span', { class: 'tag good' }, 'current'), h('div', { class: 'muted' }, `${moment(record.acceptedMilliseconds)} at ${record.node || 'a node that is gone'}`)),
      button('Load', { hint: 'Show this document in the editor', onclick: () => this.editor.edit(record.source) }))));
  }

  #showNotice(error) {
    this.notice.hidden = error === null;
    this.content.hidden = error !== null;
    if (!error) return;
    this.summary.textContent = '';
    const isRefused = error.status === 401 || error.status === 403;
    fill(this.notice, h('div', { class: 'card notice' }, h('h2', {}, isRefused ? 'The rules are for administrators' : 'The rules cannot be read'), h('p', {}, isRefused ? forAdministrators() : sentences(error)),
      !hasToken() && h('div', { class: 'actions' }, button('Sign in', { kind: 'main', onclick: () => window.dispatchEvent(new Event('hearth-sign-in')) }))));
  }
}

/** The lines of a verdict; none if the operation is allowed. */
function verdict(lines) {
  if (lines.length === 0) return h('p', {}, h('span', { class: 'tag good' }, 'allowed'));
  const [first, ...rest] = lines;
  return [h('p', {}, h('span', { class: 'tag bad' }, 'denied'), ' ', h('bdi', {}, visible(first))), rest.map((line) => {
    const [head, ...parts] = line.split(/: (.*)/s);
    return h('div', {}, h('strong', {}, h('bdi', {}, visible(head))), h('ul', { class: 'said' }, parts.join('').split('; ').filter(Boolean).map((part) => h('li', { class: 'mono' }, h('bdi', {}, visible(part))))));
  })];
}

/** The rows of the coverage: each rule with its parts, of which those stand out that were never true or never false. */
function rows(rules) {
  return rules.flatMap((rule) => listOf(rule.parts).map((part, index) => h('tr', { class: part.gap ? 'gap' : '' },
    h('th', { scope: 'row' }, index === 0 ? `${rule.kind} of ${visible(rule.location)}, line ${rule.line}` : ''), h('td', { class: 'mono wrap-anywhere' }, h('bdi', {}, visible(part.text))),
    [part.true, part.false, part.error].map((number) => h('td', { class: 'number' }, count(number ?? 0))), h('td', {}, part.gap ? h('span', { class: 'tag warn' }, part.gap) : null))));
}
