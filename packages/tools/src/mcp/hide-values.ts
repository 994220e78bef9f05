import { isLikelySecret } from '@countersign/core/ports';

/** Masks the values of a server's variables or headers in what the server says: they reach neither people nor models (A15). */
export interface HideValues {
  /** In errors, logs and progress: also a short value, if its name says that it is secret. */
  inWords: (text: string) => string;
  /** In results and tool definitions, keys included: only likely secrets (T14), or `MODE=production` would garble ordinary data. */
  inData: <T>(value: T) => T;
}

const SHORTEST_OF_SECRET = 3;
const SECRET_NAME = /key|token|secret|pass|auth|credential|cookie/i;

export function hideValues(values: Readonly<Record<string, string>>): HideValues {
  const parts = Object.entries(values).flatMap(([name, value]) => {
    const trimmed = value.trim();
    // `Bearer abc` is said again as `abc`.
    return [trimmed, trimmed.replace(/^\S+\s+/, '')].map((part) => ({ name, part }));
  });
  const likely = parts.filter(({ part }) => isLikelySecret(part));
  const named = parts.filter(({ name, part }) => part.length >= SHORTEST_OF_SECRET && SECRET_NAME.test(name));
  // The mask that no call may contain (T11): a model could copy it into a file.
  const inText = replacer(likely, () => '‹masked›');
  return {
    inWords: replacer([...likely, ...named], (name) => `[${name}]`),
    inData: <T>(value: T) => hideIn(value, inText) as T,
  };
}

interface Part {
  name: string;
  part: string;
}

function replacer(parts: readonly Part[], mask: (name: string) => string): (text: string) => string {
  const masks = new Map<string, string>();
  for (const { name, part } of parts) {
    for (const spelling of [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)])
      masks.set(spelling, mask(name));
  }
  // Longest first: replacing a value that another one begins with would leave the end of the longer one behind.
  const inOrder = [...masks].sort(([a], [b]) => b.length - a.length);
  return (text) => inOrder.reduce((shown, [value, masked]) => shown.replaceAll(value, () => masked), text);
}

function hideIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((part) => hideIn(part, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [hide(key), hideIn(part, hide)]));
}
