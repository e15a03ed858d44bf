// shot.mjs: a picture of an exported page: node shot.mjs PAGE.html PICTURE.png [key=value ...]
//   t=0.5 (time)  key=n,Enter (keys pressed one after the other)  size=390x800  scheme=dark  jump=2 (to the second impact)
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { settle, with_browser } from './browser.mjs';

const [file, out, ...rest] = process.argv.slice(2);
const ask = Object.fromEntries(rest.map((x) => x.split(/=(.*)/s).slice(0, 2)));
const [width, height] = (ask.size ?? '1280x800').split('x').map(Number);

await with_browser(async (open) => {
  const page = await open(pathToFileURL(resolve(file)).href, { width, height, scheme: ask.scheme });
  if (ask.t) await page.evaluate((t) => window.routh.state.seek(Number(t)), ask.t);
  for (let i = 0; i < Number(ask.jump ?? 0); i++) await page.keyboard.press('n');
  for (const key of (ask.key ?? '').split(',').filter(Boolean)) await page.keyboard.press(key);
  if (ask.run) await page.evaluate(ask.run);
  await page.waitForTimeout(500);
  await settle(page);
  await page.screenshot({ path: out });
  for (const line of page.said) console.error(line);
  process.exitCode = page.said.length > 0 ? 1 : 0;
});
