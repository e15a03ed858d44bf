// sandbox.mjs: `routh view` without a file in a real browser: shapes are dropped, thrown, taken back and removed; values and laws change while it
// runs; what is refused is shown; what is saved runs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settle } from './browser.mjs';
import { answers, closed_after, folder, must, routh, test, with_server } from './tools.mjs';

const bodies = (page) => page.evaluate(() => window.routh.state.run.head.bodies.map((b) => b.name));
const wait_bodies = (page, n) => page.waitForFunction((want) => window.routh.state.run.head.bodies.length === want + 1, n);
const say = (page, text) => page.evaluate((t) => window.routh.state.say(t), text);

// A place in the picture, as shares of its width and height
async function place(page, x, y) {
  const box = await page.locator('.picture').boundingBox();
  return [box.x + x * box.width, box.y + y * box.height];
}

async function drop(page, key, x, y) {
  await page.keyboard.press(key);
  await page.mouse.move(...(await place(page, x, y)));
  await page.mouse.down();
  await page.mouse.up();
  await page.keyboard.press('Escape');
}

async function slide(page, path, share) {
  const slider = page.locator(`.dial[data-path="${path}"] input[type=range]`);
  await slider.hover(); // where it is when it has come to rest
  const box = await slider.boundingBox();
  await slider.click({ position: { x: share * box.width, y: box.height / 2 } });
}

