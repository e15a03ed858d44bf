// inputs.mjs: what a user does in a live run: sliders, drags, the recording of both, and the run done again. Called by page.mjs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settle } from './browser.mjs';
import { colours, folder, must, routh, state, test, with_server } from './tools.mjs';

const scene = `# two things on the floor
bodies:
  - {name: box, mass: 2}
  - {name: ball, mass: 1} # beside it
joints:
  - {kind: free, child: box, q: [0, 0, 0.1, 1, 0, 0, 0]}
  - {kind: free, child: ball, q: [0.6, 0, 0.8, 1, 0, 0, 0]}
shapes:
  - {body: world, kind: plane}
  - {body: box, kind: box, size: [0.2, 0.2, 0.2]}
  - {body: ball, kind: sphere, radius: 0.1}
contacts:
  - {name: ground, body: box, against: world, law: hunt-crossley, k: 1e5, alpha: 0.5} # soft
  - name: bounce
    body: ball
    against: world
    law: newton
    friction: dry
    mu_s: 0.3
    mu_k: 0.3
run: {until: 5}
record: {every: 10 ms}
`;

const dial = (page, path) => page.locator(`.dial[data-path="${path}"]`);

async function turn(page, path, share) { // as a mouse does: down, along, up
  const slider = dial(page, path).locator('input[type=range]');
  await slider.hover(); // where it is when it has come to rest
  const box = await slider.boundingBox();
  const x = (s) => box.x + 8 + s * (box.width - 16), y = box.y + box.height / 2;
  await page.mouse.move(x(0.5), y);
  await page.mouse.down();
  for (const s of [(0.5 + share) / 2, share]) {
    await page.mouse.move(x(s), y);
    await settle(page); // else a slow page takes both for one
  }
  await page.mouse.up();
}

const number_in = (page, path) => dial(page, path).locator('input[type=text]').inputValue().then(Number);
const caption = (page) => page.locator('.sliders .note').first().textContent();

async function sliders(page) {
  await test('sliders', async () => {
    await page.waitForSelector('.dial');
    must((await page.locator('.dial').count()) >= 2, 'the law has no sliders');
    must((await number_in(page, 'contacts.0.k')) === 1e5, 'k is not what the scene says');
    await page.waitForFunction(() => /e = /.test(document.querySelector('.sliders .note').textContent));
    must((await colours(page, '.sliders .chart')) > 4, 'the curve is empty');
  });
  await test('slider_turns', async () => {
    const before = await caption(page);
    const end = await page.evaluate(() => window.routh.state.end);
    await turn(page, 'contacts.0.alpha', 0.95);
    await page.waitForFunction((was) => document.querySelector('.sliders .note').textContent !== was, before);
    must((await number_in(page, 'contacts.0.alpha')) > 0.5, 'the value did not move');
    must((await page.evaluate(() => window.routh.state.end)) >= end, 'the run began anew');
    await turn(page, 'contacts.0.k', 0.75);
    await page.waitForFunction(() => Number(document.querySelector('.dial[data-path="contacts.0.k"] input[type=text]').value) > 1e6);
    await page.screenshot({ path: join(folder, 'sliders.png') });
  });
  await test('slider_rigid', async () => {
    await page.locator('.sliders select').first().selectOption({ index: 1 });
    await turn(page, 'contacts.1.e', 0.9);
    await page.waitForFunction(() => /45°/.test(document.querySelector('.sliders .note').textContent));
    await page.waitForFunction(() => / 0\.[89]\d*/.test(document.querySelector('.sliders .note').textContent));
    await page.screenshot({ path: join(folder, 'sliders-rigid.png') });
  });
  await test('slider_refused', async () => {
    const box = dial(page, 'contacts.1.e').locator('input[type=text]');
    const before = await box.inputValue();
    await box.fill('7');
    await box.press('Enter');
    await page.waitForFunction(() => /e must lie/.test(document.querySelector('.refused').textContent));
    await page.waitForFunction((was) => document.querySelector('.dial[data-path="contacts.1.e"] input[type=text]').value === was, before);
    const end = await page.evaluate(() => window.routh.state.end);
    await page.waitForFunction((was) => window.routh.state.end > was, end);
    await turn(page, 'contacts.1.mu_k', 0.1); // what is allowed takes the message away
    await page.waitForFunction(() => document.querySelector('.refused').textContent === '');
  });
}

async function write_back(page) {
  await test('write_back', async () => {
    await page.locator('.sliders header button').click();
    await page.waitForSelector('.back[open] .diff .in');
    const after = await page.evaluate(() => document.querySelector('.back').dataset.after);
    const lines = after.split('\n');
    const old = scene.split('\n');
    must(lines[0] === old[0] && after.includes('# beside it') && after.includes('# soft'), 'comments are lost');
    must(lines.length === old.length + 1, `one line more was expected (e), there are ${lines.length - old.length}`);
    must(/^ {4}e: 0\.\d+$/m.test(after), 'e is not there');
    must(!/k: 1e5/.test(after) && /k: \d/.test(after), 'k is as it was');
    must((await page.locator('.back .diff .out').count()) === 2, 'two lines were changed');
    await page.locator('.back .buttons button').last().click();
  });
}

async function drag(page) {
  await test('drag_input', async () => {
    const at = await page.evaluate(() => window.routh.where(1));
    await page.keyboard.down('Control');
    await page.mouse.move(at[0], at[1]);
    await page.mouse.down();
    for (let i = 1; i <= 8; i++) {
      await page.mouse.move(at[0] + (30 * i) / 8, at[1] - (120 * i) / 8);
      await settle(page);
    }
    await page.waitForFunction(() => {
      const { state: s } = window.routh;
      return s.run.position(s.run.at(s.end), 1)[2] > 0.15;
    });
    const hand = await state(page, "s.run.ledger(s.run.at(s.end), s.run.head.ledger.findIndex((r) => r.name === 'hand'))");
    must(hand > 2 * 9.81 * 0.04, `the hand has put in ${hand} J`);
    await page.mouse.up();
    await page.keyboard.up('Control');
    await page.waitForFunction(() => window.routh.state.run.inputs > 3);
    const end = await state(page, 's.end');
    await page.waitForFunction((was) => window.routh.state.end > was + 0.3, end);
  });
}

export async function inputs(open) {
  writeFileSync(join(folder, 'inputs.yaml'), scene);
  await with_server(['inputs.yaml', '-o', 'inputs.rhr'], async (address) => {
    const page = await open(address);
    await sliders(page);
    await write_back(page);
    await drag(page);
    await test('silent_inputs', () => must(page.said.length === 0, page.said.join('\n')));
    await page.close();
  });
  await test('replay', async () => {
    const run = JSON.parse(await routh('run', 'inputs.rhr', '-o', 'again.rhr', '--json'));
    must(run.again.differs === null && run.again.same > 50 && run.again.inputs > 10, JSON.stringify(run.again));
    await routh('compare', 'inputs.rhr', 'again.rhr'); // not 0: they differ
    must((await routh('check', 'again.rhr')).length > 0, 'the new recording is damaged');
  });
  await test('replay_shown', async () => { // a recording with inputs can be looked into as any other
    await with_server(['inputs.rhr'], async (address) => {
      const page = await open(address);
      await page.keyboard.press('n');
      await page.waitForFunction(() => window.routh.state.run.impact_of(window.routh.state.selected) !== undefined);
      must((await page.locator('.sliders').count()) === 0, 'a recording has sliders');
      must(page.said.length === 0, page.said.join('\n'));
      await page.close();
    });
  });
}
