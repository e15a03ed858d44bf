// sandbox.ts: the tools of a sandbox: shapes to drop and throw, the law of contact with its values, undo, save. What may be done is
// decided by the program; what it refuses is shown here, and nothing has changed.
import * as THREE from 'three';
import { Action } from './keys';
import { LiveRun } from './live';
import { Picture } from './scene';
import { token } from './server';
import { Dial, Sliders } from './sliders';
import { State } from './state';
import { element, with_unit } from './words';

interface Law {
  name: string;
  doc: string;
  rigid: boolean;
}

export interface SandboxState { // as /file of the program has it
  number: number;
  refused: string | null;
  refusals: number;
  bodies: number;
  most: number;
  law: string;
  e: number;
  mu: number;
  g: number;
  laws: Law[];
}

type Kind = 'ball' | 'box' | 'capsule' | 'cylinder';

const THROW = 5; // [1/s] speed for each metre that is dragged
const STILL = 6; // [pixel] less is a click
const FULL_SPEED = 0.85; // of the speed that is asked for: less cannot keep up

// Sizes as the program wants them, all from one number: the radius of the ball that would be as large.
const SIZES: Record<Kind, (r: number) => number[]> = {
  ball: (r) => [r], box: (r) => [1.8 * r, 1.5 * r, 1.2 * r], capsule: (r) => [0.6 * r, 1.8 * r], cylinder: (r) => [0.85 * r, 1.4 * r],
};

const VOLUME: Record<Kind, (s: number[]) => number> = {
  ball: ([r]) => (4 / 3) * Math.PI * r ** 3, box: ([a, b, c]) => a * b * c,
  capsule: ([r, l]) => Math.PI * r * r * (l + (4 / 3) * r), cylinder: ([r, l]) => Math.PI * r * r * l,
};

const FORMS: Record<Kind, (s: number[]) => THREE.BufferGeometry> = {
  ball: ([r]) => new THREE.SphereGeometry(r, 32, 20), box: ([a, b, c]) => new THREE.BoxGeometry(a, b, c),
  capsule: ([r, l]) => new THREE.CapsuleGeometry(r, l, 8, 20).rotateX(Math.PI / 2),
  cylinder: ([r, l]) => new THREE.CylinderGeometry(r, r, l, 32).rotateX(Math.PI / 2),
};

const SIGNS: Record<Kind, string> = {
  ball: '<circle cx="10" cy="10" r="6.5"/>',
  box: '<path d="M10 3l6.5 3.4v7.2L10 17l-6.5-3.4V6.4z M3.5 6.4L10 9.8l6.5-3.4 M10 9.8V17"/>',
  capsule: '<rect x="6" y="2.5" width="8" height="15" rx="4"/>',
  cylinder: '<ellipse cx="10" cy="5" rx="5.5" ry="2.2"/><path d="M4.500 5v10c0 1.2 2.500 2.200 5.500 2.200s5.500-1 5.500-2.200V5"/>',
};

