// The page's own node, and the token by which it knows the user.

import { Feed } from './feed.js';

const name = 'hearth.token';

/** The token of the user; null without. It stays in this tab. */
export function token() {
  return sessionStorage.getItem(name) ?? (feed?.about.value?.emulator ? 'owner' : null);
}

/** Keeps a token, or forgets it. */
export function setToken(text) {
  if (text) sessionStorage.setItem(name, text);
  else sessionStorage.removeItem(name);
  feed.identify();
}

/** Whether the user has given a token. */
export const hasToken = () => sessionStorage.getItem(name) !== null;

/** The feed of the node that served the page. */
export const feed = new Feed(location.origin, () => sessionStorage.getItem(name));

/** Whether the user is an administrator. */
export const isAdministrator = () => feed.about.value?.user === 'administrator';

/** Whether the node shows its status: to administrators and monitors. */
export const mayReadStatus = () => isAdministrator() || feed.about.value?.user === 'monitor';

/** What a user does to see a page for administrators. */
export const forAdministrators = () => `${hasToken() ? 'Your token is one of a user. ' : ''}Sign in with a secret of the cluster.`;
