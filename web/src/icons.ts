// icons.ts: the signs on the buttons, drawn here so that they look the same with every font.
function icon(path: string): string {
  return `<svg viewBox="0 0 20 20" width="17" height="17" aria-hidden="true"><path d="${path}" fill="currentColor" fill-rule="evenodd"/></svg>`;
}

export const ICONS: Record<string, string> = {
  start: icon('M4 4h2v12H4z M16 4v12L7 10z'),
  before: icon('M3 4h1.6v12H3z M11 5v10L5.5 10z M17 5v10l-5.5-5z'),
  back: icon('M13 4v12L5 10z M14.5 4h1.8v12h-1.8z'),
  play: icon('M5 3l12 7-12 7z'),
  pause: icon('M5 3h3.6v14H5z M11.4 3H15v14h-3.6z'),
  on: icon('M7 4v12l8-6z M3.7 4h1.8v12H3.7z'),
  next: icon('M3 5v10l5.5-5z M9 5v10l5.5-5z M15.4 4H17v12h-1.6z'),
  theme: icon('M10 2.5a7.5 7.5 0 100 15 7.5 7.5 0 000-15z M10 15.7V4.3a5.7 5.7 0 010 11.4z'),
};
