// The import of a file: what it would change, then the file in pieces, which go on after a failure.

import { dialog, h, toast } from '../base/dom.js';
import { merge, read, Refusal, writeIf } from '../base/data.js';
import { bytes, count, things, visible } from '../base/format.js';
import { childOf, keyProblem } from '../base/paths.js';

/** The size of a piece in characters of JSON. */
const pieceLimit = 1 << 20;
/** How many children the preview names. */
const namedLimit = 12;

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** The first key of a value that no child can have, with the reason; null if there is none. */
export function wrongKey(value) {
  if (value === null || typeof value !== 'object') return null;
  for (const [key, child] of Object.entries(value)) {
    const problem = ['.priority', '.value', '.sv'].includes(key) ? null : keyProblem(key);
    if (problem) return { key, problem };
    const below = wrongKey(child);
    if (below) return below;
  }
  return null;
}

/**
 * The members of an object in JSON, which has been parsed before: the text of each value by its key. In the texts, numbers keep
 * all their digits, and `__proto__` is a key like any other.
 */
export function membersOf(text) {
  const members = new Map();
  let [depth, key, start] = [0, null, 0];
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index];
    if (sign === '"') {
      const first = index;
      for (index += 1; text[index] !== '"'; index += 1) if (text[index] === '\\') index += 1;
      if (depth === 1 && key === null) key = JSON.parse(text.slice(first, index + 1));
    } else if (sign === '{' || sign === '[') {
      depth += 1;
    } else if (sign === ':') {
      if (depth === 1) start = index + 1;
    } else if (sign === ',' || sign === '}' || sign === ']') {
      if (depth === 1 && key !== null) {
        members.set(key, text.slice(start, index).trim());
        key = null;
      }
      if (sign !== ',') depth -= 1;
    }
  }
  return members;
}

/**
 * Cuts the text of an object into writes of several children, each of about one megabyte. A child that is larger is removed first
 * and then written in pieces of its own.
 */
export function piecesOf(path, text, limit = pieceLimit) {
  const pieces = [];
  let [piece, size] = [[], 0];
  const close = () => {
    if (size > 0) pieces.push({ path, text: `{${piece.join(',')}}` });
    [piece, size] = [[], 0];
  };
  for (const [key, child] of membersOf(text)) {
    const below = child.length + key.length > limit && child.startsWith('{') ? membersOf(child) : null;
    const isCut = below !== null && !below.has('.value');
    const member = `${JSON.stringify(key)}:${isCut ? 'null' : child}`;
    piece.push(member);
    size += member.length;
    if (isCut || size >= limit) close();
    if (isCut) pieces.push(...piecesOf(childOf(path, key), child, limit));
  }
  close();
  return pieces;
}

/** Imports a file after a dry run. */
export async function importFile(path, file) {
  const text = await file.text();
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return void toast(`${file.name} is not JSON: ${error.message}`, { kind: 'bad', seconds: 10 });
  }
  const wrong = wrongKey(value);
  if (wrong) return void toast(`${file.name} has the key ${visible(wrong.key).slice(0, 80)}. ${wrong.problem}`, { kind: 'bad', seconds: 10 });
  const found = await existing(path);
  const values = await dialog(`Import ${file.name}`, preview(path, value, file, found), { accept: 'Import' });
  if (!values) return;
  if (!isObject(value)) {
    await writeIf(null, path, text);
    return void toast(`Imported ${file.name}.`, { seconds: 4 });
  }
  if (values.kind === 'put') await writeIf(null, path, null);
  await send(piecesOf(path, text), file.name);
}

/** What a location has: its keys, unless these are too many. */
async function existing(path) {
  const { text, isWhole } = await read(path, { parameters: { shallow: 'true' } });
  if (!isWhole) return { text: 'many children', keys: null };
  const value = JSON.parse(text);
  if (value === null) return { text: 'nothing', keys: [] };
  if (typeof value !== 'object') return { text: 'one value', keys: [] };
  const keys = Object.keys(value);
  return { text: things(keys.length, 'child', 'children'), keys };
}

const named = (keys) => (keys.length === 0 ? 'none' : `${keys.slice(0, namedLimit).map(visible).join(', ')}${keys.length > namedLimit ? ` and ${count(keys.length - namedLimit)} more` : ''}`);

/** What the import would do, and the choice between both ways. */
function preview(path, value, file, found) {
  const keys = isObject(value) ? Object.keys(value) : [];
  const own = new Set(keys);
  const there = new Set(found.keys ?? []);
  const row = (name, list) => [h('dt', {}, name), h('dd', { class: 'mono' }, h('bdi', {}, named(list)))];
  return [
    h('dl', { class: 'facts' },
      h('dt', {}, 'Into'), h('dd', { class: 'mono' }, path),
      h('dt', {}, 'File'), h('dd', {}, `${bytes(file.size)}, ${isObject(value) ? things(keys.length, 'child', 'children') : 'one value'}`),
      h('dt', {}, 'There now'), h('dd', {}, found.text),
      isObject(value) && found.keys && [row('Would replace', keys.filter((key) => there.has(key))), row('Would add', keys.filter((key) => !there.has(key))), row('Only there', found.keys.filter((key) => !own.has(key)))]),
    h('label', { class: 'row' }, h('input', { type: 'radio', name: 'kind', value: 'merge', checked: isObject(value), disabled: !isObject(value) }), h('span', {}, 'Merge: replace the children of the file, keep the others')),
    h('label', { class: 'row' }, h('input', { type: 'radio', name: 'kind', value: 'put', checked: !isObject(value) }), h('span', {}, 'Replace: remove all that is there first')),
  ];
}

/** Sends pieces in order from a number on. After a failure the user may go on with the piece that failed. */
async function send(pieces, name, first = 0) {
  let close = () => {};
  for (let number = first; number < pieces.length; number += 1) {
    close();
    close = toast(`Importing ${name}: part ${number + 1} of ${pieces.length}`, { seconds: 60 });
    try {
      await merge(pieces[number].path, pieces[number].text);
    } catch (error) {
      close();
      if (!(error instanceof Refusal)) throw error;
      return void toast(`${number} of ${things(pieces.length, 'part')} of ${name} ${number === 1 ? 'is' : 'are'} imported; the next one failed: ${error.message}`, {
        kind: 'bad', seconds: 300, action: 'Go on', onaction: () => send(pieces, name, number),
      });
    }
  }
  close();
  toast(`Imported ${name}.`, { seconds: 4 });
}
