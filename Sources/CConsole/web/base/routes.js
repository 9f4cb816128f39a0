// The address of the page: a location of the data, or one of the other pages.

import { decoded, encoded, inDatabase } from './paths.js';
import { Signal } from './signals.js';

const names = { '/.cluster': 'cluster', '/.events': 'events', '/.rules': 'rules', '/.connect': 'connect' };

function current() {
  const page = names[location.pathname];
  return page ? { page, path: '/' } : { page: 'data', path: decoded(location.pathname) };
}

const signal = new Signal(current());

export const route = {
  get value() { return signal.value; },
  follow: (listener) => signal.follow(listener),

  /** The address of a page. */
  address(page, path = '/') {
    return inDatabase(page === 'data' ? encoded(path) : Object.keys(names).find((name) => names[name] === page));
  },

  /** Goes to a page. */
  go(page, path) {
    history.pushState(null, '', this.address(page, path));
    signal.value = current();
  },
};

window.addEventListener('popstate', () => { signal.value = current(); });

// Links within the console load nothing.
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || link.target) return;
  if (link.origin !== location.origin || link.pathname.endsWith('.json') || link.hasAttribute('download')) return;
  // A page belongs to one database: a link to another one loads it anew.
  if (link.search && link.search !== location.search) return;
  event.preventDefault();
  history.pushState(null, '', link.pathname + location.search);
  signal.value = current();
});
