// Doesn't use React: the entry applies the theme before React has been loaded.

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'countersign.theme';
const listeners = new Set<() => void>();
let current = read();

export const theme = {
  get: (): Theme => current,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function read(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    // A browser without storage follows the system.
    return 'system';
  }
}

export function applyTheme(): void {
  if (current === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = current;
}

export function chooseTheme(chosen: Theme): void {
  current = chosen;
  try {
    if (chosen === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // The choice still applies until the page is closed.
  }
  applyTheme();
  for (const listener of listeners) listener();
}
