// marks.ts: what contacts do, drawn into the picture. State by shape as well as by colour:
//   stick: a disc   slip: a diamond   touches without load: a ring
// Forces are smooth arrows; impulses are beaded arrows with two heads and a ring where they struck, so that nobody takes one
// for the other. The friction cone stands on the contact with the force inside.
import * as THREE from 'three';
import { Frames, Happening, IDLE, POINT, SLIP, STICK } from './data';
import { Moment, Run } from './run';
import { Theme } from './theme';
import { State } from './state';

const MOST = 2048; // marks of one kind
const FEW = 12; // contacts that can be drawn in full size; where there are more they are drawn smaller
export const ARROWS = 0.42; // of the height of the picture: what the lengths of arrows are measured in
const TYPICAL = 0.95; // of all forces (and impulses) are shorter than the arrow of a typical largest one
const Z = new THREE.Vector3(0, 0, 1);

export class Pool { // instances of one geometry, as many as a picture needs
  readonly mesh: THREE.InstancedMesh;
  count = 0;
  private matrix = new THREE.Matrix4();

  constructor(geometry: THREE.BufferGeometry, readonly material: THREE.MeshBasicMaterial, order: number) {
    this.mesh = new THREE.InstancedMesh(geometry, material, MOST);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
    this.mesh.count = 0;
  }

  put(at: THREE.Vector3, turn: THREE.Quaternion, scale: THREE.Vector3) {
    if (this.count < MOST) this.mesh.setMatrixAt(this.count++, this.matrix.compose(at, turn, scale));
  }

  done() {
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0; // what is not there needs no shader either
    this.mesh.instanceMatrix.needsUpdate = true;
    this.count = 0;
  }
}

export function flat(over = true): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ depthTest: !over, transparent: true, side: THREE.DoubleSide, toneMapped: false });
}

export class Marks {
  readonly object = new THREE.Group();
  private state_marks: Pool[]; // by IDLE, STICK, SLIP
  private rims: Pool[];
  private shaft: Pool;
  private tip: Pool;
  private bead: Pool;
  private point_tip: Pool;
  private burst: Pool;
  private cone: Pool;
  private rim: Pool;
  private largest = 1; // [N] that fills the arrow's length
  private measured: Frames | null = null; // frames that `largest` is of
  private largest_blow = 1; // [N s]
  private blows_measured = -1; // events that it is of
  span = 1; // [m] height of the picture at what is looked at, from home
  longest = 0; // [m] arrow of the last picture

