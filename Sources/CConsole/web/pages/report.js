// The report of a run: a page that opens from disk.

import { button, card, copy, fill, h, tableBox } from '../base/dom.js';
import { visible } from '../base/format.js';
import { eventDetails, eventTable } from '../parts/event-details.js';
import { firstDifference, RunRecord } from '../parts/run-record.js';
import { runPlots } from '../parts/run-plots.js';
import { clock } from '../parts/run-text.js';
import { runWhy } from '../parts/run-why.js';
import { differencesOf, momentOf, treeCompare } from '../parts/tree-compare.js';
import '../parts/space-time.js';

const kinds = { durability: 'An acknowledged write is missing', safety: 'Something wrong was shown or done', liveness: 'The cluster did not come to rest' };

/** Reads the records of the page. */
function records() {
  return [...document.querySelectorAll('script.record')].map((element) => JSON.parse(element.textContent));
}

/** The steps that led to the failure; the first wrong one is marked. */
function course(run, onevent) {
  return run.steps?.length > 0 && h('ol', { class: 'course', 'aria-label': 'Steps' }, run.steps.map(([event, text, isWrong]) => h('li', { class: isWrong ? 'failed' : '' },
    h('button', { type: 'button', class: 'link mono', onclick: () => onevent(event) }, clock(run.times[event] ?? 0)), h('bdi', {}, visible(text)))));
}

