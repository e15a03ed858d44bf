// look.mjs: what one sees: what moves fills the window, whatever its size and the window's; arrows are a share of the picture and can be
// left out; walls show in the dark. Called by page.mjs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settle } from './browser.mjs';
import { falling, room, walls } from './scenes.mjs';
import { folder, must, near, record, routh, scenes, state, test, url } from './tools.mjs';

// What moves fills so much of the window at least, along the side along which it fills more: frame.ts leaves a margin of 10 % on the whole and
// stands back by 28 % at most for what is around; what is left is 0.65, and a round body in the box that it is fitted by has 0.54.
const FILL = 0.5;

const looked_at = [ // scene, how long it runs
  ['ball', 1], ['pile', 0.2], ['peg-in-hole', 0.2], ['fixture-321', 0.1], ['terrain', 0.5], ['rimless-wheel', 1], ['double-pendulum', 1]];
const windows = [[1280, 800], [500, 900], [1500, 480]]; // [pixel]

async function page_of(open, name, settings) {
  await routh('view', `${name}.rhr`, '--export', `${name}.html`, '--shallow');
  return open(url(`${name}.html`), settings);
}

async function must_fill(page, name) {
  for (const [width, height] of windows) {
    await page.setViewportSize({ width, height });
    await settle(page);
    const [left, right, low, high] = await page.evaluate(() => window.routh.bounds(12));
    const fill = Math.max(right - left, high - low) / 2;
    must(Math.max(-left, right, -low, high) < 1, `${name}, ${width} x ${height}: what moves is not all in the picture: ${[left, right, low, high]}`);
    must(fill > FILL, `${name}, ${width} x ${height}: what moves fills ${fill.toFixed(2)} of the window`);
  }
  must(page.said.length === 0, page.said.join('\n'));
}

async function framing(open) {
  writeFileSync(join(folder, 'room.yaml'), room);
  const shown = [...looked_at.map(([name, until]) => [join(scenes, `${name}.yaml`), name, until]), ['room.yaml', 'room', 1]];
  for (const [scene, name, until] of shown) {
    await test(`fills_${name.replace(/-/g, '_')}`, async () => {
      await record(scene, `fills-${name}.rhr`, '--until', String(until));
      const page = await page_of(open, `fills-${name}`);
      await must_fill(page, name);
      await page.screenshot({ path: join(folder, `fills-${name}.png`) });
      await page.close();
    });
  }
}

// The same scene a thousand times smaller and larger, gravity as well, so that it takes the same time: it must look the same.
async function scales(open) {
  await test('scales', async () => {
    const seen = [];
    for (const scale of [1e-3, 1, 1e3]) {
      const name = `scale-${scale}`;
      writeFileSync(join(folder, `${name}.yaml`), falling(scale));
      await record(`${name}.yaml`, `${name}.rhr`);
      const page = await page_of(open, name, { width: 900, height: 560 });
      const bounds = await page.evaluate(() => window.routh.bounds(12));
      await page.evaluate(() => window.routh.state.seek(window.routh.state.end));
      await settle(page);
      const force = await page.evaluate(() => window.routh.arrow());
      await page.keyboard.press('Backspace');
      await page.keyboard.press('n');
      await settle(page);
      seen.push({ bounds, force, impulse: await page.evaluate(() => window.routh.arrow()) });
      await page.screenshot({ path: join(folder, `${name}.png`) });
      must(page.said.length === 0, page.said.join('\n'));
      await page.close();
    }
    for (const { bounds, force, impulse } of seen) { // frames are of 32 bits, the camera is fitted to them
      must(bounds.every((x, i) => near(x, seen[1].bounds[i], 1e-3)), `bounds ${bounds} against ${seen[1].bounds}`);
      must(near(force, seen[1].force, 1e-3) && near(impulse, seen[1].impulse, 1e-3), `arrows ${force}, ${impulse} against ${JSON.stringify(seen[1])}`);
      // Long enough to be read, short enough not to leave the picture.
      must(force > 0.1 && force < 0.45 && impulse > 0.1 && impulse < 0.45, `arrows of ${force} and ${impulse} of the picture's height`);
    }
  });
}

// What a page reads from a picture: `read` is called with its width, its height, its bytes (r, g, b, a) and `more`.
const from_picture = (page, png, read, more) => page.evaluate(async ([base64, source, given]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [image.width, image.height];
  const c = copy.getContext('2d');
  c.drawImage(image, 0, 0);
  return new Function(`return ${source}`)()(image.width, image.height, c.getImageData(0, 0, image.width, image.height).data, given);
}, [png.toString('base64'), String(read), more]);

