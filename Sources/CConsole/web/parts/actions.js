// What a user does to data: add, remove with undo, rename, import and export.

import { dialog, field, h, toast } from '../base/dom.js';
import { parseInput, push, read, readWithTag, Refusal, request, valueLimit, writeIf } from '../base/data.js';
import { bytes, short, visible } from '../base/format.js';
import { childOf, dataAddress, keyProblem, keysOf, nameOf, parentOf } from '../base/paths.js';
import { token } from '../base/session.js';

const absent = 'null_etag';

/** Runs an action; a refusal becomes a message. */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    toast(sentences(error), { kind: 'bad', seconds: 10 });
    return undefined;
  }
}

/** A refusal in words; other errors are thrown again. */
export function sentences(error) {
  if (!(error instanceof Refusal)) throw error;
  return error.fix ? `${error.message} ${sentence(error.fix)}` : error.message;
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** Adds a child. */
export async function addChild(path) {
  await dialog('Add a child', [
    h('p', { class: 'muted mono' }, path),
    field('Key', h('input', { name: 'key', class: 'mono', placeholder: 'A new push ID', spellcheck: false, autocomplete: 'off' })),
    field('Value', h('textarea', { name: 'value', rows: 4, placeholder: '5, true, "text" or {"key": 1}', spellcheck: false })),
  ], {
    accept: 'Add',
    check: ({ key, value }) => (key && keyProblem(key)) || parseInput(value).problem,
    // The dialog keeps what was typed until a node has it.
    act: async ({ key, value }) => {
      const { json } = parseInput(value);
      try {
        if (!key) toast(`Added ${await push(path, json)}.`, { seconds: 3 });
        else if (!await writeIf(absent, childOf(path, key), json)) return `${key} exists already: edit it instead.`;
      } catch (failure) {
        return sentences(failure);
      }
      return null;
    },
  });
}

/** Removes a value, which can be put back for a while. */
export async function removeValue(path) {
  await attempt(async () => {
    if (path === '/' && !await confirmRoot()) return;
    const { text, tag, isWhole } = await readWithTag(path, { parameters: { format: 'export' } });
    if (!isWhole) {
      const values = await dialog('Remove without undo?', h('p', {}, `${path} has more than ${bytes(valueLimit)}, so the page cannot put it back. Export it first if you may need it.`), { accept: 'Remove', kind: 'danger full' });
      if (!values) return;
    }
    if (!await writeIf(isWhole ? tag : null, path, null)) return void toast(`${path} changed in this moment, so it was not removed.`, { kind: 'bad' });
    toast(`Removed ${visible(path)}. It was ${short(text)} before.`, { action: isWhole ? 'Undo' : undefined, seconds: 30, onaction: () => putBack(path, text) });
  });
}

async function putBack(path, text) {
  const hasAnswer = await attempt(async () => {
    if (!await writeIf(absent, path, text)) toast(`Something else is at ${visible(path)} by now, so nothing was put back.`, { kind: 'bad' });
    return true;
  });
  if (!hasAnswer) toast(`${visible(path)} is not back yet.`, { action: 'Try again', seconds: 120, onaction: () => putBack(path, text) });
}

async function confirmRoot() {
  return Boolean(await dialog('Remove the whole database?', [
    h('p', {}, 'This removes all data at all nodes.'),
    field(`Type ${location.host} to confirm`, h('input', { name: 'name', class: 'mono', autocomplete: 'off' })),
  ], { accept: 'Remove everything', kind: 'danger full', check: ({ name }) => (name === location.host ? null : 'This is not the name of the host.') }));
}

/** Gives a value another key. */
export async function rename(path) {
  const parent = parentOf(path);
  const values = await dialog('Rename', [
    h('p', { class: 'muted mono' }, path),
    field('New key', h('input', { name: 'key', value: nameOf(path), class: 'mono', spellcheck: false, autocomplete: 'off' })),
  ], { accept: 'Rename', check: ({ key }) => keyProblem(key) });
  if (!values || values.key === nameOf(path)) return;
  await attempt(async () => {
    const { text, isWhole } = await read(path, { parameters: { format: 'export' } });
    if (!isWhole) return void toast(`Values up to ${bytes(valueLimit)} can be renamed here.`, { kind: 'bad' });
    const { text: other } = await read(childOf(parent, values.key), { limit: 64 });
    if (other !== 'null') return void toast(`${values.key} exists already.`, { kind: 'bad' });
    await request('PATCH', parent, { body: `{${JSON.stringify(nameOf(path))}:null,${JSON.stringify(values.key)}:${text}}`, parameters: { print: 'silent' } });
    toast(`Renamed to ${values.key}.`, { seconds: 3 });
  });
}

/** Saves a location as a file. */
export async function exportFile(path) {
  const name = `${keysOf(path).at(-1) ?? 'database'}.json`;
  await attempt(async () => {
    const parameters = { format: 'export', download: name };
    if (!token()) return save(dataAddress(path, parameters), name);
    const response = await request('GET', path, { parameters: { format: 'export' }, signal: new AbortController().signal });
    const address = URL.createObjectURL(await response.blob());
    save(address, name);
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  });
}

function save(address, name) {
  const link = h('a', { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
}
