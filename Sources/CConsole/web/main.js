// The frame of all pages: the bar, the state of the connection, and the page that the address names.

import { button, dialog, field, fill, h, icon } from './base/dom.js';
import { feed, hasToken, setToken } from './base/session.js';
import { route } from './base/routes.js';
import { clusterPage } from './pages/cluster.js';
import { connectPage } from './pages/connect.js';
import { dataPage } from './pages/data.js';
import { eventsPage } from './pages/events.js';
import { rulesPage } from './pages/rules.js';

const pages = {
  data: { label: 'Data', address: '/', make: dataPage },
  cluster: { label: 'Cluster', address: '/.cluster', make: clusterPage },
  events: { label: 'Events', address: '/.events', make: eventsPage },
  rules: { label: 'Rules', address: '/.rules', make: rulesPage },
  connect: { label: 'Connect', address: '/.connect', make: connectPage },
};

const tabs = h('nav', { class: 'tabs', 'aria-label': 'Pages' });
const state = h('div', { class: 'link-state', role: 'status' });
const account = h('div', { class: 'row' });
const clusterName = h('small');
const banner = h('div', { class: 'banner', role: 'alert', hidden: true });
const main = h('main');
const bar = h('header', { class: 'bar' },
  h('a', { class: 'brand', href: '/', 'aria-label': 'Hearth' }, h('img', { src: '/.console/icon.svg', alt: '' }), h('span', {}, 'Hearth'), h('small', { class: 'wide' }, clusterName)),
  tabs, h('div', { class: 'grow' }), state, account);
document.body.append(bar, banner, main);

let shown = null;
let ended = () => {};
let lastDataPath = '/';

route.follow(({ page, path }) => {
  if (page === 'data') lastDataPath = path;
  fill(tabs, Object.entries(pages).map(([name, { label, address }]) => h('a', {
    href: name === 'data' ? route.address('data', lastDataPath) : address, 'aria-current': name === page ? 'page' : undefined,
  }, label)));
  tabs.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  if (page === shown && page === 'data') return;
  ended();
  shown = page;
  const { element, end = () => {} } = pages[page].make();
  ended = end;
  fill(main, element);
  document.title = `${pages[page].label} · Hearth`;
});

function showState() {
  const about = feed.about.value;
  const name = about?.node || location.host;
  const [kind, text] = {
    connecting: ['warn', 'Connecting'], ready: ['good', name], lost: ['bad', 'No connection'],
  }[feed.state.value];
  fill(state, h('span', { class: `dot ${kind}` }), h('span', { class: feed.state.value === 'ready' ? '' : 'name' }, text));
  state.title = feed.state.value === 'ready' ? `Connected to ${name} at ${location.host}` : text;
  clusterName.textContent = about?.cluster ?? '';
  showAccount(about);
  showBanner(name);
}

function showAccount(about) {
  if (!about || about.open || about.emulator) return fill(account);
  if (!hasToken()) return fill(account, button('Sign in', { kind: 'main', onclick: signIn }));
  const user = { administrator: 'Administrator', monitor: 'Monitor' }[about.user] ?? about.user?.uid ?? about.user?.sub ?? 'Not signed in';
  fill(account, h('span', { class: 'tag wide' }, user), button('Sign out', { kind: 'quiet', onclick: () => setToken(null) }));
}

function showBanner(name) {
  const denial = feed.denial.value;
  const isLost = feed.state.value === 'lost';
  banner.hidden = !denial && !isLost;
  if (isLost) {
    const others = h('span', { class: 'row' });
    fill(banner, icon('warn'), h('span', { class: 'grow' }, `No connection with ${name}. What the page has of it may be old; it connects again by itself.`), others, button('Try now', { onclick: () => { feed.retry(); showOtherNodes(others); } }));
    showOtherNodes(others);
  } else if (denial) {
    fill(banner, icon('warn'), h('span', { class: 'grow' }, `The node does not accept the token: ${denial.problem}`), button('Sign in', { onclick: signIn }));
  }
}

/** Links to this page at other nodes: those that answer, or of which the page cannot know it. */
async function showOtherNodes(box) {
  const about = feed.about.value;
  const others = (about?.nodes ?? []).filter(({ name, page }) => page && name !== about.node);
  const answers = await Promise.all(others.map(({ address }) => !address || isThere(address)));
  fill(box, others.filter((_, index) => answers[index]).slice(0, 3).map(({ name, page }) => h('a', {
    class: 'button', href: page + location.pathname + location.search, title: `Open this page at ${page}`,
  }, `Open at ${name}`)));
}

/** Whether a node answers, whatever it says. */
async function isThere(address) {
  try {
    await fetch(`${address}/health`, { mode: 'no-cors', cache: 'no-store', signal: AbortSignal.timeout(3000) });
    return true;
  } catch {
    return false;
  }
}

/** Asks for a token. */
export async function signIn() {
  const values = await dialog('Sign in', [
    h('p', { class: 'muted' }, 'The token stays in this tab until you close it. It is sent to the nodes of this cluster alone, never in an address.'),
    field('Secret or token', h('input', { name: 'token', type: 'password', autocomplete: 'off', spellcheck: false, class: 'mono' }),
      h('small', {}, 'A secret of the cluster makes you an administrator; a token of a user shows what the rules permit that user.')),
  ], { accept: 'Sign in', check: ({ token }) => (token.trim() ? null : 'Enter a secret or a token.') });
  if (values) setToken(values.token.trim());
}

window.addEventListener('hearth-sign-in', signIn);
feed.state.follow(showState);
feed.about.follow(showState);
feed.denial.follow(showState);
