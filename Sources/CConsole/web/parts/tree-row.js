// One row of a tree, whose element shows different values as the tree scrolls.

import { h, icon } from '../base/dom.js';
import { visible } from '../base/format.js';
import { note, summary } from './row-text.js';

/** Makes an element without content. */
export const makeRow = () => h('div', { class: 'tree-row', role: 'treeitem' },
  h('span', { class: 'twist' }, icon('open')), h('bdi', { class: 'key' }), h('bdi', { class: 'value' }), h('span', { class: 'extra' }));

/** Shows the row at a rank of a branch; `row` is undefined while it is on its way. Nothing is done for a row that is shown already. */
export function drawRow(element, { branch, rank, row, isChosen, columns }) {
  const kind = row ? row[1] : branch.refusal ? 'refused' : branch.at && branch.total === 0 ? 'empty' : 'waiting';
  const isOpen = Boolean(row && branch.child(row[0]));
  const shown = [branch, rank, row, kind, branch.refusal, isOpen, isChosen, branch.total, columns?.version];
  if (element.shown?.every((part, index) => part === shown[index])) return;
  element.shown = shown;
  const [, key, value, extra] = element.children;
  element.className = `tree-row is-${kind}${isOpen ? ' is-open' : ''}${isChosen ? ' is-chosen' : ''}`;
  element.style.setProperty('--level', branch.level - 1);
  set(key, row ? visible(row[0]) : '');
  if (columns) {
    columns.draw(value, row);
  } else {
    set(value, row ? summary(row) : branch.refusal?.problem ?? (kind === 'empty' ? 'No children' : ''));
    set(extra, row ? note(row) : '');
  }
  element.setAttribute('aria-level', branch.level);
  element.setAttribute('aria-setsize', branch.total);
  element.setAttribute('aria-posinset', rank + 1);
  element.setAttribute('aria-selected', isChosen);
  if (kind === 'object') element.setAttribute('aria-expanded', isOpen);
  else element.removeAttribute('aria-expanded');
}

/** Lets the colour of a change fade. */
export function flashRow(element, flash, now) {
  if (element.flash && element.flash !== flash) { element.animation?.cancel(); element.flash = null; }
  if (!flash || flash.until < now || element.flash === flash) return;
  element.flash = flash;
  const colour = getComputedStyle(element).getPropertyValue(`--${flash.kind}`);
  element.animation = element.animate(
    [{ backgroundColor: colour }, { backgroundColor: colour, offset: 0.3 }, { backgroundColor: 'transparent' }],
    { duration: Math.max(1, flash.until - now), easing: 'ease-out' });
}

function set(element, text) { if (element.textContent !== text) element.textContent = text; }
