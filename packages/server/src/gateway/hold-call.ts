import type { Engine } from '@countersign/core';
import { onAbort, type CallRecord } from '@countersign/core/ports';

/** How often to look for changes that other processes made. */
const LOOK_MS = 1_000;
/** How often the client hears that the call still waits. */
const TELL_MS = 5_000;

export interface Hold {
  engine: Engine;
  call: Pick<CallRecord, 'id' | 'worldId'>;
  /** Abort when the client cancels or disconnects. Not one combined signal: on Node 20, its sources may be garbage-collected. */
  stops: readonly AbortSignal[];
  limitMs: number;
  /** Called while a person must decide and while the call runs: at once, and then every few seconds. */
  onState: (state: 'waiting' | 'running', call: CallRecord) => void;
  /** Called with the output of the running tool. */
  onOutput: (text: string) => void;
}

/** `gone`: the client doesn't wait anymore, or the server shuts down. `late`: the limit has passed. The call itself isn't affected. */
export type Held = { kind: 'settled'; call: CallRecord; result: string } | { kind: 'late' } | { kind: 'gone' };

/** Waits until a call has its result. Neither the end of this wait nor a second one starts or stops anything. */
export async function holdCall({
  engine,
  call: { id, worldId },
  stops,
  limitMs,
  onState,
  onOutput,
}: Hold): Promise<Held> {
  const { store, clock, bus } = engine.runtime;
  const limit = clock.now() + limitMs;
  let wake = (): void => undefined;
  const unsubscribe = bus.subscribe(worldId, ({ event, data }) => {
    if (event === 'tool-output' && data.invocation_id === id) onOutput(data.content);
    if (event === 'tool' && data.invocation_id === id) wake();
  });
  const all = [...stops, engine.closing];
  const unlisten = all.map((signal) => onAbort(signal, () => wake()));
  try {
    for (let told = { at: -Infinity, state: '' }; ;) {
      // Created before reading: a change in between must not be missed.
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (all.some(({ aborted }) => aborted)) return { kind: 'gone' };
      const call = await store.read((reader) => reader.invocation(id));
      if (call === undefined) return { kind: 'gone' };
      if (call.result !== null && call.settledAt !== null) return { kind: 'settled', call, result: call.result };
      const now = clock.now();
      if (now >= limit) return { kind: 'late' };
      const state = stateOf(call);
      if (state !== undefined && (state !== told.state || now - told.at >= TELL_MS)) {
        told = { at: now, state };
        onState(state, call);
      }
      const cancel = clock.after(LOOK_MS, () => wake(), { background: true });
      await changed;
      cancel();
    }
  } finally {
    unsubscribe();
    for (const end of unlisten) end();
  }
}

/** Undefined for a call that was allowed and hasn't started yet, or that has just ended. */
function stateOf({ status }: CallRecord): 'waiting' | 'running' | undefined {
  if (status === 'asked') return 'waiting';
  return status === 'started' ? 'running' : undefined;
}
