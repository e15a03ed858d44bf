// light.ts: one sun and a sky, and the materials of what they shine on: bodies (dull, with fields that show how they turn) and planes
// (with the lines of a grid). They are small on purpose: a shader is compiled before the first picture can be, and on a machine
// without a graphics card every line of it counts. The light of a surface with unit normal n and reflectance c is
//   c (sky(n) + shadow sun max(0, n.to_sun)),   sky(n) = below + (above - below) (1 + n_z)/2
import * as THREE from 'three';
import { Theme } from './theme';

export const TO_SUN = new THREE.Vector3(-0.7, -1.25, 2.0);

const vertex = `
#include <shadowmap_pars_vertex>
#ifdef PAINTED
attribute vec4 paint;
#endif
varying vec3 normal_world, world, tone;
varying vec2 at;
varying float far;
void main() {
  vec4 place = vec4(position, 1.0);
  vec3 upright = normal;
  tone = vec3(1.0);
  #ifdef USE_INSTANCING
    place = instanceMatrix * place;
    upright = mat3(instanceMatrix) * (upright / vec3(dot(instanceMatrix[0], instanceMatrix[0]), dot(instanceMatrix[1], instanceMatrix[1]),
      dot(instanceMatrix[2], instanceMatrix[2])));
  #endif
  #ifdef PAINTED
    tone = instanceColor.r > 1.5 ? instanceColor - 2.0 : mix(instanceColor, pow(paint.rgb, vec3(2.2)), paint.a);
  #elif defined(USE_INSTANCING_COLOR)
    tone = instanceColor;
  #endif
  #ifdef PLANE
    at = position.xy;
  #else
    at = uv;
  #endif
  vec4 worldPosition = modelMatrix * place;
  normal_world = normalize(mat3(modelMatrix) * upright);
  world = worldPosition.xyz;
  vec4 seen = viewMatrix * worldPosition;
  far = -seen.z;
  gl_Position = projectionMatrix * seen;
  #if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
    vDirectionalShadowCoord[0] = directionalShadowMatrix[0] *
      (worldPosition + vec4(normal_world * directionalLightShadows[0].shadowNormalBias, 0.0));
  #endif
}`;

const fragment = `
#include <packing>
#include <shadowmap_pars_fragment>
varying vec3 normal_world, world, tone;
varying vec2 at;
varying float far;
uniform bool receiveShadow;
uniform vec3 color, sun, to_sun, above, below, paper, ink, centre;
uniform vec2 fields, band;
#if CUTS > 0
uniform vec4 cuts[CUTS];
#endif
uniform float opacity, cell, reach, drawn, fog;
float lines(float size) {
  vec2 x = at / size;
  vec2 width = fwidth(x);
  vec2 d = abs(fract(x - 0.5) - 0.5) / max(width, vec2(1e-6));
  float fine = 1.0 - clamp(max(width.x, width.y) * 2.0, 0.0, 1.0);
  return (1.0 - min(min(d.x, d.y), 1.0)) * fine;
}
float grid() {
  float fade = drawn * (1.0 - smoothstep(0.35 * reach, reach, distance(world, centre)));
  return max(0.32 * lines(cell), 0.75 * lines(10.0 * cell)) * fade;
}
float turning() { // light and dark fields with soft edges
  vec2 x = at * fields;
  vec2 side = clamp((abs(fract(0.5 * x + 0.25) * 2.0 - 1.0) - 0.5) / clamp(fwidth(x), 1e-4, 0.5), -0.5, 0.5);
  return 0.8 + 0.8 * side.x * side.y;
}
void main() {
  #ifdef WALL
    if (world.z < band.x || world.z > band.y) discard;
  #endif
  #if CUTS > 0
    for (int i = 0; i < CUTS; i++) if (dot(cuts[i].xyz, world) < cuts[i].w) discard;
  #endif
  #ifdef GRID
    float a = grid();
    if (a < 0.004) discard;
    gl_FragColor = vec4(ink, a);
  #else
    vec3 n = normalize(normal_world);
    #ifdef DOUBLE_SIDED
      if (!gl_FrontFacing) n = -n;
    #endif
    float shine = max(0.0, dot(n, to_sun));
    #if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
      DirectionalLightShadow s = directionalLightShadows[0];
      if (receiveShadow) shine *= getShadow(directionalShadowMap[0], s.shadowMapSize, s.shadowIntensity, s.shadowBias, s.shadowRadius,
        vDirectionalShadowCoord[0]);
    #endif
    vec3 c = color * tone * (mix(below, above, 0.5 + 0.5 * n.z) + shine * sun);
    #ifdef FIELDS
      c *= turning();
    #endif
    #ifdef PLANE
      c = mix(c, ink, grid());
    #endif
    gl_FragColor = vec4(mix(c, paper, smoothstep(fog, 2.86 * fog, far)), opacity);
  #endif
  #include <colorspace_fragment>
}`;

