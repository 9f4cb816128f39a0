// Values as people read them.

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** A whole number with commas. */
export const count = (number) => grouped.format(number);

/** A number of things: `1 child`, `2 children`. */
export const things = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** A number of bytes in the unit that keeps it short. */
export function bytes(number) {
  if (number === undefined || number === null) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (number >= 999.5 && unit < units.length - 1) { number /= 1000; unit += 1; }
  return `${unit === 0 || number >= 99.95 ? Math.round(number) : number.toFixed(1)} ${units[unit]}`;
}

/** A length of time. */
export function duration(milliseconds) {
  if (milliseconds === undefined || milliseconds === null) return '–';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

/** A moment, with the date unless it is today. */
export function moment(milliseconds) {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return '–';
  const two = (number) => String(number).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time.slice(0, 8)}`;
}

// Characters that are not seen, or that turn the text around them.
// The joiner between two pictures of an emoji is part of it.
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const joins = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?\u200d\p{Extended_Pictographic}/u;

/** A text in which every character is seen: those that are not are shown by their numbers. */
export function visible(text) {
  return String(text).replace(unseen, (character, place, whole) => {
    if (character === '\u200d' && joins.test(whole.slice(Math.max(0, place - 3), place + 3))) return character;
    if (character === '\n') return '↵';
    if (character === '\t') return '⇥';
    return `⟨${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** The beginning of a text on one line. */
export const short = (text, length = 60) => visible(text.slice(0, length)) + (text.length > length ? '…' : '');

const digits = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

/** The time in a push ID, in milliseconds since 1970; null for other keys. */
export function pushTime(key) {
  if (!/^-[-0-9A-Z_a-z]{19}$/.test(key)) return null;
  let time = 0;
  for (const character of key.slice(0, 8)) time = time * 64 + digits.indexOf(character);
  return time > 1262304000000 && time < 4102444800000 ? time : null;
}

/** The beginning of every push ID of a moment. */
export function pushPrefix(milliseconds) {
  let text = '';
  for (let position = 0; position < 8; position += 1) {
    text = digits[milliseconds % 64] + text;
    milliseconds = Math.floor(milliseconds / 64);
  }
  return text;
}

/** The author of a write. */
export const author = ({ user, rules }) => `${rules ? (user ? 'user ' : 'not signed in') : 'administrator '}${visible(user ?? '')}`;
