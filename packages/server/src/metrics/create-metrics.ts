import type { Engine, Measured } from '@countersign/core';
import type * as Prometheus from 'prom-client';
import { feedsOf } from '../streams/feeds.js';
import { queueFeedOf } from '../streams/queue-feed.js';
import { readLoad } from './read-load.js';

/** Metrics for operators: only counts and durations, no content. */
export interface Metrics {
  measured(what: Measured): void;
  /** In the Prometheus text format. */
  read(engine: Engine): Promise<{ type: string; text: string }>;
}

/** The number of measurements buffered before the first scrape. At this limit, they are counted, so that memory doesn't keep growing. */
const MAX_BUFFERED = 10_000;

/** In seconds: tools and models take from milliseconds to minutes. */
const BUCKETS = [0.005, 0.02, 0.1, 0.3, 1, 3, 10, 30, 60, 120, 300];

export function createMetrics(): Metrics {
  let buffered: Measured[] = [];
  let counters: Counters | undefined;

  /** Loads prom-client on first use, to keep it out of the startup time. */
  async function load(): Promise<Counters> {
    const library = await import('prom-client');
    counters ??= createCounters(library);
    for (const what of buffered) counters.count(what);
    buffered = [];
    return counters;
  }

  return {
    measured(what) {
      if (counters !== undefined) counters.count(what);
      else if (buffered.push(what) === MAX_BUFFERED) void load();
    },
    async read(engine) {
      const now = counters ?? (await load());
      now.set(await readLoad(engine), feedsOf(engine).count() + queueFeedOf(engine).count());
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
    help: 'Turns that ended in this process, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const tools = new Histogram({
    name: 'countersign_tool_seconds',
    help: 'Duration of tool calls in this process',
    labelNames: ['tool', 'outcome'],
    buckets: BUCKETS,
    registers,
  });
  const models = new Histogram({
    name: 'countersign_model_seconds',
    help: 'Duration of model calls in this process',
    labelNames: ['provider', 'outcome'],
    buckets: BUCKETS,
    registers,
  });
  const approvals = gauge('approvals_waiting', 'Approvals and questions waiting for a person, in the whole store');
  const queued = gauge('turns_queued', 'Turns that are ready but not running in any live process, in the whole store');
  const age = gauge('turns_queued_oldest_seconds', 'Age of the oldest queued turn');
  const running = gauge('turns_running', 'Turns running in a live process, in the whole store');
  const streams = gauge('sse_clients', 'Open event streams in this process');
  const processes = gauge('processes_alive', 'Live processes on the store');

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

/**
 * Replaces the names of tools from MCP servers and clients with one label per kind: names are unbounded, and each label value creates a time series.
 */
function familyOf(tool: string): string {
  if (tool.startsWith('mcp__')) return 'mcp';
  return tool.startsWith('app__') ? 'client' : tool;
}
