import { readExternalCall } from '../step/place.js';
import type { CallRecord } from '../ports/index.js';
import type { ExternalWatch, Runtime } from '../step/runtime.js';
import { limitSessions } from './limit-sessions.js';
import { endCall, openCalls } from './end-call.js';

/** A program that waits for an answer asks for it all the time. After this time without a request, it has gone. */
const GONE_MS = 60_000;
/** An approved call of a program that ends and is resumed later, such as with `claude --resume`, ends after this time. */
const RESUMED_MS = 7 * 24 * 60 * 60 * 1000;
/** A call whose program never reports ends after this time. Until then, the program can fetch its answer again. */
const UNREPORTED_MS = 60_000;
/** The same for a program that usually reports, but may have been killed. */
const LATEST_REPORT_MS = 60 * 60 * 1000;

/** The program of an undecided call. */
interface Listener {
  /** Requests under way. */
  requests: number;
  lastAsked: number;
  waitsForDays: boolean;
}

export function watchExternal(runtimeOf: () => Runtime): ExternalWatch {
  const listeners = new Map<string, Listener>();
  const timers = new Map<string, () => void>();
  let isClosed = false;

  function listenerOf(id: string): Listener {
    const known = listeners.get(id);
    if (known !== undefined) return known;
    const fresh = { requests: 0, lastAsked: runtimeOf().clock.now(), waitsForDays: false };
    listeners.set(id, fresh);
    return fresh;
  }

  function isAbandoned(id: string): boolean {
    const listener = listeners.get(id);
    const runtime = runtimeOf();
    // Another process may have heard from the program.
    if (listener === undefined || !runtime.process.isAlone() || listener.waitsForDays || listener.requests > 0)
      return false;
    return runtime.clock.now() - listener.lastAsked >= GONE_MS;
  }

  function forget(id: string): void {
    listeners.delete(id);
    timers.get(id)?.();
    timers.delete(id);
  }

  async function start(call: CallRecord): Promise<void> {
    const runtime = runtimeOf();
    const { clock, store } = runtime;
    const { id, worldId, toolName } = call;
    const { message, approval } = await store.read(async (reader) => ({
      message: await reader.message(call.messageId),
      approval: call.approvalId === null ? undefined : await reader.approval(call.approvalId),
    }));
    const stored = message === undefined ? undefined : readExternalCall(message);
    if (stored === undefined || isClosed) return;
    const now = clock.now();
    let limit: number;
    switch (call.status) {
      case 'asked':
        listenerOf(id).waitsForDays ||= stored.waits === 'days';
        return;
      case 'approved':
        // After a restart, the program needs time to ask again.
        limit = isAbandoned(id) ? now : now + GONE_MS;
        if (stored.waits === 'days') limit = Math.max(limit, (approval?.decidedAt ?? now) + RESUMED_MS);
        break;
      case 'started':
        limit = (call.startedAt ?? now) + (stored.reports ? LATEST_REPORT_MS : UNREPORTED_MS);
        break;
      case 'succeeded':
      case 'failed':
      case 'denied':
        return;
    }
    const isStarted = call.status === 'started';
    const expire = (): void => {
      timers.delete(id);
      const settlement = { kind: isStarted ? 'not-reported' : 'not-claimed' } as const;
      endCall(runtime, call, settlement).catch((error: unknown) =>
        runtime.report(error, `failed to end ${toolName}`, { worldId, invocationId: id }),
      );
    };
    timers.get(id)?.();
    if (limit <= now) expire();
    else timers.set(id, clock.after(limit - now, expire, { background: true }));
  }

  return {
    openSession: limitSessions(() => runtimeOf().clock),
    attend(id) {
      const listener = listenerOf(id);
      listener.requests += 1;
      return (isPending) => {
        listener.requests -= 1;
        listener.lastAsked = runtimeOf().clock.now();
        if (!isPending && listener.requests === 0) listeners.delete(id);
      };
    },
    expectResume(id) {
      listenerOf(id).waitsForDays = true;
    },
    isAbandoned,
    isDeferred: (id) => listeners.get(id)?.waitsForDays === true,
    forget,
    async watch(call) {
      try {
        await start(call);
      } catch (error) {
        const { worldId, id: invocationId, toolName } = call;
        runtimeOf().report(error, `failed to watch ${toolName}`, { worldId, invocationId });
      }
    },
    async load() {
      for (const call of await openCalls(runtimeOf(), 'program')) await start(call);
    },
    close() {
      isClosed = true;
      for (const cancel of timers.values()) cancel();
      timers.clear();
      listeners.clear();
    },
  };
}
