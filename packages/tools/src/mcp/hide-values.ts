/** Takes a server's own secrets out of whatever it says. */
export type HideValues = (text: string) => string;

/** Shorter values stand for too much else: hiding `1` or `true` would make every text unreadable. */
const SHORTEST = 6;
const SHORTEST_OF_SECRET = 3;
const SECRET_NAME = /key|token|secret|pass|auth|credential|cookie/i;

/** Values of variables or headers: they go to the server and come back to nobody, neither people nor models (A15). */
export function hideValues(values: Readonly<Record<string, string>>): HideValues {
  const hidden = new Map<string, string>();
  for (const [name, value] of Object.entries(values)) {
    const least = SECRET_NAME.test(name) ? SHORTEST_OF_SECRET : SHORTEST;
    // `Bearer abc` is said again as `abc`.
    for (const part of new Set([value.trim(), value.trim().replace(/^\S+\s+/, '')])) {
      if (part.length < least) continue;
      for (const written of [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)])
        hidden.set(written, name);
    }
  }
  // The longest first: one that begins with another would otherwise leave its end behind.
  const inOrder = [...hidden].sort(([a], [b]) => b.length - a.length);
  return (text) => inOrder.reduce((shown, [value, name]) => shown.replaceAll(value, () => `[${name}]`), text);
}

/** The same in every text of a value, keys included. */
export function hideIn(value: unknown, hide: HideValues): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((part) => hideIn(part, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [hide(key), hideIn(part, hide)]));
}
