// shapes.ts: the shapes of a run as instanced meshes: one draw call for all spheres, one for all boxes, and so on, so that a
// thousand bodies cost no more than a few. Planes and heightfields are ground and are drawn apart.
import * as THREE from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import { RoundedBoxGeometry } from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';
import { Body, Field, Hull, POSE, Shape, Visual } from './data';
import { Outline } from './frame';
import { Light, Look as Surface } from './light';
import { is_painted, level_for, level_here, look_geometry } from './looks';
import { Moment, Run } from './run';
import { Theme } from './theme';

const EDGES_MAX = 300; // shapes that get lines along their edges
const UP = new THREE.Vector3(0, 0, 1);
const NOTHING = new THREE.Vector3(1e-9, 1e-9, 1e-9); // the size of a body that is not there

interface Part { // an instance
  body: number;
  local: THREE.Matrix4; // in the body, scale included
  color?: THREE.Color; // its own
}

type Layer = 'both' | 'shape' | 'look'; // shown always, without visuals, with them

interface Group {
  key: string;
  mesh: THREE.InstancedMesh;
  parts: Part[];
  edges: THREE.LineSegments[];
  layer: Layer;
  opacity: number;
  look?: { mesh: number; mirrored: boolean; painted: boolean; level: number; radius: number };
}

export function hull_geometry(hull: Hull): THREE.BufferGeometry {
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(hull.corner, 3));
  g.setIndex(new THREE.BufferAttribute(hull.triangle, 1));
  const flat = g.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

export function field_geometry(f: Field): THREE.BufferGeometry {
  const nx = f.x.length, ny = f.y.length;
  const corner = new Float32Array(3 * nx * ny);
  const index: number[] = [];
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const k = j * nx + i;
      corner.set([f.x[i], f.y[j], f.height[k]], 3 * k);
      if (i + 1 < nx && j + 1 < ny) index.push(k, k + 1, k + nx + 1, k, k + nx + 1, k + nx);
    }
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(corner, 3));
  g.setIndex(index);
  g.computeVertexNormals();
  return g;
}

// The outermost corners of a geometry, those of a box or of the 26 directions to its sides, edges and corners.
function rim_of(g: THREE.BufferGeometry): Outline {
  const at = g.getAttribute('position');
  const found = new Map<number, THREE.Vector3>();
  const p = new THREE.Vector3(), way = new THREE.Vector3();
  for (let k = 0; k < 27; k++) {
    let far = -Infinity, which = -1;
    way.set((k % 3) - 1, (Math.floor(k / 3) % 3) - 1, Math.floor(k / 9) - 1);
    for (let i = 0; k !== 13 && i < at.count; i++) {
      const x = p.fromBufferAttribute(at, i).dot(way);
      if (x > far + 1e-9) [far, which] = [x, i];
    }
    if (which >= 0) found.set(which, new THREE.Vector3().fromBufferAttribute(at, which));
  }
  return [...found.values()];
}

function upright(g: THREE.BufferGeometry): THREE.BufferGeometry { // three's axes of round bodies are y, ours z
  return g.rotateX(Math.PI / 2);
}

type Make = (n: number) => THREE.BufferGeometry; // for so many of them: the more, the simpler

function sides(n: number, most: number): number {
  return n <= 50 ? most : n <= 300 ? Math.round(0.6 * most) : Math.round(0.35 * most);
}

const ball: Make = (n) => upright(new THREE.SphereGeometry(1, sides(n, 40), sides(n, 24)));

const ROUND_MAX = 200; // corners of a hull that is drawn with its rounding; one with more is drawn as its core

// A hull with a ball at each corner, and what lies between.
function rounded_hull(hull: Hull, r: number): THREE.BufferGeometry {
  const knob = new THREE.SphereGeometry(r, 10, 6).getAttribute('position');
  const points: THREE.Vector3[] = [];
  for (let i = 0; i < hull.corner.length; i += 3) {
    const at = new THREE.Vector3().fromArray(hull.corner, i);
    for (let k = 0; k < knob.count; k++) points.push(new THREE.Vector3().fromBufferAttribute(knob, k).add(at));
  }
  return new ConvexGeometry(points);
}

