import { maskCall, maskSecrets, maskValue } from '@countersign/core';

export const HOSTILE_BYTES = 5_000_000;

/** How long one 5 MB text blocks the process, in milliseconds of CPU time. */
export interface MaskingResult {
  /** The slowest text, by operation. */
  longest: Record<Entry, { text: string; ms: number }>;
}

const entries = {
  'arguments of a call': (text: string) => void maskCall({ path: 'a.json', content: text }),
  'a result': (text: string) => void maskValue({ stdout: text }),
  'a message': (text: string) => void maskSecrets(text),
};
type Entry = keyof typeof entries;

/** The worst case for each part of the scanner. */
const units = [
  ...[
    'a+',
    '%252B',
    'a%20b+',
    'MIIEpAIBAAKCAQEAx7Gk0dU1aX9fQbYtE3h',
    'the quick brown token fox: ',
    'token=Ab1Cd2Ef3Gh4Ij5Kl6 ',
  ],
  ...[
    '\\',
    '=',
    '"\'',
    '$(',
    '; ',
    '> ',
    '://a:b@',
    '<token>x',
    '-eyJ',
    'sk-',
    '--password x ',
    '{"password":"x y z"},',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----\n',
    '\u202E',
    '\u202Ea',
    '\u2039',
    '          x',
    ' ',
    'GET https://host/a?b=c --flag -v token: x ',
  ],
];

/** Takes the shortest of several rounds, to exclude other load on the machine, and the longest over all texts. */
export function maskingSuite(): MaskingResult {
  const longest = (mask: (text: string) => void): { text: string; ms: number } =>
    units
      .map((unit) => ({ text: unit, ms: shortest(mask, unit.repeat(HOSTILE_BYTES / unit.length)) }))
      .reduce((worst, next) => (next.ms > worst.ms ? next : worst));
  return {
    longest: {
      'arguments of a call': longest(entries['arguments of a call']),
      'a result': longest(entries['a result']),
      'a message': longest(entries['a message']),
    },
  };
}

function shortest(mask: (text: string) => void, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    mask(text);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
