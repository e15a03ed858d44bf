// looks.ts: visual meshes: their geometry with normals and colours, and which level of detail a size on the screen needs.
import * as THREE from 'three';
import { Look } from './data';
import { Run } from './run';

const CREASE = Math.cos((38 * Math.PI) / 180); // edges that are sharper stay edges
const FINE = 0.9; // [pixel] the size of the cells of a level that one does not see
const AROUND = 64; // triangles around a vertex that take part in its normals

// Corners of a triangle share a normal with those triangles around the vertex that it is not bent away from.
function normals_of(corner: Float32Array, triangle: Uint32Array): Float32Array {
  const n = triangle.length / 3, vertices = corner.length / 3;
  const face = new Float32Array(3 * n); // as long as twice the area
  for (let i = 0; i < n; i++) {
    const a = 3 * triangle[3 * i], b = 3 * triangle[3 * i + 1], c = 3 * triangle[3 * i + 2];
    const ux = corner[b] - corner[a], uy = corner[b + 1] - corner[a + 1], uz = corner[b + 2] - corner[a + 2];
    const vx = corner[c] - corner[a], vy = corner[c + 1] - corner[a + 1], vz = corner[c + 2] - corner[a + 2];
    face[3 * i] = uy * vz - uz * vy;
    face[3 * i + 1] = uz * vx - ux * vz;
    face[3 * i + 2] = ux * vy - uy * vx;
  }
  const start = new Uint32Array(vertices + 1), around = new Uint32Array(3 * n);
  for (const v of triangle) start[v + 1]++;
  for (let v = 0; v < vertices; v++) start[v + 1] += start[v];
  const at = start.slice();
  triangle.forEach((v, k) => (around[at[v]++] = Math.floor(k / 3)));
  const size = new Float32Array(n);
  for (let i = 0; i < n; i++) size[i] = Math.hypot(face[3 * i], face[3 * i + 1], face[3 * i + 2]);
  const normal = new Float32Array(9 * n);
  for (let k = 0; k < 3 * n; k++) {
    const i = Math.floor(k / 3), v = triangle[k];
    let x = 0, y = 0, z = 0;
    for (let a = start[v]; a < start[v + 1] && a < start[v] + AROUND; a++) {
      const j = around[a];
      const dot = face[3 * i] * face[3 * j] + face[3 * i + 1] * face[3 * j + 1] + face[3 * i + 2] * face[3 * j + 2];
      if (j !== i && dot < CREASE * size[i] * size[j]) continue;
      x += face[3 * j];
      y += face[3 * j + 1];
      z += face[3 * j + 2];
    }
    const l = Math.hypot(x, y, z) || 1;
    normal[3 * k] = x / l;
    normal[3 * k + 1] = y / l;
    normal[3 * k + 2] = z / l;
  }
  return normal;
}

export function is_painted(look: Look): boolean {
  for (let k = 1; k < look.part.length; k += 2) if (look.part[k] >>> 24 > 0) return true;
  return false;
}

export function look_geometry(look: Look, mirrored: boolean): THREE.BufferGeometry {
  const triangle = look.triangle.slice();
  for (let i = 0; mirrored && i < triangle.length; i += 3) [triangle[i + 1], triangle[i + 2]] = [triangle[i + 2], triangle[i + 1]];
  const position = new Float32Array(3 * triangle.length);
  triangle.forEach((v, k) => {
    for (let i = 0; i < 3; i++) position[3 * k + i] = look.corner[3 * v + i];
  });
  const normal = normals_of(look.corner, triangle);
  if (mirrored) for (let k = 0; k < normal.length; k++) normal[k] = -normal[k]; // the scale turns them back
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(position, 3));
  g.setAttribute('normal', new THREE.BufferAttribute(normal, 3));
  if (is_painted(look)) {
    const paint = new Uint8Array(4 * triangle.length), words = new Uint32Array(paint.buffer);
    for (let p = 0; p < look.part.length; p += 2) words.fill(look.part[p + 1], 3 * look.part[p]);
    g.setAttribute('paint', new THREE.BufferAttribute(paint, 4, true));
  }
  return g;
}

// The coarsest level whose cells are too small to be seen at so many pixels for each metre.
export function level_for(run: Run, mesh: number, pixels: number): number {
  const cells = run.head.looks[mesh].cells;
  let level = 0;
  while (level + 1 < cells.length && cells[level + 1] * pixels < FINE) level++;
  return level;
}

// The level that is here and nearest to the one that is wanted: rather finer than coarser.
export function level_here(run: Run, mesh: number, wanted: number): number {
  const here = [...(run.looks[mesh]?.keys() ?? [])].sort((a, b) => a - b);
  const finer = here.filter((k) => k <= wanted);
  return finer.length > 0 ? finer[finer.length - 1] : here.length > 0 ? here[0] : -1;
}