export class Sandbox {
  private shelf = element('div', 'shelf');
  private card = element('section', 'card sandbox');
  private count = element('span', 'value');
  private what = element('p', 'note what');
  private pace = element('output', 'pace');
  private refusal = element('p', 'refusal');
  private law = element('select');
  private doc = element('p', 'note');
  private buttons = new Map<Kind, HTMLButtonElement>();
  private armed: Kind | null = null;
  private held: { at: THREE.Vector3; x: number; y: number; v: THREE.Vector3; turn: THREE.Quaternion } | null = null;
  private hover: { x: number; y: number } | null = null;
  private ghost = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.45 }));
  private arrow = new THREE.ArrowHelper(new THREE.Vector3(0, 0, 1), new THREE.Vector3(), 1);
  private told: SandboxState | null = null;
  private trouble = ''; // that was told last
  private size = 0.1; // [m]
  private density = 1000; // [kg/m^3]
  private height = 0.5; // [m]
  private gravity!: Dial;
  private tumbled = element('input');

  constructor(readonly state: State, readonly picture: Picture, readonly run: LiveRun, readonly sliders: Sliders, stage: HTMLElement, side: HTMLElement) {
    this.make_shelf();
    this.make_cards();
    stage.append(this.shelf, this.pace);
    side.prepend(this.card, sliders.panel);
    picture.attach(this.ghost);
    picture.attach(this.arrow);
    this.ghost.visible = this.arrow.visible = false;
    picture.stand([0, 0, 0.35], 1.5);
    this.listen(stage);
    this.arm('ball');
  }

  actions(): Action[] {
    const kinds = Object.keys(SIZES) as Kind[];
    return [
      ...kinds.map((kind, i) => ({ keys: [String(i + 1)], shown: String(i + 1), text: `drop a ${kind}; Esc: deselect`, run: () => this.arm(kind) })),
      { keys: ['u'], shown: 'U', text: 'remove the last dropped body', run: () => this.state.say('undo') },
      { keys: ['Delete'], shown: 'Del', text: 'remove the selected body', run: () => this.remove() },
      { keys: ['s'], shown: 'S', text: 'save as a scene', run: () => this.save() },
    ];
  }

  // ---- The tools

  private button(parent: HTMLElement, text: string, title: string, run: () => void): HTMLButtonElement {
    const b = element('button', '', text);
    b.title = title;
    b.addEventListener('click', () => {
      run();
      b.blur();
    });
    parent.append(b);
    return b;
  }

  private make_shelf() {
    for (const kind of Object.keys(SIZES) as Kind[]) {
      const b = this.button(this.shelf, '', `drop a ${kind}: click where, or drag to throw it`, () => this.arm(this.armed === kind ? null : kind));
      b.innerHTML = `<svg viewBox="0 0 20 20" width="22" height="22" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linejoin="round">${SIGNS[kind]}</svg>`;
      b.setAttribute('aria-label', `drop a ${kind}`);
      this.buttons.set(kind, b);
    }
    this.button(this.shelf, 'Undo', 'remove the last dropped body (U)', () => this.state.say('undo'));
    this.button(this.shelf, 'Save', 'save as a scene (S)', () => this.save());
  }

  private make_cards() {
    const head = element('header', '', 'Sandbox');
    head.append(this.count);
    const dials = element('div', 'dials');
    this.own_dial(dials, 'size', 'm', 'radius of a ball; other shapes in proportion', [0.03, 0.3], this.size, (x) => (this.size = x), true);
    this.own_dial(dials, 'density', 'kg/m³', 'wood 600, water 1000, steel 7800', [10, 20000], this.density, (x) => (this.density = x), true);
    this.own_dial(dials, 'drop from', 'm', 'height above the point under the mouse', [0, 2], this.height, (x) => (this.height = x));
    this.gravity = this.own_dial(dials, 'gravity', 'm/s²', '9.81 on Earth, 1.62 on the Moon', [0, 20], 9.81, (x) => this.state.say(`set g ${x}`));
    const tumbled = element('label', 'check', 'tumbled');
    this.tumbled.type = 'checkbox';
    this.tumbled.checked = true;
    tumbled.title = 'turned at random';
    tumbled.prepend(this.tumbled);
    const row = element('div', 'actions');
    this.button(row, 'Remove', 'remove the selected body (double click selects; Del)', () => this.remove());
    this.button(row, 'Reset', 'all shapes back to their drop positions', () => this.state.say('reset'));
    this.button(row, 'Clear', 'remove all shapes', () => this.state.say('clear'));
    row.append(tumbled);
    this.card.append(head, this.what, dials, row, this.refusal);
    this.refusal.setAttribute('role', 'alert');

    this.law.setAttribute('aria-label', 'law of contact');
    this.law.addEventListener('change', () => this.state.say(`law ${this.law.value}`));
    this.sliders.lead(this.law, this.doc);
  }

  private own_dial(parent: HTMLElement, name: string, unit: string, doc: string, [from, to]: number[], value: number, take: (x: number) => void, log = false): Dial {
    const setup = { name, path: name, of: 'law' as const, unit, doc, value, default: value, from, to, scale: log ? 'log' as const : 'linear' as const };
    const dial = new Dial(setup, (text) => {
      const x = Number(text);
      if (Number.isFinite(x)) take(x);
      this.tell_count();
    });
    parent.append(dial.row);
    return dial;
  }

  private arm(kind: Kind | null) {
    this.armed = kind;
    for (const [k, b] of this.buttons) b.setAttribute('aria-pressed', String(k === kind));
    this.picture.canvas.style.cursor = kind ? 'crosshair' : '';
    this.held = null;
    this.show_ghost();
    this.tell_count();
  }

  private remove() {
    const name = this.state.run.head.bodies[this.state.body]?.name;
    if (name && this.state.body > 0) this.state.say(`remove ${name}`);
    else this.complain('Double-click a body first: the selected one is removed.');
  }

  private async save() {
    const answer = await fetch(`/save?token=${encodeURIComponent(token)}`);
    const link = element('a');
    link.href = URL.createObjectURL(new Blob([await answer.text()], { type: 'application/yaml' }));
    link.download = 'sandbox.yaml';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // ---- Dropping and throwing

  private listen(stage: HTMLElement) {
    const { canvas } = this.picture;
    stage.addEventListener('pointerdown', (e) => {
      if (this.armed && e.target === canvas && e.button === 0 && !e.ctrlKey && !e.shiftKey) this.take(e);
    }, { capture: true });
    stage.addEventListener('pointermove', (e) => this.move(e));
    stage.addEventListener('pointerup', () => this.release(true));
    stage.addEventListener('pointercancel', () => this.release(false));
    canvas.addEventListener('pointerleave', () => {
      this.hover = null;
      this.show_ghost();
    });
    addEventListener('keydown', (e) => {
      if (e.key === 'Escape') this.arm(null);
    });
  }

  private place(x: number, y: number): THREE.Vector3 | null {
    const at = this.picture.ground_under(x, y);
    return at ? at.add(new THREE.Vector3(0, 0, this.height + this.half())) : null;
  }

  private half(): number { // [m] how far the shape reaches down when it is upright
    const kind = this.armed ?? 'ball', s = SIZES[kind](this.size);
    return kind === 'ball' ? s[0] : kind === 'box' ? s[2] / 2 : kind === 'capsule' ? s[0] + s[1] / 2 : s[1] / 2;
  }

  private take(e: PointerEvent) {
    const at = this.place(e.clientX, e.clientY);
    if (!at) return;
    e.stopPropagation(); // the camera stays
    this.picture.canvas.setPointerCapture(e.pointerId);
    this.picture.hold_camera(true);
    const turn = this.tumbled.checked ? new THREE.Quaternion().random() : new THREE.Quaternion();
    this.held = { at, x: e.clientX, y: e.clientY, v: new THREE.Vector3(), turn };
    this.show_ghost();
  }

  private move(e: PointerEvent) {
    this.hover = e.target === this.picture.canvas ? { x: e.clientX, y: e.clientY } : null;
    if (this.held) {
      const { held } = this;
      const still = Math.hypot(e.clientX - held.x, e.clientY - held.y) < STILL;
      const to = this.picture.across(e.clientX, e.clientY, held.at);
      held.v.copy(to).sub(held.at).multiplyScalar(still ? 0 : THROW);
      if (held.v.length() > 40) held.v.setLength(40);
    }
    this.show_ghost();
  }

  private release(done: boolean) {
    const { held, armed } = this;
    if (!held || !armed) return;
    this.held = null;
    this.picture.hold_camera(false);
    const { at, turn, v } = held;
    const numbers = [...at.toArray(), turn.w, turn.x, turn.y, turn.z, ...v.toArray(), this.density, ...SIZES[armed](this.size)];
    if (done) {
      this.state.seek(this.state.end);
      this.state.say(`add ${armed} ${numbers.map((x) => Number(x.toFixed(6))).join(' ')}`);
      this.state.play(true);
    }
    this.show_ghost();
  }

  private show_ghost() {
    const { ghost, arrow, held, armed } = this;
    const at = held ? held.at : armed && this.hover ? this.place(this.hover.x, this.hover.y) : null;
    ghost.visible = at !== null;
    arrow.visible = held !== null && held.v.lengthSq() > 0;
    if (at && armed) {
      ghost.geometry.dispose();
      ghost.geometry = FORMS[armed](SIZES[armed](this.size));
      ghost.position.copy(at);
      ghost.quaternion.copy(held?.turn ?? new THREE.Quaternion());
      const ink = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
      ghost.material.color.set(ink);
      if (held) {
        const length = Math.max(1e-3, held.v.length() / THROW);
        arrow.position.copy(at);
        arrow.setDirection(held.v.clone().normalize());
        arrow.setLength(length, Math.min(0.4 * length, 0.08), Math.min(0.25 * length, 0.05));
        arrow.setColor(ink);
      }
    }
    this.tell_count();
    this.state.changed();
  }

  // ---- What the program says

  private tell_count() {
    const { told, held } = this;
    const mass = this.armed ? with_unit(VOLUME[this.armed](SIZES[this.armed](this.size)) * this.density, 'kg') : '';
    const speed = held && held.v.lengthSq() > 0 ? ` at ${with_unit(held.v.length(), 'm/s')}` : '';
    this.count.textContent = told ? `${told.bodies} of ${told.most} bodies` : '';
    this.what.textContent = this.armed ? `Click to drop a ${this.armed}, drag to throw it: ${mass}${speed}` : 'Choose a shape to drop it; else the mouse turns the picture';
  }

  private complain(text: string) {
    this.refusal.textContent = text;
  }

  private fill_laws(told: SandboxState) {
    const group = (label: string, rigid: boolean) => {
      const g = element('optgroup');
      g.label = label;
      for (const l of told.laws.filter((x) => x.rigid === rigid)) {
        const o = element('option', '', l.name);
        o.value = l.name;
        g.append(o);
      }
      return g;
    };
    this.law.replaceChildren(group('rigid', true), group('compliant', false));
  }

  tell(told: SandboxState) {
    const law = told.laws.find((l) => l.name === told.law)!;
    if (!this.told) this.fill_laws(told);
    if (this.told?.law !== told.law) {
      this.law.value = told.law;
      this.doc.textContent = law.doc;
    }
    this.gravity.show({ ...this.gravity.value, value: told.g });
    if (this.told && this.told.refusals !== told.refusals) this.run.on_change(); // what is shown may be what was refused
    this.told = told;
    for (const c of this.run.head.contacts) Object.assign(c, { law: told.law, rigid: law.rigid, mu_s: told.mu, mu_k: told.mu, e: told.e });
    this.tell_trouble(told);
    this.tell_count();
    this.tell_pace();
  }

  // What was refused, or why it stopped; until something is done that is not refused.
  private tell_trouble(told: SandboxState) {
    const { ended, reason } = this.run.head;
    const trouble = told.refused ?? (ended ? `It stopped ${reason ?? ''}. It continues after a change or a reset.` : '');
    const key = `${told.refusals} ${told.number} ${trouble}`;
    if (key !== this.trouble) this.complain(trouble);
    this.trouble = key;
  }

  private tell_pace() {
    const { pace, running, asked } = this.run;
    const slow = running && pace < FULL_SPEED * asked;
    this.pace.textContent = this.run.head.ended ? 'stopped' : !running ? 'paused' : `${pace.toFixed(2)} × real time${slow ? ' · cannot keep up' : ''}`;
    this.pace.classList.toggle('slow', slow || this.run.head.ended !== null);
    this.pace.title = this.run.head.reason ?? 'simulated time against the clock';
  }
}
