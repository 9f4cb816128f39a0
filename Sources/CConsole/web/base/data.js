// Requests for data: the REST interface, with the token of the user and with ETags.

import { dataAddress } from './paths.js';
import { token } from './session.js';

/** How long the page waits for a node. */
const patience = 15_000;

/** The most bytes of a value that the page keeps. */
export const valueLimit = 1 << 20;

/** A request that was not done: why, and the remedy. */
export class Refusal extends Error {
  constructor(status, problem, fix) {
    super(problem);
    this.status = status;
    this.fix = fix;
  }
}

/** Sends a request for a location; the answer is the response of `fetch`. */
export async function request(method, path, { body, headers = {}, parameters = {}, origin = '', signal } = {}) {
  const credential = token();
  const all = { ...headers };
  if (credential) all.Authorization = `Bearer ${credential}`;
  let response;
  try {
    response = await fetch(origin + dataAddress(path, parameters), {
      method, body, headers: all, signal: signal ?? AbortSignal.timeout(patience), cache: 'no-store',
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    const isWrite = method !== 'GET' && method !== 'HEAD';
    if (error.name === 'TimeoutError') throw new Refusal(0, `The node does not answer.${isWrite ? ' The write may have been done.' : ''}`, 'look at the value again before you repeat it');
    throw new Refusal(0, 'The node cannot be reached.', 'check that it runs, or open the console at another node');
  }
  if (response.ok || response.status === 412) return response;
  let problem = `The node answers ${response.status}.`;
  let fix = '';
  try {
    const answer = await response.json();
    problem = answer.detail ?? answer.error ?? problem;
    fix = answer.fix ?? '';
  } catch { /* The answer is not JSON. */ }
  throw new Refusal(response.status, problem, fix);
}

/** Reads the text of a value up to a number of bytes; `isWhole` says whether that is all. */
async function readText(response, limit) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isWhole: true };
    size += value.length;
    text += decoder.decode(value, { stream: true });
    if (size > limit) {
      await reader.cancel();
      return { text, isWhole: false };
    }
  }
}

/** Reads the value at a location: its text, and whether that is whole. */
export async function read(path, { limit = valueLimit, parameters = {}, origin } = {}) {
  return readText(await request('GET', path, { parameters, origin }), limit);
}

/** Reads a value with its ETag; a value beyond the limit has none, since its node would hash all of it. */
export async function readWithTag(path, { parameters = {} } = {}) {
  const first = await read(path, { parameters });
  if (!first.isWhole) return { ...first, tag: null };
  const response = await request('GET', path, { headers: { 'X-Firebase-ETag': 'true' }, parameters });
  return { tag: response.headers.get('ETag'), ...await readText(response, 2 * valueLimit) };
}

/** The databases of the node: the name of each, and whether it has data. */
export async function databases() {
  const list = await (await request('GET', '/.inspect/databases')).json();
  const names = list.filter(({ state }) => state !== 'elsewhere').map(({ name }) => name);
  return Promise.all(names.map(async (name) => {
    const response = await request('GET', '/', { parameters: { ns: name, orderBy: '"$key"', limitToFirst: '1' } });
    return { name, hasData: await response.json() !== null };
  }));
}

/** Writes a value if it still has the ETag; false if it has changed meanwhile. */
export async function writeIf(tag, path, text) {
  const response = await request(text === null ? 'DELETE' : 'PUT', path, {
    body: text ?? undefined, headers: tag === null ? {} : { 'if-match': tag },
    parameters: text === null ? {} : { print: 'silent' },
  });
  return response.status !== 412;
}

/** Writes children of a location together. */
export const merge = (path, text) => request('PATCH', path, { body: text, parameters: { print: 'silent' } });

/** Adds a child with a push ID; returns its key. */
export async function push(path, text) {
  const response = await request('POST', path, { body: text });
  return (await response.json()).name;
}

/** Reads the JSON that a person writes: anything that is not JSON and does not look like it is a string. */
export function parseInput(text) {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'Write a value: 5, true, "text" or {"key": 1}.' };
  try {
    const value = JSON.parse(trimmed);
    if (value === null) return { problem: 'null removes: use Delete.' };
    // Numbers beyond 2^53 keep their digits.
    return { json: trimmed, kind: Array.isArray(value) ? 'list' : typeof value };
  } catch (error) {
    if (/^["{[]/.test(trimmed)) return { problem: String(error.message).replace(/^JSON\.parse: /, '') };
    return { json: JSON.stringify(text), kind: 'string' };
  }
}
