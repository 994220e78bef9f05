import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { toCause } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scaled } from '../../../../tests/support/scaled.js';
import { subjectsOfCommand } from '../shell/subjects-of-command.js';

/** An independent shell parser in another language. We must find every command that it finds. */
interface OtherParser {
  syntax: {
    NewParser(): { Parse(text: string, name: string): object };
    Walk(node: object, visit: (node: object | null) => boolean): void;
    NodeType(node: object): string;
  };
}
const { syntax } = createRequire(import.meta.url)('mvdan-sh') as OtherParser;

const partSchema = z.object({
  Value: z.string().optional(),
  Dollar: z.boolean().optional(),
  get Parts() {
    return z.array(z.unknown()).optional();
  },
});

function namesByOther(text: string): string[] | undefined {
  const names: string[] = [];
  try {
    const file = syntax.NewParser().Parse(text, '');
    syntax.Walk(file, (node) => {
      if (node !== null && syntax.NodeType(node) === 'CallExpr') {
        const [first] = listOf(Reflect.get(node, 'Args'));
        const name = first === undefined ? undefined : plainText(first);
        if (name !== undefined) names.push(name);
      }
      return true;
    });
  } catch {
    return undefined;
  }
  return names;
}

/** Undefined for a word that isn't literal: the parsers may spell dynamic parts differently. */
function plainText(node: object): string | undefined {
  let text = '';
  for (const part of listOf(Reflect.get(node, 'Parts'))) {
    const { Value: value, Dollar: dollar } = partSchema.parse(part);
    switch (syntax.NodeType(part)) {
      case 'Lit':
        if (value === undefined || /[\\{}*?[\]~]/.test(value)) return undefined;
        text += value;
        break;
      case 'SglQuoted':
        if (dollar === true) return undefined;
        text += value ?? '';
        break;
      case 'DblQuoted': {
        const within = dollar === true ? undefined : plainText(part);
        if (within === undefined) return undefined;
        text += within;
        break;
      }
      default:
        return undefined;
    }
  }
  return text;
}

function listOf(value: unknown): object[] {
  return Array.isArray(value) ? value.filter((item): item is object => typeof item === 'object' && item !== null) : [];
}

const UNREADABLE: ReadonlySet<string> = new Set(['too-complex', 'unparsable', 'uncertain']);

function isUnreadable(text: string): boolean {
  return subjectsOfCommand(text).some(
    (subject) => subject.kind === 'dynamic' && UNREADABLE.has(toCause(subject.why).code),
  );
}

function namesByUs(text: string): Set<string> {
  return new Set(
    subjectsOfCommand(text).flatMap((subject) => (subject.kind === 'words' ? [subject.words[0] ?? ''] : [])),
  );
}

const name = fc.constantFrom('foo', 'bar', 'qux', 'git', 'ls', 'a-b', "'quo ted'", '"dou"ble', 'npm');

/** Realistic scripts, nested in each other. */
const { script } = fc.letrec<{ script: string; simple: string; word: string }>((tie) => ({
  word: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      'a',
      '-x',
      "'b c'",
      '"d"',
      'e\\ f',
      '$x',
      '"$y"',
      '*.ts',
      '~/z',
      '{p,q}',
      "$'r'",
      '2>&1',
      '> /dev/null',
      '>out',
    ),
    tie('script').map((inside) => `$(${inside})`),
    tie('script').map((inside) => `"$(${inside})"`),
    tie('script').map((inside) => `\${v:-$(${inside})}`),
    tie('script').map((inside) => `<(${inside})`),
    tie('simple').map((inside) => `\`${inside.replaceAll('`', '')}\``),
  ),
  simple: fc.tuple(name, fc.array(tie('word'), { maxLength: 3 })).map((words) => words.flat().join(' ')),
  script: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('simple'),
    fc
      .tuple(tie('script'), fc.constantFrom('; ', ' && ', ' || ', ' | ', ' |& ', '\n', ' & '), tie('script'))
      .map((parts) => parts.join('')),
    tie('script').map((inside) => `( ${inside}\n)`),
    tie('script').map((inside) => `{ ${inside}\n}`),
    tie('simple').map((inside) => `! ${inside}`),
    tie('simple').map((inside) => `A=1 ${inside}`),
    tie('simple').map((inside) => `A=$(${inside})`),
    fc.tuple(tie('script'), tie('script')).map(([test, then]) => `if ${test}\nthen ${then}\nfi`),
    fc.tuple(tie('script'), tie('script')).map(([test, body]) => `while ${test}\ndo ${body}\ndone`),
    fc
      .tuple(tie('word'), tie('script'))
      .map(([word, body]) => `for i in ${word.replaceAll(/[<>].*/g, 'x')}; do ${body}\ndone`),
    tie('script').map((inside) => `case x in a) ${inside}\n;; esac`),
    tie('script').map((inside) => `fun() { ${inside}\n}`),
    name.map((inside) => `cat <<E\n$(${inside})\nE\n`),
    tie('simple').map((inside) => `[[ -n $(${inside}) ]]`),
    tie('simple').map((inside) => `(( a[$(${inside})] ))`),
    tie('simple').map((inside) => `time ${inside}`),
  ),
}));

