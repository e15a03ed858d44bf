// speed.mjs: how long the viewer keeps one waiting: node speed.mjs PROGRAM FOLDER [first|play|long|crowd ...]. Makes what it looks at in
// FOLDER. Each figure stands beside that of a bare page of three.js in the same browser, loaded in turn with ours: a machine without
// a graphics card draws in software, which is no work of ours.
//   first  a 10 MB recording, served: from the navigation to the first picture (median of LOADS loads)
//   play   1000 bodies: frames a second, our own work a frame, draw calls
//   crowd  100 000 balls (BALLS=N): until all are there, and while time runs
//   long   a recording of 1 GB (MEGABYTES=N: another size): until it is open, memory of the server and of the page
import { spawn, execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { with_browser } from './browser.mjs';
import { many_balls } from './scenes.mjs';

const [program, folder] = process.argv.slice(2, 4).map((x) => resolve(x));
const asked = process.argv.slice(4);
const scenes = resolve(dirname(fileURLToPath(import.meta.url)), '../../scenes');
const web = new URL('../../web/', import.meta.url);
const LOADS = Number(process.env.LOADS ?? 15);
mkdirSync(folder, { recursive: true });

const routh = (...args) => execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const least = (list) => Math.min(...list);

// The least that three.js can do: one triangle, or with ?balls=N so many of them, moved in every picture. It says when it has drawn in the same way as our page.
const BARE = `import * as THREE from 'three';
const renderer = new THREE.WebGLRenderer({ antialias: true });
renderer.domElement.className = 'picture';
renderer.setSize(innerWidth, innerHeight);
document.body.append(renderer.domElement);
const scene = new THREE.Scene();
const n = Number(new URLSearchParams(location.search).get('balls'));
const balls = new THREE.InstancedMesh(new THREE.SphereGeometry(0.03, 14, 8), new THREE.MeshLambertMaterial(), Math.max(1, n));
const corners = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), 3));
scene.add(new THREE.Mesh(corners, new THREE.MeshBasicMaterial()));
const camera = new THREE.PerspectiveCamera(35, innerWidth / innerHeight, 0.1, 10);
camera.position.z = 4;
if (n > 0) scene.add(balls, new THREE.DirectionalLight());
let pictures = 0, spent = 0;
window.routh = { state: { play: () => move(), playing: true }, get work() { return { pictures, spent }; }, calls: () => renderer.info.render.calls };
const place = new THREE.Matrix4();
function move() {
  const begun = performance.now();
  for (let i = 0; i < n; i++) {
    balls.setMatrixAt(i, place.makeTranslation(0.2 * (i % 10) - 1, 0.2 * (Math.floor(i / 10) % 10) - 1, 0.2 * Math.floor(i / 100) - 2 + 0.01 * Math.sin(begun)));
  }
  balls.instanceMatrix.needsUpdate = true;
  renderer.render(scene, camera);
  pictures++;
  spent += performance.now() - begun;
  requestAnimationFrame(move);
}
requestAnimationFrame(() => {
  renderer.render(scene, camera);
  performance.mark('routh:picture');
  document.body.dataset.picture = document.body.dataset.ready = 'yes';
});`;

function bare_page() {
  const { buildSync } = createRequire(new URL('package.json', web))('esbuild');
  const made = buildSync({ stdin: { contents: BARE, resolveDir: fileURLToPath(web) }, bundle: true, minify: true, format: 'esm', write: false });
  return `<!doctype html><meta charset="utf-8"><body style="margin:0"><script type="module">${made.outputFiles[0].text.replace(/<\/script/g, '<\\/script')}</script>`;
}

async function with_bare(work) {
  const text = bare_page();
  const server = createServer((_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end(text));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  try {
    await work(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
  }
}

// routh view as a server; gives its address and process id to the work, then ends it.
async function with_server(name, work) {
  const begun = performance.now();
  const server = spawn(program, ['view', name], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const address = await new Promise((done, fail) => {
      server.stdout.once('data', (text) => done(String(text).trim()));
      server.once('exit', () => fail(new Error('the server ended')));
    });
    await work(address, server.pid, performance.now() - begun);
  } finally {
    const gone = new Promise((done) => server.once('exit', done));
    server.kill('SIGINT');
    await gone;
  }
}

// Runs in the page before anything else: notes when the picture is not only asked for but there: a pixel of it can be read.
function note_when_shown() {
  new MutationObserver((_, self) => {
    const canvas = document.querySelector('canvas.picture');
    if (!document.body?.dataset.picture || !canvas) return;
    self.disconnect();
    const gl = canvas.getContext('webgl2');
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    performance.mark('routh:shown');
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

// The marks of one load [ms from the navigation], by name.
async function load(open, url) {
  const page = await open(url, { before: note_when_shown });
  const marks = await page.evaluate(() => Object.fromEntries([
    ['answer', performance.getEntriesByType('navigation')[0].responseEnd],
    ...performance.getEntriesByType('mark').map((m) => [m.name.replace('routh:', ''), m.startTime])]));
  if (page.said.length > 0) throw new Error(page.said.join('\n'));
  await page.close();
  return marks;
}

function tell(name, all) {
  const names = [...new Set(all.flatMap((x) => Object.keys(x)))];
  const order = names.map((n) => [n, all.map((x) => x[n]).filter((x) => x !== undefined)]).sort((a, b) => median(a[1]) - median(b[1]));
  console.log(`${name}: ${order.map(([n, list]) => `${n} ${median(list).toFixed(0)} (least ${least(list).toFixed(0)})`).join(', ')} ms`);
}

async function first(open) {
  routh('run', join(scenes, 'ball.yaml'), '-s', 'run.until=15', '-s', 'record.every=1ms', '-o', 'ten.rhr', '-q');
  const bytes = statSync(join(folder, 'ten.rhr')).size;
  await with_server('ten.rhr', (address) => with_bare(async (bare) => {
    const ours = [], theirs = [];
    await load(open, address); // the browser's own beginnings are not counted
    await load(open, bare);
    for (let i = 0; i < LOADS; i++) {
      ours.push(await load(open, address));
      theirs.push(await load(open, bare));
    }
    console.log(`first picture of ${(bytes / 1e6).toFixed(1)} MB, median of ${LOADS} loads in turn`);
    tell('  routh view', ours);
    tell('  bare three.js', theirs);
    const more = median(ours.map((x, i) => x.shown - theirs[i].shown));
    console.log(`  ours after the bare page: ${more.toFixed(0)} ms`);
  }));
}

// Plays at the speed that lasts long enough, and counts.
async function played(page) {
  await page.evaluate(() => window.routh.state.play(true));
  await page.waitForTimeout(2000); // the picture is made simpler first where the machine is slow
  const before = await page.evaluate(() => ({ ...window.routh.work, at: performance.now() }));
  await page.waitForTimeout(4000);
  const after = await page.evaluate(() => ({ ...window.routh.work, at: performance.now(), playing: window.routh.state.playing }));
  if (!after.playing) throw new Error('the run was over before the measurement was');
  const n = after.pictures - before.pictures;
  return { rate: (1000 * n) / (after.at - before.at), own: (after.spent - before.spent) / n };
}

async function play(open) {
  writeFileSync(join(folder, 'many.yaml'), many_balls(1000));
  routh('run', 'many.yaml', '-s', 'run.until=20', '-s', 'record.every=0.1', '-s', 'world.gravity=[0,0,-0.02]', '-o', 'many.rhr', '-q');
  const measure = async (name, address) => {
    const page = await open(address);
    const { rate, own } = await played(page);
    const calls = await page.evaluate(() => window.routh.calls());
    console.log(`  ${name}: ${rate.toFixed(1)} frames/s, ${own.toFixed(1)} ms a frame of the page's own, ${calls} draw calls`);
    await page.close();
  };
  console.log('1000 bodies in motion (at 60 frames/s a frame has 16.7 ms)');
  await with_server('many.rhr', (address) => with_bare(async (bare) => {
    await measure('routh view', address);
    await measure('bare three.js', `${bare}?balls=1000`);
  }));
}

// [MB] of a process, as the system sees it.
const resident = (pid, what = 'VmHWM') => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${what}:\\s+(\\d+)`))[1]) / 1024;

// The largest of the processes that show pages of this browser.
function largest_page() {
  const pids = execFileSync('pgrep', ['-f', 'type=renderer.*routh-web-|routh-web-.*type=renderer']).toString().trim().split('\n');
  return Math.max(...pids.map((pid) => {
    try {
      return resident(pid, 'VmRSS');
    } catch {
      return 0; // it has ended meanwhile
    }
  }));
}

async function long(open) {
  const megabytes = Number(process.env.MEGABYTES ?? 1000);
  const until = Math.round(1.51 * megabytes); // [s]; a frame has 662 bytes
  const command = ['run', join(scenes, 'ball.yaml'), '-s', `run.until=${until}`, '-s', 'record.every=1ms', '-o', 'long.rhr', '-q'];
  const begun = performance.now();
  routh(...command);
  const bytes = statSync(join(folder, 'long.rhr')).size;
  console.log(`${(bytes / 1e6).toFixed(0)} MB, ${until * 1000 + 1} frames, made in ${((performance.now() - begun) / 1000).toFixed(0)} s: routh ${command.join(' ')}`);
  await with_server('long.rhr', async (address, pid, until_served) => {
    const page = await open(address, { before: note_when_shown });
    const shown = await page.evaluate(() => performance.getEntriesByName('routh:shown')[0].startTime);
    await page.waitForFunction(() => window.routh.state.run.frames.count >= 500);
    const here = await page.evaluate(() => performance.now());
    const times = [];
    for (const share of [0.9, 0.33, 0.5]) { // from one end to the other: until every frame around is there
      const t = Math.round(share * until * 1000) / 1000;
      const asked = await page.evaluate((x) => { window.routh.state.seek(x); return performance.now(); }, t);
      await page.waitForFunction(() => window.routh.state.run.at(window.routh.state.t).block.stride === 1);
      times.push((await page.evaluate(() => performance.now())) - asked);
    }
    console.log(`  the program answers after ${until_served.toFixed(0)} ms, first picture ${shown.toFixed(0)} ms, the whole run in 600 frames after ${here.toFixed(0)} ms, ` +
      `a jump ${median(times).toFixed(0)} ms; memory of the program ${resident(pid).toFixed(0)} MB, of the page ${largest_page().toFixed(0)} MB`);
    await page.close();
  });
  rmSync(join(folder, 'long.rhr'));
}

// So many balls that fall, BALLS=N (100 000): until they are there, how many are drawn while time runs, and whether the page answers meanwhile.
async function crowd(open) {
  const n = Number(process.env.BALLS ?? 100000);
  const side = Math.ceil(Math.cbrt(n));
  writeFileSync(join(folder, 'crowd.yaml'), `bodies: [{repeat: ${n}, name: "b\${i}", mass: 0.001}]
joints:
  - {repeat: ${n}, kind: free, child: "b\${i}", q: ["\${0.011*(i % ${side})}", "\${0.011*(floor(i/${side}) % ${side})}", "\${1 + 0.011*floor(i/${side * side})}", 1, 0, 0, 0]}
shapes: [{body: world, kind: plane}, {repeat: ${n}, body: "b\${i}", kind: sphere, radius: 0.005}]
run: {engine: stepping, dt: 0.01, until: 0.4}
record: {every: 0.02}
`);
  routh('run', 'crowd.yaml', '-o', 'crowd.rhr', '-q');
  console.log(`${n} balls, 21 frames, ${(statSync(join(folder, 'crowd.rhr')).size / 1e6).toFixed(0)} MB`);
  await with_server('crowd.rhr', async (address, pid, until_served) => {
    const page = await open(address, { before: note_when_shown });
    const shown = await page.evaluate(() => performance.getEntriesByName('routh:shown')[0].startTime);
    await page.waitForFunction((all) => window.routh.crowd.count === all, n);
    const here = await page.evaluate(() => performance.now());
    const seen = await page.evaluate(async () => {
      const { state } = window.routh, frames = new Set(), counts = [], gaps = [];
      for (let i = 0; i < 5; i++) state.faster(-1);
      state.on_change(() => {
        if (!frames.has(window.routh.crowd.shown)) counts.push(window.routh.crowd.count);
        frames.add(window.routh.crowd.shown);
      });
      state.play(true);
      for (let last = performance.now(); state.playing;) {
        await new Promise((done) => setTimeout(done, 10));
        gaps.push(performance.now() - last);
        last = performance.now();
      }
      return { frames: frames.size, counts, gap: Math.max(...gaps) };
    });
    console.log(`  the program answers after ${until_served.toFixed(0)} ms, first picture ${shown.toFixed(0)} ms, all balls ${here.toFixed(0)} ms; played in 13 s: ${seen.frames} of 21 frames, ` +
      `${Math.min(...seen.counts)} to ${Math.max(...seen.counts)} balls each, longest time without an answer of the page ${seen.gap.toFixed(0)} ms; ` +
      `memory of the program ${resident(pid).toFixed(0)} MB, of the page ${largest_page().toFixed(0)} MB`);
    await page.screenshot({ path: join(folder, 'crowd.png') });
    await page.close();
  });
  rmSync(join(folder, 'crowd.rhr'));
}

const known = { first, play, long, crowd };

await with_browser(async (open) => {
  for (const name of asked.length > 0 ? asked : Object.keys(known)) await known[name](open);
});
