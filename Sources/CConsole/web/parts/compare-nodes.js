// One location at every node of the cluster, with what differs marked.

import { button, fill, h } from '../base/dom.js';
import { read } from '../base/data.js';
import { things, visible } from '../base/format.js';
import { feed } from '../base/session.js';

const childLimit = 2000;
const textLimit = 1 << 16;
const shownLimit = 200;

/** Fills a section with the location as each node shows it: a value, or the keys of an object. */
export async function compareNodes(section, path, row, isUpdate = false) {
  const about = feed.about.value;
  const nodes = (about?.nodes ?? []).filter((node) => node.address || node.name === about.node);
  section.hidden = nodes.length < 2;
  if (section.hidden) return;
  const isObject = row?.[1] === 'object';
  const again = button('Compare', { kind: 'quiet', onclick: () => compareNodes(section, path, row) });
  const head = h('header', {}, h('h3', { class: 'grow' }, 'At every node'), again);
  if (isObject && row[3] > childLimit) {
    return fill(section, head, h('p', { class: 'muted' }, `With more than ${things(childLimit, 'child', 'children')}, choose one of them to compare it.`));
  }
  const turn = (section.turn ?? 0) + 1;
  section.turn = turn;
  if (!isUpdate) fill(section, head, h('p', { class: 'muted' }, 'Asking the nodes …'));
  const answers = await Promise.all(nodes.map((node) => ask(node, path, isObject)));
  if (section.turn !== turn) return;
  const known = answers.filter((answer) => !answer.problem);
  const most = commonest(known.map((answer) => answer.all));
  const lines = answers.map((answer) => {
    const kind = answer.problem ? 'warn' : answer.all === most ? 'good' : 'bad';
    return h('div', { class: kind === 'bad' ? 'differs' : '' }, h('span', { class: `dot ${kind}` }), h('span', {}, answer.name),
      h('code', { title: answer.text ?? '' }, h('bdi', {}, answer.problem ?? answer.text)));
  });
  const isEqual = known.every((answer) => answer.all === most);
  fill(section, head, h('div', { class: 'nodes-list' }, lines),
    h('p', { class: isEqual ? 'muted' : 'error' }, verdict(known.length, nodes.length, isEqual, isObject)));
}

function verdict(known, all, isEqual, isObject) {
  if (known < 2) return 'Only one node answers.';
  if (!isEqual) return 'The nodes differ: changes are on their way, or a link is cut.';
  const who = known === all ? 'All' : `The ${known} that answer`;
  return isObject ? `${who} have the same children. Choose one to compare its value.` : `${who} show the same.`;
}

function commonest(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0];
}

async function ask({ name, address }, path, isObject) {
  const origin = name === feed.about.value?.node ? '' : address;
  try {
    const { text } = await within(3000, read(path, { origin, limit: textLimit, parameters: isObject ? { shallow: 'true' } : {} }));
    const value = isObject ? JSON.parse(text) : null;
    const isList = value !== null && typeof value === 'object';
    return { name, all: text, text: isList ? things(Object.keys(value).length, 'child', 'children') : visible(text.slice(0, shownLimit)) };
  } catch (error) {
    return { name, problem: error.status ? error.message : 'does not answer here' };
  }
}

function within(milliseconds, promise) {
  return Promise.race([promise, new Promise((_, reject) => { setTimeout(() => reject(new Error('no answer')), milliseconds); })]);
}
