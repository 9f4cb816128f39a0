// What keys do in a tree, as in a file manager.

import { parentOf } from '../base/paths.js';

/**
 * The action of a key: `choose` an index, `toggle` an index, `activate` the chosen row, or `emit` an event; null for other keys.
 * `at` is the index of the chosen row, or -1.
 */
export function keyAction(key, root, at, page) {
  const moves = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), PageDown: at + page, PageUp: at - page, Home: 0, End: Infinity };
  if (key in moves) return { choose: moves[key] };
  if (key === 'ArrowRight') return goRight(root, at);
  if (key === 'ArrowLeft') return goLeft(root, at);
  if (key === 'Enter') return { activate: true };
  if (key === 'Delete') return { emit: 'remove' };
  if (key === 'Backspace') return { emit: 'leave' };
  return /^[/cjuan]$/.test(key) ? { emit: 'command', detail: { letter: key } } : null;
}

/** Opens a row, or goes to its first child. */
function goRight(root, at) {
  if (at < 0) return { choose: 0 };
  const { branch, rank } = root.locate(at);
  const row = branch.row(rank);
  if (row?.[1] !== 'object') return {};
  return branch.child(row[0]) ? { choose: at + 1 } : { toggle: at };
}

/** Closes a row, or goes to its parent. */
function goLeft(root, at) {
  if (at < 0) return {};
  const { branch, rank } = root.locate(at);
  const row = branch.row(rank);
  if (row && branch.child(row[0])) return { toggle: at };
  const parent = [...root.all()].find((other) => other.path === parentOf(branch.path));
  return parent && branch !== root ? { choose: root.indexOf(parent, branch.rank) } : {};
}
