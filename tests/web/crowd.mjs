// crowd.mjs: many loose balls, which come as places and are drawn as points: all of them at rest, as many as can be had while time runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settle } from './browser.mjs';
import { colours, folder, must, record, routh, state, test, url, with_server } from './tools.mjs';

const N = 20000;

// They fall, each with its own start.
const falling = `bodies: [{name: sled, mass: 1}, {repeat: ${N}, name: "b\${i}", mass: 0.001}]
joints:
  - {kind: prismatic, child: sled, axis: [0, 1, 0], v: 2}
  - {repeat: ${N}, kind: free, child: "b\${i}", q: ["\${0.011*(i % 30)}", "\${0.011*(floor(i/30) % 30)}", "\${0.3 + 0.011*floor(i/900)}", 1, 0, 0, 0]}
shapes:
  - {body: world, kind: plane}
  - {body: sled, kind: box, size: [0.1, 0.1, 0.1], at: [-0.2, 0, 0.05]}
  - {repeat: ${N}, body: "b\${i}", kind: sphere, radius: 0.005}
run: {engine: stepping, dt: 0.01, until: 0.2}
record: {every: 0.01}
`;

const all_here = (page, frame) => page.waitForFunction(([f, n]) => (f < 0 || window.routh.crowd.shown === f) && window.routh.crowd.count === n, [frame, N]);

export async function crowd(open) {
  writeFileSync(join(folder, 'crowd.yaml'), falling);
  await record(join(folder, 'crowd.yaml'), 'crowd.rhr');
  await with_server(['crowd.rhr'], (address) => test('crowd', async () => {
    const page = await open(address);
    await all_here(page, 0);
    must((await state(page, 's.run.head.bodies.length')) === 2, 'the balls are bodies of the page');
    await page.evaluate(() => window.routh.state.seek(0.1));
    await all_here(page, 10);
    await settle(page);
    must((await colours(page, '.picture')) > 200, 'the balls are not to be seen');
    must((await page.evaluate(() => window.routh.calls())) < 30, 'each ball is drawn alone');
    await page.screenshot({ path: join(folder, 'crowd.png') });
    await page.evaluate(() => {
      Object.assign(window, { shown: new Set() });
      window.routh.state.on_change(() => window.shown.add(window.routh.crowd.shown));
      window.routh.state.seek(0);
      for (let i = 0; i < 6; i++) window.routh.state.faster(-1);
      window.routh.state.play(true);
    });
    await page.waitForFunction(() => window.shown.size >= 4); // frames follow one another while time runs
    await page.evaluate(() => window.routh.state.play(false));
    await all_here(page, -1); // at rest all are there again
    const asked = await page.evaluate(() => window.routh.crowd.asked);
    await settle(page);
    must((await page.evaluate(() => window.routh.crowd.asked)) === asked, 'a picture at rest asks again');
    must(page.said.length === 0, page.said.join('\n'));
    await page.close();
  }));
  await routh('view', 'crowd.rhr', '--export', 'crowd.html', '--shallow');
  await test('crowd_exported', async () => {
    const page = await open(url('crowd.html'));
    await page.evaluate(() => window.routh.state.seek(0.2));
    await all_here(page, 20);
    await settle(page);
    must((await colours(page, '.picture')) > 200, 'the balls are not to be seen');
    must(page.said.length === 0, page.said.join('\n'));
    await page.close();
  });
}
