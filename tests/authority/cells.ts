import { SERVER_LOG, type Store } from '@countersign/core/ports';
import type { Actor, Matrix } from './actors.js';
import { isFullSize } from '../support/scaled.js';
import { ACTIONS, PRINCIPLES } from './principles.js';
import { prepare, sendRow, type Parts, type Row } from './routes.js';

type Needing = Pick<Row, 'needs'>;

/** One request or command by one of the actors, and whether they may send it. */
export interface Cell<R = Row> {
  readonly row: R;
  readonly actor: Actor;
  readonly isAllowed: boolean;
}

const needsOf = ({ needs }: Needing): readonly string[] => needs.split(', ');

export function cellsOf({ actors }: Pick<Matrix, 'actors'>, rows: readonly Row[]): Cell[] {
  return rows.flatMap((row) =>
    actors
      // A credential that belongs to nobody has nothing of its own.
      .filter(({ me }) => me !== undefined || row.in?.['person'] !== '{me}')
      .map((actor) => ({ row, actor, isAllowed: may(actor, row) })),
  );
}

export function may(actor: Actor, row: Needing): boolean {
  const rights = rightsOf(actor);
  return needsOf(row).every((action) => {
    if (!ACTIONS.has(action)) throw new Error(`"${action}" is not an action of docs/spec/authority.md.`);
    return rights.has(action);
  });
}

function rightsOf({ who }: Actor): ReadonlySet<string> {
  const rights = PRINCIPLES.get(who);
  if (rights === undefined) throw new Error(`"${who}" is not in docs/spec/authority.md.`);
  return rights;
}

/**
 * All cells at full size. Otherwise, for each needed action an actor who lacks it and little else, and the weakest actor who suffices; only every
 * nth of them, if `every` is given.
 */
export function sampleOf<R extends Needing>(cells: readonly Cell<R>[], every = 1): Cell<R>[] {
  if (isFullSize) return [...cells];
  const rows = new Set(cells.map(({ row }) => row));
  const chosen = [...rows].flatMap((row) =>
    atBoundary(
      row,
      cells.filter((cell) => cell.row === row),
    ),
  );
  return chosen.filter((_, at) => at % every === 0);
}

function atBoundary<R extends Needing>(row: R, cells: readonly Cell<R>[]): Cell<R>[] {
  const byRights = cells.toSorted((a, b) => rightsOf(a.actor).size - rightsOf(b.actor).size);
  const missing = ({ actor }: Cell<R>): number => needsOf(row).filter((action) => !rightsOf(actor).has(action)).length;
  const closest = needsOf(row).flatMap((action) =>
    byRights
      .filter(({ actor }) => !rightsOf(actor).has(action))
      .toSorted((a, b) => missing(a) - missing(b))
      .slice(0, 1),
  );
  return [...new Set([...closest, ...byRights.filter(({ isAllowed }) => isAllowed).slice(0, 1)])];
}

/** Sends the request of a cell. Returns what is wrong, or undefined. */
async function tryCell(matrix: Matrix, { row, actor, isAllowed }: Cell, parts: Parts): Promise<string | undefined> {
  const { status, isHidden, text } = await sendRow(matrix, row, actor, parts);
  const isExpected = isAllowed ? isReached() : isRefusal();
  const name = [row.route, row.what].filter(Boolean).join(', ');
  return isExpected
    ? undefined
    : `${name}, as ${actor.who}: ${isAllowed ? 'allowed' : 'refused'}, but ${status} ${text}`;

  function isReached(): boolean {
    if (row.needs === 'open') return ![401, 403, 429].includes(status);
    return !isHidden && (row.allowed === undefined ? status >= 200 && status < 300 : status === row.allowed);
  }

  function isRefusal(): boolean {
    // After many wrong credentials, their address gets 429. A valid one never does (WHO1.5).
    if (actor.isUnknown === true) return status === 401 || (status === 429 && Object.keys(actor.headers).length > 0);
    if (actor.isStranger === true && isAboutWorld(row)) return isHidden;
    const isLate = status === 409 && needsOf(row).some((action) => action === 'device' || action === 'credential');
    return status === 403 || status === row.refused || isHidden || isLate;
  }
}

const IN_WORLD = new Set(['read', 'chat', 'sign', 'administer', 'propose']);
const isAboutWorld = (row: Row): boolean =>
  row.route.includes('{world}') && needsOf(row).some((action) => IN_WORLD.has(action));

/** Tries the cells that are allowed, one after the other. Returns what is wrong with them. */
export async function tryAllowed(matrix: Matrix, cells: readonly Cell[]): Promise<string[]> {
  const problems: (string | undefined)[] = [];
  for (const cell of cells.filter(({ isAllowed }) => isAllowed))
    problems.push(await tryCell(matrix, cell, await prepare(matrix, cell.row)));
  return problems.filter((problem) => problem !== undefined);
}

/** Returns a function that tries the cells that are refused, and returns what is wrong with them. It should change nothing. */
export async function prepareRefused(
  matrix: Matrix,
  cells: readonly Cell[],
  { isFirstEnough = false } = {},
): Promise<() => Promise<string[]>> {
  const left = cells.filter(({ isAllowed }) => !isAllowed).reverse();
  const rows = new Map<Row, Parts>();
  for (const { row } of left) if (!rows.has(row)) rows.set(row, await prepare(matrix, row));
  const problems: string[] = [];
  const work = async (): Promise<void> => {
    for (let cell = left.pop(); cell !== undefined; cell = left.pop()) {
      const problem = await tryCell(matrix, cell, rows.get(cell.row) ?? {});
      if (problem === undefined) continue;
      problems.push(problem);
      if (isFirstEnough) left.length = 0;
    }
  };
  return async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return problems;
  };
}

const AT_ONCE = 8;

/** Everything that a request or a command could have changed. Without the records of refused requests. */
export async function stateOf(store: Store): Promise<unknown> {
  return await store.read(async (reader) => {
    const people = await reader.people();
    const kinds = ['token', 'session', 'invitation', 'ticket', 'passkey', 'challenge', 'delegation'] as const;
    const credentials = await Promise.all(
      people.flatMap(({ id }) =>
        kinds.map(async (kind) => (await reader.credentials(id, kind)).map((each) => each.id)),
      ),
    );
    const worlds = await reader.worlds();
    const logs = await Promise.all(
      [SERVER_LOG, ...worlds.map(({ id }) => id)].map((id) => reader.audit(id, { after: 0, limit: 10_000 })),
    );
    const inWorlds = worlds.map(async ({ id }) => [
      await reader.agents(id),
      await reader.chats(id),
      await reader.approvals(id, {}),
      await reader.grantsOfWorld(id),
      await reader.clients(id),
      await reader.mcpServers(id),
    ]);
    const records = logs.flat().filter(({ kind }) => kind !== 'refusal');
    const common = [people, credentials, worlds, await reader.groups(), await reader.providers()];
    return [...common, records.map(({ decision, why }) => [decision, why]), await Promise.all(inWorlds)];
  });
}
