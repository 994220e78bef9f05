import { createRequire } from 'node:module';
import type { Engine, Measured } from '@countersign/core';
import type * as Prometheus from 'prom-client';
import { feedsOf } from '../streams/feeds.js';
import { readLoad } from './read-load.js';

/** What is counted of a server, for whoever watches it. Nothing that was said or done is in it, only how much and how long. */
export interface Metrics {
  measured(what: Measured): void;
  /** In the text form of Prometheus. */
  read(engine: Engine): Promise<{ type: string; text: string }>;
}

/** What happened before anybody asked; more than this is dropped, so that a server nobody scrapes does not grow. */
const MOST_KEPT = 10_000;

/** Seconds: tools and models take from a blink to minutes. */
const BUCKETS = [0.005, 0.02, 0.1, 0.3, 1, 3, 10, 30, 60, 120, 300];

const require = createRequire(import.meta.url);

export function createMetrics(): Metrics {
  let early: Measured[] = [];
  let counters: Counters | undefined;

  /** Loaded when somebody first asks: who never does need not wait for it at the start. */
  function countersNow(): Counters {
    if (counters !== undefined) return counters;
    counters = createCounters(require('prom-client') as typeof Prometheus);
    for (const what of early) counters.count(what);
    early = [];
    return counters;
  }

  return {
    measured(what) {
      if (counters !== undefined) counters.count(what);
      else if (early.length < MOST_KEPT) early.push(what);
      else countersNow().count(what);
    },
    async read(engine) {
      const now = countersNow();
      now.set(await readLoad(engine), feedsOf(engine).count());
      return { type: now.registry.contentType, text: await now.registry.metrics() };
    },
  };
}

interface Counters {
  registry: Prometheus.Registry;
  count(what: Measured): void;
  set(load: Awaited<ReturnType<typeof readLoad>>, streams: number): void;
}

function createCounters({ Counter, Gauge, Histogram, Registry, collectDefaultMetrics }: typeof Prometheus): Counters {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string): Prometheus.Gauge =>
    new Gauge({ name: `countersign_${name}`, help, registers });
  const turns = new Counter({
    name: 'countersign_turns_total',
    help: 'Turns that ended in this process, by how they ended',
    labelNames: ['outcome'],
    registers,
  });
  const tools = new Histogram({
    name: 'countersign_tool_seconds',
    help: 'How long tools ran in this process',
    labelNames: ['tool', 'outcome'],
    buckets: BUCKETS,
    registers,
  });
  const models = new Histogram({
    name: 'countersign_model_seconds',
    help: 'How long models took to answer this process',
    labelNames: ['provider', 'outcome'],
    buckets: BUCKETS,
    registers,
  });
  const approvals = gauge('approvals_waiting', 'Approvals and questions that wait for a person, in the whole store');
  const queued = gauge('turns_queued', 'Turns that could go on and that no living process runs, in the whole store');
  const age = gauge('turns_queued_oldest_seconds', 'Age of the oldest of them');
  const running = gauge('turns_running', 'Turns that a living process runs, in the whole store');
  const streams = gauge('sse_clients', 'Event streams that are open in this process');
  const processes = gauge('processes_alive', 'Processes on the store that were heard of lately');

  return {
    registry,
    count(what) {
      switch (what.kind) {
        case 'turn':
          turns.inc({ outcome: what.outcome });
          break;
        case 'tool':
          tools.observe({ tool: familyOf(what.tool), outcome: what.outcome }, what.ms / 1_000);
          break;
        case 'model':
          models.observe({ provider: what.provider, outcome: what.outcome }, what.ms / 1_000);
          break;
      }
    },
    set(load, open) {
      approvals.set(load.waitingApprovals);
      queued.set(load.queued);
      age.set(load.oldestMs / 1_000);
      running.set(load.running);
      processes.set(load.processes);
      streams.set(open);
    },
  };
}

/** Names that servers and clients give are theirs, and without end: each would be a series of its own for ever. */
function familyOf(tool: string): string {
  if (tool.startsWith('mcp__')) return 'mcp';
  return tool.startsWith('app__') ? 'client' : tool;
}
