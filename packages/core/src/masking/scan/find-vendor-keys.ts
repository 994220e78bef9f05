import type { Span } from './spans.js';

const shapes = [
  // Our own personal tokens.
  'cs_[0-9a-f]{16}_[A-Za-z0-9_-]{43}',
  // OpenAI, Anthropic, OpenRouter, DeepSeek. Requires a capital letter or digit near the start; otherwise, class names like `sk-…` would be
  // masked.
  'sk-(?=[a-z_-]{0,48}[A-Z0-9])[A-Za-z0-9_-]{16,}',
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])',
  'AIza[A-Za-z0-9_-]{35}',
  'ya29\\.[A-Za-z0-9_-]{20,}',
  'GOCSPX-[A-Za-z0-9_-]{20,}',
  'gh[pousr]_[A-Za-z0-9]{16,}',
  'github_pat_[A-Za-z0-9_]{16,}',
  'gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_.-]{16,}',
  'xox[a-z]-[A-Za-z0-9-]{10,}',
  'xapp-[A-Za-z0-9-]{10,}',
  '[sr]k_(?:live|test)_[A-Za-z0-9]{10,}',
  'whsec_[A-Za-z0-9+/=]{16,}',
  'npm_[A-Za-z0-9]{20,}',
  'pypi-[A-Za-z0-9_-]{16,}',
  'dckr_pat_[A-Za-z0-9_-]{16,}',
  'hf_[A-Za-z0-9]{16,}',
  'gsk_[A-Za-z0-9]{20,}',
  '(?:xai|nvapi|pplx|tskey)-[A-Za-z0-9_-]{20,}',
  'SK[0-9a-f]{32}(?![0-9a-f])',
  'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}',
  'do[opr]_v1_[a-f0-9]{32,}',
  'lin_api_[A-Za-z0-9]{20,}',
  'AGE-SECRET-KEY-1[A-Z0-9]{20,}',
  '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])',
];

// Takes a bounded number of steps per start: an alternative either fails within its minimum length or consumes what it read.
const key = `(?<![A-Za-z0-9])(?:${shapes.join('|')})`;

// These patterns read up to a dot before they can fail. The stricter start avoids rescanning `eyJ-eyJ-eyJ…` from each `eyJ`.
const dotted =
  '(?<![A-Za-z0-9_-])(?:eyJ[A-Za-z0-9_-]{6,}\\.[A-Za-z0-9_-]{6,}(?:\\.[A-Za-z0-9_-]*){0,3}|SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,})';

// The path is the secret; the host is shown.
const webhookHost = '(?:hooks\\.slack\\.com/(?:services|workflows|triggers)/|discord(?:app)?\\.com/api/webhooks/)';
const webhook = `(?<=${webhookHost})[A-Za-z0-9_/-]{8,}`;

const patterns = [key, dotted, webhook].map((pattern) => new RegExp(pattern, 'g'));
const anyOfThem = new RegExp([key, dotted, webhookHost].join('|'));
/** No lookbehind: a backslash and the letter after it are not part of the following word. */
const anywhere = new RegExp([shapes.join('|'), 'eyJ', 'SG\\.', webhookHost].join('|'));
const shortest = 12;

/** False only if no word in this text contains a key, wherever the word starts. Cheaper than checking each word. */
export function mayHoldVendorKeys(text: string): boolean {
  return anywhere.test(text);
}

/** False only if `findVendorKeys` finds nothing in any word in this text. */
export function mayHoldVendorKey(text: string): boolean {
  return text.length >= shortest && anyOfThem.test(text);
}

/** Finds keys by their format alone. `before` is the already scanned start of the same word. */
export function findVendorKeys(word: string, before = ''): Span[] {
  if (word.length < shortest) return [];
  const text = before + word;
  const spans: Span[] = [];
  for (const pattern of patterns) {
    for (const match of text.matchAll(pattern)) {
      spans.push([Math.max(0, match.index - before.length), match.index + match[0].length - before.length]);
    }
  }
  return spans;
}
