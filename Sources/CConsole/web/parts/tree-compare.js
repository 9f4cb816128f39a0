// The trees of all nodes side by side at a moment of a run, beside what their operations give.

import { fill, h, tableBox, tableHead } from '../base/dom.js';
import { visible } from '../base/format.js';
import { changed, differingPaths, isSame, keysOf, part, rowsOf, summary } from './tree-history.js';

/** A table of trees. `show` draws it for an event; `onpath` is called with the path that was chosen. */
export function treeCompare(run, { onpath }) {
  const body = tableBox('Trees of the nodes', 'trees');
  const mode = h('select', { 'aria-label': 'Rows', onchange: () => show(shownEvent) }, h('option', { value: 'differences' }, 'Differences'), h('option', { value: 'all' }, 'Whole trees'));
  let shownEvent = 0;

  function show(event) {
    shownEvent = event;
    const moment = momentOf(run, event);
    const rows = mode.value === 'all' ? rowsOf([...moment.shown, ...moment.expected]) : differenceRows(moment);
    fill(body, rows.length > 0 ? table(run, moment, rows, onpath) : empty(moment, mode.value));
  }

  return { element: body, mode, show };
}

/** What nodes show at an event, and what their operations give. */
export function momentOf(run, event) {
  const states = run.nodes.map((_, node) => run.state(node, event));
  const shown = run.nodes.map((_, node) => run.tree(node, event));
  const expected = run.nodes.map((_, node) => run.differences(node, event).reduce((tree, [path, value]) => changed(tree, keysOf(path), value), shown[node]));
  return { states, shown, expected };
}

/** The paths at which nodes that run, or their operations, give different values. */
export function differencesOf({ states, shown, expected }) {
  const isUp = (_, node) => states[node] !== 'down';
  return differingPaths([...shown.filter(isUp), ...expected.filter(isUp)]);
}

function differenceRows(moment) {
  return differencesOf(moment).map((path) => ({ key: path, path, level: 0, values: [...moment.shown, ...moment.expected].map((tree) => part(tree, path)) }));
}

function empty({ states, shown }, mode) {
  const up = states.filter((state) => state !== 'down').length;
  if (mode === 'all' || shown.every((tree) => tree === null)) return h('p', { class: 'notice' }, 'All trees are empty at this moment.');
  return h('p', { class: 'notice' }, `${up} running nodes show the same tree, and it is what their operations give.`);
}

function table(run, { states }, rows, onpath) {
  return h('table', {}, tableHead(['Location',
    ...run.nodes.map((name, node) => [name, states[node] !== 'up' && h('span', { class: 'tag bad' }, states[node])])]),
  h('tbody', {}, rows.map((row) => line(run, row, onpath))));
}

function line(run, { key, path, level, values }, onpath) {
  const count = run.nodes.length;
  const shown = values.slice(0, count);
  const isEqual = shown.every((value) => isSame(value, shown[0]));
  const name = h('button', { type: 'button', class: 'link mono', onclick: () => onpath(path) }, h('bdi', {}, visible(key)));
  name.style.paddingLeft = `${level * 14}px`;
  return h('tr', { class: isEqual ? '' : 'differs' }, h('th', { scope: 'row' }, name),
    shown.map((value, node) => h('td', {}, cell(value), isSame(value, values[count + node]) ? null
      : h('div', { class: 'expected' }, 'its operations give ', h('bdi', {}, visible(summary(values[count + node])))))));
}

function cell(value) {
  const kind = value === null ? 'is-empty' : typeof value === 'string' ? 'is-string' : typeof value === 'number' ? 'is-number' : typeof value === 'boolean' ? 'is-boolean' : 'is-object';
  return h('code', { class: `value ${kind}`, title: visible(summary(value)).slice(0, 400) }, h('bdi', {}, visible(summary(value)).slice(0, 120)));
}