function headline(run, onevent) {
  return h('section', { class: `card finding-card ${run.failure ? 'bad' : 'good'}` },
    h('div', { class: 'body stack tight' },
      h('div', { class: 'row wrap' }, h('h1', { class: 'grow' }, visible(run.title), h('small', {}, ` seed ${run.seed}`)), h('span', { class: `tag ${run.failure ? 'bad' : 'good'}` }, run.failure ? `failed: ${run.failure}` : 'passed')),
      run.failure && h('p', { class: 'muted' }, `${kinds[run.failure]}.`),
      run.sentences.map((sentence) => h('p', { class: 'sentence' }, h('bdi', {}, visible(sentence)))),
      course(run, onevent),
      run.scenario?.sourceLines.length > 0 && h('p', { class: 'muted' }, `Claimed in ${run.scenario.sourceLines.map((line) => `${run.scenario.file}:${line + 1}`).join(', ')}.`),
      h('div', { class: 'command' }, h('code', {}, visible(run.command)), button('Copy', { picture: 'copy', onclick: () => copy(run.command.replace(/ {2}#.*/, ''), 'the command') }))));
}

function checkList(run) {
  const order = { invalid: 0, unknown: 1, valid: 2 };
  const list = [...run.checks].sort((a, b) => order[a[1]] - order[b[1]]);
  return tableBox('Checks', '', h('table', {}, h('tbody', {}, list.map(([name, verdict, details, witness]) => h('tr', {},
    h('td', {}, h('span', { class: `tag ${{ valid: 'good', invalid: 'bad', unknown: 'warn' }[verdict]}` }, { valid: 'holds', invalid: 'fails', unknown: 'empty' }[verdict])),
    h('th', { scope: 'row' }, name), h('td', { class: 'wrap-anywhere' }, h('bdi', {}, visible(details)), witness.length > 0 && h('pre', { class: 'witness' }, witness.map(visible).join('\n'))))))));
}

function scenarioLines(run, onevent) {
  if (!run.scenario) return null;
  const events = new Map(run.scenario.events);
  const failed = new Set(run.scenario.failed);
  return h('ol', { class: 'scenario' }, run.scenario.lines.map((line, index) => h('li', { class: failed.has(index) ? 'failed' : '' },
    events.has(index) ? h('button', { type: 'button', class: 'link mono', onclick: () => onevent(events.get(index)) }, visible(line)) : h('code', {}, visible(line)))));
}

/** The diagram with its tools, and a second one below it to compare with. */
function diagram(run, other, { onevent, oncone }) {
  const picture = h('space-time', {});
  const filter = h('input', { placeholder: 'Filter: /path, n1#4, heartbeat …', 'aria-label': 'Filter events', spellcheck: false });
  const beats = h('input', { type: 'checkbox', onchange: () => { picture.showsBeats = beats.checked; if (second) second.showsBeats = beats.checked; picture.draw(); second?.draw(); } });
  const lanes = h('div', { class: 'lanes', role: 'group', 'aria-label': 'Lanes' }, run.lanes.map((name, lane) => h('button', {
    type: 'button', class: 'lane', 'aria-pressed': 'true',
    onclick: (event) => { picture.toggle(lane); event.target.setAttribute('aria-pressed', String(!picture.hidden_lanes.has(lane))); },
  }, name)));
  const cone = button('Causes and effects', { hint: 'Dim what neither led to the chosen event nor follows from it (C)', onclick: oncone });
  const second = other && h('space-time', {});
  const parting = other && firstDifference(run, other);
  picture.addEventListener('chosen', (event) => onevent(event.detail));
  picture.addEventListener('cone', oncone);
  if (second) {
    picture.addEventListener('ranged', (event) => { if (second.range[0] !== event.detail[0] || second.range[1] !== event.detail[1]) second.range = event.detail; });
  }
  const element = card('Space and time', [
    picture, lanes,
    other && h('div', { class: 'other' }, h('div', { class: 'row wrap pad' }, h('h3', { class: 'grow' }, `Compared with ${other.command}`),
      parting === null ? h('span', { class: 'muted' }, 'Both runs are equal.')
        : button(`First difference at ${clock(run.times[Math.min(parting, run.count - 1)])}`, { onclick: () => { const event = Math.min(parting, run.count - 1); picture.show(event); picture.choose(event); second.event = Math.min(parting, other.count - 1); } })),
    second,
    parting !== null && h('dl', { class: 'facts pad' }, h('dt', {}, 'This run'), h('dd', { class: 'mono' }, h('bdi', {}, visible(parting < run.count ? run.line(parting) : 'has ended').slice(0, 300))),
      h('dt', {}, 'The other'), h('dd', { class: 'mono' }, h('bdi', {}, visible(parting < other.count ? other.line(parting) : 'has ended').slice(0, 300))))),
  ], [filter, h('label', { class: 'row' }, beats, 'Heartbeats'), cone,
    button('Next finding', { hint: 'N', onclick: () => picture.stepFinding(1) }), button('Whole run', { hint: 'F', onclick: () => picture.fit() })]);
  return { element, picture, second, filter, cone };
}

/** Shows a run, beside another one if there are two. */
function show(run, other) {
  let [event, hasCone] = [0, false];
  let matches = null;
  const isShown = (at) => (!matches || matches[at]) && (parts.picture.showsBeats || !run.isBeat(at));
  const slider = h('input', { type: 'range', min: 0, max: Math.max(0, run.count - 1), value: 0, 'aria-label': 'Moment of the run', oninput: () => choose(Number(slider.value)) });
  const time = h('output', { class: 'mono' });
  const details = eventDetails(run, { onevent: (next) => parts.picture.choose(next) });
  const table = eventTable(run, { onevent: (next) => parts.picture.choose(next), isShown: (at) => isShown(at) });
  const why = runWhy(run, { onevent: (next) => parts.picture.choose(next) });
  const trees = treeCompare(run, { onpath: (path) => { why.show(path, event); why.element.scrollIntoView({ block: 'nearest' }); } });
  const parts = diagram(run, other, { onevent: choose, oncone: () => setCone(!hasCone) });

  function choose(next) {
    event = next;
    slider.value = next;
    time.textContent = clock(run.times[next] ?? 0);
    if (parts.picture.event !== next) parts.picture.event = next;
    if (hasCone) parts.picture.cone = run.cone(next);
    if (parts.second) parts.second.event = other.eventAt(run.times[next]);
    details.show(next);
    table.show(next);
    trees.show(next);
    why.setEvent(next);
  }

  function setCone(isWanted) {
    hasCone = isWanted;
    parts.cone.setAttribute('aria-pressed', String(isWanted));
    parts.picture.cone = isWanted ? run.cone(event) : null;
  }

  parts.filter.addEventListener('input', () => {
    const text = parts.filter.value.trim().toLowerCase();
    matches = text === '' ? null : Uint8Array.from({ length: run.count }, (_, at) => (run.line(at).toLowerCase().includes(text) ? 1 : 0));
    parts.picture.matches = matches;
    table.show(event);
  });

  /** Steps to the next moment at which trees differ, or no longer differ. */
  function stepDifference(direction) {
    const list = run.changes;
    const differs = (at) => differencesOf(momentOf(run, at)).length > 0;
    const start = differs(event);
    let position = list.findIndex((at) => at > event);
    if (position < 0) position = list.length;
    for (let index = direction > 0 ? position : position - 1; index >= 0 && index < list.length; index += direction) {
      if (list[index] !== event && differs(list[index]) !== start) return parts.picture.choose(list[index]);
    }
  }

  const moment = h('div', { class: 'row moment' }, button('Earlier', { hint: 'To where nodes begin or cease to differ', onclick: () => stepDifference(-1) }), slider, time,
    button('Later', { hint: 'To where nodes begin or cease to differ', onclick: () => stepDifference(1) }));
  const plots = runPlots(run);
  const lead = (event) => { parts.picture.show(event); parts.picture.choose(event); };
  const wrong = run.steps?.find(([, , isWrong]) => isWrong)?.[0];
  fill(document.querySelector('main'),
    headline(run, lead),
    run.findings.length > 0 && h('div', { class: 'findings' }, run.findings.map((finding, index) => h('button', {
      type: 'button', class: 'finding-link', onclick: () => lead(finding.event),
    }, h('strong', {}, clock(run.times[finding.event] ?? 0)), h('bdi', {}, visible(finding.text).slice(0, 240)), (wrong === undefined ? index === 0 : finding.event === wrong) && h('span', { class: 'tag bad' }, wrong === undefined ? 'first' : 'first wrong step')))),
    parts.element,
    h('div', { class: 'report-pair' },
      card(run.treesAreComputed ? 'Trees by the operations of each node' : 'Trees at this moment', [moment, trees.element, run.hasAllTrees ? null : h('p', { class: 'muted pad' }, 'The trees are too large: later changes are missing.')], [trees.mode]),
      card('Chosen event', [details.element, table.element])),
    card('Why a location has its value', h('div', { class: 'body' }, why.element)),
    h('div', { class: run.scenario ? 'report-pair' : '' }, run.scenario && card('Scenario', scenarioLines(run, (next) => parts.picture.choose(next))), card('Checks', checkList(run))),
    plots.length > 0 && card('Figures', h('div', { class: 'plots' }, plots)));
  why.show(null, 0);
  parts.picture.run = run;
  if (parts.second) { parts.second.run = other; parts.second.range = parts.picture.range; }
  const first = wrong ?? run.findings[0]?.event;
  if (first === undefined) trees.mode.value = 'all';
  parts.picture.choose(first ?? run.count - 1);
  const path = findingPath(run);
  if (path) why.show(path, event);
  // The keys of the diagram work until another element has the focus.
  document.addEventListener('keydown', (event) => {
    if (event.target === document.body) parts.picture.press(event);
  });
}

/** The first location that the sentences name and that some operation wrote; null if they name none. */
function findingPath(run) {
  const written = new Set(run.operations.flatMap((operation) => operation[4].map(([path]) => path)));
  const words = run.sentences.join(' ').match(/\/[^\s:;,]+/g) ?? [];
  return words.find((word) => written.has(word)) ?? words.find((word) => [...written].some((path) => path.startsWith(`${word}/`) || word.startsWith(`${path}/`))) ?? null;
}

document.body.append(h('main', { class: 'report' }));
const [first, second] = records();
show(new RunRecord(first), second && new RunRecord(second));
