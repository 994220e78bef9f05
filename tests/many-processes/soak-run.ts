import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { ClientError, isTransient, type Client } from '@countersign/client';
import type { Message } from '@countersign/protocol';
import type { ServerFarm } from './servers-fixture.js';
import { watchWorld, type Watch } from './watch-world.js';

export interface SoakPlan {
  turns: number;
  chats: number;
  /** How often a random server is killed and restarted. 0 means never. */
  killEveryMs: number;
  /** The run gives up after this time. */
  limitMs: number;
}

export interface SoakReport {
  turns: number;
  seconds: number;
  kills: number;
  /** How often the continuously read stream was cut. */
  cuts: number;
  events: number;
  /** Calls whose end was not observed, reported as unknown. */
  unknown: number;
  /** Turns whose process was killed twice: they end with an error (STORE3). */
  givenUp: number;
  /** From the decision to the answer, in milliseconds. */
  answerMs: { median: number; p99: number; longest: number };
}

/** Longer than any answer takes on a busy machine, and short enough to see which one is missing. */
const ANSWER_MS = 60_000;
const START_MS = 120_000;

export async function inTime<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const over = new AbortController();
  const late = after(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what} within ${ms} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

/** Retries until it works: the server may just have been killed. Only transient errors are retried. */
async function persist<T>(farm: ServerFarm, until: number, work: (client: Client) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await inTime(work(farm.any()), ANSWER_MS, 'a server gave no answer');
    } catch (error) {
      const passes = !(error instanceof ClientError) || isTransient(error);
      if (!passes || Date.now() > until) throw error;
      await after(50);
    }
  }
}

/** Polls any server that answers until there is a result. */
async function awaitSome<T>(
  farm: ServerFarm,
  until: number,
  work: (client: Client) => Promise<T | undefined>,
  what: string,
): Promise<T> {
  for (;;) {
    const found = await persist(farm, until, work);
    if (found !== undefined) return found;
    if (Date.now() > until) throw new Error(`${what}: it did not come in time`);
    await after(100);
  }
}

export async function soak(farm: ServerFarm, plan: SoakPlan): Promise<SoakReport> {
  const startedAt = Date.now();
  const until = startedAt + plan.limitMs;
  const { id: worldId } = await persist(farm, until, (client) =>
    client.createWorld({ name: `Post ${randomUUID().slice(0, 8)}` }),
  );
  await persist(farm, until, (client) =>
    client.createAgent(worldId, { name: 'Clerk', provider: 'stamping', model: 'm', tools: ['*'] }),
  );
  const answerTimes: number[] = [];
  let unknown = 0;
  let givenUp = 0;

  async function takeTurn(chatId: string, key: string): Promise<void> {
    const message = { content: `Please stamp ${key}`, clientMessageId: randomUUID() };
    const { messageId } = await persist(farm, until, (client) => client.send(worldId, chatId, message));
    const approval = await awaitSome(
      farm,
      until,
      async (client) => {
        const { items } = await client.approvals(worldId, { chat: chatId });
        if (items[0] !== undefined) return items[0];
        // A turn that was killed too often ends with an error and requests nothing.
        return (await answersTo(client, worldId, chatId, messageId)).length > 0 ? 'ended' : undefined;
      },
      `the question about ${key}`,
    );
    const decided = Date.now();
    if (approval !== 'ended') {
      // Sent to all of them: at least one survives and receives it, and it counts once (CALL8).
      const decide = async (client: Client): Promise<void> => {
        try {
          await client.decide(worldId, approval, { decision: 'approve' });
        } catch (error) {
          // The first attempt counted, and only its response was lost.
          if (!(error instanceof ClientError) || error.status !== 409) throw error;
        }
      };
      const alive = farm.servers.filter((server) => server !== undefined);
      await Promise.allSettled(alive.map((server) => inTime(decide(server.client), ANSWER_MS, 'a decision')));
      await persist(farm, until, decide);
    }
    const [answer] = await awaitSome(
      farm,
      until,
      async (client) => {
        const answers = await answersTo(client, worldId, chatId, messageId);
        return answers.length > 0 ? answers : undefined;
      },
      `the answer about ${key}`,
    );
    answerTimes.push(Date.now() - decided);
    if (answer?.role === 'system') givenUp += 1;
    else if (answer?.content.includes('false') === true) unknown += 1;
  }

  const perChat = Math.ceil(plan.turns / plan.chats);
  const chats = Array.from({ length: plan.chats }, async (_, index) => {
    const { id: chatId } = await persist(farm, until, (client) => client.createChat(worldId));
    for (let turn = 0; turn < perChat; turn += 1) await takeTurn(chatId, `letter-${index}-${turn}`);
    return chatId;
  });
  const killer = startKiller(farm, plan.killEveryMs);
  const watch = watchWorld(farm, worldId, 0, 1_000);
  const ending = async (): Promise<void> => {
    await killer.stop();
    await inTime(watch.stop(), ANSWER_MS, `the stream did not end, after ${watch.log.join(', ')},`);
  };
  let report: SoakReport;
  try {
    const chatIds = await Promise.all(chats);
    const kills = await killer.stop();
    for (const chatId of chatIds) await expectWhole(farm, until, worldId, chatId, perChat);
    expectOnce(farm, plan.chats * perChat, unknown + givenUp);
    await expectEveryEvent(farm, until, worldId, chatIds[0] ?? '', watch);
    const verdict = await persist(farm, until, (client) => client.verifyAudit(worldId));
    if (!verdict.ok) throw new Error(`the audit log is broken: ${JSON.stringify(verdict)}`);
    report = {
      turns: plan.chats * perChat,
      seconds: (Date.now() - startedAt) / 1000,
      kills,
      cuts: watch.cuts,
      events: watch.ids.length,
      unknown,
      givenUp,
      answerMs: distribution(answerTimes),
    };
  } catch (error) {
    // Report the first error, even if the cleanup fails too.
    await ending().catch(() => undefined);
    throw error;
  }
  await ending();
  return report;
}

