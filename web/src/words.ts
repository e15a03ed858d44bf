// words.ts: numbers and names for people.

// Three or four digits with the SI prefix that suits: 0.00123 s -> "1.23 ms".
export function with_unit(x: number, unit: string): string {
  if (!Number.isFinite(x)) return `– ${unit}`;
  const plain = /^(s|m|N|J|N s|Pa|W)$/.test(unit);
  const size = Math.abs(x);
  if (!plain || size === 0) return `${short(x)} ${unit}`;
  const prefix: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
  const floor = unit === 'm' ? 0.95 : 1;
  for (const [factor, letter] of prefix) {
    if (size >= factor * floor * 0.9995) return `${digits(x / factor)} ${letter}${unit}`;
  }
  return size < 1e-15 ? `0 ${unit}` : `${x.toExponential(1).replace('-', '−')} ${unit}`;
}

function digits(x: number): string {
  const size = Math.abs(x);
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3).replace('-', '−');
}

export function short(x: number): string {
  if (x === 0 || !Number.isFinite(x)) return x === 0 ? '0' : '–';
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(2) : digits(x);
  return text.replace('-', '−');
}

// Time with as many digits as tell neighbouring pixels of a window apart.
export function clock(t: number, window: number): string {
  const places = Math.min(9, Math.max(2, Math.ceil(-Math.log10(Math.max(window, 1e-9) / 400))));
  return t.toFixed(places);
}

// Of which contact or joint, and which bodies: "floor: ball on world".
export function whose(e: { name: string; bodies?: [string, string] }): string {
  return e.bodies ? `${e.name ? `${e.name}: ` : ''}${e.bodies[0]} on ${e.bodies[1]}` : e.name;
}

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, name = '', text = ''): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  if (name) e.className = name;
  if (text) e.textContent = text;
  return e;
}
