import type { Clock } from '@countersign/core/ports';

/** Something that runs and has a health check. */
export interface Runs {
  readonly workingDirectory: string;
  /** Rejects if it doesn't respond. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface KeepRunningOptions<R extends Runs> {
  clock: Clock;
  /** Delay after the first failure; doubled after each further failure. */
  firstPauseMs: number;
  healthMs: number;
  /** Calls `ended` if the server ends without being stopped. The signal is aborted when nobody needs the server anymore. */
  start(workingDirectory: string | undefined, signal: AbortSignal, ended: () => void): Promise<R>;
  /** Turns an error into a message for a person. */
  explain(error: unknown): string;
  /** Called when the server starts running or fails. */
  onChange(): void;
}

export interface Keeper<R extends Runs> {
  current(): R | undefined;
  state(): { status: 'idle' | 'starting' | 'running' } | { status: 'failed'; error: string };
  /** Starts the server if needed, in this folder if one is given; after a failure, waits for the delay. Rejects with a readable error. */
  get(workingDirectory?: string): Promise<R>;
  /** True if callers should not wait: the server failed and the next attempt is not due, or the current attempt takes longer than this. */
  isStuck(ms: number): boolean;
  /** Called when a call succeeded, to forget earlier failures. */
  proven(): void;
  /** Called when a call failed suspiciously, to check the server's health immediately. */
  doubt(): void;
  /** Stops the server, or the attempt to start it, and clears its failures. It starts again when needed. */
  stop(): Promise<void>;
}

const LONGEST_PAUSE_MS = 60_000;
/** The number of automatic retries in a row; after that, the server starts only when needed. */
const MAX_TRIES = 5;
/** A server that ran for this long has started successfully. */
const SETTLED_MS = 10_000;

/** Starts something on demand, detects when it dies and restarts it with exponential backoff. */
export function keepRunning<R extends Runs>(options: KeepRunningOptions<R>): Keeper<R> {
  const { clock } = options;
  let current: { runs: R; since: number } | undefined;
  /** The run whose health is being checked, so that only one check runs at a time. */
  let doubted: typeof current;
  let starting: { promise: Promise<R>; controller: AbortController } | undefined;
  let error: string | undefined;
  let failures = 0;
  let retryAt = 0;
  let triedAt = 0;
  let cancelRetry = (): void => undefined;
  let cancelHealth = (): void => undefined;

  async function get(workingDirectory?: string): Promise<R> {
    // The sandbox and the root belong to a different folder, so restart.
    if (current !== undefined && (workingDirectory ?? current.runs.workingDirectory) !== current.runs.workingDirectory)
      await end();
    if (current !== undefined) return current.runs;
    if (starting === undefined) {
      const controller = new AbortController();
      const promise = start(workingDirectory, controller.signal).finally(() => {
        if (starting?.promise === promise) starting = undefined;
      });
      starting = { promise, controller };
    }
    return await starting.promise;
  }

  async function start(workingDirectory: string | undefined, signal: AbortSignal): Promise<R> {
    cancelRetry();
    triedAt = Math.max(retryAt, clock.now());
    await pause(clock, triedAt - clock.now(), signal);
    try {
      const life: { runs?: R; over: boolean } = { over: false };
      const runs = await options.start(workingDirectory, signal, () => {
        life.over = true;
        lost(life.runs);
      });
      if (life.over) throw new Error('it stopped right after it started');
      if (signal.aborted) {
        await runs.close();
        throw new Error('it was stopped');
      }
      life.runs = runs;
      current = { runs, since: clock.now() };
      error = undefined;
      watchHealth();
      options.onChange();
      return runs;
    } catch (cause) {
      throw signal.aborted ? new Error('it was stopped') : failed(cause);
    }
  }

  function lost(which: R | undefined): void {
    if (which === undefined || current?.runs !== which) return;
    if (clock.now() - current.since > SETTLED_MS) failures = 0;
    current = undefined;
    cancelHealth();
    failed(new Error('it stopped unexpectedly'));
  }

  function failed(cause: unknown): Error {
    failures += 1;
    const pauseMs = Math.min(options.firstPauseMs * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    retryAt = clock.now() + pauseMs;
    error = options.explain(cause);
    cancelRetry();
    // In the background: an idle server must not keep the process alive.
    if (failures <= MAX_TRIES)
      cancelRetry = clock.after(pauseMs, () => void get().catch(() => undefined), { background: true });
    options.onChange();
    return new Error(error);
  }

  function watchHealth(): void {
    cancelHealth();
    cancelHealth = clock.after(options.healthMs, () => void checkHealth(), { background: true });
  }

  async function checkHealth(): Promise<void> {
    const checked = current;
    if (checked === undefined) return;
    try {
      await checked.runs.check();
      if (current === checked) watchHealth();
    } catch {
      if (current !== checked) return;
      current = undefined;
      await checked.runs.close();
      failed(new Error('it stopped responding'));
    }
  }

  async function end(): Promise<void> {
    cancelRetry();
    cancelHealth();
    const last = current;
    current = undefined;
    await last?.runs.close();
  }

  return {
    current: () => current?.runs,
    state() {
      if (current !== undefined) return { status: 'running' };
      if (error !== undefined) return { status: 'failed', error };
      return { status: starting === undefined ? 'idle' : 'starting' };
    },
    get,
    isStuck(ms) {
      if (current !== undefined) return false;
      const now = clock.now();
      return now < retryAt || (starting !== undefined && now - triedAt > ms);
    },
    proven() {
      failures = 0;
    },
    doubt() {
      if (doubted !== undefined && doubted === current) return;
      const asked = current;
      doubted = asked;
      void checkHealth().finally(() => {
        if (doubted === asked) doubted = undefined;
      });
    },
    async stop() {
      const attempt = starting;
      attempt?.controller.abort();
      await attempt?.promise.catch(() => undefined);
      await end();
      error = undefined;
      failures = 0;
      retryAt = 0;
    },
  };
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await new Promise<void>((resolve) => {
    const cancel = clock.after(ms, resolve);
    signal.addEventListener('abort', () => {
      cancel();
      resolve();
    });
  });
  if (signal.aborted) throw new Error('it was stopped');
}
