// theme.ts: light and dark. Styles live in style.css as variables; what is drawn on canvases and in 3-D reads them here.

export interface Theme {
  dark: boolean;
  paper: string;
  panel: string;
  ink: string;
  muted: string;
  line: string;
  ghost: string; // the other runs
  fixed: string; // bodies that do not move
  accent: string;
  stick: string;
  slip: string;
  idle: string;
  force: string;
  impulse: string;
  bodies: string[];
  energy: string[];
  curves: string[];
}

export function read_theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const list = (name: string) => get(name).split(/\s+/);
  return {
    dark: document.documentElement.dataset.theme === 'dark',
    paper: get('paper'), panel: get('panel'), ink: get('ink'), muted: get('muted'), line: get('line'), fixed: get('fixed'), ghost: get('ghost'), accent: get('accent'),
    stick: get('stick'), slip: get('slip'), idle: get('idle'), force: get('force'), impulse: get('impulse'),
    bodies: list('bodies'), energy: list('energy'), curves: list('curves'),
  };
}

export function set_theme(dark: boolean) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

export function system_dark(): boolean {
  return matchMedia('(prefers-color-scheme: dark)').matches;
}
