import { emptyChat, has, reduceChat, type ChatState, type List, type LiveStream } from '@countersign/client';
import { listApprovals, listMessages } from '@countersign/core';
import type { Approval, Chat, Message, WorldEvent } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { change, prelude, settings, talk } from '../../packages/countersign/src/testing/lab-arbitraries.js';
import { finish, perform, type Command } from '../../packages/countersign/src/testing/lab-commands.js';
import { closeLab, openBench, openLab, type Lab } from '../../packages/countersign/src/testing/lab.js';
import { comparableChat } from './comparable.js';
import { runsFactor } from '../support/scaled.js';

const RUNS = Math.ceil(50 * runsFactor);

/** What a server would have returned at one moment. */
interface Snapshot {
  /** Number of events published so far. */
  at: number;
  chat: Chat;
  messages: readonly Message[];
  approvals: readonly Approval[];
}

/** Something that happens between a view and its server. Numbers select one of the available items. */
type Happening =
  | { do: 'load'; from: number; chat: number; messages: number; approvals: number; page: number }
  | { do: 'hear'; count: number }
  /** A disconnect: some events are repeated, and chunks are lost. */
  | { do: 'cut'; back: number }
  | { do: 'older'; snapshot: number; page: number };

const nat = fc.nat(1000);
const page = fc.integer({ min: 1, max: 12 });
const load = fc.record({ do: fc.constant('load' as const), from: nat, chat: nat, messages: nat, approvals: nat, page });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { arbitrary: load, weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('hear' as const), count: fc.nat(12) }), weight: 5 },
  { arbitrary: fc.record({ do: fc.constant('cut' as const), back: fc.nat(8) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('older' as const), snapshot: nat, page }), weight: 2 },
);
type Story = { first: Happening & { do: 'load' }; rest: readonly Happening[]; until: number };
const story: fc.Arbitrary<Story> = fc.record({
  first: load,
  rest: fc.array(happening, { maxLength: 14 }),
  until: fc.nat(6),
});

describe('the reducer', () => {
  it(
    '[STORE6] [WORLD1] [CALL12] ends in the same state as a fresh load, after any disconnect, repetition, reset or late load',
    async () => {
      const commands = fc.array(fc.oneof(...talk, ...change), { maxLength: 14 });
      const stories = fc.array(story, { minLength: 4, maxLength: 8 });
      let compared = 0;
      let waiting = 0;
      const property = fc.asyncProperty(settings, prelude, commands, stories, fc.boolean(), async (...drawn) => {
        const [limits, first, list, told, approve] = drawn;
        const lab = await openLab(await openBench(limits));
        try {
          const snapshots = await live(lab, [...first, ...list], approve);
          for (const each of told) {
            // Compared at the end or at any earlier moment, with waiting approvals and running calls.
            const seen = snapshots.slice(0, snapshots.length - (each.until % snapshots.length));
            const last = seen.at(-1);
            if (last === undefined) throw new Error('nothing was seen');
            compare(lab, each, seen, last);
            compared += 1;
            if (last.approvals.length > 1) waiting += 1;
          }
        } finally {
          await closeLab(lab);
          await lab.store.close();
        }
      });
      await fc.assert(property, { numRuns: RUNS });
      expect(compared).toBeGreaterThanOrEqual(4 * RUNS);
      // Otherwise the order of the queue was not tested.
      expect(waiting).toBeGreaterThan(RUNS / 10);
    },
    120_000 * Math.max(1, runsFactor),
  );
});

function compare(lab: Lab, told: Story, seen: readonly Snapshot[], last: Snapshot): void {
  const events = lab.heard.flat().slice(0, last.at);
  const fresh = loadAt(lab, last.at, events, last, last, last, Infinity);
  const state = view(lab, told, seen, events);
  // A streaming answer is received, not loaded.
  expect(comparableChat({ ...state, streams: [] })).toEqual(comparableChat(fresh));
  const isOver = ({ messageId }: LiveStream): boolean =>
    last.chat.status !== 'working' || has(state.messages, messageId);
  expect(state.streams.filter(isOver)).toEqual([]);
  expect(state.queue).toEqual(last.approvals.map(({ approvalId }) => approvalId));
}

/** Runs commands in the first chat, with a snapshot after each. */
async function live(lab: Lab, commands: readonly Command[], approve: boolean): Promise<Snapshot[]> {
  const snapshots: Snapshot[] = [];
  const look = async (): Promise<void> => {
    snapshots.push(await lookAt(lab));
  };
  await look();
  await perform(lab, { do: 'send', chat: 0, to: 'ada', again: false, ticks: 'all' });
  for (const command of commands) {
    await perform(lab, command);
    await look();
  }
  await finish(lab, (at) => (at % 2 === 0) === approve);
  await look();
  return snapshots;
}

