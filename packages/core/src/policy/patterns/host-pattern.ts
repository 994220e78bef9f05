import { normalizeText } from '@countersign/protocol';
import { type Glob, matchesGlob, wordGlob } from './glob.js';
import { foldLoopback, loopbackSpellings } from './loopback.js';
import type { PatternWord, Piece } from '../types.js';

export interface HostPattern {
  /** `*.example.com`: all subdomains at any depth, but not the domain itself. */
  readonly below: boolean;
  readonly labels: readonly Glob[];
}

/** Lowercases ASCII only: the Kelvin sign lowercases to `k` and must not match it. */
export function plainHost(host: string): string {
  return withoutDot(lowerAscii(host));
}

/** All spellings that could refer to the same host, folded, for deny and ask rules. */
export function looseHosts(host: string): readonly string[] {
  return loopbackSpellings(withoutDot(foldAll(host)));
}

/** For deny and ask rules: a star matches anything. */
export function looseHostGlob(word: PatternWord): Glob {
  const glob = wordGlob(word, foldAll);
  if (glob.length === 1) return [foldLoopback(withoutDot(glob[0] ?? ''))];
  return [...glob.slice(0, -1), withoutDot(glob.at(-1) ?? '')];
}

function foldAll(text: string): string {
  return normalizeText(text, 'NFKC').toLowerCase();
}

function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/**
 * For allow rules: a star stays within one label, because `ex*.com` must not match `ex.attacker.com`. Only a leading `*.` matches several
 * labels.
 */
export function hostPattern(word: PatternWord): HostPattern {
  const labels = splitLabels(word);
  const [first] = labels;
  const below = labels.length > 1 && first?.length === 1 && first[0] !== undefined && 'stars' in first[0];
  return { below, labels: (below ? labels.slice(1) : labels).map((label) => wordGlob(label)) };
}

export function matchesHost(pattern: HostPattern, plain: string): boolean {
  const labels = plain.split('.');
  const extra = labels.length - pattern.labels.length;
  if (pattern.below ? extra < 1 : extra !== 0) return false;
  return pattern.labels.every((glob, index) => matchesGlob(glob, labels[extra + index] ?? ''));
}

function splitLabels(word: PatternWord): PatternWord[] {
  const labels: Piece[][] = [[]];
  const last = word.length - 1;
  for (const [at, piece] of word.entries()) {
    if ('stars' in piece) labels.at(-1)?.push(piece);
    else {
      const text = at === last ? plainHost(piece.text) : lowerAscii(piece.text);
      for (const [index, part] of text.split('.').entries()) {
        if (index > 0) labels.push([]);
        if (part !== '') labels.at(-1)?.push({ text: part });
      }
    }
  }
  return labels;
}