// What a shape looks like: a key that shapes alike share, its geometry, and how that is scaled.
function look(run: Run, s: Shape | Visual): { key: string; make: Make; scale: [number, number, number] } | null {
  const r = s.radius?.[0] ?? 0, l = s.length?.[0] ?? 0, round = ('round' in s && s.round?.[0]) || 0;
  switch (s.kind) {
    case 'sphere':
      return { key: 'ball', make: ball, scale: [r, r, r] };
    case 'ellipsoid': {
      const [a, b, c] = s.semi ?? [1, 1, 1];
      return { key: 'ball', make: ball, scale: [a, b, c] };
    }
    case 'box': {
      const [a, b, c] = s.size ?? [1, 1, 1];
      if (round > 0) {
        const make: Make = (n) => new RoundedBoxGeometry(a, b, c, sides(n, 6), round);
        return { key: `box ${[a, b, c, round].map((x) => x.toPrecision(6)).join(' ')}`, make, scale: [1, 1, 1] };
      }
      return { key: 'box', make: () => new THREE.BoxGeometry(1, 1, 1), scale: [a, b, c] };
    }
    case 'cylinder':
      return { key: 'cylinder', make: (n) => upright(new THREE.CylinderGeometry(1, 1, 1, sides(n, 40))), scale: [r, r, l] };
    case 'capsule':
      return { key: `capsule ${(l / r).toFixed(4)}`, make: (n) => upright(new THREE.CapsuleGeometry(1, l / r, sides(n, 10), sides(n, 28))), scale: [r, r, r] };
    case 'hull': {
      const mesh = run.meshes[s.mesh ?? -1];
      if (!mesh || !('corner' in mesh)) return null;
      const soft = round > 0 && mesh.corner.length <= 3 * ROUND_MAX;
      return { key: `hull ${s.mesh} ${soft ? round : 0}`, make: () => (soft ? rounded_hull(mesh, round) : hull_geometry(mesh)), scale: [1, 1, 1] };
    }
    default:
      return null;
  }
}

export function place_of(s: Shape | Visual, scale: [number, number, number] = [1, 1, 1]): THREE.Matrix4 {
  const R = s.turn;
  const m = new THREE.Matrix4().set(R[0], R[1], R[2], s.at[0], R[3], R[4], R[5], s.at[1], R[6], R[7], R[8], s.at[2], 0, 0, 0, 1);
  return m.scale(new THREE.Vector3(...scale));
}

function reach_of(s: Shape): number {
  if (s.size) return Math.max(...s.size) / 2;
  if (s.semi) return Math.max(...s.semi);
  return (s.radius?.[0] ?? 0) + (s.length?.[0] ?? 0) / 2;
}

// Shapes of one body that lie apart are joined by thin rods, so that one sees what belongs together.
function rods_of(run: Run): Part[] {
  const parts: Part[] = [];
  const last = new Map<number, Shape>();
  for (const s of run.head.shapes) {
    if (s.kind === 'plane' || s.kind === 'heightfield' || !run.head.bodies[s.body].moves) continue;
    const before = last.get(s.body);
    last.set(s.body, s);
    if (!before) continue;
    const a = new THREE.Vector3(...before.at), b = new THREE.Vector3(...s.at);
    const length = a.distanceTo(b);
    const thin = 0.7 * Math.min(reach_of(before), reach_of(s));
    if (!(length > reach_of(before) + reach_of(s)) || !(thin > 0)) continue;
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, b.clone().sub(a).multiplyScalar(1 / length));
    parts.push({ body: s.body, local: new THREE.Matrix4().compose(a.add(b).multiplyScalar(0.5), turn, new THREE.Vector3(thin, thin, length)) });
  }
  return parts;
}

// What hangs together has one colour, every other link of a chain a little darker.
function tones_of(bodies: Body[]): { tree: number; depth: number }[] {
  const tones: { tree: number; depth: number }[] = [];
  let trees = 0;
  for (const b of bodies) {
    const parent = b.parent >= 0 ? tones[b.parent] : null;
    if (!b.moves) tones.push({ tree: -1, depth: 0 });
    else if (parent && parent.tree >= 0) tones.push({ tree: parent.tree, depth: parent.depth + 1 });
    else tones.push({ tree: trees++, depth: 0 });
  }
  return tones;
}

