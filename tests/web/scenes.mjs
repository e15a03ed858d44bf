// scenes.mjs: scenes that the tests and measurements of the page make for themselves.

// Many bodies that do not meet: what is counted is the drawing.
export function many_balls(n) {
  const side = Math.ceil(Math.cbrt(n));
  const each = (make) => Array.from({ length: n }, (_, i) => make(i)).join('\n');
  const at = (i) => [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)].map((k) => (k * 0.3).toFixed(2));
  return `bodies:
${each((i) => `  - {name: b${i}, mass: 1}`)}
joints:
${each((i) => `  - {name: j${i}, kind: free, child: b${i}, q: [${at(i)}, 1, 0, 0, 0]}`)}
shapes:
${each((i) => `  - {kind: sphere, body: b${i}, radius: 0.1}`)}
`;
}

// Strikes with one end, slides, and slides back.
export const rod = `bodies: [{name: rod, mass: 1}]
joints: [{kind: free, child: rod, q: [0, 0, 0.75, 0.92387953251128674, 0, 0.38268343236508977, 0], v: [0.6, 0, 0, 0, 0, 0]}]
shapes: [{body: world, kind: plane}, {body: rod, kind: capsule, radius: 0.03, length: 0.8}]
contacts: [{name: ground, body: rod, against: world, law: poisson, e: 0.6, friction: dry, mu_s: 0.25, mu_k: 0.25}]
run: {until: 1}
record: {every: 10 ms}
`;

// A box that lies and a ball that bounces beside it, `scale` times as large, with as much more weight.
export const falling = (scale) => `world: {gravity: [0, 0, ${-9.81 * scale}]}
bodies: [{name: box, mass: 2}, {name: ball, mass: 1}]
joints:
  - {kind: free, child: box, q: [0, 0, ${0.1 * scale}, 1, 0, 0, 0]}
  - {kind: free, child: ball, q: [${0.4 * scale}, 0, ${0.4 * scale}, 1, 0, 0, 0]}
shapes: [{body: world, kind: plane}, {body: box, kind: box, size: [${0.2 * scale}, ${0.2 * scale}, ${0.2 * scale}]}, {body: ball, kind: sphere, radius: ${0.1 * scale}}]
contacts: [{name: ground, body: all, against: all, law: newton, e: 0.6, friction: dry, mu_s: 0.4, mu_k: 0.4}]
run: {until: 0.6, rest_speed: ${0.01 * scale}}
record: {every: 10 ms}
`;

// A box thrown over a floor of 20 m towards a wall, both boxes: neither may make it small.
export const room = `bodies: [{name: box, mass: 1}]
joints: [{kind: free, child: box, q: [0, 0, 0.3, 0.92387953251128674, 0.38268343236508977, 0, 0], v: [1, 0.3, 0, 0, 0, 0]}]
shapes:
  - {body: world, kind: box, size: [20, 20, 0.2], at: [0, 0, -0.1]}
  - {body: world, kind: box, size: [0.2, 20, 4], at: [1.1, 0, 2]}
  - {body: box, kind: box, size: [0.3, 0.2, 0.15]}
contacts: [{name: all, body: box, against: world, law: newton, e: 0.4, friction: dry, mu_s: 0.4, mu_k: 0.4}]
record: {every: 10 ms}
`;

// A ball between two planes that stand upright and a wall that is a box.
export const walls = `bodies: [{name: ball, mass: 1}]
joints: [{kind: free, child: ball, q: [0, 0, 0.5, 1, 0, 0, 0], v: [1, 0.5, 0, 0, 0, 0]}]
shapes:
  - {body: world, kind: plane}
  - {body: world, kind: plane, at: [1, 0, 0], rpy: [0, -1.5707963267948966, 0]}
  - {body: world, kind: plane, at: [0, 1, 0], rpy: [1.5707963267948966, 0, 0]}
  - {body: world, kind: box, size: [0.05, 0.6, 0.4], at: [-0.2, 0, 0.2]}
  - {body: ball, kind: sphere, radius: 0.1}
contacts: [{name: all, body: ball, against: world, law: newton, e: 0.8}]
run: {until: 1.5}
record: {every: 20 ms}
`;
