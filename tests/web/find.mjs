// find.mjs: the palette, the menu of the right button, and plots as files; called by page.mjs with an open page of the ball.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settle } from './browser.mjs';
import { folder, must, state, test } from './tools.mjs';

// What a click downloads, as text.
async function downloaded(page, click) {
  const [file] = await Promise.all([page.waitForEvent('download'), click()]);
  const name = file.suggestedFilename();
  await file.saveAs(join(folder, name));
  return { name, text: readFileSync(join(folder, name), 'utf8') };
}

const table = (text) => text.trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
const well_formed = (page, text) => page.evaluate((t) => new DOMParser().parseFromString(t, 'image/svg+xml').querySelector('parsererror') === null, text);

export async function find_tests(page) {
  const take = async (typed) => {
    await page.keyboard.press('Control+p');
    await page.keyboard.type(typed);
    await page.keyboard.press('Enter');
    await settle(page);
  };
  await test('palette', async () => {
    await page.keyboard.press('Control+p');
    must(await page.locator('dialog.palette').isVisible(), 'Ctrl-P opens nothing');
    await page.keyboard.press('Escape');
    must(!(await page.locator('dialog.palette').isVisible()), 'Escape leaves the palette');
    await take('body ball');
    must((await state(page, 's.body')) === 1, 'a body is not selected by its name');
    await take('channel ball.vx');
    must((await page.locator('.chip', { hasText: 'ball.vx' }).count()) === 1, 'a channel is not plotted by its name');
    await take('event part floor');
    must((await state(page, "s.selected.kind === 'part' && s.t === s.selected.t")) === true, 'an event is not jumped to by its name');
    const cones = await state(page, 's.flags.cones');
    await take('friction cones');
    must((await state(page, 's.flags.cones')) === !cones, 'an action is not found by its name');
    await take('friction cones');
    await take('contact floor');
    must((await page.locator('.chip', { hasText: /floor.*normal/ }).count()) === 1, 'a contact is not plotted by its name');
  });
  await test('menu', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Backspace');
    await settle(page);
    const at = await page.evaluate(() => window.routh.where(1));
    await page.mouse.click(at[0], at[1], { button: 'right' });
    await page.getByRole('menuitem', { name: 'plot ball.vz', exact: true }).click();
    await settle(page);
    must((await page.locator('.chip', { hasText: 'ball.vz' }).count()) === 1, 'the menu of a body does not plot');
    await page.locator('.legend .item').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'plot energy.kinetic' }).click();
    await settle(page);
    must((await page.locator('.chip', { hasText: 'energy.kinetic' }).count()) === 1, 'the menu of a value does not plot');
  });
  await test('files_out', async () => {
    const energy = await downloaded(page, () => page.locator('.energy .savers button', { hasText: 'CSV' }).click());
    must(energy.name === 'ball.rhr-energy.csv', `the file is called ${energy.name}`);
    const rows = table(energy.text);
    must(rows.length >= 500, `${rows.length} rows of energy`);
    for (const [, ...x] of rows) { // the account closes: what there is and what was lost is what was put in, and the residue
      const sum = x.slice(0, 6).reduce((a, b) => a + b, 0);
      must(Math.abs(sum - x[6] - x[7]) < 1e-12, 'the columns do not add up');
    }
    const plot = await downloaded(page, () => page.locator('.plot .savers button', { hasText: 'CSV' }).click());
    must(/^t \[s\],/.test(plot.text) && plot.text.includes('energy.kinetic [J]'), 'the plot has no columns');
    for (const card of ['.energy', '.plot']) {
      const svg = await downloaded(page, () => page.locator(`${card} .savers button`, { hasText: 'SVG' }).click());
      must(await well_formed(page, svg.text), `the SVG of ${card} is not well formed`);
      must((svg.text.match(/<path/g) ?? []).length > 3, `the SVG of ${card} is empty`);
    }
    await page.keyboard.press('n');
    await settle(page);
    const impact = await downloaded(page, () => page.locator('.event .savers button', { hasText: 'CSV' }).click());
    must(/^t \[s\],depth/.test(impact.text) && table(impact.text).length > 10, 'the squeeze has no numbers');
  });
}