export async function sandbox(open) {
  await with_server(['-o', 'kept.yaml'], async (address) => {
    const page = await open(address);
    await page.waitForSelector('.shelf');

    await test('sandbox_opens', async () => {
      must((await page.title()).startsWith('sandbox'), 'the title does not say sandbox');
      must((await bodies(page)).join() === 'world,ball1', 'there is not one ball');
      await page.waitForFunction(() => window.routh.state.end > 0.2);
      await page.waitForFunction(() => /real time/.test(document.querySelector('.pace').textContent)); // it says how fast it runs
    });

    await test('sandbox_drop', async () => {
      const before = await page.evaluate(() => window.routh.state.end);
      await drop(page, '1', 0.4, 0.6);
      await wait_bodies(page, 2);
      await drop(page, '2', 0.6, 0.65);
      await wait_bodies(page, 3);
      must((await bodies(page)).join() === 'world,ball1,ball2,box3', `there are ${await bodies(page)}`);
      const t = await page.evaluate(() => window.routh.state.end);
      await page.waitForFunction((was) => window.routh.state.end > was + 0.1, t);
      must((await page.evaluate(() => window.routh.state.run.frames.t[0])) < before, 'what was seen before the drop is gone');
    });

    await test('sandbox_throw', async () => {
      await page.keyboard.press('1');
      await page.mouse.move(...(await place(page, 0.3, 0.6)));
      await page.mouse.down();
      await page.mouse.move(...(await place(page, 0.45, 0.5)), { steps: 4 });
      await settle(page);
      await page.screenshot({ path: join(folder, 'sandbox-throw.png') });
      await page.mouse.up();
      await page.keyboard.press('Escape');
      await wait_bodies(page, 4);
      await page.waitForFunction(() => { // it flew to the right, whatever it met then
        const r = window.routh.state.run, x = (t) => r.position(r.at(t), 4)[0];
        return [...r.frames.t].some((t) => x(t) > x(r.begun) + 0.2);
      });
    });

    await test('sandbox_values', async () => {
      await slide(page, 'contacts.0.e', 0.9);
      await page.waitForFunction(() => window.routh.state.run.head.contacts[0].e > 0.85);
      await slide(page, 'contacts.0.mu_k', 0.1);
      await page.waitForFunction(() => window.routh.state.run.head.contacts[0].mu_k < 0.25);
      const curve = await page.locator('.sliders canvas').screenshot();
      await page.selectOption('select[aria-label="law of contact"]', 'hunt-crossley');
      await page.waitForFunction(() => window.routh.state.run.head.contacts[0].law === 'hunt-crossley');
      await page.waitForSelector('.dial[data-path="contacts.0.k"]');
      must((await page.locator('.dial[data-path="contacts.0.mu_k"]').count()) === 0, 'values of the law before are still there');
      await settle(page);
      must(!curve.equals(await page.locator('.sliders canvas').screenshot()), 'the curve is that of the law before');
      const end = await page.evaluate(() => window.routh.state.end);
      await page.waitForFunction((was) => window.routh.state.end > was + 0.2, end);
      must((await bodies(page)).length === 5, 'the bodies are others');
      await page.screenshot({ path: join(folder, 'sandbox.png') });
    });

    await test('sandbox_save', async () => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('s')]);
      must(download.suggestedFilename() === 'sandbox.yaml', `it is called ${download.suggestedFilename()}`);
      await download.saveAs(join(folder, 'sandbox.yaml'));
      const text = readFileSync(join(folder, 'sandbox.yaml'), 'utf8');
      must(text.startsWith('#') && /law: hunt-crossley/.test(text) && /name: box3/.test(text), 'the scene does not say what was built');
      await routh('run', 'sandbox.yaml', '-q', '-o', 'sandbox.rhr', '-s', 'run.until=0.5');
      must(existsSync(join(folder, 'sandbox.rhr')), 'the saved scene does not run');
    });

    await test('sandbox_refused', async () => {
      await say(page, 'add ball 0 0 1 1 0 0 0 0 0 0 1000 77');
      await page.waitForFunction(() => /size/.test(document.querySelector('.refusal').textContent));
      must((await bodies(page)).length === 5, 'a ball of 77 m is there');
      await page.screenshot({ path: join(folder, 'sandbox-refused.png') });
    });

    await test('sandbox_undo', async () => {
      await page.keyboard.press('u');
      await wait_bodies(page, 3);
      must(!(await bodies(page)).includes('ball4'), 'another one was taken back');
      await page.keyboard.press('Space'); // what moves is hard to hit, and what has rolled away is not in the picture
      await page.waitForFunction(() => !window.routh.state.run.running);
      await page.getByRole('button', { name: 'Reset' }).click();
      await page.waitForFunction(() => window.routh.state.run.frames.t[0] === 0 && window.routh.state.end < 1);
      await answers(page);
      await settle(page);
      const ball2 = (await bodies(page)).indexOf('ball2');
      const at = await page.evaluate((b) => window.routh.where(b), ball2);
      await page.mouse.dblclick(at[0], at[1]);
      await page.waitForFunction((b) => window.routh.state.body === b, ball2);
      await page.keyboard.press('Delete');
      await page.waitForFunction(() => window.routh.state.run.head.bodies.map((b) => b.name).join() === 'world,ball1,box3');
      await page.keyboard.press('Space');
      await page.waitForFunction(() => window.routh.state.run.running);
      await page.getByRole('button', { name: 'Clear' }).click();
      await wait_bodies(page, 0);
      await drop(page, '3', 0.5, 0.6);
      await drop(page, '4', 0.6, 0.6);
      await wait_bodies(page, 2);
    });

    await test('sandbox_malformed', async () => {
      for (const text of ['add', 'add ball 1', 'add ball 0 0 x 1 0 0 0 0 0 0 1000 0.1', 'law nobody', 'set e', 'x'.repeat(5000)]) {
        await closed_after(page, [text]);
      }
      const end = await page.evaluate(() => window.routh.state.end);
      await page.waitForFunction((was) => window.routh.state.end > was, end);
    });

    await test('sandbox_phone', async () => {
      const phone = await open(address, { width: 390, height: 780, scheme: 'dark' });
      await phone.waitForSelector('.shelf');
      const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
      must(wide <= 390, `the page is ${wide} pixels wide on a screen of 390`);
      await drop(phone, '2', 0.5, 0.6);
      await wait_bodies(phone, 3);
      await settle(phone);
      await phone.screenshot({ path: join(folder, 'sandbox-phone.png') });
      must(phone.said.length === 0, phone.said.join('\n'));
      await phone.close();
    });

    await test('silent_sandbox', () => must(page.said.length === 0, page.said.join('\n')));
    await page.close();
  });
  await test('sandbox_kept', async () => {
    must(/name: capsule/.test(readFileSync(join(folder, 'kept.yaml'), 'utf8')), '-o has not kept what there was');
    await routh('run', 'kept.yaml', '-q', '-o', 'kept.rhr', '-s', 'run.until=0.2');
  });
}
