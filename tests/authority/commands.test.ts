import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENT_HEADER } from '@countersign/protocol';
import { openPostgres } from '@countersign/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeApps } from '../../packages/server/src/testing/app-fixture.js';
import { createProgram } from '../../packages/terminal/src/create-program.js';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { isFullSize } from '../support/scaled.js';
import { runHere, type Ran } from '../terminal/harbour-server.js';
import { openMatrix, type Actor, type Matrix } from './actors.js';
import { may, sampleOf, stateOf, type Cell } from './cells.js';
import { COMMANDS, type CommandRow } from './commands.js';

/** At full size, every command is tried with every token. */
const LIMIT_MS = isFullSize ? 900_000 : 120_000;

let parent = '';
let home = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'countersign-authority-'));
  home = join(parent, 'home');
  mkdirSync(home);
});
afterEach(async () => {
  await closeApps();
  rmSync(parent, { recursive: true, force: true });
});

type Program = Awaited<ReturnType<typeof createProgram>>;

/** The commands that do something, with their full names. */
function namesOf({ commands }: Pick<Program, 'commands'>, parents: readonly string[] = []): string[] {
  return commands.flatMap((each) => {
    const path = [...parents, each.name()];
    // A group has no action of its own, except these.
    const isGroup = each.commands.length > 0 && !['mcp-gateway', 'drill'].includes(each.name());
    return [...(isGroup ? [] : [path.join(' ')]), ...namesOf(each, path)];
  });
}

type Try = Cell<CommandRow>;

/** By tokens only: a command has no session. */
function triesOf({ actors }: Matrix, rows: readonly CommandRow[]): Try[] {
  return rows.flatMap((row) =>
    actors
      .filter(({ isLocal }) => isLocal !== true || row.isElsewhere !== true)
      .filter(({ isUnknown }) => isUnknown !== true || row.retries !== true)
      .filter(({ headers, me }) => 'Authorization' in headers && (me !== undefined || row.what !== 'own'))
      .filter(({ headers }) => !(CLIENT_HEADER in headers))
      .map((actor) => ({ row, actor, isAllowed: may(actor, row) }))
      .filter(({ isAllowed }) => !(isAllowed && row.allowed === 'waits'))
      .filter(({ actor, isAllowed }) => !(isAllowed && row.isAgents === true && actor.agent === undefined)),
  );
}

let count = 0;

async function prepare(matrix: Matrix, { row, actor }: Try): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(parent, 'prepared-'));
  return (await row.prepare?.(matrix, { n: (count += 1), actor, folder })) ?? {};
}

/** Runs a command as one of the actors. Returns what is wrong, or undefined. */
async function tryCommand(
  { t, chat, approval }: Matrix,
  { row, actor, isAllowed }: Try,
  made: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const rule = 'deny nothing';
  const names: Readonly<Record<string, string>> = {
    chat,
    approval,
    home,
    rule,
    private: 'allow sandbox_network(127.0.0.1:9)',
    n: String((count += 1)),
    ...made,
  };
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
  const words = `${row.command} ${row.words ?? ''}`.trim().split(' ').map(fill);
  if (row.inTerminal !== true) words.push('--json');
  const token = actor.headers['Authorization']?.replace('Bearer ', '') ?? '';
  const env = { HOME: home, COUNTERSIGN_URL: t.url, COUNTERSIGN_TOKEN: token, COUNTERSIGN_GATE_TOKEN: token };
  const known = { defaultHome: () => Promise.resolve(home) };
  const input = fill(row.input ?? '');
  const ran = await runHere(words, { env, input, inTerminal: row.inTerminal === true }, known);
  const isExpected = isAllowed ? ran.code === (row.allowed ?? 0) : isRefusal(ran, actor, row);
  const expected = isAllowed ? 'allowed' : 'refused';
  return isExpected ? undefined : `${words.join(' ')}, as ${actor.who}: ${expected}, but ${JSON.stringify(ran)}`;
}

/** No result, and one sentence after any notes. Only strangers get 2: they don't find the world. */
function isRefusal({ code, stdout, stderr }: Ran, { isStranger }: Actor, { refused }: CommandRow): boolean {
  if (refused !== undefined) return code === refused && stdout === '' && /^[^\n]+\n$/.test(stderr);
  return code === (isStranger && code === 2 ? 2 : 1) && stdout === '' && /(?:^|\n)countersign: [^\n]+\n$/.test(stderr);
}

describe('[WHO9] the authority matrix of commands', () => {
  it('has a row for every command of the program, and no other', async () => {
    const unused = (): never => {
      throw new Error('no command runs here');
    };
    const program = await createProgram({ console: process, version: 'test' } as never, { begin: unused, end: unused });
    expect([...new Set(COMMANDS.map(({ command }) => command))].sort()).toEqual(namesOf(program).sort());
  });

  it.each(isFullSize ? ['SQLite', 'PostgreSQL'] : ['SQLite'])(
    'holds for every command on %s',
    async (kind) => {
      const isPostgres = kind === 'PostgreSQL';
      const matrix = await openMatrix(isPostgres ? { store: await openPostgres(await createMigratedDatabase()) } : {});
      const rows = COMMANDS.filter(({ words }) => words !== undefined);
      // In a small run, `routes.test.ts` tries the requests behind them on both sides of every boundary.
      const tries = sampleOf(triesOf(matrix, rows), 3);
      const problems: (string | undefined)[] = [];
      const refused: [Try, Readonly<Record<string, string>>][] = [];
      for (const each of tries.filter(({ isAllowed }) => !isAllowed)) refused.push([each, await prepare(matrix, each)]);
      // The first use of each credential is saved.
      const first = { command: 'worlds list', needs: 'account' };
      for (const actor of new Set(tries.map((each) => each.actor)))
        await tryCommand(matrix, { row: first, actor, isAllowed: true }, {});
      const { store } = matrix.t.engine.runtime;
      const before = await stateOf(store);
      for (const [each, made] of refused) problems.push(await tryCommand(matrix, each, made));
      expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
      expect(await stateOf(store)).toEqual(before);
      expect(readdirSync(home)).toEqual([]);
      for (const each of tries.filter(({ isAllowed }) => isAllowed)) {
        const made = await prepare(matrix, each);
        problems.push(await tryCommand(matrix, each, made));
      }
      expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
    },
    LIMIT_MS,
  );
});
