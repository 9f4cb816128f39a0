// The connect page: lines for each SDK with the address of this node, and a test that writes and listens.

import { button, card, copy, field, fill, h } from '../base/dom.js';
import { request, writeIf } from '../base/data.js';
import { duration } from '../base/format.js';
import { database, inDatabase, keysOf } from '../base/paths.js';
import { feed } from '../base/session.js';

/** Makes the page. */
export function connectPage() {
  let chosen = 0;
  const choices = h('div', { class: 'choices', role: 'tablist', 'aria-label': 'Languages' });
  const code = h('div', { class: 'code' });
  const note = h('p', { class: 'muted' });
  const box = h('section', { class: 'card' }, h('header', {}, choices), code);

  function draw() {
    const samples = makeSamples();
    const sample = samples[chosen];
    fill(choices, samples.map(({ name }, index) => h('button', {
      type: 'button', role: 'tab', 'aria-selected': String(index === chosen), tabIndex: index === chosen ? 0 : -1,
      onclick: () => { chosen = index; draw(); },
      onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        chosen = (chosen + step + samples.length) % samples.length;
        draw();
        choices.children[chosen].focus();
      },
    }, name)));
    fill(code, h('pre', { tabIndex: 0 }, sample.text), button('Copy', { picture: 'copy', onclick: () => copy(sample.text, `the lines for ${sample.name}`) }));
    note.textContent = sample.note;
  }

  const end = feed.about.follow(draw);
  return {
    element: h('div', { class: 'page' },
      h('div', { class: 'page-head' }, h('div', {}, h('h1', {}, 'Connect an app'), h('p', {}, 'The clients of the Firebase Realtime Database work with this node: give them its address.'))),
      h('div', { class: 'connect' }, h('div', { class: 'stack' }, box, note), h('div', { class: 'stack' }, factsCard(), testCard()))),
    end,
  };
}

/** The lines for each client. Those for a secured cluster send a token or a secret. */
function makeSamples() {
  const about = feed.about.value;
  return about && !about.open && !about.emulator ? securedSamples() : openSamples();
}

const isSecure = location.protocol === 'https:';
const { origin, hostname } = location;
const own = inDatabase(origin);
const url = inDatabase(origin, database ?? 'default');
const option = database ? ` --database ${database}` : '';
/** What clients need that do not trust the certificate of `hearth setup`. */
const authority = (text) => (isSecure ? ` ${text}` : '');

function curlSample(auth, more = '') {
  return {
    name: 'curl', note: `The address of a page and the address of its data differ in .json alone.${more}`,
    text: `# Write, read, and follow the changes.
curl -X PUT${auth} -d '"hello"' '${inDatabase(`${origin}/messages/first.json`)}'
curl${auth} '${inDatabase(`${origin}/messages.json`)}'
curl -N -H 'Accept: text/event-stream'${auth} '${inDatabase(`${origin}/messages.json`)}'
`,
  };
}

function swiftSample(credential, more = '') {
  return {
    name: 'Swift', note: `Hearth is the Swift package of this project, with the names of Firebase for Swift.${more}`,
    text: `import Hearth

let database = Database.database(url: "${own}")
${credential}let messages = database.reference(withPath: "messages")

messages.observe(.value) { print($0.value ?? "nothing") }
messages.childByAutoId().setValue(["text": "hello"])
`,
  };
}