interface Bone { // of a body without shapes, from its origin to that of a body it carries, or to an end of its own
  body: number;
  to: number; // -1: to `end`
  end: THREE.Vector3 | null;
  radius: number;
}

const DENSITY = 1000; // [kg/m^3] of what is drawn: as thick as water would be

// As thick as its mass makes it, but neither a wire nor a barrel.
function bone_radius(mass: number, length: number): number {
  const r = Math.sqrt(mass / (DENSITY * Math.PI * Math.max(length, 1e-6)));
  return Math.min(0.22 * length, Math.max(0.06 * length, r));
}

// The grip of a hand has a sign of its own; beside bodies with shapes a body without stays small.
function bones_of(run: Run): Bone[] {
  const { bodies, shapes, visuals, haptic } = run.head;
  const shaped = new Set([...shapes, ...visuals].map((s) => s.body));
  const sizes = shapes.filter((s) => bodies[s.body].moves).map(reach_of);
  const most = sizes.length > 0 ? 0.25 * Math.max(...sizes) : Infinity;
  const bones: Bone[] = [];
  bodies.forEach((b, i) => {
    if (i === 0 || shaped.has(i) || !b.moves || b.mass <= 0 || (haptic && haptic.device === i)) return;
    const com = new THREE.Vector3(...(b.com ?? [0, 0, 0]));
    const carried = bodies.map((c, k) => (c.parent === i ? k : -1)).filter((k) => k > 0);
    const reach = Math.max(com.length() * 2, Math.cbrt(b.mass / DENSITY));
    const radius = (mass: number) => Math.min(most, bone_radius(mass, reach));
    for (const to of carried) bones.push({ body: i, to, end: null, radius: radius(b.mass / carried.length) });
    if (carried.length === 0) {
      bones.push({ body: i, to: -1, end: com.lengthSq() > 0 ? com.clone().multiplyScalar(2) : null, radius: radius(b.mass) });
    }
  });
  return bones;
}

function set_opacity(material: THREE.ShaderMaterial, opacity: number) {
  material.transparent = opacity < 1;
  material.depthWrite = opacity === 1;
  material.uniforms.opacity.value = opacity;
}

export class Bodies {
  readonly object = new THREE.Group();
  private groups: Group[] = [];
  private rods: Bone[] = [];
  private along = new THREE.Vector3();
  private scale = new THREE.Vector3();
  private pose: THREE.Matrix4[];
  private color = new THREE.Color();

  constructor(readonly run: Run, readonly light: Light, readonly ghost: boolean) {
    this.pose = run.head.bodies.map(() => new THREE.Matrix4());
    const covered = new Set(run.head.visuals.map((v) => v.body));
    const layer_of = (body: number): Layer => (covered.has(body) ? 'shape' : 'both');
    const by_key = new Map<string, { key: string; layer: Layer; make: Make; parts: Part[] }>();
    const put = (key: string, layer: Layer, make: Make, part: Part) => {
      const entry = by_key.get(`${layer} ${key}`) ?? { key, layer, make, parts: [] };
      entry.parts.push(part);
      by_key.set(`${layer} ${key}`, entry);
    };
    for (const s of run.head.shapes) {
      const l = look(run, s);
      if (l) put(l.key, layer_of(s.body), l.make, { body: s.body, local: place_of(s, l.scale) });
    }
    for (const rod of rods_of(run)) put('rod', layer_of(rod.body), () => upright(new THREE.CylinderGeometry(1, 1, 1, 16)), rod);
    this.add_bones(bones_of(run));
    let edges_left = EDGES_MAX;
    for (const { key, layer, make, parts } of by_key.values()) {
      const edges = !ghost && parts.length <= edges_left;
      if (edges) edges_left -= parts.length;
      this.add_group(key, make(parts.length), parts, edges, layer);
    }
    this.add_visuals();
    this.show(true);
  }

