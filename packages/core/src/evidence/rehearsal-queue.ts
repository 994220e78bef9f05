import type { Rehearsals } from '../ports/index.js';
import { onAbort } from '../ports/until-aborted.js';

/** Each rehearsal is a sandbox with its own processes. */
const MAX_AT_ONCE = 4;
/** One agent can't keep the others waiting. */
const MAX_PER_AGENT = 2;
/** Agents whose latest rehearsal is remembered. */
const MAX_REMEMBERED = 1000;

/** The rehearsals that run now, by agent, and those that wait. */
export interface RehearsalQueue {
  /** Resolves when it may start. The returned function must be called at the end. Rejects if the signal aborts first. */
  takeTurn(agentId: string, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly agentId: string;
  start(): void;
}

const queues = new WeakMap<Rehearsals, RehearsalQueue>();

/** The queue in which the rehearsals of this tool wait. */
export function queueOf(rehearsals: Rehearsals): RehearsalQueue {
  const queue = queues.get(rehearsals) ?? createRehearsalQueue();
  queues.set(rehearsals, queue);
  return queue;
}

/** When a rehearsal ends, the next is of an agent with the fewest running ones, and of these the one whose latest rehearsal began first. */
export function createRehearsalQueue(): RehearsalQueue {
  const running: string[] = [];
  const waiting: Waiting[] = [];
  /** The agents that started one, least recent first. */
  const recent = new Set<string>();
  const countOf = (agentId: string): number => running.filter((one) => one === agentId).length;
  const isFree = (agentId: string): boolean => running.length < MAX_AT_ONCE && countOf(agentId) < MAX_PER_AGENT;

  const start = (agentId: string): void => {
    running.push(agentId);
    recent.delete(agentId);
    recent.add(agentId);
    const [oldest] = recent;
    if (recent.size > MAX_REMEMBERED && oldest !== undefined) recent.delete(oldest);
  };

  const leave = (agentId: string): void => {
    running.splice(running.indexOf(agentId), 1);
    const turns = [...recent];
    const turnOf = (agentId: string): number => turns.indexOf(agentId);
    const [next] = waiting
      .filter((one) => isFree(one.agentId))
      .toSorted((a, b) => countOf(a.agentId) - countOf(b.agentId) || turnOf(a.agentId) - turnOf(b.agentId));
    if (next === undefined) return;
    waiting.splice(waiting.indexOf(next), 1);
    start(next.agentId);
    next.start();
  };

  return {
    async takeTurn(agentId, signal) {
      // Nobody would take it out of the queue: a signal that has aborted calls nobody.
      if (signal.aborted) throw new Error('stopped');
      if (isFree(agentId)) start(agentId);
      else {
        await new Promise<void>((resolve, reject) => {
          const one: Waiting = {
            agentId,
            start() {
              forget();
              resolve();
            },
          };
          const forget = onAbort(signal, () => {
            waiting.splice(waiting.indexOf(one), 1);
            reject(new Error('stopped'));
          });
          waiting.push(one);
        });
      }
      let isOver = false;
      return () => {
        if (!isOver) leave(agentId);
        isOver = true;
      };
    },
  };
}
