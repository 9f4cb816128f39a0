// Elements from values. Text enters a page by `textContent` alone, so no key and no value can become markup.

/** Makes an element. Properties beginning with `on` are listeners, `class` and names with a dash are attributes. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element && !name.includes('-') && name !== 'list') element[name] = value;
    else if (value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  add(element, children);
  return element;
}

/** Replaces the content of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

const shapes = {
  open: 'M6 4l4 4-4 4',
  copy: 'M5.500 5.500h7v8h-7zM3.500 10.500v-8h7',
  add: 'M8 3v10M3 8h10',
  find: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.300 10.300l3.200 3.200',
  pause: 'M5.500 3.500v9M10.500 3.500v9',
  play: 'M5 3.500l7.500 4.500L5 12.500z',
  close: 'M4 4l8 8M12 4l-8 8',
  download: 'M8 2.500v7.500M4.800 7L8 10.200 11.200 7M3 13.500h10',
  upload: 'M8 10.500V3M4.800 6L8 2.800 11.200 6M3 13.500h10',
  trash: 'M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.7 9h5.600l.7-9',
  edit: 'M3 13l.6-2.600L10.800 3.200l2 2L5.600 12.400z',
  key: 'M10 9a3 3 0 1 0-2.800-2L3 11.200V13h2v-1.500h1.500V10h1l.7-.7c.5.200 1.100-.3 1.800-.3z',
  sort: 'M5 3v10M2.500 10.500L5 13l2.500-2.500M9.500 4h4M9.500 8h3M9.500 12h2',
  table: 'M2.500 3h11v10h-11zM2.500 6.500h11M6.500 6.500V13',
  warn: 'M8 2.500l6 11H2zM8 6.500v3.500M8 11.800v.2',
};

/** Makes a picture of 16 by 16 pixels, which readers without eyes skip. */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(space, 'svg');
  picture.setAttribute('viewBox', '0 0 16 16');
  picture.setAttribute('class', 'icon');
  picture.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', shapes[name]);
  picture.append(path);
  return picture;
}

/** A card with a heading and its tools. */
export function card(title, content, tools = []) {
  return h('section', { class: 'card' }, h('header', {}, h('h2', { class: 'grow' }, title), tools), content);
}

/** A control of a form with its label. */
export const field = (label, ...control) => h('label', { class: 'field' }, h('span', {}, label), control);

/** The head of a table, with the positions of its columns of numbers. */
export const tableHead = (names, numbers = []) => h('thead', {}, h('tr', {}, names.map((name, index) => h('th', { scope: 'col', class: numbers.includes(index) ? 'number' : '' }, name))));

/** A box in which a table scrolls. */
export const tableBox = (label, kind, ...content) => h('div', { class: `table-box ${kind}`, tabindex: 0, role: 'region', 'aria-label': label }, content);

/** A button with a picture, a text, or both. */
export function button(label, { picture, hint, onclick, kind = '', disabled, hidesLabel = false } = {}) {
  return h('button', {
    type: 'button', class: `button ${kind}${hidesLabel ? ' bare' : ''}`, onclick, disabled, title: hint ?? (hidesLabel ? label : undefined),
    'aria-label': hidesLabel ? label : undefined,
  }, picture && icon(picture), hidesLabel ? null : h('span', {}, label));
}

let announcer;

/** Reads a text to those who do not see the page. */
export function announce(text) {
  announcer ??= document.body.appendChild(h('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' }));
  announcer.textContent = text;
}

/** Shows a short message for some seconds, with at most one action. */
export function toast(text, { action, onaction, seconds = 5, kind = '' } = {}) {
  let stack = document.querySelector('.toasts');
  stack ??= document.body.appendChild(h('div', { class: 'toasts' }));
  const message = h('div', { class: `toast ${kind}`, role: kind === 'bad' ? 'alert' : 'status' }, h('span', { class: 'grow' }, text));
  const close = () => message.remove();
  if (action) message.append(h('button', { class: 'button', type: 'button', onclick: () => { close(); onaction(); } }, action));
  message.append(button('Dismiss', { picture: 'close', hidesLabel: true, onclick: close }));
  stack.append(message);
  while (stack.children.length > 4) stack.firstChild.remove();
  setTimeout(close, seconds * 1000);
  return close;
}

/**
 * Shows a dialog; its form resolves with the values of its fields, or with null once it is dismissed.
 *
 * `check` and `act` return a problem, which keeps the dialog open, or nothing; `act` does the work while the dialog waits.
 */
export function dialog(title, content, { accept = 'Save', kind = 'main', check, act } = {}) {
  return new Promise((resolve) => {
    const error = h('p', { class: 'error', role: 'alert' });
    const submit = h('button', { type: 'submit', class: `button ${kind}` }, accept);
    const form = h('form', { method: 'dialog', class: 'dialog-form' },
      h('h2', {}, title), content, error,
      h('div', { class: 'actions' },
        h('button', { type: 'button', class: 'button', onclick: () => finish(null) }, 'Cancel'),
        submit));
    const box = h('dialog', { class: 'dialog', oncancel: () => finish(null) }, form);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const values = Object.fromEntries(new FormData(form));
      submit.disabled = true;
      const problem = check?.(values) || await act?.(values);
      submit.disabled = false;
      if (problem) error.textContent = problem;
      else finish(values);
    });
    const before = document.activeElement;
    function finish(values) {
      if (!box.isConnected) return;
      box.close();
      box.remove();
      before?.focus?.();
      resolve(values);
    }
    document.body.append(box);
    box.showModal();
    form.querySelector('input, textarea, select')?.focus();
  });
}

/** Copies a text, and says so. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}.`, { seconds: 2 });
  } catch {
    const area = h('textarea', { class: 'unseen', value: text });
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    toast(isCopied ? `Copied ${what}.` : `The browser does not let the page copy ${what}.`, { seconds: 3 });
  }
}
