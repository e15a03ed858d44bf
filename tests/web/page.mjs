// page.mjs: the page in a real browser: node page.mjs PROGRAM FOLDER. Makes its recordings and pages in FOLDER, keeps the
// pictures there, and says "ok NAME" or "FAILED NAME" for each test. Two lanes share one browser, so that one works while the other waits.
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settle, with_browser } from './browser.mjs';
import { inputs } from './inputs.mjs';
import { look } from './look.mjs';
import { crowd } from './crowd.mjs';
import { sandbox } from './sandbox.mjs';
import { find_tests } from './find.mjs';
import { many_balls, rod } from './scenes.mjs';
import { visuals } from './visuals.mjs';
import { answers, closed_after, colours, failed, folder, must, near, record, routh, scenes, state, test, url, with_server, writing } from './tools.mjs';

// Where a body is on the screen, once neither it nor the camera moves any more [pixel].
async function stands(page, body) {
  for (let before = null; ;) {
    await settle(page);
    const at = await page.evaluate((i) => window.routh.where(i), body);
    if (before && near(at[0], before[0], 0.01) && near(at[1], before[1], 0.01)) return at;
    before = at;
  }
}

async function tests(open) {
  await test('size', async () => {
    await record(join(scenes, 'ball.yaml'), 'ball.rhr', '-s', 'run.until=0.01');
    await routh('view', 'ball.rhr', '--export', 'small.html', '--shallow');
    const bytes = statSync(join(folder, 'small.html')).size;
    must(bytes < 2e6, `a page almost without data has ${bytes} bytes, more than 2 MB`);
    must(!/(src|href)\s*=\s*["']https?:/.test(readFileSync(join(folder, 'small.html'), 'utf8')), 'the page loads something from elsewhere');
  });

  await record(join(scenes, 'ball.yaml'), 'ball.rhr');
  await record(join(scenes, 'block-tilted-drop.yaml'), 'block.rhr');
  await routh('view', 'ball.rhr', '--export', 'ball.html');
  await routh('view', 'block.rhr', '--export', 'block.html');
  const block = await open(url('block.html'));

  await test('opens', async () => {
    must((await block.title()).startsWith('block.rhr'), 'the title does not name the run');
    const first = await block.evaluate(() => window.routh.first);
    console.error(`  first picture after ${first.toFixed(0)} ms`);
    must((await colours(block, '.picture')) > 40, 'the picture is empty');
    must((await colours(block, '.energy canvas')) > 4, 'the energy account is empty');
    await block.screenshot({ path: join(folder, 'block.png') });
  });

  await test('scrub', async () => {
    const box = await block.locator('.timeline').boundingBox();
    const y = box.y + box.height - 6;
    const motion = block.locator('.legend .item b').first();
    await block.mouse.move(box.x + 0.2 * box.width, y);
    await block.mouse.down();
    await settle(block);
    const before = await motion.textContent();
    await block.mouse.move(box.x + 0.5 * box.width, y, { steps: 4 });
    await block.mouse.up();
    await settle(block);
    const t = await state(block, 's.t'), end = await state(block, 's.end');
    must(near(t, 0.5 * end, 0.01 * end), `dragged to the middle of ${end} s, time is ${t}`);
    must((await motion.textContent()) !== before, 'the energy account did not follow');
  });

  await test('keys', async () => {
    await block.keyboard.press('Backspace');
    must((await state(block, 's.t')) === 0, 'Backspace does not go to the start');
    await block.keyboard.press('ArrowRight');
    const step = await state(block, 's.t');
    must(near(step, await state(block, 's.run.step'), 1e-12), 'the arrow does not go one frame');
    await block.keyboard.press('ArrowLeft');
    must((await state(block, 's.t')) === 0, 'the arrow does not go back');
    for (let i = 0; i < 9; i++) await block.keyboard.press('-'); // so slow that the run does not end before the next key
    await block.keyboard.press('Space');
    await block.waitForFunction('window.routh.state.t > 0');
    await block.keyboard.press('Space');
    must(!(await state(block, 's.playing')), 'Space does not pause');
    await block.keyboard.press('?');
    must(await block.locator('dialog.help').isVisible(), '? shows no help');
    await block.keyboard.press('Escape');
    must(!(await block.locator('dialog.help').isVisible()), 'Escape leaves the help');
    await block.keyboard.press('Tab');
    must(!(await block.locator('aside').isVisible()), 'Tab leaves the panels');
    await block.keyboard.press('Tab');
    const flag = await state(block, 's.flags.points');
    await block.keyboard.press('c');
    must((await state(block, 's.flags.points')) === !flag, 'C does not switch the contact points');
    await block.keyboard.press('c');
  });

  await test('impact', async () => {
    await block.keyboard.press('Backspace');
    await block.keyboard.press('n');
    await settle(block);
    const e = await state(block, 's.selected');
    must(e !== null && e.kind === 'impact', 'N does not select the next impact');
    must(await state(block, 's.t === s.selected.t'), 'the time is not that of the impact');
    const p = await state(block, 's.run.impact_of(s.selected).contacts.find((c) => c.slot === s.selected.slot).p');
    must(near(p[2], e.impulse, 1e-9 * e.impulse), `the run done again gives ${p[2]} N s, the event has ${e.impulse}`);
    must((await colours(block, '.look canvas')) > 4, 'the diagram is empty');
    await block.screenshot({ path: join(folder, 'block-impact.png') });
    await block.keyboard.press('Enter');
    await settle(block);
    must((await state(block, 's.view[1] - s.view[0]')) < 0.2, 'Enter does not zoom into the impact');
    await block.keyboard.press('Enter');
  });

  await test('select_body', async () => {
    await block.keyboard.press('Escape');
    await block.keyboard.press('Backspace');
    const at = await stands(block, 1);
    await block.mouse.dblclick(at[0], at[1]);
    await block.waitForFunction(() => window.routh.state.body === 1);
  });

  await test('silent_block', () => must(block.said.length === 0, block.said.join('\n')));
  await block.close();

  const ball = await open(url('ball.html'));
  await test('squeeze', async () => {
    await ball.keyboard.press('n');
    await ball.keyboard.press('Enter');
    await settle(ball);
    must(await state(ball, 's.run.zoom_at(s.t) !== undefined'), 'there is no zoom into the first contact');
    must(await ball.locator('.look canvas:visible').count() === 2, 'force over depth and over impulse are not shown');
    await ball.screenshot({ path: join(folder, 'ball-contact.png') });
  });

  await test('plot_against', async () => {
    const against = ball.locator('input.against');
    await against.fill('ball.px');
    await against.press('Enter');
    await settle(ball);
    must((await colours(ball, '.plot canvas.chart')) > 3, 'the phase plane is empty');
    await against.fill('t');
    await against.press('Enter');
    await ball.locator('input[placeholder^=add]').fill('energy.kinetic');
    await ball.locator('input[placeholder^=add]').press('Enter');
    await settle(ball);
    must((await ball.locator('.chip').count()) === 3, 'the channel was not added');
  });

  await test('events_name_bodies', async () => {
    must((await ball.locator('.list .name').first().textContent()) === 'floor: ball on world', 'the list does not name the bodies');
    must(/floor: ball on world/.test(await ball.locator('.event header').textContent()), 'the selected event does not name the bodies');
  });
  await find_tests(ball);
  await test('silent_ball', () => must(ball.said.length === 0, ball.said.join('\n')));
  await ball.close();

  await test('two_runs', async () => {
    await record(join(scenes, 'ball.yaml'), 'slow.rhr', '-s', 'world.gravity=[0,0,-7]');
    await routh('view', 'ball.rhr', 'slow.rhr', '--export', 'both.html');
    const both = await open(url('both.html'), { scheme: 'dark' });
    await both.evaluate(() => window.routh.state.seek(0.3));
    await settle(both);
    must((await state(both, 's.runs.length')) === 2, 'the page has not two runs');
    const z = await state(both, 's.runs.map((r) => r.position(r.at(s.t), 1)[2])');
    must(Math.abs(z[0] - z[1]) > 1e-3, 'the two runs are the same');
    must(await both.getByText('with slow.rhr').isVisible(), 'the other run is not named');
    await both.screenshot({ path: join(folder, 'both-dark.png') });
    const before = await both.locator('.picture').screenshot();
    await both.keyboard.press('g');
    await settle(both);
    must(!before.equals(await both.locator('.picture').screenshot()), 'G does not hide the ghost');
    must(both.said.length === 0, both.said.join('\n'));
    await both.close();
  });

  await test('phone', async () => {
    const phone = await open(url('block.html'), { width: 390, height: 780 });
    await phone.keyboard.press('n');
    await settle(phone);
    const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
    must(wide <= 390, `the page is ${wide} pixels wide on a screen of 390`);
    must(await phone.locator('.play').isVisible(), 'there is no play button');
    await phone.screenshot({ path: join(folder, 'phone.png') });
    await phone.close();
  });

  await test('routh_diagram', async () => {
    writeFileSync(join(folder, 'rod.yaml'), rod);
    await record('rod.yaml', 'rod.rhr');
    await routh('view', 'rod.rhr', '--export', 'rod.html');
    const page = await open(url('rod.html'), { height: 1000 });
    await page.keyboard.press('n');
    for (let i = 0; i < 24; i++) await page.keyboard.press('ArrowUp');
    await settle(page);
    must(near(await state(page, 's.impulse'), 0.5, 1e-9), 'the arrow does not go along the impulse');
    const [path, e] = await state(page, '[s.run.impact_of(s.selected).path, s.selected]');
    const end = path[path.length - 1];
    must(near(end[2], e.impulse, 1e-9 * e.impulse), 'the path does not end at the impulse');
    must(near(end[5], e.after, 1e-9), 'the path does not end at the velocity after');
    must(near(-end[6] , e.Dn, 1e-9) && near(-end[7], e.Dt, 1e-9), 'the path does not end at the works');
    await page.screenshot({ path: join(folder, 'rod-impact.png') });
    must(page.said.length === 0, page.said.join('\n'));
    await page.close();
  });

  await test('picture', async () => {
    await routh('view', 'block.rhr', '--png', 'block-at.png', '--at', '0.15');
    const head = readFileSync(join(folder, 'block-at.png')).subarray(0, 24);
    must(head.subarray(1, 4).toString() === 'PNG' && head.readUInt32BE(16) === 1280, 'no picture of 1280 pixels was written');
  });

  await test('thousand_bodies', async () => {
    writeFileSync(join(folder, 'many.yaml'), many_balls(1000));
    await record('many.yaml', 'many.rhr', '-s', 'run.until=0.2', '-s', 'record.every=0.02');
    await routh('view', 'many.rhr', '--export', 'many.html', '--shallow');
    const many = await open(url('many.html'));
    const calls = await many.evaluate(() => window.routh.calls());
    must(calls < 30, `1000 bodies take ${calls} draw calls`);
    // What this page does itself must leave most of the 16.7 ms of a picture to the graphics; processor time, not that of the clock.
    const session = await many.context().newCDPSession(many);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
    const begun = await spent();
    await many.evaluate(() => window.routh.time_update(40));
    const ms = (1000 * ((await spent()) - begun)) / 40;
    console.error(`  1000 bodies: ${calls} draw calls, ${ms.toFixed(2)} ms of processor time to place them`);
    must(ms < 8, `placing 1000 bodies takes ${ms} ms of processor time`);
    must(many.said.length === 0, many.said.join('\n'));
    await many.close();
  });

  await test('hostile_name', async () => {
    const name = '<img src=x onerror=window.hit=1>.rhr';
    writeFileSync(join(folder, name), readFileSync(join(folder, 'block.rhr')));
    await routh('view', name, '--export', 'hostile.html', '--shallow');
    const page = await open(url('hostile.html'));
    must((await page.locator('h1').textContent()) === name, 'the name is not shown as it is');
    must((await page.evaluate(() => window.hit)) === undefined, 'a name was taken as a part of the page');
    must(page.said.length === 0, page.said.join('\n'));
    await page.close();
  });

  await test('damaged_page', async () => {
    const text = readFileSync(join(folder, 'block.html'), 'utf8');
    writeFileSync(join(folder, 'damaged.html'), text.replace(/(class="routh-block" data-run="0">.{40})..../, '$1'));
    const page = await open(url('damaged.html'), { ready: '.failure' });
    must(await page.getByText('cannot be shown').isVisible(), 'a damaged page does not say so');
    await page.close();
  });
}

async function served(open) {
  await record(join(scenes, 'block-tilted-drop.yaml'), 'served.rhr');
  await record(join(scenes, 'ball.yaml'), 'served2.rhr');
  await with_server(['served.rhr', 'served2.rhr'], async (address) => {
    const base = new URL(address);
    await test('served', async () => {
      const page = await open(address);
      await page.waitForFunction(() => window.routh.state.run.frames.stride === 1);
      must((await state(page, 's.runs.length')) === 2, 'the server does not give two runs');
      await page.keyboard.press('n');
      await page.waitForFunction(() => window.routh.state.run.impact_of(window.routh.state.selected) !== undefined);
      await settle(page);
      must((await colours(page, '.look canvas')) > 4, 'the diagram is empty');
      must((await page.locator('.chip b').first().textContent()) !== '', 'the curves did not come');
      await page.screenshot({ path: join(folder, 'served.png') });
      must(page.said.length === 0, page.said.join('\n'));
      await page.close();
    });
    const code = async (path, token = base.searchParams.get('token')) =>
      (await fetch(`${base.origin}${path}?token=${token}`)).status;
    await test('token', async () => {
      must((await code('/runs')) === 200, 'with the token there is an answer');
      for (const wrong of ['', 'x', '0'.repeat(32), `${base.searchParams.get('token')}0`]) {
        must((await code('/', wrong)) === 403 && (await code('/head/0', wrong)) === 403, `token '${wrong}' is let in`);
      }
    });
    await test('headers', async () => { // of what is there, of what is not, and without the token
      const token = base.searchParams.get('token');
      for (const path of [`/?token=${token}`, `/runs?token=${token}`, `/frames/0/0/1/1?token=${token}`, `/nothing?token=${token}`, '/', '/runs?token=x']) {
        const { headers } = await fetch(`${base.origin}${path}`);
        must(/frame-ancestors 'none'/.test(headers.get('content-security-policy')), `${path} may be shown in a frame`);
        must(/default-src 'self'/.test(headers.get('content-security-policy')), `${path} may load anything`);
        for (const [name, value] of [['referrer-policy', 'no-referrer'], ['x-content-type-options', 'nosniff'], ['x-frame-options', 'DENY'],
          ['cross-origin-resource-policy', 'same-origin'], ['cache-control', 'no-store']]) {
          must(headers.get(name) === value, `${path}: ${name} is ${headers.get(name)}`);
        }
      }
    });
    await test('paths', async () => {
      for (const path of ['/etc/passwd', '/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/head', '/head/2', '/head/-1', '/head/0/1',
        '/frames/0/0/1', '/frames/0/0/1/0', '/frames/0/99999999999999999999/1/1', '/channels/0/0/1/1/', '/channels/0/0/1/1/999999',
        `/channels/0/0/1/1/${Array(40).fill(1)}`, '/impacts/0/999999', '/zoom/0/999999', '/mesh/0/0', '/block.rhr', `/${'x'.repeat(900)}`]) {
        const answer = await code(path).catch(() => 'closed'); // a line that is too long closes the connection
        must(answer === 404 || answer === 'closed', `${path} is answered with ${answer}`);
      }
      must((await code('/runs')) === 200, 'the server does not answer any more');
    });
  });
}

// A long recording is not read at once: what comes is a small part of it, and a jump brings the frames around.
async function long(open) {
  await record(join(scenes, 'ball.yaml'), 'long.rhr', '-s', 'run.until=20', '-s', 'record.every=1ms');
  const bytes = statSync(join(folder, 'long.rhr')).size;
  await with_server(['long.rhr'], async (address) => {
    await test('long_recording', async () => {
      const page = await open(address);
      await page.waitForFunction(() => window.routh.state.run.frames.count >= 500);
      await page.evaluate(() => window.routh.state.seek(13.0005));
      await page.waitForFunction(() => window.routh.state.run.at(window.routh.state.t).block.stride === 1);
      await settle(page);
      const come = await page.evaluate(() => performance.getEntriesByType('resource').reduce((sum, r) => sum + r.encodedBodySize, 0));
      // Two stretches of 257 frames, 600 frames and curves of 1500 points: a quarter of a megabyte, of 13.
      must(come > 0 && come < 0.03 * bytes, `${come} of ${bytes} bytes were asked for`);
      must(page.said.length === 0, page.said.join('\n'));
      await page.close();
    });
  });
}

const lying = (mass) => `bodies: [{name: box, mass: ${mass}}]
joints: [{kind: free, child: box, q: [0, 0, 0.1, 1, 0, 0, 0]}]
shapes: [{body: world, kind: plane}, {body: box, kind: box, size: [0.2, 0.2, 0.2]}]
contacts: [{name: ground, body: box, against: world, law: hunt-crossley, k: 1e5, alpha: 0.5}]
run: {until: 1000}
record: {every: 10 ms}
`;

async function live(open) {
  let written = Date.now() / 1000;
  const rewrite = (text) => { // the time of a file has seconds: each text is a few of them younger than the one before
    writeFileSync(join(folder, 'live.yaml'), text);
    written += 5;
    utimesSync(join(folder, 'live.yaml'), written, written);
  };
  rewrite(lying(2));
  await with_server(['live.yaml'], async (address) => {
    const page = await open(address);
    const height = () => state(page, 's.run.position(s.run.at(s.end), 1)[2]');
    await test('live', async () => {
      await page.waitForFunction(() => window.routh.state.end > 0.3);
      must(near(await height(), 0.1, 0.01), 'what lies does not lie');
    });
    await test('drag', async () => {
      const at = await page.evaluate(() => window.routh.where(1));
      await page.keyboard.down('Control');
      await page.mouse.move(at[0], at[1]);
      await page.mouse.down();
      await page.mouse.move(at[0] + 20, at[1] - 250, { steps: 6 });
      await page.waitForFunction(() => { // lifted, and the hand has put in what that takes
        const { state: s } = window.routh;
        const last = s.run.at(s.end);
        const hand = s.run.head.ledger.findIndex((r) => r.name === 'hand');
        return s.run.position(last, 1)[2] > 0.12 && s.run.ledger(last, hand) > 2 * 9.81 * 0.02;
      });
      await page.screenshot({ path: join(folder, 'drag.png') });
      await page.mouse.up();
      await page.keyboard.up('Control');
      await page.waitForFunction(() => {
        const { state: s } = window.routh;
        return s.run.position(s.run.at(s.end), 1)[2] < 0.11;
      });
    });
    await test('live_pause', async () => {
      await page.keyboard.press('Space');
      await page.waitForFunction(() => !window.routh.state.run.running);
      await answers(page);
      const end = await state(page, 's.end');
      await answers(page);
      must((await state(page, 's.end')) === end, 'Space does not stop the run');
      await page.keyboard.press('Space');
      await page.waitForFunction((was) => window.routh.state.end > was, end);
    });
    await test('reload', async () => {
      rewrite(lying(-1));
      await page.waitForFunction(() => /live.yaml:1:.*mass/.test(document.querySelector('.fault').textContent));
      const end = await state(page, 's.end');
      await page.waitForFunction((was) => window.routh.state.end > was, end);
      rewrite(lying(3));
      await page.waitForFunction(() => window.routh && window.routh.state.run.head.bodies[1].mass === 3);
    });
    await test('malformed_message', async () => {
      for (const text of ['drag 1', 'drag 99 0 0 0 0 0 0', 'drag 1 0 0 0 nan 0 0', 'speed -1', 'set', 'set bodies.0.mass 1', 'set contacts.0.k', 'x'.repeat(5000), 'format c:']) {
        await closed_after(page, [text]);
      }
      await closed_after(page, ['', 'drag']); // nothing said is no harm, and no help
      const end = await state(page, 's.end');
      await page.waitForFunction((was) => window.routh.state.end > was, end);
    });
    await test('silent_live', () => must(page.said.length === 0, page.said.join('\n')));
    await page.close();
  });
}

async function growing(open) {
  rmSync(join(folder, 'growing.rhr'), { force: true });
  await writing('growing.rhr', ['run', join(scenes, 'ball.yaml'), '-s', 'run.until=100000'], (address, stop) => test('growing_run', async () => {
    const page = await open(address);
    const end = await state(page, 's.end');
    await page.waitForFunction((was) => window.routh.state.end > was && window.routh.state.playing, end); // it is followed
    await stop();
    must(page.said.length === 0, page.said.join('\n'));
    await page.close();
  }));
  rmSync(join(folder, 'hand.rhr'), { force: true });
  await writing('hand.rhr', ['haptic', join(scenes, 'haptic-peg-corner.yaml'), '--until', '600'], (address, stop) => test('haptic_session', async () => {
    const page = await open(address);
    const end = await state(page, 's.end');
    await page.waitForFunction((was) => window.routh.state.end > was + 0.3, end);
    must((await page.locator('.chip').first().textContent()).includes('haptic.wrench_f'), 'the force to the hand is not plotted');
    must((await page.getByText('haptic.returned').count()) > 0, 'the energy returned to the hand is not plotted');
    must(await state(page, "s.run.head.bodies[s.run.head.haptic.device].name === 'device'"), 'the page does not know the device');
    await stop();
    await page.waitForFunction(() => !window.routh.state.run.growing);
    await page.screenshot({ path: join(folder, 'haptic.png') });
    must(page.said.length === 0, page.said.join('\n'));
    await page.reload();
    await page.waitForSelector('body[data-ready=yes]');
    must(/ticks missed/.test(await page.locator('.verdict').textContent()), 'the ticks missed are not told');
    await page.close();
  }));
}

await with_browser(async (open) => {
  const lanes = [[tests, look, long], [growing, live, inputs, served, sandbox, visuals, crowd]];
  await Promise.all(lanes.map(async (lane) => {
    for (const work of lane) await work(open);
  }));
});
process.exitCode = failed > 0 ? 1 : 0;
