// frame.ts: what a picture must hold: how far things go over a run, and where the camera stands so that they fill the window.
// What moves counts, and of what stands around only what is near it; planes and heightfields are the ground and do not count.
import * as THREE from 'three';
import { POSE } from './data';
import { Run } from './run';

export interface Frame {
  box: THREE.Box3; // of what moves, over the whole run
  size: number; // [m] of what is looked at at one time
  extent: THREE.Vector3; // [m] that what moves needs at one time, at most; its height over the whole run where `level`
  roams: boolean; // it goes farther than the picture is wide: the camera follows
  level: boolean; // a camera that follows keeps its height
  flat: boolean; // no weight, and all in a plane z = const: it is looked at from above
  points: THREE.Vector3[]; // the outermost ones of what moves, over the whole run
  around: THREE.Vector3[]; // corners of what stands around, as far as it is near
}

export type Outline = THREE.Vector3[]; // of the shapes of one body, in its axes

const LOOKS = 200; // frames that are looked at, at most
const LOOKS_LEAST = 12;
const POINTS_MAX = 60000; // that are looked at, about
const ROUGH = 3000; // points of one frame, from which on a body is as good as the box around it
const NEAR = 0.12; // of the diagonal of what moves: what stands so near to it belongs to the picture
const LEVEL = 5; // a path so many times as high as what moves along it is still shown in its whole height
const MARGIN = 0.9; // of the window is filled
const AROUND = 0.72; // what moves stays as large as this share of what it would be without what stands around

// Directions spread evenly over the sphere.
const DIRECTIONS = Array.from({ length: 64 }, (_, i) => {
  const z = 1 - (2 * i + 1) / 64, r = Math.sqrt(1 - z * z), a = i * Math.PI * (3 - Math.sqrt(5));
  return new THREE.Vector3(r * Math.cos(a), r * Math.sin(a), z);
});

// Keeps the outermost point in each direction, so that a view of any number of points is found from a few.
class Outermost {
  readonly box = new THREE.Box3();
  private far = DIRECTIONS.map(() => -Infinity);
  private kept: (THREE.Vector3 | null)[] = DIRECTIONS.map(() => null);

  add(p: THREE.Vector3) {
    this.box.expandByPoint(p);
    for (let k = 0; k < DIRECTIONS.length; k++) {
      const x = DIRECTIONS[k].dot(p);
      if (x <= this.far[k]) continue;
      this.far[k] = x;
      this.kept[k] = (this.kept[k] ?? new THREE.Vector3()).copy(p);
    }
  }

  get points(): THREE.Vector3[] {
    return this.kept.filter((p): p is THREE.Vector3 => p !== null);
  }
}

export function box_points(box: THREE.Box3): THREE.Vector3[] {
  const { min, max } = box;
  return Array.from({ length: 8 }, (_, k) => new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z));
}

// Calls with each point of body k in frame i, in the world.
function each_point(run: Run, i: number, k: number, outline: Outline, call: (p: THREE.Vector3) => void) {
  const b = run.frames;
  const at = new THREE.Vector3(), turn = new THREE.Quaternion(), p = new THREE.Vector3();
  if (k > 0 && b) {
    const o = (i * b.bodies + k - 1) * POSE;
    at.fromArray(b.pose, o);
    turn.set(b.pose[o + 4], b.pose[o + 5], b.pose[o + 6], b.pose[o + 3]);
  }
  if (!Number.isFinite(at.lengthSq())) return; // it is not there yet
  for (const corner of outline) call(p.copy(corner).applyQuaternion(turn).add(at));
}

// What stands around, shape by shape: the part of it that is near to what moves.
function add_around(run: Run, fixed: { body: number; outline: Outline }[], box: THREE.Box3): THREE.Vector3[] {
  const near = box.clone().expandByScalar(NEAR * box.getSize(new THREE.Vector3()).length());
  const around: THREE.Vector3[] = [];
  for (const { body, outline } of fixed) {
    const own = new THREE.Box3();
    each_point(run, 0, body, outline, (p) => own.expandByPoint(p));
    if (!own.intersectsBox(near)) continue;
    for (const c of box_points(own)) around.push(near.clampPoint(c, new THREE.Vector3()));
  }
  return around;
}

// A run that has just begun has shown nothing of its way: what is above a floor may fall onto it.
function add_fall(run: Run, outermost: Outermost) {
  const tall = outermost.box.getSize(new THREE.Vector3()).length();
  for (const s of run.head.shapes) {
    if (s.kind !== 'plane') continue;
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(new THREE.Vector3(s.turn[2], s.turn[5], s.turn[8]), new THREE.Vector3(...s.at));
    for (const p of outermost.points) {
      const far = plane.distanceToPoint(p);
      if (far > 0 && far < 8 * tall) outermost.add(p.clone().addScaledVector(plane.normal, -far));
    }
  }
}

interface Way { // of what moves
  outermost: Outermost;
  extent: THREE.Vector3; // [m] at one time, at most
  wide: number; // [m] the diagonal at one time, at most
  lift: number; // [m] how much the lowest point goes up and down
}