async function answersTo(client: Client, world: string, chat: string, messageId: string): Promise<Message[]> {
  const { items } = await client.messages(world, chat, { newest: true, limit: 20 });
  return items.filter((said) => isAnswer(said, messageId));
}

/** From the agent, or from the system if the turn was given up. */
function isAnswer({ role, tool_calls, replyToMessageId }: Message, messageId: string): boolean {
  return (role === 'assistant' || role === 'system') && tool_calls === undefined && replyToMessageId === messageId;
}

/** Every message was answered once, and nothing waits. */
async function expectWhole(farm: ServerFarm, until: number, world: string, chat: string, turns: number): Promise<void> {
  const messages: Message[] = [];
  let after: string | undefined;
  do {
    const page = await persist(farm, until, (client) =>
      client.messages(world, chat, after === undefined ? {} : { after }),
    );
    messages.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  const asked = messages.filter(({ role }) => role === 'user');
  if (asked.length !== turns) throw new Error(`${chat}: ${asked.length} messages of ${turns}`);
  for (const { messageId } of asked) {
    const answers = messages.filter((said) => isAnswer(said, messageId));
    if (answers.length !== 1) throw new Error(`${chat}: ${messageId} was answered ${answers.length} times`);
  }
  await awaitSome(
    farm,
    until,
    async (client) => {
      const found = await client.chat(world, chat);
      return found.status === 'idle' ? found.status : undefined;
    },
    `${chat} idle`,
  );
}

/** A reader that was cut repeatedly and continued elsewhere has every event once and in order (STORE6). */
async function expectEveryEvent(
  farm: ServerFarm,
  until: number,
  world: string,
  chat: string,
  watch: Watch,
): Promise<void> {
  const last = await persist(farm, until, async (client) => (await client.messages(world, chat)).lastEventId ?? 0);
  const seen = (): Promise<true | undefined> => Promise.resolve((watch.ids.at(-1) ?? 0) >= last || undefined);
  await awaitSome(farm, until, seen, `event ${last}`).catch((error: unknown) => {
    throw new Error(`${String(error)}; ${watch.ids.length} came over ${watch.cuts} streams: ${watch.log.join(', ')}`);
  });
  if (watch.failure !== undefined) throw new Error(`the stream said: ${watch.failure}`);
  const wrong = watch.ids.findIndex((id, index) => id !== index + 1);
  if (wrong >= 0) throw new Error(`event ${wrong + 1} came as ${watch.ids.slice(wrong, wrong + 5).join(', ')}`);
}

/** No tool ran twice; runs that are missing were reported as unknown. */
function expectOnce(farm: ServerFarm, turns: number, unknown: number): void {
  const stamps = farm.stamps();
  const twice = [...stamps].filter(([, runs]) => runs > 1);
  if (twice.length > 0) throw new Error(`ran more than once: ${JSON.stringify(twice)}`);
  if (stamps.size < turns - unknown)
    throw new Error(`${stamps.size} of ${turns} ran, and ${unknown} were told as unknown`);
}

function startKiller(farm: ServerFarm, everyMs: number): { stop: () => Promise<number> } {
  let kills = 0;
  let ended = false;
  const restarts = new Set<Promise<unknown>>();
  async function run(): Promise<void> {
    if (everyMs === 0) return;
    // The first kill is immediate, so that even on a fast machine a server is killed while it is working.
    for (const isOver = (): boolean => ended; !isOver(); await after(everyMs)) {
      const alive = farm.servers.flatMap((server, index) => (server === undefined ? [] : [{ server, index }]));
      // Half of them always stay up: on a slow machine, starting takes longer than the time to the next kill.
      if (ended || alive.length <= farm.servers.length / 2) continue;
      const victim = alive[Math.floor(Math.random() * alive.length)];
      if (victim === undefined) continue;
      kills += 1;
      victim.server.signal('SIGKILL');
      await victim.server.gone;
      const restart = farm.start(victim.index).catch(() => undefined);
      restarts.add(restart);
      void restart.finally(() => restarts.delete(restart));
    }
  }
  const running = run();
  return {
    async stop() {
      ended = true;
      await running;
      await inTime(Promise.all(restarts), START_MS, 'a server did not start');
      return kills;
    },
  };
}

function distribution(times: readonly number[]): SoakReport['answerMs'] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p99: at(0.99), longest: sorted.at(-1) ?? 0 };
}
