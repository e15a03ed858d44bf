// browser.mjs: Debian's Chromium, driven without a window; a page that must not say anything on its console.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { chromium } = require('playwright-core');

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-gpu-rasterization', '--disable-gpu-compositing', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

// The window of a page [pixel]: a small one, since every pixel is drawn by the processor.
const WINDOW = { width: 960, height: 600 };

// How long anything may take before it counts as stuck [ms]. No test measures the machine: a wait ends when what it waits for has happened.
export const WATCHDOG = 300000;

// A page in motion would draw as often as the processor allows, and the processor has other tests to run: some pictures a second suffice.
function draw_less_often() {
  const draw = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => setTimeout(() => draw(callback), 60);
}

// Calls work(open) and closes the browser in any case. open(url, settings) gives a page; its `said` lists what went wrong in it.
// `before` is a function that the page calls before any script of its own.
export async function with_browser(work) {
  const folder = mkdtempSync(join(tmpdir(), 'routh-web-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: FLAGS,
    viewport: WINDOW, timeout: WATCHDOG,
  });
  context.setDefaultTimeout(WATCHDOG);
  const open = async (url, { width = WINDOW.width, height = WINDOW.height, scheme = 'light', ready = 'body[data-ready=yes]', before } = {}) => {
    const page = await context.newPage();
    await page.addInitScript(draw_less_often);
    if (before) await page.addInitScript(before);
    page.said = [];
    page.on('console', (m) => {
      if (['error', 'warning'].includes(m.type()) && !/GPU stall|swiftshader/i.test(m.text())) page.said.push(m.text());
    });
    page.on('pageerror', (e) => page.said.push(String(e)));
    page.on('request', (r) => {
      if (!/^(file:|data:|blob:|http:\/\/127\.0\.0\.1:)/.test(r.url())) page.said.push(`asked the network for ${r.url()}`);
    });
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(url);
    await page.waitForSelector(ready);
    await settle(page); // the first picture is drawn
    return page;
  };
  try {
    await work(open);
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

// The page draws before the next picture: two of them and it is done.
export async function settle(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
