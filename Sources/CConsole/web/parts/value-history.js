// Why a location has its value: the writes that a node's log still holds, the newest first.

import { button, fill, h } from '../base/dom.js';
import { author, moment, visible } from '../base/format.js';
import { feed } from '../base/session.js';

/** Fills a section with the answer. */
export async function valueHistory(section, path) {
  const head = h('header', {}, h('h3', { class: 'grow' }, 'Why it has this value'), button('Ask again', { kind: 'quiet', onclick: () => valueHistory(section, path) }));
  fill(section, head, h('p', { class: 'muted' }, 'Reading the log of the node …'));
  const answer = await feed.ask({ t: 'why', path });
  if (answer.t !== 'why') return fill(section, head, h('p', { class: 'error' }, `${answer.problem}; ${answer.fix}`));
  fill(section, head, ...describe(answer.report));
}

function list(value) {
  return Array.isArray(value) ? value : value ? Object.values(value) : [];
}

function describe(report) {
  const writes = list(report.operations).reverse();
  if (writes.length === 0) {
    return [h('p', { class: 'muted' }, `The log of ${report.node} holds no write of this location any more: only a new write can change its value.`), registers(report)];
  }
  const newest = writes[0];
  const isStable = newest.time <= report.stableMilliseconds;
  return [
    h('p', {}, h('span', { class: `tag ${isStable ? 'good' : 'warn'}` }, isStable ? 'Stable' : 'Not stable yet'), ' ',
      h('span', { class: 'muted' }, isStable ? 'All earlier writes have arrived: none can change it any more.' : 'An earlier write of a node that is away could still arrive.')),
    h('div', { class: 'writes' }, writes.slice(0, 20).map((write, index) => entry(write, index === 0))),
    writes.length > 20 && h('p', { class: 'muted' }, `${writes.length - 20} older writes are left out.`),
    registers(report),
  ];
}

/** The stamps that the node remembers on the way to the location. */
function registers(report) {
  const all = list(report.registers);
  if (all.length === 0) return h('p', { class: 'muted' }, `${report.node} remembers no stamp here: no late write can change the value.`);
  return h('div', {}, h('h3', {}, 'Stamps that decide over late writes'), h('dl', { class: 'facts' }, all.map(({ path, name, stamp }) => [h('dt', { class: 'mono' }, h('bdi', {}, visible(path || '/'))), h('dd', {}, `${name} `, h('code', {}, stamp))])));
}

function entry(write, isNewest) {
  const rules = write.rules ? `, permitted by rules ${write.rules.slice(0, 8)}` : '';
  return h('div', { class: isNewest ? 'won' : '' },
    list(write.writes).map((part) => h('code', {}, h('bdi', {}, visible(part.kind === 'nothing' ? 'removed' : part.text)))),
    h('span', {}, `${moment(write.time)} at ${write.node ?? `the closed incarnation ${write.origin}`}`),
    h('small', {}, `${isNewest ? 'Newest write' : 'Overwritten'}, by ${author(write)}${rules}; stamp ${write.time}/${write.counter ?? 0}@${write.writer}`));
}
