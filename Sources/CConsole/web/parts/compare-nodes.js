// One location at every node of the cluster, with what differs marked.

import { button, fill, h } from '../base/dom.js';
import { read, readTag } from '../base/data.js';
import { things, visible } from '../base/format.js';
import { feed } from '../base/session.js';

const childLimit = 10_000;
const shownLimit = 200;

/** Fills a section with the location as each node shows it. */
export async function compareNodes(section, path, row, isUpdate = false) {
  const nodes = feed.about.value?.nodes ?? [];
  section.hidden = nodes.length < 2;
  if (section.hidden) return;
  const again = button('Compare', { kind: 'quiet', onclick: () => compareNodes(section, path, row) });
  const list = h('div', { class: 'nodes-list' });
  const head = h('header', {}, h('h3', { class: 'grow' }, 'At every node'), again);
  if (row?.[1] === 'object' && row[3] > childLimit) {
    return fill(section, head, h('p', { class: 'muted' }, `With more than ${things(childLimit, 'child', 'children')}, open one of them to compare.`));
  }
  const turn = (section.turn ?? 0) + 1;
  section.turn = turn;
  if (!isUpdate) fill(section, head, h('p', { class: 'muted' }, 'Asking the nodes …'));
  const answers = await Promise.all(nodes.map((node) => ask(node, path, row)));
  if (section.turn !== turn) return;
  const known = answers.filter((answer) => !answer.problem);
  const most = commonest(known.map((answer) => answer.tag));
  for (const answer of answers) {
    const kind = answer.problem ? 'warn' : answer.tag === most ? 'good' : 'bad';
    list.append(h('div', { class: kind === 'bad' ? 'differs' : '' }, h('span', { class: `dot ${kind}` }), h('span', {}, answer.name),
      h('code', { title: answer.text }, h('bdi', {}, answer.problem ?? answer.text))));
  }
  const isEqual = known.every((answer) => answer.tag === most);
  const words = known.length < 2 ? 'Only one node answers.' : isEqual ? `${known.length === nodes.length ? 'All' : `The ${known.length} that answer`} show the same.` : 'The nodes differ: changes are on their way, or a link is cut.';
  fill(section, head, list, h('p', { class: isEqual ? 'muted' : 'error' }, words));
}

function commonest(tags) {
  const counts = new Map();
  for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0];
}

async function ask({ name, address }, path, row) {
  const origin = name === feed.about.value?.node ? '' : address;
  try {
    if (row?.[1] === 'object') {
      const tag = await within(3000, readTag(path, origin));
      return { name, tag, text: `object ${tag.slice(0, 8)}` };
    }
    const { text, tag } = await within(3000, read(path, { limit: shownLimit, origin }));
    return { name, tag, text: visible(text.slice(0, shownLimit)) };
  } catch (error) {
    return { name, problem: error.status ? error.message : 'does not answer here' };
  }
}

function within(milliseconds, promise) {
  return Promise.race([promise, new Promise((_, reject) => { setTimeout(() => reject(new Error('no answer')), milliseconds); })]);
}
