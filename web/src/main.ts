// main.ts: puts the page together: picture, timeline, panels, keys; and lets time run.
import { Energy } from './energy';
import { Events } from './events';
import { Action, Help, listen } from './keys';
import { Plot } from './plot';
import { Run, embedded_runs, is_verdict } from './run';
import { Drag } from './drag';
import { LiveRun } from './live';
import { ServedRun, served_runs } from './server';
import { Picture } from './scene';
import { Flags, SPEEDS, State } from './state';
import './style.css';
import { Theme, read_theme, set_theme, system_dark } from './theme';
import { ICONS } from './icons';
import { take_shots, wanted_shots } from './shots';
import { Timeline } from './timeline';
import { clock, element } from './words';

function show_error(text: string) {
  const box = element('div', 'failure');
  box.append(element('h1', '', 'This page cannot be shown'), element('p', '', text));
  document.body.replaceChildren(box);
}

function speed_word(speed: number): string {
  return speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`;
}

class Page {
  readonly picture: Picture;
  private timeline: Timeline;
  private energy: Energy;
  private plot: Plot;
  private events: Events;
  private help: Help;
  private theme!: Theme;
  private root = element('div', 'page');
  private side = element('aside');
  private play_button!: HTMLButtonElement;
  private time = element('output', 'time');
  private speed = element('output', 'speed');
  private toggles: { flag: keyof Flags; button: HTMLButtonElement }[] = [];
  private last = 0;
  private known_end = 0;
  private fault = element('pre', 'fault');
  first = 0; // [ms] when the first picture was there

  constructor(readonly state: State) {
    document.getElementById('app')!.append(this.root);
    const stage = element('div', 'stage');
    this.root.append(this.top(), stage, this.side);
    this.timeline = new Timeline(state);
    this.root.append(this.bottom());
    this.energy = new Energy(state);
    this.plot = new Plot(state);
    this.events = new Events(state);
    this.side.append(this.energy.panel, this.events.panel, this.plot.panel, this.events.table);
    this.picture = new Picture(state, stage);
    stage.append(this.tools(), this.fault);
    const actions = this.actions();
    this.help = new Help(actions);
    document.body.append(this.help.panel);
    listen(actions);
    this.retheme(system_dark());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (e) => this.retheme(e.matches));
    state.on_change(() => this.draw());
    addEventListener('resize', () => state.changed());
    state.changed();
  }

  private button(parent: HTMLElement, text: string, title: string, run: () => void, name = ''): HTMLButtonElement {
    const b = element('button', name);
    if (ICONS[text]) b.innerHTML = ICONS[text];
    else b.textContent = text;
    b.title = title;
    b.setAttribute('aria-label', title);
    b.addEventListener('click', () => {
      run();
      b.blur();
    });
    parent.append(b);
    return b;
  }

  private top(): HTMLElement {
    const bar = element('header', 'top');
    const { runs } = this.state;
    const title = element('h1', '', runs[0].head.run);
    title.title = runs[0].head.scene_name ?? '';
    bar.append(title);
    if (runs.length > 1) bar.append(element('span', 'ghosts', `with ${runs.slice(1).map((r) => r.head.run).join(', ')}`));
    bar.append(this.verdict(runs[0]), element('span', 'grow'));
    bar.append(element('code', 'hash', runs[0].head.hash));
    this.button(bar, 'theme', 'light or dark', () => this.retheme(!this.theme.dark));
    this.button(bar, '?', 'keys', () => this.help.toggle());
    return bar;
  }

  // What a reader must not overlook: how the run ended, and verdicts on rigid contact.
  private verdict(run: Run): HTMLElement {
    const bad = run.head.ended !== null && run.head.ended !== 'OK';
    const kinds = new Map<string, number>();
    for (const e of run.head.events) if (is_verdict(e)) kinds.set(e.kind, (kinds.get(e.kind) ?? 0) + 1);
    const words = [...kinds].map(([k, n]) => `${n} ${k}`);
    if (bad) words.unshift(`stopped: ${run.head.reason}`);
    return element('span', bad ? 'verdict bad' : 'verdict', words.join(' · '));
  }

  private bottom(): HTMLElement {
    const bar = element('footer');
    const row = element('div', 'transport');
    const { state } = this;
    this.button(row, 'start', 'to the start (Backspace)', () => this.restart());
    this.button(row, 'before', 'impact before (Shift ←)', () => state.jump(-1));
    this.button(row, 'back', 'one frame back (←)', () => state.step(-1));
    this.play_button = this.button(row, 'play', 'play or pause (Space)', () => state.play(), 'play');
    this.button(row, 'on', 'one frame on (→)', () => state.step(1));
    this.button(row, 'next', 'next impact (Shift →)', () => state.jump(1));
    row.append(this.time);
    this.button(row, '−', 'slower (−)', () => state.faster(-1), 'small');
    row.append(this.speed);
    this.button(row, '+', 'faster (+)', () => state.faster(1), 'small');
    bar.append(row, this.timeline.chart.canvas);
    return bar;
  }

  private tools(): HTMLElement {
    const box = element('div', 'tools');
    const add = (flag: keyof Flags, text: string, title: string) => {
      this.toggles.push({ flag, button: this.button(box, text, title, () => this.state.toggle(flag)) });
    };
    add('points', 'Points', 'contact points (C)');
    add('forces', 'Forces', 'forces (F)');
    add('impulses', 'Impulses', 'impulses (I)');
    add('cones', 'Cones', 'friction cones (O)');
    add('follow', 'Follow', 'the camera follows the selected body (V)');
    add('glass', 'Glass', 'transparent bodies (T)');
    if (this.state.runs.length > 1) add('ghosts', 'Ghosts', 'the other runs (G)');
    return box;
  }

  private actions(): Action[] {
    const { state } = this;
    const flag = (key: string, name: keyof Flags, text: string): Action => ({ keys: [key], shown: key.toUpperCase(), text, run: () => state.toggle(name) });
    return [
      { keys: [' '], shown: 'Space', text: 'play or pause', run: () => state.play() },
      { keys: ['ArrowRight'], shown: '→', text: 'one frame on', run: () => state.step(1) },
      { keys: ['ArrowLeft'], shown: '←', text: 'one frame back', run: () => state.step(-1) },
      { keys: ['Shift+ArrowRight', 'n'], shown: 'Shift → or N', text: 'next impact', run: () => state.jump(1) },
      { keys: ['Shift+ArrowLeft', 'p'], shown: 'Shift ← or P', text: 'impact before', run: () => state.jump(-1) },
      { keys: ['Enter', 'z'], shown: 'Enter or Z', text: 'into the selected event; again: the whole run', run: () => this.zoom() },
      { keys: ['ArrowUp'], shown: '↑', text: 'on along the impulse of the selected impact', run: () => this.along(1) },
      { keys: ['ArrowDown'], shown: '↓', text: 'back along the impulse', run: () => this.along(-1) },
      { keys: ['+', '='], shown: '+', text: 'faster', run: () => state.faster(1) },
      { keys: ['-'], shown: '−', text: 'slower', run: () => state.faster(-1) },
      { keys: ['Backspace', 'Home'], shown: 'Backspace', text: 'to the start', run: () => this.restart() },
      { keys: ['End'], shown: 'End', text: 'to the end', run: () => state.seek(state.end) },
      flag('c', 'points', 'contact points'),
      flag('f', 'forces', 'forces'),
      flag('i', 'impulses', 'impulses'),
      flag('o', 'cones', 'friction cones'),
      flag('t', 'glass', 'transparent bodies'),
      flag('v', 'follow', 'the camera follows'),
      flag('g', 'ghosts', 'the other runs'),
      flag('#', 'grid', 'grid'),
      { keys: ['Tab'], shown: 'Tab', text: 'panels on or off', run: () => this.hide_side() },
      { keys: ['l'], shown: 'L', text: 'light or dark', run: () => this.retheme(!this.theme.dark) },
      { keys: ['Escape'], shown: 'Esc', text: 'select nothing, camera back home', run: () => this.escape() },
      { keys: ['?', 'F1', 'Shift+?'], shown: '? or F1', text: 'this help', run: () => this.help.toggle() },
    ];
  }

  private restart() {
    if (this.state.live) this.state.say('reset');
    this.state.seek(0);
  }

  private zoom() {
    const { state } = this;
    const whole = state.view[1] - state.view[0] >= 0.999 * state.end;
    if (whole && state.event < 0) state.jump(1);
    if (whole && state.event >= 0) {
      this.timeline.zoom_into(state.event);
      const e = state.selected;
      if (e?.at) this.picture.look_at(e.at);
    } else {
      state.view = [0, state.end];
      state.changed();
    }
  }

  private along(way: number) {
    const { state } = this;
    const e = state.selected;
    if (!e || !state.run.impact_of(e)?.path) return;
    state.playing = false;
    state.impulse = Math.min(1, Math.max(0, (state.impulse ?? (way > 0 ? 0 : 1)) + way / 48));
    state.changed();
  }

  private hide_side() {
    this.root.classList.toggle('alone');
    this.state.changed();
  }

  private escape() {
    const { state } = this;
    if (this.help.panel.open) {
      this.help.toggle();
      return;
    }
    state.body = -1;
    state.event = -1;
    state.impulse = null;
    state.flags.follow = false;
    this.picture.home();
    this.picture.paint(this.theme);
  }

  private retheme(dark: boolean) {
    set_theme(dark);
    this.theme = read_theme();
    this.picture.paint(this.theme);
    this.state.changed();
  }

  // A live run is shown as it comes.
  go_live(run: LiveRun) {
    const { state } = this;
    state.say = (text) => run.say(text);
    state.playing = true;
    run.on_news = () => {
      this.fault.textContent = run.fault ?? '';
      this.news();
    };
    new Drag(state, this.picture);
    run.connect();
  }

  // More of the runs has come. A window that showed all of them still does.
  news() {
    const { state } = this;
    const whole = state.view[0] === 0 && state.view[1] >= 0.98 * this.known_end;
    this.known_end = Math.max(state.end, 1e-3);
    if (whole) state.view = [0, this.known_end];
    this.events.refill();
    state.changed();
  }

  private advance() {
    const { state } = this;
    const now = performance.now();
    const passed = this.last > 0 ? Math.min(0.1, (now - this.last) / 1000) : 0;
    this.last = state.playing ? now : 0;
    if (!state.playing) return;
    let t = state.t + passed * SPEEDS[state.speed];
    if (state.live && state.end - t > 0.25 * SPEEDS[state.speed]) t = state.end - 0.05 * SPEEDS[state.speed];
    if (t >= state.end && !state.live) state.playing = false;
    state.seek(t);
  }

  private draw() {
    const { state } = this;
    this.advance();
    this.picture.draw();
    this.timeline.draw(this.theme);
    if (!this.root.classList.contains('alone')) {
      this.energy.draw(this.theme);
      this.plot.draw(this.theme);
      this.events.draw(this.theme);
    }
    this.time.textContent = `${clock(state.t, state.view[1] - state.view[0])} s`;
    this.speed.textContent = speed_word(SPEEDS[state.speed]);
    this.play_button.innerHTML = ICONS[state.playing ? 'pause' : 'play'];
    for (const { flag, button } of this.toggles) button.setAttribute('aria-pressed', String(state.flags[flag]));
    if (!document.body.dataset.ready) {
      document.body.dataset.ready = 'yes';
      this.first = performance.now();
    }
  }
}

async function start() {
  let runs = embedded_runs();
  if (runs.length === 0 && location.protocol.startsWith('http')) runs = await served_runs((head, index) => new LiveRun(head, index));
  if (runs.length === 0) {
    show_error('It holds no run. Make one with: routh view RUN.rhr --export page.html');
    return;
  }
  document.title = `${runs[0].head.run} · Routh`;
  const state = new State(runs);
  const page = new Page(state);
  const shots = wanted_shots();
  if (shots) {
    take_shots(shots, state, page.picture);
    return;
  }
  for (const run of runs) {
    if (!(run instanceof ServedRun)) continue;
    run.on_news = () => state.changed();
    if (run instanceof LiveRun) {
      page.go_live(run);
      continue;
    }
    const more = run.refine().then(() => (run.head.ended === null ? run.watch() : undefined));
    more.catch((error) => console.error(error));
    run.on_news = () => page.news();
  }
  Object.assign(window, { // for the tests, and for the curious
    routh: {
      state,
      get first() { return page.first; },
      calls: () => page.picture.calls,
      where: (body: number) => page.picture.where(body),
      time_update: (n: number) => page.picture.time_update(n),
    },
  });
}

start().catch((error) => {
  show_error(String(error instanceof Error ? error.message : error));
  throw error;
});
