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
