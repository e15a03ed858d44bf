// visuals.mjs: what bodies look like: colours, shapes in the place of visuals, levels of detail by the size on the screen; tendons
// and sensors. Called by page.mjs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settle } from './browser.mjs';
import { folder, must, record, routh, state, test, url, with_server } from './tools.mjs';

// A ball of 2 * (rings - 1) * sides triangles, as an OBJ file.
function ball(rings, sides) {
  const lines = [];
  for (let i = 0; i <= rings; i++) {
    for (let j = 0; j < sides; j++) {
      const a = (Math.PI * i) / rings, b = (2 * Math.PI * j) / sides;
      lines.push(`v ${Math.sin(a) * Math.cos(b)} ${Math.sin(a) * Math.sin(b)} ${Math.cos(a)}`);
    }
  }
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < sides; j++) {
      const k = (j + 1) % sides, at = (r, s) => r * sides + s + 1;
      if (i < rings - 1) lines.push(`f ${at(i, j)} ${at(i + 1, j)} ${at(i + 1, k)}`);
      if (i > 0) lines.push(`f ${at(i, j)} ${at(i + 1, k)} ${at(i, k)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const scene = `
bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, {name: b, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]
joints:
  - {kind: prismatic, child: a, axis: [0, 0, 1], at: [0, 0, 1]}
  - {kind: prismatic, child: b, axis: [0, 0, 1], at: [3, 0, 1]}
world: {gravity: [0, 0, 0]}
shapes: [{body: a, kind: box, size: [1, 1, 1]}, {body: b, kind: sphere, radius: 0.5}]
visuals:
  - {body: a, kind: mesh, mesh: ball, scale: [0.5, 0.5, 0.5], color: [0, 0.8, 0]}
visual_meshes: [{name: ball, file: ball.obj}]
tendons: [{name: cord}]
tendon_parts: [{tendon: cord, body: a, at: [0.5, 0, 0]}, {tendon: cord, body: b, at: [-0.5, 0, 0]}]
sensors: [{name: eye, kind: range, body: a, at: [0.5, 0, 0], rpy: [0, 1.5707963, 0]}]
run: {until: 0.2}
`;

// The colour at a place of the picture.
async function colour_at(page, at) {
  const box = await page.locator('.picture').boundingBox();
  const [x, y] = (await page.evaluate((p) => window.routh.on_screen(p), at)).map((v, k) => v - (k === 0 ? box.x : box.y));
  const png = await page.locator('.picture').screenshot();
  return page.evaluate(async ([base64, u, v]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [image.width, image.height];
    const c = copy.getContext('2d');
    c.drawImage(image, 0, 0);
    return [...c.getImageData(Math.round(u), Math.round(v), 1, 1).data].slice(0, 3);
  }, [png.toString('base64'), x, y]);
}

const is_green = ([r, g, b]) => g > r + 40 && g > b + 40;

async function exported(open) {
  writeFileSync(join(folder, 'ball.obj'), ball(120, 240));
  writeFileSync(join(folder, 'visuals.yaml'), scene);
  await record('visuals.yaml', 'visuals.rhr');
  await routh('view', 'visuals.rhr', '--export', 'visuals.html', '--shallow');
  const page = await open(url('visuals.html'));
  await test('visuals', async () => {
    await settle(page);
    const front = [0, -0.5, 1];
    must(is_green(await colour_at(page, front)), `the ball is not green, but ${await colour_at(page, front)}`);
    await page.keyboard.press('m');
    await settle(page);
    must(!(await state(page, 's.flags.visuals')), 'M does nothing');
    must(!is_green(await colour_at(page, front)), 'M does not show the shapes');
    await page.keyboard.press('m');
    await settle(page);
    await page.screenshot({ path: join(folder, 'visuals.png') });
  });
  await test('levels_of_detail', async () => {
    const home = await page.evaluate(() => window.routh.looks());
    await page.evaluate(() => window.routh.look_from(-60, 20, 0.05));
    await settle(page);
    const far = await page.evaluate(() => window.routh.looks());
    await page.evaluate(() => window.routh.look_from(-60, 20, 6));
    await settle(page);
    const near = await page.evaluate(() => window.routh.looks());
    must(far[0].level > home[0].level && far[0].triangles < home[0].triangles / 3, `far ${JSON.stringify(far)}, home ${JSON.stringify(home)}`);
    must(near[0].level === 0 && near[0].triangles === 2 * 119 * 240, `near ${JSON.stringify(near)}`);
  });
  await test('tendons_and_sensors', async () => {
    await page.evaluate(() => window.routh.look_from(-90, 10, 1));
    await settle(page);
    const cord = [1.5, 0, 1];
    const on = await colour_at(page, cord);
    await page.keyboard.press('d');
    await settle(page);
    const off = await colour_at(page, cord);
    must(on.some((x, k) => Math.abs(x - off[k]) > 30), `the cord is not seen: ${on} against ${off}`);
    must(page.said.length === 0, page.said.join('\n'));
  });
  await page.close();
}

// A served page begins with a coarse surface and asks for a finer one as the camera comes near.
async function served_levels(open) {
  await with_server(['visuals.rhr'], (address) => test('levels_served', async () => {
    const page = await open(address);
    await page.evaluate(() => window.routh.look_from(-60, 20, 6));
    await page.waitForFunction(() => window.routh.state.run.looks[0].has(0));
    await page.waitForFunction(() => window.routh.looks()[0].level === 0);
    const asked = await page.evaluate(() => performance.getEntriesByType('resource').map((r) => r.name).filter((n) => n.includes('/look/')));
    must(asked.length === 1 && asked[0].includes('/look/0/0/0'), `the page asked for ${asked}`);
    must(page.said.length === 0, page.said.join('\n'));
    await page.close();
  }));
}

// A picture without a window has the visuals too.
async function png() {
  await test('picture_of_visuals', async () => {
    await routh('view', 'visuals.rhr', '--png', 'visuals-shot.png', '--pixels', '300x200');
    must(readFileSync(join(folder, 'visuals-shot.png')).length > 2000, 'the picture is empty');
  });
}

export async function visuals(open) {
  await exported(open);
  await served_levels(open);
  await png();
}
