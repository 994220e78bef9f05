import { actorOf, WORLDS, type Credential, type Right, type World } from './cast.js';
import type { Answer, Home } from './home.js';
import type { Ledger } from './ledger.js';
import type { Random } from './random.js';

/** A history while it is played. */
export interface History {
  readonly home: Home;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly credentials: Credential[];
  /** Chats with the model, created when the history starts. */
  readonly chats: Readonly<Record<World, readonly string[]>>;
  /** Sessions of programs outside. Everybody uses the same names. */
  readonly sessions: readonly string[];
  /** A number that no other call in this home has. */
  nextNumber(): number;
  /** The files of each world, as they have to be now. */
  readonly files: Readonly<Record<World, Map<string, string>>>;
  /** What each call that wrote a file replaced. */
  readonly replaced: Map<number, string>;
  /** Files that may or may not have been reverted, because the process died. */
  readonly unsure: Set<string>;
  /** What happened, for the report of a failure. */
  readonly trace: string[];
}

/** A step whose random choices are made. */
export interface Step {
  readonly text: string;
  act(): Promise<void>;
  /** Set if nothing else may happen at the same time, because the outcome would depend on the order. */
  readonly isAlone?: true;
}

/** Chooses a step, or none if there is nothing to do it with. */
export type Choose = (history: History) => Promise<Step | undefined> | Step | undefined;

/** The files of a world. */
export const INSIDE = ['a.txt', 'b.txt', 'contracts/c.txt'] as const;

/** Usually a credential that has the right, sometimes any. */
export function someone({ random, ledger, credentials, home }: History, right: Right, world: World): Credential {
  const able = credentials.filter((each) => ledger.may(each, right, world, home.clock.now()));
  return random.pick(able.length === 0 || random.chance(0.2) ? credentials : able);
}

export interface Asked {
  readonly right: Right;
  readonly world: World;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Sends a request, and checks that it succeeded only if it may, and that the answer shows nothing of other worlds. */
export async function ask(
  history: History,
  by: Credential,
  asked: Asked,
  headers: object = {},
): Promise<Answer | undefined> {
  const { home, ledger } = history;
  const { right, world, method, path, body } = asked;
  const may = ledger.may(by, right, world, home.clock.now());
  const answer = await home.send({ ...by.headers, ...headers }, method, path, body);
  if (answer === undefined) return undefined;
  const { status, text } = answer;
  const what = `${method} ${path} by ${by.name} answered ${status}`;
  if (status >= 500) ledger.violate(`${what}: ${text}`);
  if (!may && status < 400) ledger.violate(`${what} without the right "${right}" in ${world}`);
  if (may && status === 401) ledger.violate(`${what}, although the credential is valid: ${text}`);
  const actor = actorOf(by);
  if (status === 403 && actor !== undefined)
    ledger.refusals.set(`403: ${method} /api${path.replace(/\?.*/, '')}`, actor);
  for (const other of WORLDS) {
    if (ledger.may(by, 'read', other, home.clock.now())) continue;
    const shown = [...text.matchAll(new RegExp(`\\b${other}-(\\d+)\\b`, 'g'))].map(([, n]) => Number(n));
    const foreign = shown.find((n) => ledger.proposals.get(n)?.by !== by);
    if (foreign !== undefined) ledger.violate(`${what} and shows ${other}-${foreign}`);
  }
  return answer;
}