// Pixels that are dark, and how much of the picture what is blue spans.
function dark_and_blue(width, height, data) {
  let dark = 0, left = width, right = 0, top = height, low = 0;
  for (let i = 0; i < data.length; i += 4) {
    const x = (i / 4) % width, y = Math.floor(i / 4 / width);
    if (data[i] < 60 && data[i + 1] < 60 && data[i + 2] < 70) dark++;
    if (data[i + 2] < data[i] + 25) continue;
    [left, right, top, low] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(low, y)];
  }
  return { dark, fill: Math.max((right - left) / width, (low - top) / height) };
}

function colours_at(width, height, data, places) {
  return places.map(([x, y]) => [...data.slice(4 * (Math.round(y) * width + Math.round(x))).slice(0, 3)]);
}

// Pictures without a window: of any shape they are filled as the page is; arrows are dark, or not there.
async function pictures(open) {
  await test('picture_without_arrows', async () => {
    await record(join(scenes, 'fixture-321.yaml'), 'fixture.rhr', '--until', '0.1');
    const page = await page_of(open, 'fixture', { width: 900, height: 560 });
    const taken = async (name, ...more) => {
      await routh('view', 'fixture.rhr', '--png', name, '--at', '0.1', '--pixels', ...more);
      return from_picture(page, readFileSync(join(folder, name)), dark_and_blue);
    };
    const [with_arrows, without, tall] = [await taken('arrows.png', '360x240'), await taken('no-arrows.png', '360x240', '--no-arrows'),
      await taken('tall.png', '240x360', '--no-arrows')];
    must(with_arrows.dark > 1.3 * without.dark + 40, `${with_arrows.dark} dark pixels with arrows, ${without.dark} without`);
    for (const { fill } of [without, tall]) must(fill > FILL && fill < 1, `the workpiece fills ${fill.toFixed(2)} of the picture`);
    must((await state(page, 's.flags.forces && s.flags.impulses')) === true, 'arrows are off at first');
    await page.keyboard.press('a');
    must((await state(page, 's.flags.forces || s.flags.impulses')) === false, 'A does not switch the arrows off');
    await page.close();
  });
}

function luminance([r, g, b]) { // relative, of sRGB (WCAG 2)
  const linear = (x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

// A wall must stand out from the paper behind it. 1.3 is what it takes to see a large surface at a glance; WCAG's 3 is for text and signs, and walls
// that bright would outshine what moves.
const CONTRAST = 1.3;

async function dark_walls(open) {
  writeFileSync(join(folder, 'walls.yaml'), walls);
  await record('walls.yaml', 'walls.rhr');
  for (const scheme of ['dark', 'light']) {
    await test(`walls_${scheme}`, async () => {
      const page = await page_of(open, 'walls', { scheme, width: 900, height: 560 });
      await page.keyboard.press('#'); // the lines of the grid are no wall
      await page.evaluate(() => window.routh.bounds(2));
      await settle(page);
      const shot = await page.locator('.picture').screenshot({ path: join(folder, `walls-${scheme}.png`) });
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
      const box = await page.locator('.picture').boundingBox();
      // Places of the two planes that are walls, and of a box that is one.
      const at = [[0.6, 1, 0.3], [1, 0.6, 0.3], [0.2, 1, 0.15], [-0.175, 0, 0.2], [-0.2, -0.3, 0.3]];
      const places = (await page.evaluate((list) => list.map((p) => window.routh.on_screen(p)), at)).map(([x, y]) => [x - box.x, y - box.y]);
      must(places.every(([x, y]) => x > 0 && x < box.width && y > 0 && y < box.height), `walls are not in the picture: ${places}`);
      const contrasts = (await from_picture(page, shot, colours_at, places)).map((seen) => {
        const [a, b] = [luminance(seen), luminance(paper)];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      });
      console.error(`  contrast of walls to the paper, ${scheme}: ${contrasts.map((x) => x.toFixed(2)).join(' ')}`);
      must(contrasts.every((x) => x > CONTRAST), `walls have contrasts of ${contrasts} to the paper`);
      await page.close();
    });
  }
}

export async function look(open) {
  await framing(open);
  await scales(open);
  await pictures(open);
  await dark_walls(open);
}
