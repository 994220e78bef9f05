// Doesn't use React: the entry applies the theme before React has been loaded.

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'countersign.theme';
const listeners = new Set<() => void>();
let theme = read();

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
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(chosen: Theme): void {
  theme = chosen;
  try {
    if (chosen === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // The choice still applies until the page is closed.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

export function currentTheme(): Theme {
  return theme;
}

export function subscribeToTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