const piece = fc.constantFrom(
  ...`foo bar qux ls -a x=1 ; && || | |& & ( ) { } ! ) " ' \\ < > >> 2>&1 # [ ] 'q' "r" = , . if then else fi a b c {} ~`.split(
    /\s+/,
  ),
  ' ',
  '\n',
  '\t',
  '\\\n',
);
/** Operators and words in random order: mostly invalid, and otherwise unusual. */
const soup = fc
  .array(fc.tuple(piece, fc.constantFrom('', ' ', ' ', ' ')), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.map(([one, blank]) => one + blank).join(''));

describe('the commands in a script', () => {
  it('[RULE9] finds every command that another parser finds', () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: script }, soup), (command) => {
        fc.pre(command.length < 400);
        const names = namesByOther(command);
        // Text that we can't parse needs approval; the other parser mistakes `else >> x` for a command.
        if (names === undefined || isUnreadable(command)) return;
        compared += names.length;
        const ours = namesByUs(command);
        expect(names.filter((name) => !ours.has(name) && !ours.has(name.slice(name.lastIndexOf('/') + 1)))).toEqual([]);
      }),
      { numRuns: scaled(250, 50) },
    );
    expect(compared).toBeGreaterThan(scaled(300));
  });

  const sampled = [
    ...fc.sample(soup, { numRuns: scaled(15_000), seed: 5 }),
    ...fc.sample(script, { numRuns: scaled(2_000), seed: 6 }),
  ];
  const plain = [...new Set(sampled)].filter((command) => {
    const subjects = subjectsOfCommand(command);
    return subjects.length > 0 && subjects.every(({ kind }) => kind === 'words');
  });

  it('[RULE9] if a text may be allowed, bash runs exactly the reported commands', () => {
    expect(plain.length).toBeGreaterThan(scaled(300));
    const told = plain.map((command) =>
      subjectsOfCommand(command).flatMap((subject) =>
        subject.kind === 'words' ? [JSON.stringify(subject.words)] : [],
      ),
    );
    // No program exists, so bash reports each one it would run. Runs once with all programs succeeding and once with all failing.
    for (const status of ['0', '1']) {
      // In chunks: the length of a command line is limited.
      const ran = chunks(plain, 500).flatMap((some) => runByBash(some, status));
      expect(ran).toHaveLength(plain.length);
      const untold = ran.map((commands, at) => commands.filter((words) => told[at]?.includes(words) !== true));
      expect(plain.filter((_, at) => (untold[at]?.length ?? 0) > 0)).toEqual([]);
    }
  });
});

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

const SCRIPT = String.raw`
status=$1; shift
command_not_found_handle() { printf '%s\0' "$@" $'\1' >&3; return $status; }
for text; do (eval "$text") < /dev/null > /dev/null 2>&1; printf '\2\0' >&3; done
`;

function runByBash(commands: readonly string[], status: string): string[][] {
  const run = spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', SCRIPT, 'bash', status, ...commands], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: { PATH: '/nowhere' },
    cwd: '/',
    maxBuffer: 64 * 1024 * 1024,
  });
  const said = String(run.output[3]);
  return said
    .split('\u0002\0')
    .slice(0, -1)
    .map((one) =>
      one
        .split('\u0001\0')
        .slice(0, -1)
        .map((words) => JSON.stringify(words.split('\0').slice(0, -1))),
    );
}
