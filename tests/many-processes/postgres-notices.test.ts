import { setTimeout as after } from 'node:timers/promises';
import { type Client, readAll } from '@countersign/client';
import type { NewPush } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { until } from '../../packages/server/src/testing/app-fixture.js';
import { openPushService } from '../../packages/server/src/testing/push-service.js';
import { openWebhookReceiver } from '../../packages/server/src/testing/webhook-receiver.js';
import { createPostgresDatabase } from '../support/postgres-database.js';
import { isFullSize, scaled } from '../support/scaled.js';
import { createFarm, type ServerFarm } from './servers-fixture.js';

const SERVERS = 4;
const CALLS = Number(process.env['PUSH_CALLS'] ?? scaled(200, 6));
/** Each restart takes most of a second of CPU. */
const KILL_EVERY_MS = isFullSize ? 1_500 : 3_000;
/** Longer than the lease of a webhook that a killed server was sending, which is a minute. */
const STEP_MS = scaled(300_000, 120_000);
const LIMIT_MS = 4 * STEP_MS;

/** Kills a random server again and again, and restarts it. One always stays alive. */
function startKiller(farm: ServerFarm) {
  const ending = new AbortController();
  let kills = 0;
  const killing = (async () => {
    while (!ending.signal.aborted) {
      await after(KILL_EVERY_MS, undefined, { signal: ending.signal }).catch(() => undefined);
      const index = Math.floor(Math.random() * SERVERS);
      const running = farm.servers[index];
      if (ending.signal.aborted || running === undefined) continue;
      running.signal('SIGKILL');
      kills += 1;
      await running.gone;
      await farm.start(index);
    }
  })();
  // A test that has failed closes the farm while a server starts.
  killing.catch(() => undefined);
  return {
    async stop() {
      ending.abort();
      await killing;
      return kills;
    },
  };
}

/** Asks any server until one answers. What it does must be safe to repeat. */
const persist = <T>(farm: ServerFarm, work: (client: Client) => Promise<T>): Promise<T> =>
  until(async () => await work(farm.any()).catch(() => undefined), 'a server answered', STEP_MS);

/** A person with a browser that gets notifications. */
async function subscribe(farm: ServerFarm, device: NewPush): Promise<void> {
  const { url = '' } = farm.servers[0] ?? {};
  const { id } = await farm.any().addPerson({ name: 'Ann', role: 'approver' });
  const { open } = await farm.any().invitePerson(id);
  const post = (path: string, body: object, headers = {}) =>
    fetch(`${url}/api${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const opened = await post('/session', { invitation: open.split('=')[1] });
  const { session } = (await opened.json()) as { session: string };
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await post('/me/push', device, { cookie, 'X-Countersign-Session': session })).status).toBe(201);
}

it(
  '[PUSH3.3] [PUSH3.7] [HOOK3] [HOOK1.3] four processes that are killed lose no notification and no webhook, and send nothing for calls that a rule settles',
  async () => {
    const service = await openPushService();
    const receiver = await openWebhookReceiver();
    const farm = createFarm(await createPostgresDatabase(), SERVERS);
    try {
      const {
        named: [host = ''],
      } = receiver.route;
      const rules = [`send pushes to ${service.host}`, `send webhooks to ${host}`, 'allow stamp(key=letter-rule-*)'];
      const options = { rules, certificate: service.route.ca ?? '' };
      await Promise.all(Array.from({ length: SERVERS }, (_, index) => farm.start(index, options)));
      const { id: world } = await farm.any().createWorld({ name: 'Post' });
      await farm.any().createAgent(world, { name: 'Clerk', provider: 'stamping', model: 'm', tools: ['*'] });
      await subscribe(farm, service.device());
      const events = ['approval.requested', 'approval.decided'] as const;
      const { id: hook } = await farm.any().addWebhook({ url: receiver.url, events: [...events] });

      const killer = startKiller(farm);
      const last = () => service.delivered.at(-1)?.notice;
      const texts = Array.from({ length: CALLS }, (_, n) => (n % 3 === 0 ? `letter-rule-${n}` : `letter-${n}`));
      await Promise.all(
        texts.map(async (key) => {
          const { id: chat } = await persist(farm, (client) => client.createChat(world));
          const message = { content: `Please stamp ${key}`, clientMessageId: key };
          await persist(farm, (client) => client.send(world, chat, message));
        }),
      );
      // A turn whose processes were killed too often ends with an error, and asks nothing (STORE3).
      const { length: asked } = await until(
        async () => {
          const chats = await persist(farm, (client) => readAll((place) => client.chats(world, place)));
          const waiting = chats.filter(({ status }) => status === 'waiting');
          return chats.every(({ status }) => status === 'waiting' || status === 'idle') ? waiting : undefined;
        },
        'all chats have settled',
        STEP_MS,
      );
      const waiting = () => persist(farm, async (client) => (await client.approvals(world)).items);
      const count = asked > 100 ? 'More than 100' : String(asked);
      const isTold = async () => (last()?.title === `${count} calls wait in Post` ? true : undefined);
      await until(isTold, `the device knows of ${count}, and not "${last()?.title}"`, STEP_MS);

      for (let open = await waiting(); open.length > 0; open = await waiting())
        await Promise.all(
          open.map(async (approval) => {
            await farm
              .any()
              .decide(world, approval, { decision: 'approve' })
              .catch(() => undefined);
          }),
        );
      await until(async () => (last()?.closes === true ? true : undefined), 'the notification is withdrawn', STEP_MS);
      const sent = () => persist(farm, (client) => client.webhookDeliveries(hook));
      const isSent = async () => {
        const { items } = await sent();
        return items.length === 2 * asked && items.every(({ state }) => state === 'sent') ? true : undefined;
      };
      await until(isSent, 'all webhooks were sent', STEP_MS);
      const kills = await killer.stop();

      const ids = new Map<string, Set<string>>();
      for (const { message, headers } of receiver.received) {
        const about = `${message.type} ${message.data.approval?.id}`;
        ids.set(about, (ids.get(about) ?? new Set()).add(String(headers['webhook-id'])));
      }
      expect(ids.size).toBe(2 * asked);
      expect([...ids.values()].filter(({ size }) => size > 1)).toEqual([]);
      expect(new Set(service.delivered.map(({ notice }) => notice.tag))).toEqual(new Set([`world:${world}`]));
      const said = JSON.stringify([receiver.received.map(({ body }) => body), service.delivered]);
      expect(said).not.toContain('letter-rule');
      const stamps = [...farm.stamps().keys()].filter((key) => key.includes('rule'));
      expect(stamps.length).toBeGreaterThan(0);
      process.stdout.write(
        `notices: ${asked} calls, ${kills} kills, ${receiver.received.length} webhooks of ${ids.size}, ${service.delivered.length} notifications\n`,
      );
    } catch (error) {
      throw new Error(`${String(error)}\nThe servers said: ${farm.errors()}`, { cause: error });
    } finally {
      await farm.close();
      service.close();
      receiver.close();
    }
  },
  LIMIT_MS,
);