function way_of(run: Run, movers: number[], outline: Outline[]): Way {
  const way: Way = { outermost: new Outermost(), extent: new THREE.Vector3(), wide: 0, lift: 0 };
  const now = new THREE.Box3(), v = new THREE.Vector3();
  const count = run.frames?.count ?? 0;
  const each = movers.reduce((n, k) => n + outline[k].length, 0);
  const looks = Math.min(LOOKS, Math.max(LOOKS_LEAST, Math.floor(POINTS_MAX / Math.max(1, each))), count);
  let low: number | null = null;
  for (let j = 0; j < looks; j++) {
    const i = looks > 1 ? Math.round((j * (count - 1)) / (looks - 1)) : 0;
    now.makeEmpty();
    for (const k of movers) {
      each_point(run, i, k, outline[k], (p) => {
        now.expandByPoint(p);
        way.outermost.add(p);
      });
    }
    if (now.isEmpty()) continue;
    low ??= now.min.z;
    now.getSize(v);
    way.wide = Math.max(way.wide, v.length());
    way.extent.max(v);
    way.lift = Math.max(way.lift, Math.abs(now.min.z - low));
  }
  return way;
}

// Where there are many points a body is as good as the box around it.
export function simpler(outline: Outline[]): Outline[] {
  const points = outline.reduce((n, o) => n + o.length, 0);
  return points <= ROUGH ? outline : outline.map((o) => (o.length > 8 ? box_points(new THREE.Box3().setFromPoints(o)) : o));
}

// `outline`: of each body; `fixed`: those of the shapes that do not move, one by one.
export function frame_of(run: Run, outline: Outline[], fixed: { body: number; outline: Outline }[]): Frame {
  const { bodies, gravity } = run.head;
  const movers = bodies.map((b, k) => (b.moves && outline[k].length > 0 ? k : -1)).filter((k) => k > 0);
  const most = Math.max(1e-12, ...movers.flatMap((k) => outline[k].map((p) => p.length())));
  const count = run.frames?.count ?? 0;
  const { outermost, extent, wide, lift } = way_of(run, movers, outline);
  const { crowd } = run.head;
  if (crowd) for (const p of box_points(new THREE.Box3(new THREE.Vector3(...crowd.low), new THREE.Vector3(...crowd.high)))) outermost.add(p);
  if (outermost.box.isEmpty()) for (const p of box_points(new THREE.Box3(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 1)))) outermost.add(p);
  if (run.head.live || count <= 1) add_fall(run, outermost);
  const { box, points } = outermost;
  const v = box.getSize(new THREE.Vector3());
  const whole = v.length() / 2.2;
  const part = movers.length > 1 ? Math.max(3 * most, wide / 1.8) : 7 * most;
  const level = v.z < LEVEL * extent.z;
  const across = Math.hypot(v.x, v.y); // a path that is mostly high is not left for a while yet
  const roams = !crowd && count > 1 && whole > (level || across > v.z ? 1.3 : 2.6) * part;
  const size = roams ? part : whole;
  const flat = new THREE.Vector3(...gravity).length() === 0 && lift < 1e-3 * size && count > 0;
  if (level) extent.z = v.z;
  return { box, size, extent, roams, level, flat, points, around: roams ? [] : add_around(run, fixed, box) };
}

// What a camera looks at, and from how far off, to see all points from the direction `away` with some margin: the nearest place from
// which they are inside of the four sides of what it sees.
function fit(camera: THREE.PerspectiveCamera, points: THREE.Vector3[], away: THREE.Vector3): { target: THREE.Vector3; far: number } {
  const right = new THREE.Vector3().crossVectors(camera.up, away).normalize(), up = new THREE.Vector3().crossVectors(away, right);
  const high = MARGIN * Math.tan((camera.fov * Math.PI) / 360), wide = high * camera.aspect;
  const top = [-Infinity, -Infinity], low = [Infinity, Infinity], depth = [Infinity, -Infinity];
  for (const p of points) {
    const z = p.dot(away), side = [p.dot(right), p.dot(up)];
    [wide, high].forEach((slope, k) => {
      top[k] = Math.max(top[k], side[k] + slope * z);
      low[k] = Math.min(low[k], side[k] - slope * z);
    });
    depth[0] = Math.min(depth[0], z);
    depth[1] = Math.max(depth[1], z);
  }
  const middle = (depth[0] + depth[1]) / 2;
  const z = Math.max((top[0] - low[0]) / (2 * wide), (top[1] - low[1]) / (2 * high));
  const target = right.multiplyScalar((top[0] + low[0]) / 2).addScaledVector(up, (top[1] + low[1]) / 2).addScaledVector(away, middle);
  return { target, far: z - middle };
}

// The same with what stands around, but not so far away that what moves becomes small; then what moves is in the middle.
export function stand_back(camera: THREE.PerspectiveCamera, points: THREE.Vector3[], around: THREE.Vector3[], away: THREE.Vector3) {
  const alone = fit(camera, points, away);
  if (around.length === 0) return alone;
  const all = fit(camera, [...points, ...around], away);
  if (all.far * AROUND <= alone.far) return all;
  return { target: alone.target, far: alone.far / AROUND };
}