  constructor(readonly run: Run) {
    const diamond = new THREE.CircleGeometry(1.25, 4);
    const ring = new THREE.RingGeometry(0.62, 1, 24);
    this.rims = [new THREE.RingGeometry(1, 1.01, 24), new THREE.RingGeometry(0.98, 1.3, 28), new THREE.RingGeometry(1.23, 1.6, 4)]
      .map((g) => new Pool(g, flat(), 10));
    this.state_marks = [ring, new THREE.CircleGeometry(1, 28), diamond].map((g) => new Pool(g, flat(), 11));
    const along = (g: THREE.BufferGeometry) => g.rotateX(Math.PI / 2);
    this.shaft = new Pool(along(new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0)), flat(), 8);
    this.tip = new Pool(along(new THREE.ConeGeometry(1, 1, 18).translate(0, 0.5, 0)), flat(), 9);
    this.point_tip = new Pool(along(new THREE.ConeGeometry(1, 1, 18).translate(0, 0.5, 0)), flat(), 9);
    this.bead = new Pool(new THREE.SphereGeometry(1, 12, 8), flat(), 8);
    this.burst = new Pool(new THREE.RingGeometry(0.86, 1, 40), flat(), 8);
    this.cone = new Pool(along(new THREE.ConeGeometry(1, 1, 40, 1, true).rotateX(Math.PI).translate(0, 0.5, 0)), flat(false), 6);
    this.cone.material.opacity = 0.2;
    this.cone.material.depthWrite = false;
    this.rim = new Pool(new THREE.TorusGeometry(1, 0.006, 6, 64), flat(false), 7);
    for (const p of this.pools()) this.object.add(p.mesh);
    this.up = new THREE.Vector3(...run.head.gravity).negate().normalize();
  }

  private pools(): Pool[] {
    return [...this.rims, ...this.state_marks, this.shaft, this.tip, this.bead, this.point_tip, this.burst, this.cone, this.rim];
  }

  paint(theme: Theme) {
    const tone = [theme.idle, theme.stick, theme.slip];
    this.state_marks.forEach((p, i) => p.material.color.set(tone[i]));
    for (const p of this.rims) p.material.color.set(theme.dark ? '#0d0f11' : '#ffffff');
    for (const p of [this.shaft, this.tip]) p.material.color.set(theme.force);
    for (const p of [this.bead, this.point_tip, this.burst]) p.material.color.set(theme.impulse);
    for (const p of [this.cone, this.rim]) p.material.color.set(theme.accent);
  }

  private up: THREE.Vector3;
  private thin = 1;
  private height = 800; // [pixel] of the picture
  private at = new THREE.Vector3();
  private n = new THREE.Vector3();
  private v = new THREE.Vector3();
  private scale = new THREE.Vector3();
  private turn = new THREE.Quaternion();
  private point = new THREE.Vector3();

  update(m: Moment, state: State, camera: THREE.PerspectiveCamera, height: number) {
    this.height = height;
    const f = state.flags;
    if (this.measured !== this.run.frames) {
      this.measured = this.run.frames;
      this.largest = largest_force(this.run);
    }
    if (this.blows_measured !== this.run.head.events.length) {
      this.blows_measured = this.run.head.events.length;
      this.largest_blow = typical_largest(this.run.head.events.map((e) => Math.abs(e.impulse ?? 0)));
    }
    this.longest = 0;
    let n = 0;
    this.run.points(m, () => n++);
    this.thin = Math.min(1, Math.sqrt(FEW / Math.max(1, n)));
    this.run.points(m, (o, p) => {
      this.at.set(p[o], p[o + 1], p[o + 2]);
      this.n.set(p[o + 3], p[o + 4], p[o + 5]);
      this.v.set(p[o + 6], p[o + 7], p[o + 8]);
      if (this.n.dot(this.up) < -0.1) { // the force on the body above is shown: it holds
        this.n.negate();
        this.v.negate();
      }
      if (f.points) this.put_state(p[o + 9], camera);
      const force = this.v.length();
      if (f.cones && force > 0) this.put_cone(this.run.head.contacts[p[o + 10]], p[o + 9] === SLIP);
      if (f.forces && force > 0) this.put_force(force);
    });
    if (f.impulses) this.put_impulses(m, state);
    for (const p of this.pools()) p.done();
  }

  // Marks keep their size on the screen, and face the eye.
  private put_state(kind: number, camera: THREE.PerspectiveCamera) {
    const pixels = 5.5 * Math.max(0.55, this.thin);
    const s = (pixels * this.at.distanceTo(camera.position) * Math.tan((camera.fov * Math.PI) / 360)) / (this.height / 2);
    this.turn.copy(camera.quaternion);
    this.scale.setScalar(s);
    const k = kind === STICK || kind === SLIP ? kind : IDLE;
    if (k !== IDLE) this.rims[k].put(this.at, this.turn, this.scale);
    this.state_marks[k].put(this.at, this.turn, this.scale);
  }

  private get size(): number { // [m] that lengths of arrows are measured in
    return ARROWS * this.span;
  }

  length_of(force: number): number {
    return this.size * 0.6 * Math.sqrt(this.thin) * Math.min(1.6, force / this.largest);
  }

  private put_force(force: number) {
    const length = this.length_of(force);
    this.longest = Math.max(this.longest, length);
    const width = 0.011 * this.size * this.thin;
    const head = Math.min(0.45 * length, 6 * width);
    this.v.multiplyScalar(1 / force);
    this.turn.setFromUnitVectors(Z, this.v);
    this.shaft.put(this.at, this.turn, this.scale.set(width, width, Math.max(1e-9, length - head)));
    this.point.copy(this.at).addScaledVector(this.v, length - head);
    this.tip.put(this.point, this.turn, this.scale.set(head / 2.4, head / 2.4, head));
  }

  private put_cone(contact: { mu_s: number; mu_k: number } | undefined, slips: boolean) {
    const mu = contact ? (slips ? contact.mu_k : contact.mu_s) : 0;
    if (!(mu > 0)) return;
    const h = this.length_of(Math.abs(this.v.dot(this.n)));
    this.turn.setFromUnitVectors(Z, this.n);
    this.cone.put(this.at, this.turn, this.scale.set(mu * h, mu * h, h));
    this.point.copy(this.at).addScaledVector(this.n, h);
    this.rim.put(this.point, this.turn, this.scale.set(mu * h, mu * h, mu * h));
  }

  // Impulses of the last moments, the selected one in any case; along a selected impact as far as it has come.
  // Blows of the last moment, and those that were struck together with the selected one, which is where the time is.
  private blows(state: State): Happening[] {
    const events = this.run.head.events;
    const chosen = state.runs[0] === this.run ? state.selected : null;
    const keep = Math.max(this.run.step * 1.01, state.playing ? 0.25 * Math.min(1, 2 ** (state.speed - 8)) : 0);
    const shown: Happening[] = [];
    const back = keep + 2 * this.run.head.every; // those of one step need not be in order
    for (let i = last_event(events, state.t + this.run.head.every); i >= 0 && state.t - events[i].t <= back; i--) {
      if (state.t - events[i].t <= keep || events[i].t === chosen?.t) shown.push(events[i]);
    }
    return shown.filter((e) => e.at && e.impulse && e.t <= state.t + 1e-12);
  }

  // The normal of a contact, as the frames around have it. False: it is in none of them.
  private normal_of(m: Moment, slot: number): boolean {
    const b = m.block, p = b.point;
    let found = false;
    for (let k = b.start[Math.max(0, m.i - 3)]; k < b.start[Math.min(b.count, m.i + 4)]; k++) {
      const o = k * POINT;
      if (p[o + 11] !== slot) continue;
      this.n.set(p[o + 3], p[o + 4], p[o + 5]);
      found = true;
    }
    if (this.n.dot(this.up) < -0.1) this.n.negate();
    return found;
  }

  private put_impulses(m: Moment, state: State) {
    const shown = this.blows(state);
    this.thin = Math.min(1, Math.sqrt(FEW / Math.max(1, shown.length)));
    for (const e of shown) {
      const together = e.t === state.selected?.t;
      const x = this.run.impact_of(e);
      const c = x?.contacts.find((k) => k.slot === e.slot);
      this.at.fromArray(e.at!);
      if (x && c) {
        let p = c.p;
        if (together && state.impulse !== null && x.path) p = x.path[Math.round(state.impulse * (x.path.length - 1))];
        this.v.set(0, 0, 0);
        [c.t1, c.t2, c.n].forEach((axis, k) => this.v.addScaledVector(this.point.fromArray(axis), p[k]));
        this.n.fromArray(c.n);
      } else if (this.normal_of(m, e.slot ?? -1)) {
        this.v.copy(this.n).multiplyScalar(e.impulse!);
      } else {
        this.put_unknown(Math.abs(e.impulse!));
        continue;
      }
      this.put_blow(this.v.length());
    }
  }

  // Nobody has looked into this impact yet, so its direction is not known: the ring alone, lying flat.
  private put_unknown(size: number) {
    const share = Math.min(1.3, size / this.largest_blow);
    if (share > 0.01) this.burst.put(this.at, this.turn.identity(), this.scale.setScalar(5 * this.size * (0.01 + 0.01 * share)));
  }

  private put_blow(size: number) {
    const share = Math.min(1.3, size / this.largest_blow);
    if (!(share > 0.01)) return;
    const length = this.size * (0.12 + 0.6 * share) * Math.sqrt(this.thin);
    this.longest = Math.max(this.longest, length);
    const width = this.size * (0.01 + 0.01 * share) * this.thin;
    this.turn.setFromUnitVectors(Z, this.n);
    this.burst.put(this.at, this.turn, this.scale.setScalar(5 * width));
    const beads = Math.max(2, Math.round(length / (2.6 * width)));
    this.v.normalize();
    this.turn.setFromUnitVectors(Z, this.v);
    for (let i = 0; i < beads; i++) {
      this.point.copy(this.at).addScaledVector(this.v, (length * i) / beads);
      this.bead.put(this.point, this.turn, this.scale.setScalar(width * 0.8));
    }
    for (const on of [-1.2 * width, 2 * width]) {
      this.point.copy(this.at).addScaledVector(this.v, length + on);
      this.point_tip.put(this.point, this.turn, this.scale.set(1.7 * width, 1.7 * width, 3.6 * width));
    }
  }
}

// The last event that is not behind a time; -1: none.
function last_event(events: Happening[], t: number): number {
  let lo = 0, hi = events.length;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (events[middle].t <= t + 1e-12) lo = middle + 1;
    else hi = middle;
  }
  return lo - 1;
}

// A force that the arrows are drawn for: what all but the greatest few stay below.
function largest_force(run: Run): number {
  const size: number[] = [];
  const p = run.frames?.point;
  const n = p ? p.length / POINT : 0;
  const stride = Math.max(1, Math.floor(n / 20000));
  for (let i = 0; p && i < n; i += stride) {
    const f = Math.hypot(p[i * POINT + 6], p[i * POINT + 7], p[i * POINT + 8]);
    size.push(f);
  }
  return typical_largest(size);
}

// What all but the greatest few stay below: one blow that is far larger must not make all others invisible.
export function typical_largest(size: number[]): number {
  const all = size.filter((x) => x > 0).sort((a, b) => a - b);
  return all.length > 0 ? all[Math.floor(TYPICAL * (all.length - 1))] : 1;
}
