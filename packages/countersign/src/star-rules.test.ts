import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compilePolicy, judge, type Policy } from '@countersign/core';
import { shellCmd } from '@countersign/tools';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runsFactor } from '../../../tests/support/scaled.js';

/** At full size, real bash runs thousands of commands, which took more than two minutes on two busy cores. */
const timeout = Math.max(120_000, 900_000 * runsFactor);
const tool = shellCmd({ sandbox: { kind: 'sandbox-exec', program: '/nowhere' } });
const place = { workingDirectory: '/srv/project', home: '/home/ann' };
const file = new URL('../../tools/src/testing/shell-commands/help-options.json', import.meta.url);
const { programs } = z
  .strictObject({ note: z.string(), programs: z.record(z.string(), z.array(z.string())) })
  .parse(JSON.parse(readFileSync(file, 'utf8')));

/** Realistic operands of these programs. Others get a file name. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  sed: ['-n', 'p', 'x'],
  awk: ['{print}', 'x'],
  grep: ['a', 'x'],
  find: ['.'],
  tr: ['a', 'b'],
  join: ['x', 'x'],
  comm: ['x', 'x'],
  cmp: ['x', 'x'],
  diff: ['x', 'y'],
  seq: ['3'],
  jq: ['.', 'x'],
  date: ['+%s'],
  tar: ['tf', 'x.tar'],
  'git blame': ['x'],
  'git cat-file': ['HEAD'],
};
/** Values that a hostile model would use for an option or an operand. */
const VALUES = ['pwned', './evil', 'touch pwned', '1w pwned', '1e ./evil', '--output=pwned', '-opwned', '5'];

interface Option {
  readonly names: readonly string[];
}

function optionsOf(program: string): readonly Option[] {
  return (programs[program] ?? []).map((text) => ({
    names: Array.from(text.matchAll(/(?<![\w-])-{1,2}[A-Za-z0-9][\w-]*/g), ([name]) => name),
  }));
}

function quote(word: string): string {
  return /^[\w./=+%-]+$/.test(word) ? word : `'${word}'`;
}

/** One option in every spelling that an option parser may accept. */
function forms(name: string): string[][] {
  const long = name.startsWith('--');
  const short = [name.slice(0, 4), name.slice(0, 5), name.slice(0, Math.ceil(name.length * 0.6)), name.slice(0, -1)];
  const spellings = long
    ? [...new Set([name, ...short])].filter((one) => one.length > 3)
    : [name, `-n${name.slice(1)}`];
  return spellings.flatMap((one) => [
    [one],
    ...VALUES.map((value) => [one, value]),
    ...VALUES.map((value) => [long ? `${one}=${value}` : `${one}${value}`]),
    [one, '--', '-opwned'],
    [one, '--', 'pwned'],
  ]);
}

function commandsFor(program: string): string[][] {
  const base = program.split(' ');
  const operands = OPERANDS[program] ?? (program.startsWith('git') || program.startsWith('npm') ? [] : ['x']);
  const found: string[][] = [];
  for (const { names } of optionsOf(program)) {
    for (const form of names.flatMap(forms)) {
      found.push([...base, ...form, ...operands], [...base, ...operands, ...form]);
      if (base.length === 2) found.push([base[0] ?? '', ...form, base[1] ?? '', ...operands]);
    }
  }
  return found;
}

function policyOf(...rules: string[]): Policy {
  const made = compilePolicy(rules);
  if (!made.ok) throw new Error(made.error);
  return made.policy;
}

const none = policyOf();
const compiled = new Map<string, Policy>();
function allows(program: string, words: readonly string[]): boolean {
  const [name = ''] = program.split(' ');
  let policy = compiled.get(name);
  if (policy === undefined) compiled.set(name, (policy = policyOf(`allow shell_cmd(${name} *)`)));
  const subjects = tool.subjects?.({ command: words.map(quote).join(' ') }, place) ?? [];
  return judge({ world: policy, agent: none }, { tool: 'shell_cmd', subjects, place }).outcome === 'allow';
}

/** Programs whose purpose is to change files, so there is nothing to detect. */
const CHANGE = new Set(['tee', 'mkdir', 'cp', 'mv', 'rm', 'ln', 'chmod', 'make', 'wget', 'curl', 'npm ls', 'ps']);

