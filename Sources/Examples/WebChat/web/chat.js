// One event stream shows the open room. A heartbeat keeps the user online and counts unread messages.

import { Cluster } from "./cluster.js";

const rooms = ["lobby", "kitchen", "garden"];
const NOW = { ".sv": "timestamp" }; // The node replaces it by its time.
const $ = (selector) => document.querySelector(selector);

let user, cluster, room;
let messages; // of the open room, by key; undefined until they are loaded
let sending = []; // those that the open room does not show yet
let lastRead = {}; // by room: the time of the newest message that the user has read
let unread = {}; // by room: how many messages are newer

// Messages

function open(name) {
  room = name;
  messages = undefined;
  $("h1").textContent = room;
  for (const button of $("#rooms").children) button.ariaCurrent = button.textContent === room;
  show();
  showUnread();
  cluster.listen(`messages/${room}`, { orderBy: '"at"', limitToLast: 50 }, (result) => {
    messages = result ?? {};
    sending = sending.filter(({ key }) => !(key in messages));
    show();
    markRead();
  });
}

function show() {
  const sorted = Object.values(messages ?? {}).sort((a, b) => a.at - b.at);
  const waiting = sending.filter((message) => message.room === room);
  const rows = [...sorted, ...waiting].map(row);
  $("#messages").replaceChildren(...rows);
  $("#messages").classList.toggle("empty", messages !== undefined && rows.length === 0);
  $("#messages").scrollTop = $("#messages").scrollHeight;
}

function row({ from, text, at }) {
  const time = at ? new Date(at).toLocaleTimeString([], { timeStyle: "short" }) : "sending …";
  const row = element("li", "", element("b", from), element("p", text), element("time", time));
  row.classList.toggle("own", from === user);
  return row;
}

async function send(event) {
  event.preventDefault();
  const field = event.target.elements.text;
  // With a key of the page, a repetition at another node writes the same message.
  const message = { key: crypto.randomUUID(), room, from: user, text: field.value.trim() };
  if (!message.text) return;
  field.value = "";
  sending.push(message);
  show();
  const { key, from, text } = message;
  await cluster.request("PUT", `messages/${room}/${key}`, {}, { from, text, at: NOW }).catch((refusal) => {
    alert(refusal.message);
    sending = sending.filter((other) => other !== message);
    show();
  });
}

// Presence and unread messages

function markRead() {
  showUnread();
  const newest = Math.max(0, ...Object.values(messages ?? {}).map(({ at }) => at));
  if (document.hidden || newest <= (lastRead[room] ?? 0)) return;
  lastRead[room] = newest;
  cluster.request("PUT", `lastRead/${user}/${room}`, {}, newest);
}

async function beat() {
  const { at } = await cluster.request("PUT", `presence/${user}`, {}, { at: NOW });
  const online = await cluster.request("GET", "presence", { orderBy: '"at"', startAt: at - 15_000 });
  $("#online").replaceChildren(...Object.keys(online).sort().map((name) => element("li", name)));

  Object.assign(lastRead, await cluster.request("GET", `lastRead/${user}`));
  for (const name of rooms) {
    const query = { orderBy: '"at"', startAt: (lastRead[name] ?? 0) + 1, limitToFirst: 100 };
    unread[name] = Object.keys((await cluster.request("GET", `messages/${name}`, query)) ?? {}).length;
  }
  showUnread();
}

function showUnread() {
  if (!document.hidden) unread[room] = 0; // The user sees the open room.
  for (const button of $("#rooms").children) button.dataset.unread = unread[button.textContent] || "";
  const total = Object.values(unread).reduce((total, count) => total + count, 0);
  document.title = (total ? `(${total}) ` : "") + "Hearth chat";
}

// The page

/** Texts of users become `textContent`, never HTML. */
function element(name, text, ...children) {
  const element = Object.assign(document.createElement(name), { textContent: text });
  element.append(...children);
  return element;
}

function start(session) {
  sessionStorage.session = JSON.stringify(session);
  sessionStorage.problem = "";
  user = session.user;
  cluster = new Cluster(session);
  cluster.onState = (text) => ($("#state").textContent = text);
  cluster.onExpired = signOut;
  $("#rooms").replaceChildren(...rooms.map((name) => Object.assign(element("button", name), { onclick: () => open(name) })));
  $("#sign-in").hidden = true;
  $("#chat").hidden = false;
  open(rooms[0]);
  (async () => {
    for (;;) {
      await beat().catch(console.warn);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
  })();
}

function signOut(reason = "") {
  sessionStorage.clear();
  sessionStorage.problem = reason;
  location.reload();
}

$("#sign-in").onsubmit = async (event) => {
  event.preventDefault();
  const body = JSON.stringify(Object.fromEntries(new FormData(event.target)));
  const response = await fetch("/token", { method: "POST", body }).catch(() => ({ statusText: "The web server does not answer." }));
  if (response.ok) start(await response.json());
  else $("#problem").textContent = response.statusText;
};
$("#compose").onsubmit = send;
$("#sign-out").onclick = () => signOut();
$("#problem").textContent = sessionStorage.problem ?? "";
document.onvisibilitychange = () => cluster && markRead();
if (sessionStorage.session) start(JSON.parse(sessionStorage.session));
