// touch.ts: a hand at work: the grip (the device), the coupling between it and the tool, and two forces on the device: what the hand
// gives and what the hand feels. The numbers are those of the channels haptic.hand_f* and haptic.wrench_f*.
import * as THREE from 'three';
import { Curve, Moment, Run, last_before } from './run';
import { Theme } from './theme';

const UP = new THREE.Vector3(0, 0, 1);

function flat(): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, toneMapped: false });
}

class Arrow {
  readonly object = new THREE.Group();
  readonly material = flat();
  private shaft = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0).rotateX(Math.PI / 2), this.material);
  private tip = new THREE.Mesh(new THREE.ConeGeometry(1, 1, 18).translate(0, 0.5, 0).rotateX(Math.PI / 2), this.material);

  constructor() {
    this.object.add(this.shaft, this.tip);
    for (const m of [this.shaft, this.tip]) m.renderOrder = 9;
  }

  put(at: THREE.Vector3, along: THREE.Vector3, length: number, width: number) {
    const head = Math.min(0.45 * length, 5 * width);
    this.object.visible = length > 0.02 * width;
    this.object.position.copy(at);
    this.object.quaternion.setFromUnitVectors(UP, along.clone().normalize());
    this.shaft.scale.set(width, width, Math.max(1e-9, length - head));
    this.tip.position.set(0, 0, length - head);
    this.tip.scale.set(head / 2.2, head / 2.2, Math.max(1e-9, head));
  }
}

export class Touch {
  readonly object = new THREE.Group();
  private grip: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private band: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private hand = new Arrow();
  private felt = new Arrow();
  private largest = 1; // [N]
  private measured: Curve[] = [];

  constructor(readonly run: Run) {
    this.grip = new THREE.Mesh(new THREE.TorusGeometry(1, 0.22, 10, 32), flat());
    this.band = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2), flat());
    this.grip.renderOrder = 8;
    this.band.renderOrder = 7;
    this.object.add(this.grip, this.band, this.hand.object, this.felt.object);
  }

  paint(theme: Theme) {
    this.grip.material.color.set(theme.accent);
    this.band.material.color.set(theme.muted);
    this.hand.material.color.set(theme.accent);
    this.felt.material.color.set(theme.slip);
  }

  private curves(name: string): (Curve | null)[] {
    return ['x', 'y', 'z'].map((axis) => this.run.channel(`haptic.${name}_f${axis}`));
  }

  private measure(curves: Curve[]) {
    if (curves.length === this.measured.length && curves.every((c, i) => c.v === this.measured[i].v)) return;
    this.measured = curves;
    const all = curves.flatMap((c) => Array.from(c.v, Math.abs)).filter((x) => x > 0).sort((a, b) => a - b);
    this.largest = all[Math.floor(0.95 * (all.length - 1))] ?? 1; // blows are far larger for a moment
  }

  update(m: Moment, t: number, size: number, camera: THREE.Camera) {
    const { tool, device } = this.run.head.haptic!;
    const at = new THREE.Vector3(...this.run.position(m, device)), to = new THREE.Vector3(...this.run.position(m, tool));
    const width = 0.011 * size;
    this.grip.position.copy(at);
    this.grip.quaternion.copy(camera.quaternion);
    this.grip.scale.setScalar(3.2 * width);
    const apart = at.distanceTo(to);
    this.band.visible = apart > width;
    this.band.position.copy(at).add(to).multiplyScalar(0.5);
    this.band.scale.set(0.7 * width, 0.7 * width, Math.max(1e-9, apart));
    this.band.quaternion.setFromUnitVectors(UP, to.clone().sub(at).normalize());
    const all = [this.curves('hand'), this.curves('wrench')];
    this.measure(all.flat().filter((c): c is Curve => c !== null));
    all.forEach((curves, k) => {
      const v = new THREE.Vector3(...curves.map((c) => (c && c.v.length > 0 ? c.v[last_before(c.t, t)] : 0)));
      const length = 0.55 * size * Math.min(1.6, v.length() / this.largest);
      (k === 0 ? this.hand : this.felt).put(at, v.length() > 0 ? v : UP, length, width);
    });
  }
}
