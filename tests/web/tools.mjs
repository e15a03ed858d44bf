// tools.mjs: what all tests of the page use: the program, its server, and tests that end when what they wait for has happened. No test
// depends on how fast the machine is: there are no pauses, and the only limit of time is a watchdog for what hangs.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { WATCHDOG } from './browser.mjs';

export const [program, folder] = process.argv.slice(2, 4).map((x) => resolve(x));
export const scenes = resolve(dirname(fileURLToPath(import.meta.url)), '../../scenes');
mkdirSync(folder, { recursive: true });

const run = promisify(execFile);

// What the program prints; the other tests go on meanwhile.
export const routh = async (...args) => (await run(program, args, { cwd: folder, maxBuffer: 1 << 28 })).stdout;
export const record = (scene, name, ...more) => routh('run', scene, '-o', name, '-q', ...more);
export const url = (name) => pathToFileURL(join(folder, name)).href;

export function must(condition, text) {
  if (!condition) throw new Error(text);
}

export const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;
export const state = (page, expression) => page.evaluate(`(() => { const s = window.routh.state; return ${expression}; })()`);

// Different colours in a canvas: a picture, not a blank.
export const colours = (page, selector) => page.evaluate(async (which) => {
  window.routh.state.changed(); // what is drawn in three dimensions can be read as long as its picture lasts
  await new Promise((done) => requestAnimationFrame(done));
  const from = document.querySelector(which);
  const copy = document.createElement('canvas');
  copy.width = 160;
  copy.height = 100;
  const c = copy.getContext('2d');
  c.drawImage(from, 0, 0, 160, 100);
  const seen = new Set();
  const d = c.getImageData(0, 0, 160, 100).data;
  for (let i = 0; i < d.length; i += 4) seen.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]);
  return seen.size;
}, selector);

export let failed = 0;
export async function test(name, work) {
  let dog;
  const bites = new Promise((_, fail) => {
    dog = setTimeout(() => fail(new Error(`nothing happened for ${WATCHDOG / 1000} s`)), WATCHDOG);
  });
  try {
    await Promise.race([work(), bites]);
    console.log(`ok web_${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED web_${name}`);
    console.error(`  ${name}: ${error.message.slice(0, 400)}`);
  } finally {
    clearTimeout(dog);
  }
}

// Asks again and again until the answer is one.
export async function until(ask) {
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((done) => setTimeout(done, 50));
  }
}

// routh view as a server: gives the address to the work, then ends it.
export async function with_server(names, work) {
  const server = spawn(program, ['view', ...names], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const address = await new Promise((done, fail) => {
      server.stdout.once('data', (text) => done(String(text).trim()));
      server.once('exit', () => fail(new Error('the server ended')));
    });
    await work(address);
  } finally {
    const gone = new Promise((done) => server.once('exit', done));
    server.kill('SIGINT');
    await gone;
  }
}

// A program that writes a recording while the page looks at it; there are frames in it when the work begins.
export async function writing(name, args, work) {
  const writer = spawn(program, [...args, '-o', name, '-q'], { cwd: folder, stdio: 'ignore' });
  const gone = new Promise((done) => writer.once('exit', done));
  const end = async () => {
    writer.kill('SIGINT');
    await gone;
  };
  try {
    await until(() => routh('check', name, '--json').then((text) => JSON.parse(text).files[0].frames > 1, () => false));
    await with_server([name], (address) => work(address, end));
  } finally {
    await end();
  }
}

// A connection of its own says something that is not understood: resolves when the program has closed it.
export const closed_after = (page, texts) => page.evaluate((list) => new Promise((done) => {
  const socket = new WebSocket(`ws://${location.host}/ws${location.search}`, 'routh');
  socket.onopen = () => list.forEach((text) => socket.send(text));
  socket.onclose = () => done(true);
}), texts);

// The program has answered so many times since: what it was told before is done, and the page knows.
export async function answers(page, n = 3) {
  for (let i = 0; i < n; i++) await page.waitForResponse((r) => /\/now\//.test(r.url()));
}
