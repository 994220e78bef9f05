import type { Clock } from '@countersign/core/ports';

/** Something that runs and can be asked whether it still does. */
export interface Runs {
  readonly workingDirectory: string;
  /** Rejects when it does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface KeepRunningOptions<R extends Runs> {
  clock: Clock;
  /** After the first failure; twice as long after each further one. */
  firstPauseMs: number;
  healthMs: number;
  /** `ended` is to be called when it ends by itself. The signal fires when nobody wants it any more. */
  start(workingDirectory: string | undefined, signal: AbortSignal, ended: () => void): Promise<R>;
  /** What went wrong, put in words for a person. */
  explain(error: unknown): string;
  /** It runs now, or has failed. */
  moved(): void;
}

export interface Keeper<R extends Runs> {
  current(): R | undefined;
  state(): { status: 'idle' | 'starting' | 'running' } | { status: 'failed'; error: string };
  /** Starts it if need be, in this folder if one is given; after a failure not before the pause is over. Rejects with words. */
  get(workingDirectory?: string): Promise<R>;
  /** Nobody should wait for it: it failed and is not tried again yet, or the try has lasted longer than this. */
  isStuck(ms: number): boolean;
  /** It did what it is for: what failed before no longer counts. */
  proven(): void;
  /** It did something odd: looks at once whether it still answers. */
  doubt(): void;
  /** Ends it, or the try to start it, and forgets what failed. It is started again when it is next needed. */
  stop(): Promise<void>;
}

const LONGEST_PAUSE_MS = 60_000;
/** Tries in a row without anybody asking; after that it is started only when it is needed. */
const MOST_TRIES = 5;
/** One that lived so long has not failed to start. */
const SETTLED_MS = 10_000;

/** Starts something when it is needed, notices when it dies, and starts it again, more and more slowly if it keeps dying. */
export function keepRunning<R extends Runs>(options: KeepRunningOptions<R>): Keeper<R> {
  const { clock } = options;
  let current: { runs: R; since: number } | undefined;
  /** Being looked at because of a doubt: what it says meanwhile, however much, is no further one. */
  let doubted: typeof current;
  let starting: { promise: Promise<R>; controller: AbortController } | undefined;
  let error: string | undefined;
  let failures = 0;
  let retryAt = 0;
  let triedAt = 0;
  let cancelRetry = (): void => undefined;
  let cancelHealth = (): void => undefined;

  async function get(workingDirectory?: string): Promise<R> {
    // Its sandbox and its root are another folder.
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
      if (life.over) throw new Error('it ended as soon as it was there');
      if (signal.aborted) {
        await runs.close();
        throw new Error('it was stopped');
      }
      life.runs = runs;
      current = { runs, since: clock.now() };
      error = undefined;
      watchHealth();
      options.moved();
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
    failed(new Error('it ended by itself'));
  }

  function failed(cause: unknown): Error {
    failures += 1;
    const pauseMs = Math.min(options.firstPauseMs * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    retryAt = clock.now() + pauseMs;
    error = options.explain(cause);
    cancelRetry();
    // In the background: a server that nobody needs right now is no reason to keep a process alive.
    if (failures <= MOST_TRIES)
      cancelRetry = clock.after(pauseMs, () => void get().catch(() => undefined), { background: true });
    options.moved();
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
      failed(new Error('it no longer answers'));
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
      const begun = starting;
      begun?.controller.abort();
      await begun?.promise.catch(() => undefined);
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
