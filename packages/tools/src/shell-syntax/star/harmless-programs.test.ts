import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isHarmlessAwk, isHarmlessFormat, isHarmlessSed } from './harmless-programs.js';
import { isFullSize, runsFactor } from '../../../../../tests/support/scaled.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-harmless-'));
  writeFileSync(join(folder, 'x'), 'a /b [c] w pwned\ne touch pwned\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Random combinations of these pieces, preceded by realistic ones. */
function texts(pieces: readonly string[], likely: readonly string[]): readonly string[] {
  const soup = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 }).map((some) => some.join(''));
  const changed = fc
    .tuple(fc.constantFrom(...likely), fc.nat(30), fc.constantFrom(...pieces))
    .map(([text, at, piece]) => text.slice(0, at) + piece + text.slice(at));
  const all = fc.sample(fc.oneof(soup, changed, changed), {
    numRuns: Math.round(30_000 * runsFactor * (isFullSize ? 2 : 1)),
    seed: 3,
  });
  return [...new Set([...likely, ...all])];
}

/** Runs one line in bash for each text, and returns the texts for which it printed to descriptor 3. */
function runAll(line: string, given: readonly string[]): string[] {
  const script = `for text; do ${line}; done`;
  const run = (some: readonly string[]): string =>
    String(
      spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', script, 'bash', ...some], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
        env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      }).output[3] ?? '',
    );
  const found: string[] = [];
  for (let at = 0; at < given.length; at += 500)
    found.push(
      ...run(given.slice(at, at + 500))
        .split('\0')
        .slice(0, -1),
    );
  return found;
}

const TRACE = `if [ "$(echo *)" != x ]; then printf '%s\\0' "$text" >&3; for f in *; do [ "$f" = x ] || rm -f "$f"; done; fi`;

describe('program texts that a star matches', () => {
  it('[RULE6] sed scripts neither write nor run anything', () => {
    const likely = [
      's/a/b/g',
      '1,5p',
      's|a|b|;p',
      '/a/,/b/d',
      '$!d',
      's/[^a]/b/',
      's/[/]/g;s|w/w pwned|x|',
      's/a/\\//p',
    ];
    const pieces = String.raw`s / | , # : @ ! [ ] ^ \ w e p d ; 1 $ I g y a x r W { } ~ + * . = q n`.split(' ');
    const harmless = texts([...pieces, ' ', 'w pwned', 'e touch pwned', '\n'], likely).filter(isHarmlessSed);
    expect(harmless.length).toBeGreaterThan(300 * runsFactor);
    expect(runAll(`sed "$text" x 2>&1; sed -E -n "$text" x; sed --posix "$text" x; ${TRACE}`, harmless)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['x']);
  });

  it('[RULE6] awk programs neither write nor run anything', () => {
    const likely = [
      '{print $1}',
      'NR==5',
      '/a/{n++}END{print n}',
      '{print length($0), substr($1, 2)}',
      'BEGIN{x="a"}{print x}',
    ];
    const pieces = String.raw`{ } ( ) " / print system getline close > | < ; $1 NR == x = , \ @ ~ ! if while sub`.split(
      ' ',
    );
    const harmless = texts([...pieces, ' ', '\n', '"touch pwned"', '"pwned"'], likely).filter(isHarmlessAwk);
    expect(harmless.length).toBeGreaterThan(300 * runsFactor);
    // An endless loop does no harm here, but takes time.
    const ending = harmless.filter((text) => !text.includes('while'));
    expect(runAll(`awk "$text" x; ${TRACE}`, ending)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['x']);
  });

  it('[RULE6] [RULE7] printf formats set no variable', () => {
    const pieces = String.raw`% n s d b q c * . 5 - + 0 # ' h l L j z t ( ) T %% \ x25 045 \n Y a`.split(' ');
    const harmless = texts([...pieces, ' ', '%n', '%s'], ['%s\\n', '%-5d %s', '%(%Y)T', 'a%%n']).filter(
      isHarmlessFormat,
    );
    expect(harmless.length).toBeGreaterThan(300 * runsFactor);
    const line = `name=a; printf "$text" name name name name >/dev/null; [ "$name" = a ] || printf '%s\\0' "$text" >&3`;
    expect(runAll(line, harmless)).toEqual([]);
  });

  it('[RULE6] include common texts', () => {
    expect(
      ['1,5p', 's/a/b/g', '/^import/d', '$d', '5q', 's/[0-9]+/N/', '1!G;h;$!d'].filter((one) => !isHarmlessSed(one)),
    ).toEqual([]);
    expect(['{print $1}', 'NR>1', 'END{print NR}'].map(isHarmlessAwk)).toEqual([true, false, true]);
  });
});
