// The texts of a row: `[key, kind, text, count, priority]`.

import { count, visible } from '../base/format.js';

/** The value of a row in one line. */
export function summary([, kind, text, size]) {
  switch (kind) {
    case 'object': return visible(text ?? '');
    case 'string': return `"${visible(text)}${size > new TextEncoder().encode(text).length ? '…' : ''}"`;
    default: return String(text);
  }
}

/** What is behind the value of a row: the number of its children, and its priority. */
export function note([, kind, , size, priority]) {
  const parts = [];
  if (kind === 'object') parts.push(count(size));
  if (priority !== undefined && priority !== null) parts.push(`priority ${visible(priority)}`);
  return parts.join(' · ');
}
