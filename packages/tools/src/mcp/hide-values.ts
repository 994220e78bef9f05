import { isLikelySecret } from '@countersign/core/ports';

/** Masks the values of a server's environment variables and headers in its output, for people and models (SAFE6). */
export interface HideValues {
  /** For errors, logs and progress. Also masks short values whose names suggest a secret. */
  inText: (text: string) => string;
  /**
   * For results and tool definitions, including keys. Masks only likely secrets (TURN14): masking `production` from `MODE=production` would
   * corrupt data.
   */
  inData: <T>(value: T) => T;
}

const SHORTEST_OF_SECRET = 3;
const SECRET_NAME = /key|token|secret|pass|auth|credential|cookie/i;

export function hideValues(values: Readonly<Record<string, string>>): HideValues {
  const parts = Object.entries(values).flatMap(([name, value]) => {
    const trimmed = value.trim();
    // A server may print `Bearer abc` as `abc`.
    return [trimmed, trimmed.replace(/^\S+\s+/, '')].map((part) => ({ name, part }));
  });
  const likely = parts.filter(({ part }) => isLikelySecret(part));
  const named = parts.filter(({ name, part }) => part.length >= SHORTEST_OF_SECRET && SECRET_NAME.test(name));
  // No call may contain this mask (TURN11): a model could copy it into a file.
  const inLikely = replacer(likely, () => '‹masked›');
  return {
    inText: replacer([...likely, ...named], (name) => `[${name}]`),
    inData: <T>(value: T) => hideIn(value, inLikely) as T,
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
  // Longest first: if one value is a prefix of another, replacing it first would leave the rest of the longer one.
  const inOrder = [...masks].sort(([a], [b]) => b.length - a.length);
  return (text) => inOrder.reduce((shown, [value, masked]) => shown.replaceAll(value, () => masked), text);
}

function hideIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((part) => hideIn(part, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [hide(key), hideIn(part, hide)]));
}
