import { CountersignError, type ExternalResult } from '@countersign/protocol';
import { readExternalCall } from '../calls/external-call.js';
import { frameSettlement, settleCall } from '../calls/settle-call.js';
import type { Settlement } from '../facts/fact.js';
import type { InvocationRecord } from '../ports/index.js';
import { commit, unlessGone } from '../step/commit.js';
import { resumeTurn } from '../step/move-turn.js';
import type { Runtime } from '../step/runtime.js';
import { chatOfSession } from './session.js';

/** A call whose program never reports ends after this time. Until then, the program can fetch its answer again. */
const UNREPORTED_MS = 60_000;
/** The same for a program that usually reports, but may have been killed. */
const LATEST_REPORT_MS = 60 * 60 * 1000;

/** Settles a call with the result that its program reports. Reporting the same result again changes nothing; another one is refused. */
export async function reportExternal(runtime: Runtime, call: InvocationRecord, result: ExternalResult): Promise<void> {
  const settlement: Settlement =
    result.error === undefined
      ? { kind: 'succeeded', result: result.content ?? '' }
      : { kind: 'failed', error: result.error };
  if (await settle(runtime, call, settlement)) return;
  const now = await runtime.store.read((reader) => reader.invocation(call.id));
  if (now !== undefined && now.startedAt !== null && now.result === frameSettlement(runtime, now, settlement)) return;
  const isOver = now !== undefined && now.startedAt !== null;
  const detail = isOver ? 'this call has already ended with another result' : 'this call was not allowed to run';
  throw new CountersignError('conflict', detail);
}

/** Ends calls that were allowed, if nobody reports in time how they ended. */
export interface ReportWatch {
  watch(call: InvocationRecord): Promise<void>;
  /** Watches the calls that earlier processes allowed. */
  load(): Promise<void>;
  close(): void;
}

export function watchReports(runtimeOf: () => Runtime): ReportWatch {
  const timers = new Map<string, () => void>();
  let isClosed = false;
  const watch: ReportWatch['watch'] = async (call) => {
    const runtime = runtimeOf();
    const { store, clock } = runtime;
    const { startedAt, worldId, id, messageId, toolName } = call;
    const message = await store.read((reader) => reader.message(messageId));
    if (startedAt === null || message === undefined || isClosed || timers.has(id)) return;
    const limit = readExternalCall(message)?.reports === true ? LATEST_REPORT_MS : UNREPORTED_MS;
    const expire = (): void => {
      timers.delete(id);
      settle(runtime, call, { kind: 'not-reported' }).catch((error: unknown) =>
        runtime.report(error, `failed to end ${toolName}`, { worldId, invocationId: id }),
      );
    };
    timers.set(id, clock.after(Math.max(0, startedAt + limit - clock.now()), expire, { background: true }));
  };
  return {
    watch,
    async load() {
      for (const call of await startedOutside(runtimeOf())) await watch(call);
    },
    close() {
      isClosed = true;
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}

/** Ends the calls of a session that were allowed and not reported. Calls that wait for a decision keep waiting: the session may be resumed. */
export async function endExternalSession(
  runtime: Runtime,
  worldId: string,
  { agentId, session }: { agentId: string; session: string },
): Promise<void> {
  const chatId = chatOfSession(runtime, { worldId, agentId, session });
  for (const call of await startedOutside(runtime, chatId)) await settle(runtime, call, { kind: 'not-reported' });
}

/** The calls that programs outside were allowed to run, and that have not ended. In one chat, or all. */
async function startedOutside(runtime: Runtime, chatId?: string): Promise<InvocationRecord[]> {
  return await runtime.store.read(async (reader) => {
    const turns = (await reader.unfinishedTurns(chatId)).filter(({ iteration }) => iteration > 0);
    const calls = await Promise.all(turns.map(({ id, iteration }) => reader.invocations(id, iteration)));
    return calls.flat().filter(({ status, location }) => status === 'started' && location === 'external');
  });
}

/** False if the call isn't running. */
async function settle(runtime: Runtime, call: InvocationRecord, settlement: Settlement): Promise<boolean> {
  const { worldId, chatId, id } = call;
  const settling = commit(runtime, 'external-result', worldId, { chats: [chatId] }, (step) => {
    const current = step.tx.invocation(id);
    if (current?.status !== 'started') return false;
    settleCall(runtime, step, current, settlement);
    if (resumeTurn(runtime, step, current.turnId)) runtime.dispatch.wake(step, current.turnId);
    return true;
  });
  return (await unlessGone(settling)) === true;
}