const CUTS = 6; // planes that end another one, at most

const value = <T>(x: T) => ({ value: x });

export interface Look {
  fields?: [number, number]; // light and dark, around and along
  // With a grid; [m] the heights between which a wall is drawn, and other planes (normal, offset) behind which it is not.
  plane?: { cell: number; reach: number; band: [number, number] | null; cuts: THREE.Vector4[] };
  painted?: boolean; // triangles have colours; an instance whose red is above 1.5 has one colour all over, less 2
  both?: boolean; // seen from inside too
  floor?: boolean; // of a plane: there is something to stand on
}

// All that the materials of one picture share.
export class Light {
  private shared = {
    ...THREE.UniformsUtils.clone(THREE.UniformsLib.lights),
    sun: value(new THREE.Color()), to_sun: value(TO_SUN.clone().normalize()), above: value(new THREE.Color()), below: value(new THREE.Color()),
    paper: value(new THREE.Color()), ink: value(new THREE.Color()), centre: value(new THREE.Vector3()), drawn: value(1), fog: value(1),
  };

  material(look: Look = {}): THREE.ShaderMaterial {
    const { fields, plane } = look;
    const cuts = plane?.cuts.slice(0, CUTS) ?? [];
    const defines: Record<string, number> = { CUTS: cuts.length };
    if (plane?.band) defines.WALL = 1;
    if (fields) defines.FIELDS = 1;
    if (plane) defines.PLANE = 1;
    if (plane && !look.floor) defines.GRID = 1;
    if (look.painted) defines.PAINTED = 1;
    return new THREE.ShaderMaterial({
      vertexShader: vertex, fragmentShader: fragment, lights: true, defines, side: look.both ? THREE.DoubleSide : THREE.FrontSide,
      uniforms: { ...this.shared, color: value(new THREE.Color('#fff')), opacity: value(1), fields: value(new THREE.Vector2(...(fields ?? [1, 1]))),
        cell: value(plane?.cell ?? 1), reach: value(plane?.reach ?? 1), band: value(new THREE.Vector2(...(plane?.band ?? [0, 0]))),
        cuts: value(cuts) },
    });
  }

  // What a material of its own needs of it.
  sky() {
    const { sun, above, below } = this.shared;
    return { sun, above, below };
  }

  paint(theme: Theme) {
    const { sun, above, below, paper, ink } = this.shared;
    const share = 1 / Math.PI; // of what falls on a white surface, into each direction
    sun.value.set('#fff').multiplyScalar((theme.dark ? 2.2 : 2.0) * share);
    above.value.set(theme.dark ? '#aab4c0' : '#ffffff').multiplyScalar((theme.dark ? 1.6 : 2.2) * share);
    below.value.set(theme.dark ? '#6d747c' : '#cfcac0').multiplyScalar((theme.dark ? 1.6 : 2.2) * share);
    paper.value.set(theme.paper);
    ink.value.set(theme.dark ? '#8a94a0' : '#8f8a7f');
  }

  // What is far off is paper; lines are drawn around the middle.
  reach(fog: number) {
    this.shared.fog.value = fog;
  }

  centre(at: THREE.Vector3) {
    this.shared.centre.value.copy(at);
  }

  grid(on: boolean) {
    this.shared.drawn.value = on ? 1 : 0;
  }
}
