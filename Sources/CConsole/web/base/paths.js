// Locations: lists of keys, and their texts.

/** The keys of a path. */
export const keysOf = (path) => path.split('/').filter((key) => key !== '');

/** The path of keys. */
export const pathOf = (keys) => `/${keys.join('/')}`;

/** The path of a child. */
export const childOf = (path, key) => (path === '/' ? `/${key}` : `${path}/${key}`);

/** The path of the parent; null for the root. */
export function parentOf(path) {
  if (path === '/') return null;
  return pathOf(keysOf(path).slice(0, -1));
}

/** The last key; empty for the root. */
export const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1);

/** A path in the address of a page or of data. */
export const encoded = (path) => `/${keysOf(path).map(encodeURIComponent).join('/')}`;

/** The database that the address of the page names; null for the default one. */
export const database = typeof location === 'undefined' ? null : new URLSearchParams(location.search).get('ns');

/** An address with the database behind it. */
export const inDatabase = (address, name = database) => (name ? `${address}?ns=${encodeURIComponent(name)}` : address);

/** The address of the data at a path, with parameters. */
export function dataAddress(path, parameters = {}) {
  const query = new URLSearchParams(database ? { ns: database, ...parameters } : parameters).toString();
  return `${path === '/' ? '/' : encoded(path)}.json${query && `?${query}`}`;
}

/** The path that the address of a page names. */
export function decoded(pathname) {
  try {
    return pathOf(keysOf(pathname).map(decodeURIComponent));
  } catch {
    return '/';
  }
}

/** What is wrong with a key; null if nothing is. */
export function keyProblem(key) {
  if (key === '') return 'A key has at least one character.';
  if (/[.#$[\]/\u0000-\u001f\u007f]/.test(key)) return 'A key has none of . # $ [ ] / and no control characters.';
  if (new TextEncoder().encode(key).length > 768) return 'A key has at most 768 bytes.';
  return null;
}