/** Every hundredth command in `npm test`, every fourth in `npm run verify`, and all of them in a search with a factor of 4. */
const STRIDE = runsFactor < 1 ? 250 : Math.max(1, Math.round(4 / runsFactor));

/** The commands that a rule `program *` allows. */
function allowedCommands(program: string): string[] {
  const tried = commandsFor(program).filter((_, at) => at % STRIDE === 0);
  const all = tried.filter((words) => allows(program, words));
  return [...new Set(all.map((words) => words.map(quote).join(' ')))];
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-star-'));
  layOut();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function layOut(): void {
  mkdirSync(join(folder, 'home'), { recursive: true });
  for (const [name, text] of Object.entries({ x: 'a b\nc\n', y: 'a b\nd\n', evil: '#!/bin/sh\ntouch pwned\n' })) {
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  const begin = 'tar cf x.tar x; git init -q . && git add x y && git -c user.name=a -c user.email=a@b commit -qm one';
  spawnSync('/bin/bash', ['-c', begin], { cwd: folder, env: environment(), stdio: 'ignore' });
}

function environment(): NodeJS.ProcessEnv {
  const home = join(folder, 'home');
  return { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}

/** Every file with its content, except Git's index, which contains access times. */
function state(from = folder): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(from).toSorted()) {
    if (name === 'index') continue;
    const path = join(from, name);
    const isFolder = statSync(path).isDirectory();
    hash.update(`${name}\0${isFolder ? state(path) : readFileSync(path, 'latin1')}\0`);
  }
  return hash.digest('hex');
}

const SCRIPT = String.raw`
shopt -s nullglob dotglob
before=(*)
for text; do
  (eval "$text") < /dev/null > /dev/null 2>&1
  after=(*)
  if [ "${'${before[*]}'}" != "${'${after[*]}'}" ]; then printf '%s\0' "$text" >&3; rm -rf pwned ./-opwned; before=(*); fi
done
`;

/** Runs the commands in real bash, one after another, and returns those that created a file. */
function leftTraces(commands: readonly string[]): string[] {
  const before = state();
  const run = spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', SCRIPT, 'bash', ...commands], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: environment(),
    cwd: folder,
  });
  const found = String(run.output[3] ?? '')
    .split('\0')
    .slice(0, -1);
  if (found.length === 0 && state() !== before) return [`one of these: ${commands.join('; ')}`];
  return found;
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

describe('a star in an allow rule', () => {
  it('[RULE6] matches no option that writes or runs something, in any spelling', { timeout }, () => {
    const names = Object.keys(programs).filter((program) => !CHANGE.has(program));
    const allowed = names.flatMap(allowedCommands);
    expect(allowed.length).toBeGreaterThan(32_000 / STRIDE);
    expect(chunks(allowed, 200).flatMap(leftTraces)).toEqual([]);
  });

  it('[RULE6] matches no combination of options that writes or runs something', { timeout }, () => {
    const names = Object.keys(programs).filter((program) => !CHANGE.has(program));
    const word = (program: string): fc.Arbitrary<string> =>
      fc.oneof(
        fc.constantFrom(...optionsOf(program).flatMap(({ names }) => names), '--'),
        fc.constantFrom(...VALUES, ...(OPERANDS[program] ?? []), 'x', '-', '-5', ';'),
        fc
          .tuple(fc.constantFrom(...optionsOf(program).flatMap(({ names }) => names)), fc.constantFrom(...VALUES))
          .map(([name, value]) => (name.startsWith('--') ? `${name}=${value}` : name + value)),
      );
    const command = fc
      .constantFrom(...names)
      .chain((program) => fc.tuple(fc.constant(program), fc.array(word(program), { maxLength: 5 })));
    const found = fc
      .sample(command, { numRuns: Math.round(20_000 * runsFactor), seed: 15 })
      .map(([program, rest]) => ({ program, words: [...program.split(' '), ...rest] }))
      .filter(({ program, words }) => allows(program, words))
      .map(({ words }) => words.map(quote).join(' '));
    const distinct = [...new Set(found)];
    expect(distinct.length).toBeGreaterThan(500 * runsFactor);
    expect(chunks(distinct, 200).flatMap(leftTraces)).toEqual([]);
  });
});