  // Visuals alike, and equally opaque, are one group; a mesh in two groups where some have a colour of their own or are mirrored.
  private add_visuals() {
    const { run } = this;
    const shaped = new Set(run.head.shapes.map((s) => s.body));
    const groups = new Map<string, { of: Visual; parts: Part[]; mirrored: boolean; layer: Layer; make: Make }>();
    for (const v of run.head.visuals) {
      const opacity = v.color?.[3] ?? 1;
      const layer: Layer = shaped.has(v.body) ? 'look' : 'both';
      const scale = (v.scale ?? [1, 1, 1]) as [number, number, number];
      const mirrored = scale[0] * scale[1] * scale[2] < 0;
      const l = v.kind === 'mesh' ? { key: `mesh ${v.mesh} ${mirrored} ${v.color !== undefined}`, make: () => new THREE.BufferGeometry(), scale } : look(run, v);
      if (!l || opacity === 0) continue;
      const color = v.color && new THREE.Color().setRGB(v.color[0], v.color[1], v.color[2], THREE.SRGBColorSpace);
      const key = `${layer} ${opacity} ${l.key}`;
      const group = groups.get(key) ?? { of: v, parts: [], mirrored, layer, make: l.make };
      group.parts.push({ body: v.body, local: place_of(v, l.scale), color });
      groups.set(key, group);
    }
    for (const { of, parts, mirrored, layer, make } of groups.values()) {
      const opacity = of.color?.[3] ?? 1;
      if (of.kind !== 'mesh') {
        this.add_group(`visual ${of.kind}`, make(parts.length), parts, false, layer, opacity);
        continue;
      }
      const level = level_here(run, of.mesh!, Infinity);
      const surface = run.looks[of.mesh!]?.get(level);
      if (!surface) continue;
      const painted = !of.color && is_painted(surface);
      const geometry = this.geometry_of(of.mesh!, level, mirrored);
      geometry.computeBoundingSphere();
      const { center, radius } = geometry.boundingSphere!;
      this.add_group('visual mesh', geometry, parts, false, layer, opacity, { painted, both: true });
      this.groups[this.groups.length - 1].look = { mesh: of.mesh!, mirrored, painted, level, radius: radius + center.length() };
    }
  }

  private made = new Map<string, THREE.BufferGeometry>();

  private geometry_of(mesh: number, level: number, mirrored: boolean): THREE.BufferGeometry {
    const key = `${mesh} ${level} ${mirrored}`;
    const g = this.made.get(key) ?? look_geometry(this.run.looks[mesh].get(level)!, mirrored);
    this.made.set(key, g);
    return g;
  }

  // Visuals, or the shapes of the bodies that have them.
  show(visuals: boolean) {
    for (const g of this.groups) {
      g.mesh.visible = g.layer === 'both' || (g.layer === 'look') === visuals;
      for (const e of g.edges) e.visible = g.mesh.visible;
    }
  }

  // Levels of detail of visual meshes, by the size of their nearest instance; `pixels` are those of 1 m at a distance of 1 m, and
  // a slow machine takes coarser ones.
  detail(camera: THREE.Vector3, pixels: number, ease: number) {
    for (const g of this.groups) {
      if (!g.look || !g.mesh.visible) continue;
      let near = Infinity, size = 0;
      g.parts.forEach((part) => {
        this.matrix.multiplyMatrices(this.pose[part.body], part.local);
        const scale = this.matrix.getMaxScaleOnAxis();
        const far = Math.max(1e-6, this.position.setFromMatrixPosition(this.matrix).distanceTo(camera) - scale * g.look!.radius);
        if (far / scale < near) [near, size] = [far / scale, scale];
      });
      if (!(size > 0)) continue;
      const wanted = level_for(this.run, g.look.mesh, pixels / near / 2 ** ease);
      this.run.want_look(g.look.mesh, wanted);
      const level = level_here(this.run, g.look.mesh, wanted);
      if (level === g.look.level || level < 0) continue;
      g.look.level = level;
      g.mesh.geometry = this.geometry_of(g.look.mesh, level, g.look.mirrored);
    }
  }

