// frame.ts: what a picture must hold: how far things go over a run, and where the camera stands to see them all.
import * as THREE from 'three';
import { POSE } from './data';
import { Run } from './run';

export interface Frame {
  box: THREE.Box3; // of what moves, over the whole run, and of what stands around it
  size: number; // [m] of what is looked at at one time
  extent: THREE.Vector3; // that it needs at one time, at most
  roams: boolean; // it goes farther than the picture is wide
  level: boolean; // it never goes higher than the picture is high
  flat: boolean; // no weight, and all in a plane z = const: it is looked at from above
}

const LOOKS = 200; // frames that are looked at

// Where body k is in frame i, as far as its shapes reach.
function add(box: THREE.Box3, run: Run, i: number, k: number, reach: number) {
  const b = run.frames!;
  const o = (i * b.bodies + k - 1) * POSE;
  const at = k > 0 ? new THREE.Vector3(b.pose[o], b.pose[o + 1], b.pose[o + 2]) : new THREE.Vector3();
  if (!Number.isFinite(at.lengthSq())) return;
  box.expandByPoint(at.clone().subScalar(reach));
  box.expandByPoint(at.addScalar(reach));
}

// What stands around belongs to the picture unless it is far larger than all that moves.
function add_fixed(box: THREE.Box3, run: Run, reach: number[]) {
  const fixed = box.clone();
  run.head.bodies.forEach((b, k) => {
    if (!b.moves && reach[k] > 0) add(fixed, run, 0, k, reach[k]);
  });
  const size = (x: THREE.Box3) => x.getSize(new THREE.Vector3()).length();
  if (size(fixed) < 2.5 * size(box)) box.copy(fixed);
}

// `reach` [m]: of each body, from its origin.
export function frame_of(run: Run, reach: number[]): Frame {
  const box = new THREE.Box3(), now = new THREE.Box3(), extent = new THREE.Vector3(), v = new THREE.Vector3();
  const movers = run.head.bodies.map((b, k) => (b.moves ? k : -1)).filter((k) => k > 0);
  const most = Math.max(1e-4, ...movers.map((k) => reach[k])) || 0.1;
  const count = run.frames?.count ?? 0;
  let lift = 0, wide = 0;
  for (let i = 0; i < count; i += Math.max(1, Math.floor(count / LOOKS))) {
    now.makeEmpty();
    for (const k of movers) add(now, run, i, k, reach[k]);
    if (now.isEmpty()) continue;
    now.getSize(v);
    wide = Math.max(wide, v.length());
    extent.max(v);
    lift = Math.max(lift, Math.abs(now.min.z - (box.isEmpty() ? now.min.z : box.min.z)));
    box.union(now);
  }
  if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 1));
  const whole = box.getSize(v).length() / 2.2;
  const size = Math.min(whole, movers.length > 1 ? Math.max(3 * most, wide / 1.8) : 7 * most);
  const flat = new THREE.Vector3(...run.head.gravity).length() === 0 && lift < 1e-3 * size && count > 0;
  const roams = whole > 1.3 * size;
  if (!roams && count > 0) add_fixed(box, run, reach);
  return { box, size, extent: extent.max(v.setScalar(movers.length > 1 ? 0.6 * size : size)), roams, level: box.max.z - box.min.z < 2 * size, flat };
}

// How far from the middle of a box a camera that looks from the direction `away` sees all of it, with some room.
export function stand_back(camera: THREE.PerspectiveCamera, box: THREE.Box3, away: THREE.Vector3): number {
  const right = new THREE.Vector3().crossVectors(camera.up, away).normalize(), up = new THREE.Vector3().crossVectors(away, right);
  const high = 0.87 * Math.tan((camera.fov * Math.PI) / 360), wide = high * camera.aspect;
  const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
  let far = 0;
  for (let k = 0; k < 8; k++) {
    const c = new THREE.Vector3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    far = Math.max(far, c.dot(away) + Math.abs(c.dot(right)) / wide, c.dot(away) + Math.abs(c.dot(up)) / high);
  }
  return far;
}
