import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { errorMessage } from '@countersign/core/ports';

/** Finds the lines that match. */
export interface LineMatcher {
  /** Indexes into `lines`. Rejects with a readable error if the pattern takes too long. */
  matching(lines: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

export function literalMatcher(text: string, ignoreCase: boolean): LineMatcher {
  const wanted = ignoreCase ? text.toLowerCase() : text;
  return {
    matching: (lines) =>
      Promise.resolve(
        lines.flatMap((line, index) => ((ignoreCase ? line.toLowerCase() : line).includes(wanted) ? [index] : [])),
      ),
    close: () => Promise.resolve(),
  };
}

/** Plain JavaScript, because the worker runs this source unchanged. */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', (lines) => {
  parentPort.postMessage(lines.flatMap((line, index) => (pattern.test(line) ? [index] : [])));
});
`;

/**
 * Runs a regular expression in a worker: catastrophic backtracking can only be stopped by terminating the thread.
 * `limitMs` is the total time for all searches.
 */
export function regexMatcher(source: string, ignoreCase: boolean, limitMs: number): LineMatcher {
  const flags = ignoreCase ? 'iu' : 'u';
  const worker = new Worker(WORKER, { eval: true, workerData: { source, flags }, env: {}, stdin: false });
  let left = limitMs;
  return {
    async matching(lines) {
      const started = performance.now();
      const signal = AbortSignal.timeout(Math.max(1, Math.ceil(left)));
      worker.postMessage(lines, []);
      try {
        const [found] = (await once(worker, 'message', { signal })) as [number[]];
        return found;
      } catch (error) {
        if (!signal.aborted) throw error;
        throw new Error(`the search took longer than ${limitMs / 1000} seconds; try a simpler pattern`, {
          cause: error,
        });
      } finally {
        left -= performance.now() - started;
      }
    },
    async close() {
      await worker.terminate();
    },
  };
}

/** Why a pattern is not a valid regular expression, or undefined. */
export function regexProblem(source: string): string | undefined {
  try {
    RegExp(source, 'u');
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
