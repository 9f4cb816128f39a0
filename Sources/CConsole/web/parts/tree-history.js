// Trees of values that change: a tree is a Map of its children, or a primitive.

const interval = 32;

/** A tree from exported JSON; null for nothing. */
export function treeOf(json) {
  if (json === null || typeof json !== 'object') return json;
  return new Map(Object.entries(json).map(([key, value]) => [key, treeOf(value)]));
}

/** The keys of a path. */
export const keysOf = (path) => path.split('/').filter((key) => key !== '');

/** The part of a tree at a path; null if there is nothing. */
export function part(tree, path) {
  let here = tree;
  for (const key of keysOf(path)) {
    if (!(here instanceof Map)) return null;
    here = here.get(key) ?? null;
  }
  return here;
}

/** A copy of a tree with another value at a path; an object without children is nothing. */
export function changed(tree, keys, value) {
  if (keys.length === 0) return value;
  const [key, ...rest] = keys;
  let copy = new Map();
  if (tree instanceof Map) copy = new Map(tree);
  else if (tree !== null && key === '.priority') copy.set('.value', tree);
  if (!key.startsWith('.')) copy.delete('.value');
  const child = changed(copy.get(key) ?? null, rest, value);
  if (child === null) copy.delete(key);
  else copy.set(key, child);
  if (copy.size === 0) return null;
  if (copy.size === 1 && copy.has('.value')) return copy.get('.value');
  return copy.size === 1 && copy.has('.priority') ? null : copy;
}

/** The position of the last element that is at most a value; -1 before the first. */
export function lastAtMost(list, value, of = (element) => element) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle]) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The versions of one tree, from its changes: an event, a node, and pairs of a path and a value. */
export class TreeHistory {
  #entries;
  #kept = [null];

  constructor(entries) { this.#entries = entries; }

  /** The tree after an event. */
  at(event) {
    const count = lastAtMost(this.#entries, event, ([at]) => at) + 1;
    const block = Math.floor(count / interval);
    for (let next = this.#kept.length; next <= block; next += 1) {
      this.#kept.push(this.#apply(this.#kept[next - 1], (next - 1) * interval, next * interval));
    }
    return this.#apply(this.#kept[block], block * interval, count);
  }

  #apply(tree, from, to) {
    for (const [, , changes] of this.#entries.slice(from, to)) {
      for (const [path, value] of changes) tree = changed(tree, keysOf(path), treeOf(value));
    }
    return tree;
  }
}

/** A value in a few words. */
export function summary(tree) {
  if (tree === null || tree === undefined) return 'nothing';
  if (!(tree instanceof Map)) return JSON.stringify(tree);
  if (tree.has('.value')) return `${JSON.stringify(tree.get('.value'))}, priority ${JSON.stringify(tree.get('.priority'))}`;
  const size = tree.has('.priority') ? tree.size - 1 : tree.size;
  return `${size} ${size === 1 ? 'child' : 'children'}`;
}

/** Whether two trees are equal. */
export function isSame(one, other) {
  if (one === other) return true;
  if (!(one instanceof Map) || !(other instanceof Map) || one.size !== other.size) return false;
  for (const [key, value] of one) if (!isSame(value, other.get(key) ?? null)) return false;
  return true;
}

/** Whether a value has children of its own. */
const isObject = (tree) => tree instanceof Map && !tree.has('.value');

/** The paths at which trees differ, outermost first, at most so many. */
export function differingPaths(trees, limit = 200) {
  const paths = [];
  const compare = (values, path) => {
    if (paths.length >= limit || values.every((value) => isSame(value, values[0]))) return;
    if (!values.every((value) => isObject(value) || value === null) || values.every((value) => value === null)) return void paths.push(path || '/');
    const keys = new Set(values.flatMap((value) => (value ? [...value.keys()] : [])));
    if (values.some((value) => value === null) && keys.size > 40) return void paths.push(path || '/');
    for (const key of [...keys].sort()) compare(values.map((value) => value?.get(key) ?? null), `${path}/${key}`);
  };
  compare(trees, '');
  return paths;
}

/** The rows of trees side by side: each key with its level, path and values, children below their parents. */
export function rowsOf(trees, limit = 400) {
  const rows = [];
  const add = (values, path, level) => {
    const keys = new Set(values.flatMap((value) => (isObject(value) ? [...value.keys()] : [])));
    for (const key of [...keys].sort()) {
      if (rows.length >= limit) return;
      const children = values.map((value) => (value instanceof Map ? value.get(key) ?? null : null));
      rows.push({ key, path: `${path}/${key}`, level, values: children });
      add(children, `${path}/${key}`, level + 1);
    }
  };
  add(trees, '', 0);
  return rows;
}