  private add_group(key: string, geometry: THREE.BufferGeometry, parts: Part[], edged: boolean, layer: Layer = 'both', opacity = 1, surface: Surface = {}) {
    const round = key === 'ball' || key === 'cylinder' || key.startsWith('capsule');
    // Light and dark fields, so that one sees a round body turn.
    const material = this.light.material(round && !this.ghost ? { fields: key === 'ball' ? [8, 4] : [6, 1] } : surface);
    set_opacity(material, this.ghost ? 0.32 * opacity : opacity);
    const mesh = new THREE.InstancedMesh(geometry, material, parts.length);
    mesh.castShadow = !this.ghost;
    mesh.receiveShadow = !this.ghost;
    mesh.frustumCulled = false;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    const group: Group = { key, mesh, parts, edges: [], layer, opacity };
    if (edged && (!round || key === 'cylinder')) {
      const lines = new THREE.EdgesGeometry(geometry, 25);
      const ink = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.55 });
      group.edges = parts.map(() => {
        const line = new THREE.LineSegments(lines, ink);
        line.matrixAutoUpdate = false;
        this.object.add(line);
        return line;
      });
    }
    this.groups.push(group);
    this.object.add(mesh);
  }

  // Bodies without shapes are drawn from joint to joint.
  private add_bones(bones: Bone[]) {
    const rods = bones.filter((b) => b.to >= 0 || b.end);
    const balls = bones.map((b) => ({ body: b.body, local: new THREE.Matrix4().makeScale(1.25 * b.radius, 1.25 * b.radius, 1.25 * b.radius) }));
    if (bones.length === 0) return;
    this.add_group('joint', new THREE.SphereGeometry(1, 20, 14), balls, false);
    this.add_group('bone', upright(new THREE.CylinderGeometry(0.7, 1, 1, 20).translate(0, 0.5, 0)), rods.map((b) => ({ body: b.body, local: new THREE.Matrix4() })), false);
    this.rods = rods;
  }

  // A rod of the group `bone` reaches to where the next body is now.
  private stretch() {
    const group = this.groups.find((g) => g.key === 'bone');
    this.rods.forEach((b, k) => {
      const from = this.position.setFromMatrixPosition(this.pose[b.body]);
      const to = this.along;
      if (b.to >= 0) to.setFromMatrixPosition(this.pose[b.to]);
      else to.copy(b.end!).applyMatrix4(this.pose[b.body]);
      to.sub(from);
      const length = to.length();
      this.turn.setFromUnitVectors(UP, length > 0 ? to.multiplyScalar(1 / length) : UP);
      group!.mesh.setMatrixAt(k, this.matrix.compose(from, this.turn, this.scale.set(b.radius, b.radius, Math.max(length, 1e-9))));
    });
    if (group) group.mesh.instanceMatrix.needsUpdate = true;
  }

  paint(theme: Theme, selected: number) {
    const tones = tones_of(this.run.head.bodies);
    for (const g of this.groups) {
      g.parts.forEach((p, k) => {
        const { tree, depth } = tones[p.body];
        const tone = tree < 0 ? theme.fixed : theme.bodies[tree % theme.bodies.length];
        const marked = this.ghost || p.body === selected;
        if (p.color && !marked) this.color.copy(p.color);
        else this.color.set(this.ghost ? theme.ghost : marked ? theme.accent : tone);
        if (depth % 2 === 1 && !p.color) this.color.multiplyScalar(0.8);
        if (marked && g.look?.painted) this.color.addScalar(2); // over the colours of the mesh
        g.mesh.setColorAt(k, this.color);
      });
      if (g.mesh.instanceColor) g.mesh.instanceColor.needsUpdate = true;
      for (const line of g.edges) (line.material as THREE.LineBasicMaterial).color.set(theme.dark ? '#000' : '#2a2f36');
    }
  }

  glass(on: boolean) {
    if (this.ghost) return;
    for (const g of this.groups) {
      set_opacity(g.mesh.material as THREE.ShaderMaterial, on ? 0.35 * g.opacity : g.opacity);
    }
  }

  private position = new THREE.Vector3();
  private turn = new THREE.Quaternion();
  private turn_next = new THREE.Quaternion();
  private one = new THREE.Vector3(1, 1, 1);
  private matrix = new THREE.Matrix4();

  update(m: Moment) {
    const p = m.block.pose, n = m.block.bodies;
    for (let b = 1; b <= n; b++) {
      const a = (m.i * n + b - 1) * POSE, c = (m.j * n + b - 1) * POSE;
      this.position.set(p[a] + m.f * (p[c] - p[a]), p[a + 1] + m.f * (p[c + 1] - p[a + 1]), p[a + 2] + m.f * (p[c + 2] - p[a + 2]));
      this.turn.set(p[a + 4], p[a + 5], p[a + 6], p[a + 3]);
      if (m.f > 0) this.turn.slerp(this.turn_next.set(p[c + 4], p[c + 5], p[c + 6], p[c + 3]), m.f);
      const here = Number.isFinite(this.position.x); // else it is not there yet
      this.pose[b].compose(here ? this.position : this.position.set(0, 0, 0), here ? this.turn : this.turn.identity(), here ? this.one : NOTHING);
    }
    this.stretch();
    for (const g of this.groups) {
      if (g.key === 'bone') continue;
      g.parts.forEach((part, k) => {
        this.matrix.multiplyMatrices(this.pose[part.body], part.local);
        g.mesh.setMatrixAt(k, this.matrix);
        if (g.edges.length) g.edges[k].matrix.copy(this.matrix);
      });
      g.mesh.instanceMatrix.needsUpdate = true;
    }
  }

  dispose() {
    for (const g of this.made.values()) g.dispose();
    for (const g of this.groups) {
      g.mesh.geometry.dispose();
      (g.mesh.material as THREE.Material).dispose();
      g.mesh.dispose();
      for (const e of g.edges) e.geometry.dispose();
    }
  }

  levels(): { mesh: number; level: number; triangles: number }[] {
    return this.groups.flatMap((g) => (g.look ? [{ mesh: g.look.mesh, level: g.look.level, triangles: g.mesh.geometry.getAttribute('position').count / 3 }] : []));
  }

  pose_of(body: number): THREE.Matrix4 {
    return this.pose[body];
  }

  // The body under a ray, and how far off it is.
  pick(ray: THREE.Raycaster): { body: number; distance: number } | null {
    let best: { body: number; distance: number } | null = null;
    for (const g of this.groups) {
      if (!g.mesh.visible) continue;
      g.mesh.computeBoundingSphere();
      for (const hit of ray.intersectObject(g.mesh)) {
        if (hit.instanceId !== undefined && (!best || hit.distance < best.distance)) {
          best = { body: g.parts[hit.instanceId].body, distance: hit.distance };
        }
      }
    }
    return best;
  }

  // The outermost points of each body in its axes; and apart those of each shape that does not move.
  outlines(): { bodies: Outline[]; fixed: { body: number; outline: Outline }[] } {
    const bodies: Outline[] = this.run.head.bodies.map(() => []);
    const fixed: { body: number; outline: Outline }[] = [];
    for (const g of this.groups) {
      if (g.key === 'bone' || !g.mesh.visible) continue;
      const rim = rim_of(g.mesh.geometry);
      for (const p of g.parts) {
        const outline = rim.map((v) => v.clone().applyMatrix4(p.local));
        bodies[p.body].push(...outline);
        if (!this.run.head.bodies[p.body].moves) fixed.push({ body: p.body, outline });
      }
    }
    for (const b of this.rods) if (b.end) bodies[b.body].push(b.end);
    return { bodies, fixed };
  }

  // The outermost points of what moves, where it is now.
  points_now(outlines: Outline[]): THREE.Vector3[] {
    return outlines.flatMap((outline, k) => (this.run.head.bodies[k].moves ? outline.map((p) => p.clone().applyMatrix4(this.pose[k])) : []));
  }

  // How far the shapes of each body reach from its origin, at most.
  reach(): number[] {
    return this.outlines().bodies.map((outline) => Math.max(0, ...outline.map((p) => p.length())));
  }
}