/** A snapshot is one transaction. Events are counted before it, because later ones aren't in it. */
async function lookAt(lab: Lab): Promise<Snapshot> {
  const { runtime } = lab.engine;
  const [chatId] = lab.chatIds;
  for (;;) {
    const at = lab.heard.flat().length;
    const record = await lab.store.read((reader) => reader.chat(chatId));
    const messages = await listMessages(runtime, chatId, { limit: 100_000 });
    const approvals = await listApprovals(runtime, lab.worldId, { status: 'pending', chatId });
    const lastEventId = await lab.store.read((reader) => reader.lastEventId(lab.worldId));
    if (lab.heard.flat().length !== at || record === undefined) continue;
    const { id, title, status, createdAt } = record;
    const chat: Chat = { id, title, status, createdAt: new Date(createdAt).toISOString(), lastEventId };
    return { at, chat, messages, approvals };
  }
}

/** A load whose parts were answered at different moments, all after the stream was at `from`. */
function loadAt(
  lab: Lab,
  from: number,
  events: readonly WorldEvent[],
  chat: Snapshot,
  messages: Snapshot,
  approvals: Snapshot,
  size: number,
  state: ChatState = emptyChat(lab.worldId, lab.chatIds[0]),
): ChatState {
  return reduceChat(state, {
    type: 'loaded',
    position: events[from - 1]?.id ?? 0,
    chat: chat.chat,
    messages: {
      ...pageOf(messages.messages, messages.messages.length, size),
      lastEventId: messages.chat.lastEventId ?? 0,
    },
    approvals: approvals.approvals,
    agents: [],
  });
}

function pageOf(messages: readonly Message[], before: number, size: number): List<Message> {
  const start = Math.max(0, before - size);
  return { items: messages.slice(start, before), ...(start === 0 ? {} : { next: String(start) }) };
}

/** The lifetime of one view: the same events and responses in random order. */
function view(
  lab: Lab,
  { first, rest }: Story,
  snapshots: readonly Snapshot[],
  events: readonly WorldEvent[],
): ChatState {
  let state = emptyChat(lab.worldId, lab.chatIds[0]);
  let next = 0;
  let loadedAt = 0;
  /** The latest moment at which the server answered. */
  let answeredAt = 0;
  const pick = (number: number, least: number): Snapshot => {
    const possible = snapshots.filter(({ at }) => at >= least);
    const found = possible[number % possible.length];
    if (found === undefined) throw new Error('no look was taken so late');
    return found;
  };
  const hear = (count: number, isReplay = false): void => {
    for (const event of events.slice(next, next + count)) {
      if (isReplay && (event.event === 'sse' || event.event === 'tool-output')) continue;
      state = reduceChat(state, { type: 'event', event });
    }
    next = Math.min(events.length, next + count);
  };
  const addOlder = (snapshot: number, size: number): void => {
    const { older } = state;
    if (older.kind !== 'more') return;
    const before = Number(older.before);
    // A server's response includes at least what it has already published.
    const { messages, at } = pick(snapshot, Math.max(next, answeredAt));
    answeredAt = at;
    state = reduceChat(reduceChat(state, { type: 'older-asked' }), {
      type: 'older',
      messages: pageOf(messages, before, size),
    });
  };
  const reload = (wanted: Happening & { do: 'load' }): void => {
    const from = wanted.from % (events.length + 1);
    const [chat, messages] = [pick(wanted.chat, from), pick(wanted.messages, from)];
    const approvals = pick(wanted.approvals, messages.at);
    state = loadAt(lab, from, events, chat, messages, approvals, wanted.page, state);
    next = from;
    answeredAt = Math.max(chat.at, messages.at, approvals.at);
    loadedAt = from;
  };
  reload(first);
  for (const happens of rest) {
    switch (happens.do) {
      case 'load':
        reload(happens);
        break;
      case 'hear':
        hear(happens.count);
        break;
      case 'cut': {
        const back = Math.min(happens.back, next - loadedAt);
        next -= back;
        hear(back, true);
        break;
      }
      case 'older':
        addOlder(happens.snapshot, happens.page);
        break;
    }
  }
  hear(events.length);
  while (state.older.kind === 'more') addOlder(snapshots.length - 1, 7);
  return state;
}