function openSamples() {
  const port = location.port || '80';
  return [
    {
      name: 'Web', note: 'npm install firebase. The SDK wants the name of a database behind ?ns=.',
      text: `import { initializeApp } from 'firebase/app';
import { getDatabase, connectDatabaseEmulator, onValue, push, ref } from 'firebase/database';

const app = initializeApp({ databaseURL: '${url}' });
const database = getDatabase(app);
connectDatabaseEmulator(database, '${hostname}', ${port});

onValue(ref(database, 'messages'), (snapshot) => console.log(snapshot.val()));
await push(ref(database, 'messages'), { text: 'hello' });
`,
    },
    curlSample(''),
    swiftSample(''),
    {
      name: 'Python', note: 'pip install firebase-admin. The Admin SDK acts as an administrator.',
      text: `import os
os.environ["FIREBASE_DATABASE_EMULATOR_HOST"] = "${hostname}:${port}"

import firebase_admin
from firebase_admin import db

firebase_admin.initialize_app(options={"databaseURL": "${url}"})
db.reference("messages").push({"text": "hello"})
print(db.reference("messages").get())
`,
    },
    {
      name: 'Node.js', note: 'npm install firebase-admin. The Admin SDK acts as an administrator.',
      text: `process.env.FIREBASE_DATABASE_EMULATOR_HOST = '${hostname}:${port}';
const { initializeApp } = await import('firebase-admin/app');
const { getDatabase } = await import('firebase-admin/database');

initializeApp({ databaseURL: '${url}' });
const messages = getDatabase().ref('messages');
messages.on('value', (snapshot) => console.log(snapshot.val()));
await messages.push({ text: 'hello' });
`,
    },
    {
      name: 'hearth', note: 'The command line of this project.',
      text: `hearth set /messages/first '"hello"' --node ${origin}${option}
hearth watch /messages --node ${origin}${option}
`,
    },
  ];
}

function securedSamples() {
  return [
    {
      name: 'Web', note: `npm install firebase. With Firebase Authentication, omit the lines about tokens.${authority('Browsers need a certificate of an authority that they trust.')}`,
      text: `import { initializeApp, _registerComponent } from 'firebase/app';
import { Component } from '@firebase/component';
import { getDatabase, onValue, push, ref } from 'firebase/database';

// The tokens of your issuer.
const tokens = {
  getToken: async () => ({ accessToken: await tokenOfMyIssuer() }),
  addAuthTokenListener: (listener) => { tokenOfMyIssuer().then(listener); },
  removeAuthTokenListener() {},
  getUid: () => null,
};
_registerComponent(new Component('auth-internal', () => tokens, 'PRIVATE'));
const database = getDatabase(initializeApp({ projectId: 'demo' }), '${url}');

onValue(ref(database, 'messages'), (snapshot) => console.log(snapshot.val()));
await push(ref(database, 'messages'), { text: 'hello' });
`,
    },
    curlSample(' -H "Authorization: Bearer $TOKEN"', ` $TOKEN is a token or a secret.${authority('With a certificate of hearth setup, add --cacert certificate.pem.')}`),
    swiftSample('try database.signIn(withToken: token)\n', authority('With a certificate of hearth setup, use the address in cluster.json5, which has its fingerprint.')),
    {
      name: 'Python', note: `pip install firebase-admin. The secret makes an administrator.${authority('REQUESTS_CA_BUNDLE names a certificate of hearth setup.')}${database ? ' This SDK drops ?ns= from an https address: name the database in the host.' : ''}`,
      text: `import firebase_admin
from firebase_admin import credentials, db
from google.auth.credentials import Credentials


class Token(Credentials):
    def __init__(self, text):
        super().__init__()
        self.token = text

    def refresh(self, request):
        pass  # It does not expire.


class Secret(credentials.Base):
    def __init__(self, file):
        super().__init__()
        with open(file) as lines:
            self.token = Token(lines.read().strip())

    def get_credential(self):
        return self.token


firebase_admin.initialize_app(Secret("app.secret"), {"databaseURL": "${own}"})
db.reference("messages").push({"text": "hello"})
print(db.reference("messages").get())
`,
    },
    {
      name: 'Node.js', note: `npm install firebase-admin. The secret makes an administrator.${authority('NODE_EXTRA_CA_CERTS names a certificate of hearth setup.')}`,
      text: `import { readFileSync } from 'node:fs';
import { initializeApp } from 'firebase-admin/app';
import { getDatabase } from 'firebase-admin/database';

const access_token = readFileSync('app.secret', 'utf8').trim();
initializeApp({
  credential: { getAccessToken: async () => ({ access_token, expires_in: 3600 }) },
  databaseURL: '${url}',
});
const messages = getDatabase().ref('messages');
messages.on('value', (snapshot) => console.log(snapshot.val()));
await messages.push({ text: 'hello' });
`,
    },
    {
      name: 'hearth', note: `The command line of this project.${authority('With a certificate of hearth setup, use --config cluster.json5 in place of --node.')}`,
      text: `export HEARTH_SECRET_FILE=admin.secret
hearth set /messages/first '"hello"' --node ${origin}${option}
hearth watch /messages --node ${origin}${option}
`,
    },
  ];
}

