// devices.ts: sensors and tendons. A tendon is a cord along its path. A sensor is a small frame (x red, y green, z blue) where it
// measures; `range` has its ray, with a dot where it ends; `force_torque` and `touch` an arrow of the force they read, as long as
// those of contacts of the same force. Sensors of joints' coordinates are not drawn.
import * as THREE from 'three';
import { Frames, Sensor } from './data';
import { Marks, Pool, flat, typical_largest } from './marks';
import { Moment, Run } from './run';
import { Theme } from './theme';

const Z = new THREE.Vector3(0, 0, 1);
const THICK = 0.004; // of the height of the picture: of a cord
const AXES: [number, number, number, string][] = [[1, 0, 0, '#d1495b'], [0, 1, 0, '#3a9d5d'], [0, 0, 1, '#2f6fd0']];
const FRAMES = ['imu', 'force_torque', 'range', 'touch', 'contact'];

export class Devices {
  readonly object = new THREE.Group();
  private cord: Pool;
  private knot: Pool;
  private axes: Pool[];
  private ray: Pool;
  private dot: Pool;
  private shaft: Pool;
  private tip: Pool;
  private places: THREE.Matrix4[];
  private from = new THREE.Vector3();
  private to = new THREE.Vector3();
  private way = new THREE.Vector3();
  private scale = new THREE.Vector3();
  private turn = new THREE.Quaternion();
  private matrix = new THREE.Matrix4();
  private largest = 1; // [N] a typical largest force that sensors read, for runs without contacts
  private measured: Frames | null = null; // frames that it is of

  constructor(readonly run: Run) {
    const along = (g: THREE.BufferGeometry) => g.rotateX(Math.PI / 2);
    const rod = (sides: number) => along(new THREE.CylinderGeometry(1, 1, 1, sides).translate(0, 0.5, 0));
    this.cord = new Pool(rod(8), flat(false), 3);
    this.knot = new Pool(new THREE.SphereGeometry(1, 8, 6), flat(false), 3);
    this.axes = AXES.map(() => new Pool(rod(6), flat(), 9));
    this.ray = new Pool(rod(6), flat(false), 5);
    this.dot = new Pool(new THREE.SphereGeometry(1, 12, 8), flat(), 9);
    this.shaft = new Pool(rod(12), flat(), 9);
    this.tip = new Pool(along(new THREE.ConeGeometry(1, 1, 18).translate(0, 0.5, 0)), flat(), 9);
    AXES.forEach(([, , , color], k) => this.axes[k].material.color.set(color));
    this.ray.material.opacity = 0.6;
    for (const p of this.pools()) this.object.add(p.mesh);
    this.places = run.head.sensors.map((s) => {
      const R = s.turn;
      return new THREE.Matrix4().set(R[0], R[1], R[2], s.at[0], R[3], R[4], R[5], s.at[1], R[6], R[7], R[8], s.at[2], 0, 0, 0, 1);
    });
  }

  private pools(): Pool[] {
    return [this.cord, this.knot, ...this.axes, this.ray, this.dot, this.shaft, this.tip];
  }

  paint(theme: Theme) {
    for (const p of [this.cord, this.knot]) p.material.color.set(theme.dark ? '#e07a6a' : '#b23a2e');
    for (const p of [this.ray, this.dot]) p.material.color.set(theme.accent);
    for (const p of [this.shaft, this.tip]) p.material.color.set(theme.accent);
  }

  private rod(pool: Pool, from: THREE.Vector3, to: THREE.Vector3, thick: number) {
    const length = this.way.copy(to).sub(from).length();
    if (!(length > 0)) return;
    this.turn.setFromUnitVectors(Z, this.way.multiplyScalar(1 / length));
    pool.put(from, this.turn, this.scale.set(thick, thick, length));
  }

  update(m: Moment, pose: (body: number) => THREE.Matrix4, marks: Marks, on: boolean) {
    if (on) {
      this.measure();
      const { device, devices } = m.block;
      const value = (k: number) => {
        const a = device[m.i * devices + k], b = device[m.j * devices + k];
        return a + m.f * (b - a);
      };
      if (devices > 0) {
        this.put_tendons(value, THICK * marks.span);
        this.run.head.sensors.forEach((s, k) => this.put_sensor(m, s, this.matrix.multiplyMatrices(pose(s.body), this.places[k]), value, marks));
      }
    }
    for (const p of this.pools()) p.done();
  }

