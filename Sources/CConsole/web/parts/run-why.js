// Why a location of a recorded run has its value: the operations there in the order of their stamps.

import { fill, h, tableBox, tableHead } from '../base/dom.js';
import { visible } from '../base/format.js';
import { keysOf } from './tree-history.js';
import { clock } from './run-text.js';

/** The most operations that are listed, the last ones. */
const limit = 40;

const covers = (outer, inner) => outer.every((key, index) => key === inner[index]);
const touches = (one, other) => (one.length <= other.length ? covers(one, other) : covers(other, one));
const isDeferred = (value) => value.startsWith('{".sv"') || /^(increment|server)/.test(value);

/** The operations at a path, each with the later one that covers all that it wrote there. */
export function operationsAt(run, path) {
  const keys = keysOf(path);
  const list = run.operations.map(([origin, sequence, stamp, milliseconds, writes]) => ({
    origin, sequence, stamp, milliseconds, name: `${run.origins[origin]}#${sequence}`,
    writes: writes.map(([at, value]) => ({ path: at, keys: keysOf(at), value })).filter((write) => touches(write.keys, keys)),
  })).filter((operation) => operation.writes.length > 0);
  list.forEach((operation, index) => {
    operation.winner = list.slice(index + 1).find((later) => later.stamp !== operation.stamp && operation.writes.every((write) => {
      const end = write.keys.length > keys.length ? write.keys : keys;
      return later.writes.some((other) => other.keys.length <= end.length && covers(other.keys, end) && !isDeferred(other.value));
    }));
  });
  return list;
}

/** A field for a path, and below it the operations there. */
export function runWhy(run, { onevent }) {
  const field = h('input', { class: 'mono grow', placeholder: '/path/of/a/value', 'aria-label': 'Location', spellcheck: false });
  const form = h('form', { class: 'row', onsubmit: (event) => { event.preventDefault(); show(field.value, shownEvent); } }, field, h('button', { class: 'button', type: 'submit' }, 'Explain'));
  const answer = tableBox('Operations', '');
  let [shownPath, shownEvent] = [null, 0];

  function show(path, event) {
    [shownPath, shownEvent] = [path, event];
    if (path === null) return fill(answer, h('p', { class: 'notice' }, 'Choose a location in the trees, or write one, to see who wrote there and which write decides.'));
    field.value = path;
    const all = operationsAt(run, path);
    if (all.length === 0) return fill(answer, h('p', { class: 'notice' }, 'No operation ever wrote there.'));
    const rows = all.slice(-limit).reverse();
    fill(answer, h('table', {}, tableHead(['Outcome', 'Operation', 'Write', ...run.nodes.map((name) => `At ${name}`)]),
      h('tbody', {}, rows.map((operation) => row(run, operation, event, onevent)))),
    all.length > limit && h('p', { class: 'muted pad' }, `${all.length - limit} older operations are left out.`));
  }

  return { element: h('div', { class: 'stack tight' }, form, answer), show, setEvent: (event) => { if (shownPath !== null) show(shownPath, event); } };
}

function row(run, operation, event, onevent) {
  const arrivals = run.arrivals(operation.origin, operation.sequence);
  const outcome = operation.winner ? h('span', { class: 'tag' }, `lost to ${operation.winner.name}`) : h('span', { class: 'tag good' }, 'shows');
  return h('tr', {}, h('td', {}, outcome), h('td', {}, h('code', { title: operation.stamp }, operation.name)),
    h('td', {}, operation.writes.map((write) => h('div', { class: 'mono wrap-anywhere' }, h('bdi', {}, visible(write.path || '/')), ' ', h('bdi', {}, visible(write.value).slice(0, 80))))),
    arrivals.map((time) => h('td', { class: 'number' }, time === null ? h('span', { class: 'error' }, 'never')
      : h('button', { type: 'button', class: `link ${time > run.times[event] ? 'muted' : ''}`, onclick: () => onevent(run.eventAt(time)) }, clock(time)))));
}
