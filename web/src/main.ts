// main.ts: puts the page together: picture, timeline, panels, keys; and lets time run.
import { Energy } from './energy';
import { Events } from './events';
import { Action, Help, listen } from './keys';
import { all_items, offers_at } from './find';
import { Menu } from './menu';
import { Source, write_csv, write_svg } from './out';
import { Item, Palette } from './palette';
import { Plot } from './plot';
import { Run, embedded_runs, event_text, is_error, is_verdict } from './run';
import { Drag } from './drag';
import { LiveRun } from './live';
import { ServedRun } from './server';
import { Sandbox } from './sandbox';
import { Sliders } from './sliders';
import { Picture } from './scene';
import { Flags, SPEEDS, State } from './state';
import './style.css';
import { Theme, read_theme, set_theme, system_dark } from './theme';
import { ICONS } from './icons';
import { take_shots, wanted_shots } from './shots';
import { Timeline } from './timeline';
import { clock, element, with_unit } from './words';

const LAG = 0.7; // [s] behind a recording that grows

function show_error(text: string) {
  const box = element('div', 'failure');
  box.append(element('h1', '', 'This page cannot be shown'), element('p', '', text));
  document.body.replaceChildren(box);
}

function speed_word(speed: number): string {
  return speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`;
}

// Of a session of `routh haptic`: was it in time?
function session_word(text: string): string {
  const { ticks, missed, returned } = JSON.parse(text);
  return `${missed} of ${ticks} ticks missed, ${with_unit(returned, 'J')} returned to the hand`;
}

class Page {
  readonly picture: Picture;
  private timeline: Timeline;
  private panels: { energy: Energy; plot: Plot; events: Events } | null = null; // from the second picture on
  private help!: Help;
  private palette!: Palette;
  private theme!: Theme;
  private root = element('div', 'page');
  private side = element('aside');
  private play_button!: HTMLButtonElement;
  private time = element('output', 'time');
  private speed = element('output', 'speed');
  private toggles: { flag: keyof Flags; button: HTMLButtonElement }[] = [];
  private last = 0;
  private known_end = 0;
  private sliders: Sliders | null = null; // of a live run
  private fault = element('pre', 'fault');
  private sandbox: Sandbox | null = null;
  first = 0; // [ms] when the first picture was there
  pictures = 0; // so far
  spent = 0; // [ms] on them here; what the graphics do meanwhile is not in it

  constructor(readonly state: State) {
    document.getElementById('app')!.append(this.root);
    const stage = element('div', 'stage');
    this.root.append(this.top(), stage, this.side);
    this.timeline = new Timeline(state);
    this.root.append(this.bottom());
    this.picture = new Picture(state, stage);
    stage.append(this.tools(), this.fault);
    this.retheme(system_dark());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (e) => this.retheme(e.matches));
    state.on_change(() => {
      const begun = performance.now();
      this.draw();
      this.pictures++;
      this.spent += performance.now() - begun;
    });
    for (const run of state.runs) if (run instanceof ServedRun) run.on_news = () => this.news();
    addEventListener('resize', () => state.changed());
    state.changed();
  }

  // What can wait until there is a picture: panels, keys, shadows.
  private async furnish() {
    const { state } = this;
    const energy = new Energy(state), plot = new Plot(state), events = new Events(state);
    this.side.append(energy.panel, events.panel, plot.panel, events.table);
    const actions = this.actions();
    const plot_it = (name: string) => plot.show(name);
    const menu: Menu = new Menu(state.run, plot_it, (x, y) => offers_at(state, this.picture, menu, x, y));
    const sources = [energy.source, plot.source, events.source];
    this.palette = new Palette(() => [...this.action_items(actions, sources), ...all_items(state, plot_it)]);
    this.help = new Help(actions);
    document.body.append(this.help.panel, this.palette.panel);
    listen(actions);
    this.panels = { energy, plot, events };
    this.draw();
    await this.picture.dress();
    this.draw();
    document.body.dataset.ready = 'yes';
    this.fetch_more();
  }

  // Runs that come from the program: the rest of them, and what they become.
  private fetch_more() {
    for (const run of this.state.runs) {
      if (run instanceof LiveRun) this.go_live(run);
      else if (run instanceof ServedRun) {
        run.growing = run.head.ended === null; // before it is played: it must not stop at the end that is known
        if (run.head.ended === null && run.index === 0) { // what is being done is looked at as it is done
          this.state.seek(run.end - LAG);
          this.state.play(true);
        }
        const more = run.refine().then(() => (run.head.ended === null ? run.watch() : undefined));
        more.catch((error) => {
          run.growing = false;
          console.error(error);
        });
      }
    }
  }

  private action_items(actions: Action[], sources: Source[]): Item[] {
    const { run } = this.state.run.head;
    const items = actions.map((a) => ({ kind: 'action', name: a.text, hint: a.shown, run: a.run }));
    for (const s of sources.filter((x) => x.shown())) {
      items.push({ kind: 'action', name: `${s.name} as CSV`, hint: 'file', run: () => write_csv(run, s) },
        { kind: 'action', name: `${s.name} as SVG`, hint: 'file', run: () => write_svg(run, s) });
    }
    return items;
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
    this.button(bar, '⌕', 'find by name (Ctrl P)', () => this.palette.open());
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
    if (run.head.session) words.push(session_word(run.head.session));
    const errors = run.head.events.filter(is_error);
    const span = element('span', bad || errors.length ? 'verdict bad' : 'verdict', words.join(' · '));
    span.title = errors.map((e) => `${e.t.toPrecision(6)} s: ${event_text(e)}: ${e.note ?? ''}`).join('\n');
    return span;
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
    const { visuals, tendons, sensors } = this.state.run.head;
    if (visuals.length > 0) add('visuals', 'Visuals', 'visual meshes, or the shapes that touch (M)');
    if (tendons.length + sensors.length > 0) add('devices', 'Sensors', 'sensors and tendons (D)');
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
      { keys: ['a'], shown: 'A', text: 'all arrows: forces and impulses', run: () => state.toggle_arrows() },
      flag('o', 'cones', 'friction cones'),
      flag('t', 'glass', 'transparent bodies'),
      flag('v', 'follow', 'the camera follows'),
      flag('g', 'ghosts', 'the other runs'),
      flag('m', 'visuals', 'visual meshes, or the shapes that touch'),
      flag('d', 'devices', 'sensors and tendons'),
      flag('#', 'grid', 'grid'),
      { keys: ['Tab'], shown: 'Tab', text: 'panels on or off', run: () => this.hide_side() },
      { keys: ['l'], shown: 'L', text: 'light or dark', run: () => this.retheme(!this.theme.dark) },
      { keys: ['Escape'], shown: 'Esc', text: 'select nothing, camera home', run: () => this.escape() },
      { keys: [], shown: 'Ctrl P', text: 'find an action, body, contact, channel or event by name', run: () => this.palette.open() },
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
    this.picture.go_home();
    this.picture.paint(this.theme);
  }

  private retheme(dark: boolean) {
    set_theme(dark);
    this.theme = read_theme();
    this.picture.paint(this.theme);
    this.state.changed();
  }

  // A live run is shown as it comes.
  private go_live(run: LiveRun) {
    const { state } = this;
    state.say = (text) => run.say(text);
    state.playing = true;
    run.on_news = () => {
      this.fault.textContent = run.fault ?? '';
      this.news();
    };
    run.on_file = (file) => {
      if (!file.sandbox) return;
      this.sandbox ??= this.open_sandbox(run);
      this.sandbox.tell(file);
    };
    run.on_bodies = () => {
      state.body = -1;
      state.event = -1;
      this.picture.renew();
      this.panels?.plot.renew();
      if (state.t > state.end) state.seek(state.end);
    };
    new Drag(state, this.picture);
    this.sliders = new Sliders(run, () => state.changed());
    this.panels?.energy.panel.after(this.sliders.panel);
    run.connect();
  }

  private open_sandbox(run: LiveRun): Sandbox {
    const sandbox = new Sandbox(this.state, this.picture, run, this.sliders!, this.picture.canvas.parentElement!, this.side);
    const actions = sandbox.actions();
    listen(actions);
    this.help.add(actions);
    return sandbox;
  }

  // More of the runs has come. A window that showed all of them still does.
  news() {
    const { state } = this;
    const whole = state.view[0] === 0 && state.view[1] >= 0.98 * this.known_end;
    this.known_end = Math.max(state.end, 1e-3);
    if (whole) state.view = [0, this.known_end];
    this.panels?.events.refill();
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
    if (state.run.growing && state.end - t > 3 * LAG) t = state.end - LAG;
    if (t >= state.end && !state.live && !state.run.growing) state.playing = false;
    state.seek(t);
  }

  private draw() {
    const { state } = this;
    this.advance();
    this.picture.draw();
    if (!this.first) {
      this.first = performance.mark('routh:picture').startTime;
      document.body.dataset.picture = 'yes';
      setTimeout(() => this.furnish());
    }
    if (!this.panels) return;
    this.timeline.draw(this.theme);
    if (!this.root.classList.contains('alone')) {
      for (const panel of Object.values(this.panels)) panel.draw(this.theme);
      this.sliders?.draw(this.theme);
    }
    this.time.textContent = `${clock(state.t, state.view[1] - state.view[0])} s`;
    this.speed.textContent = speed_word(SPEEDS[state.speed]);
    this.play_button.innerHTML = ICONS[state.playing ? 'pause' : 'play'];
    for (const { flag, button } of this.toggles) button.setAttribute('aria-pressed', String(state.flags[flag]));
  }
}

function start() {
  const served = document.querySelector('.routh-served') !== null;
  const runs = embedded_runs((head, index) => new (!served ? Run : head.live ? LiveRun : ServedRun)(head, index));
  if (runs.length === 0) {
    show_error(location.protocol.startsWith('http') ? 'The program cannot read this run: routh check RUN.rhr reports the reason'
      : 'The page has no run. Make one with: routh view RUN.rhr --export page.html');
    return;
  }
  document.title = `${runs[0].head.run} · Routh`;
  const state = new State(runs);
  const page = new Page(state);
  const shots = wanted_shots();
  if (shots) {
    void take_shots(shots, state, page.picture);
    return;
  }
  Object.assign(window, { // for the tests, and for the curious
    routh: {
      state,
      get first() { return page.first; },
      get work() { return { pictures: page.pictures, spent: page.spent }; },
      calls: () => page.picture.calls,
      bounds: (moments: number) => page.picture.bounds(moments),
      get crowd() { return page.picture.crowd && { shown: page.picture.crowd.shown, count: page.picture.crowd.count, asked: page.picture.crowd.asked }; },
      arrow: () => page.picture.arrow,
      looks: () => page.picture.looks,
      look_from: (azimuth: number, elevation: number, nearer: number) => page.picture.look_from(azimuth, elevation, nearer),
      on_screen: (at: [number, number, number]) => page.picture.on_screen_at(at),
      where: (body: number) => page.picture.where(body),
      time_update: (n: number) => page.picture.time_update(n),
    },
  });
}

try {
  start();
} catch (error) {
  show_error(String(error instanceof Error ? error.message : error));
  throw error;
}