  private measure() {
    const { frames, head } = this.run;
    if (this.measured === frames || !frames) return;
    this.measured = frames;
    const size: number[] = [];
    for (const s of head.sensors.filter((x) => x.kind === 'force_torque' || x.kind === 'touch')) {
      for (let i = 0; i < frames.count; i++) {
        const x = frames.device.subarray(i * frames.devices + s.first);
        size.push(s.kind === 'touch' ? x[0] : Math.hypot(x[0], x[1], x[2]));
      }
    }
    this.largest = typical_largest(size);
  }

  private length_of(force: number, marks: Marks): number {
    const contacts = (this.run.frames?.point.length ?? 0) > 0;
    return contacts ? marks.length_of(force) : 0.42 * 0.6 * marks.span * Math.min(1.6, force / this.largest);
  }

  private put_tendons(value: (k: number) => number, thick: number) {
    for (const t of this.run.head.tendons) {
      let k = t.first;
      for (const n of t.pieces) {
        for (let i = 0; i < n; i++, k += 3) {
          this.to.set(value(k), value(k + 1), value(k + 2));
          this.knot.put(this.to, this.turn.identity(), this.scale.setScalar(thick));
          if (i > 0) this.rod(this.cord, this.from, this.to, thick);
          this.from.copy(this.to);
        }
      }
    }
  }

  private put_sensor(m: Moment, s: Sensor, place: THREE.Matrix4, value: (k: number) => number, marks: Marks) {
    if (!FRAMES.includes(s.kind)) return;
    const size = 0.04 * marks.span;
    this.from.setFromMatrixPosition(place);
    AXES.forEach(([x, y, z], k) => {
      this.to.set(x, y, z).transformDirection(place).multiplyScalar(size).add(this.from);
      this.rod(this.axes[k], this.from, this.to, 0.06 * size);
    });
    if (s.kind === 'range') {
      const far = value(s.first);
      this.to.set(0, 0, 1).transformDirection(place).multiplyScalar(far > 0 ? far : 3 * size).add(this.from);
      this.rod(this.ray, this.from, this.to, 0.04 * size);
      if (far > 0) this.dot.put(this.to, this.turn.identity(), this.scale.setScalar(0.14 * size));
    } else if (s.kind === 'force_torque') {
      this.way.set(value(s.first), value(s.first + 1), value(s.first + 2));
      const force = this.way.length();
      if (force > 0) this.put_force(this.way.transformDirection(place), this.length_of(force, marks), marks.span);
    } else if (s.kind === 'touch' && value(s.first) > 0) {
      const force = value(s.first);
      if (this.find_touch(m, s)) this.put_force(this.way.normalize(), this.length_of(force, marks), marks.span);
    } else if (s.kind === 'contact' && value(s.first) > 0) {
      this.dot.put(this.from, this.turn.identity(), this.scale.setScalar(0.3 * size));
    }
  }

  // What touches the body of a sensor: the middle of the points goes to `from`, the sum of their normal forces on it to `way`.
  private find_touch(m: Moment, s: Sensor): boolean {
    let n = 0;
    const at = new THREE.Vector3();
    this.way.set(0, 0, 0);
    this.run.points(m, (o, p) => {
      const side = p[o + 14] === s.body ? 1 : p[o + 15] === s.body ? -1 : 0;
      if (side === 0) return;
      const normal = p[o + 3] * p[o + 6] + p[o + 4] * p[o + 7] + p[o + 5] * p[o + 8];
      at.add(this.to.set(p[o], p[o + 1], p[o + 2]));
      this.way.addScaledVector(this.to.set(p[o + 3], p[o + 4], p[o + 5]), side * normal);
      n++;
    });
    if (n > 0) this.from.copy(at.multiplyScalar(1 / n));
    if (n === 0 || this.way.lengthSq() === 0) this.way.set(...(this.run.head.gravity as [number, number, number])).negate();
    return this.way.lengthSq() > 0;
  }

  // Along the unit vector `way` from `from`.
  private put_force(way: THREE.Vector3, length: number, span: number) {
    const width = 0.009 * 0.42 * span;
    const head = Math.min(0.45 * length, 6 * width);
    this.turn.setFromUnitVectors(Z, way);
    this.shaft.put(this.from, this.turn, this.scale.set(width, width, Math.max(1e-9, length - head)));
    this.to.copy(this.from).addScaledVector(way, length - head);
    this.tip.put(this.to, this.turn, this.scale.set(head / 2.4, head / 2.4, head));
  }
}