function factsCard() {
  const body = h('div', { class: 'body' });
  feed.about.follow((about) => {
    const user = ['administrator', 'monitor'].includes(about?.user) ? about.user : about?.user?.uid ?? 'not signed in';
    fill(body, h('dl', { class: 'facts' },
      h('dt', {}, 'Address'), h('dd', { class: 'mono' }, location.origin),
      h('dt', {}, 'Node'), h('dd', {}, about?.node || '–'),
      h('dt', {}, 'Cluster'), h('dd', {}, about?.cluster || '–'),
      h('dt', {}, 'You are'), h('dd', {}, user),
      h('dt', {}, 'Access'), h('dd', {}, !about ? '–' : about.open ? 'open: every client is an administrator' : about.tokens ? 'by tokens and rules' : 'by a secret')));
  });
  return card('This node', body);
}

function testCard() {
  const steps = h('ol', { class: 'steps' });
  const path = h('input', { class: 'mono', value: '/hearth-console-test', 'aria-label': 'Location of the test', spellcheck: false });
  const run = button('Run the test', { kind: 'main', onclick: () => test(path.value, steps, run) });
  return h('section', { class: 'card' }, h('header', {}, h('h2', {}, 'Does it work from here?')),
    h('div', { class: 'body stack' },
      h('p', { class: 'muted' }, 'The page listens at a location, writes a value there, waits for the event, and removes the value.'),
      field('Location', path), h('div', {}, run), steps));
}

async function test(text, steps, run) {
  const path = `/${keysOf(text).join('/')}`;
  run.disabled = true;
  steps.replaceChildren();
  const stop = new AbortController();
  const step = (words) => {
    const start = performance.now();
    const mark = h('span', { class: 'dot warn' });
    const time = h('span', { class: 'time' });
    steps.append(h('li', {}, mark, h('span', {}, words), time));
    return { done() { mark.className = 'dot good'; time.textContent = duration(performance.now() - start); }, fail(why) { mark.className = 'dot bad'; time.textContent = ''; steps.append(h('li', {}, h('span'), h('span', { class: 'error' }, why))); } };
  };
  let current;
  try {
    const value = JSON.stringify({ by: 'the console', at: Date.now() });
    current = step('Listen');
    const response = await request('GET', path, { headers: { Accept: 'text/event-stream' }, signal: stop.signal });
    const reader = response.body.getReader();
    let first = await next(reader);
    if (!/null/.test(first)) throw new Error(`${path} has data already: choose another location.`);
    current.done();
    current = step('Write');
    const event = next(reader);
    if (!await writeIf(null, path, value)) throw new Error('The write was refused.');
    current.done();
    current = step('Event');
    first = await Promise.race([event, new Promise((_, reject) => { setTimeout(() => reject(new Error('No event within 5 s.')), 5000); })]);
    if (!first.includes('the console')) throw new Error('The event has another value.');
    current.done();
    current = step('Remove');
    await writeIf(null, path, null);
    current.done();
  } catch (error) {
    current.fail(error.fix ? `${error.message} ${error.fix}` : error.message);
  } finally {
    stop.abort();
    run.disabled = false;
  }
}

/** The next event of a stream that is not a sign of life. */
async function next(reader) {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error('The stream has ended.');
    text += decoder.decode(value, { stream: true });
    if (/event: put[\s\S]*\n\n/.test(text)) return text;
  }
}

