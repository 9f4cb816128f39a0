// The rows of a tree, most of which the page never has: each open location knows how many children it has, and some of them.

import { childOf } from '../base/paths.js';

/** The most rows that a node sends for one location, and for one in a table. */
export const windowLimit = 256;
export const tableLimit = 100;

/** An open location: a window on its children, and the open ones among them. */
export class Branch {
  /** The number of the window at the feed. */
  id = 0;
  /** How many children there are; 0 before the first answer. */
  total = 0;
  /** The rank of the first row that is known, and these rows: `[key, kind, text, count, priority]`. */
  from = 0;
  rows = [];
  /** The location itself, as a row; null before the first answer. */
  at = null;
  /** Why the location cannot be shown: `{code, problem, fix}`. */
  refusal = null;
  /** The open children, in the order of their ranks. */
  open = [];
  /** The window that was asked for last. */
  wanted = { from: 0, count: 0 };

  constructor(path, level, rank = 0, key = '') {
    Object.assign(this, { path, level, rank, key });
  }

  /** The row of a rank; undefined while it is not known. */
  row(rank) { return this.rows[rank - this.from]; }

  /** How many rows it has itself: a location without children has one that says so. */
  get ownSize() { return Math.max(1, this.total); }

  /** How many rows it has with all that is open below it. */
  get size() { return this.open.reduce((sum, child) => sum + child.size, this.ownSize); }

  /** The open child with a key. */
  child(key) { return this.open.find((child) => child.key === key); }

  /** Opens a child; returns it. */
  add(key, rank) {
    const child = new Branch(childOf(this.path, key), this.level + 1, rank, key);
    this.open.push(child);
    this.#sort();
    return child;
  }

  /** Closes a child. */
  remove(child) { this.open = this.open.filter((other) => other !== child); }

  #sort() { this.open.sort((one, other) => one.rank - other.rank); }

  /**
   * Applies a message of the feed.
   *
   * Returns the keys that are new, changed and gone, and the open children that are gone.
   */
  apply(message) {
    if (message.t === 'refused') {
      const closed = this.open;
      Object.assign(this, { refusal: message, rows: [], total: 0, at: null, open: [] });
      return { added: [], changed: [], removed: [], closed };
    }
    const before = message.first ? [] : this.rows;
    const hadRows = !message.first && this.at !== null;
    const oldRange = { from: this.from, to: this.from + this.rows.length };
    const oldKeys = new Set(hadRows ? this.rows.map((row) => row[0]) : []);
    const rows = message.rows.map((row) => (typeof row === 'number' ? before[row] : row));
    const fresh = message.rows.filter((row) => typeof row !== 'number').map((row) => row[0]);
    const isSamePart = hadRows && message.from === this.from;
    const hasGrown = message.total !== this.total;
    Object.assign(this, { rows, from: message.from, total: message.total, at: message.at, refusal: null });
    const keys = new Set(rows.map((row) => row[0]));
    const removed = isSamePart && hasGrown ? [...oldKeys].filter((key) => !keys.has(key)) : [];
    return {
      // Rows that come into view because the window has moved are not new.
      added: isSamePart && hasGrown ? fresh.filter((key) => !oldKeys.has(key)) : [],
      changed: fresh.filter((key) => oldKeys.has(key)),
      removed,
      closed: this.#place(oldRange),
    };
  }

  /** Finds the open children among the rows; those that are no longer there are closed. */
  #place() {
    const closed = [];
    const ranks = new Map(this.rows.map((row, index) => [row[0], index]));
    for (const child of this.open) {
      const index = ranks.get(child.key);
      if (index !== undefined) {
        child.rank = this.from + index;
        if (this.rows[index][1] !== 'object') closed.push(child);
      } else if (child.rank >= this.from && child.rank < this.from + this.rows.length || child.rank >= this.total) {
        closed.push(child);
      }
    }
    for (const child of closed) this.remove(child);
    this.#sort();
    return closed;
  }

  /** The branch and the rank of a row of the tree. */
  locate(index) {
    let below = 0;
    for (const child of this.open) {
      const row = child.rank + below;
      if (index <= row) break;
      const size = child.size;
      if (index <= row + size) return child.locate(index - row - 1);
      below += size;
    }
    return { branch: this, rank: index - below };
  }

  /** The row of the tree that a child of a branch has; null for a branch that is not open. */
  indexOf(branch, rank) {
    let below = 0;
    for (const child of this.open) {
      if (branch === this && child.rank >= rank) break;
      if (branch !== this) {
        const inner = child.indexOf(branch, rank);
        if (inner !== null) return child.rank + below + 1 + inner;
      }
      below += child.size;
    }
    return branch === this ? rank + below : null;
  }

  /** This branch and all that are open below it. */
  * all() {
    yield this;
    for (const child of this.open) yield* child.all();
  }

  /** The window that shows the ranks of a view; null if the one that was asked for does. */
  windowFor(first, last, limit = windowLimit) {
    const { from, count } = this.wanted;
    const margin = 20;
    const showsStart = from === 0 || first >= from + margin / 2;
    const showsEnd = last < from + count - margin / 2 || (this.at !== null && from + count >= this.total);
    if (count > 0 && first >= from && showsStart && showsEnd) return null;
    const length = Math.min(limit, last - first + 1 + 4 * margin);
    const before = Math.min(2 * margin, Math.floor((length - (last - first + 1)) / 2));
    return { from: Math.max(0, first - before), count: length };
  }
}
