import { readAll } from '@countersign/client';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPushService, type PushService } from '../../packages/server/src/testing/push-service.js';
import { itAtFullSize } from '../support/scaled.js';
import { openBrowser, type Opened } from './support/open-browser.js';
import { press } from './support/steps.js';
import { clickInWorker, inWorker, openWorker, SHOWN } from './support/worker.js';

const ROUNDS = Number(process.env['PUSH_ROUNDS'] ?? 100);
/** Every so often, the server restarts while its network is gone, or a phone is offline. */
const RESTART_EVERY = 10;
const OFFLINE_EVERY = 7;
const ROUND_MS = 60_000;

/** A browser with a service worker and no page of ours. */
interface Phone {
  name: string;
  page: Page;
  context: BrowserContext;
  deliver(message: object): Promise<void>;
}

async function openPhone(opened: Opened, service: PushService, name: string): Promise<Phone> {
  const device = JSON.stringify(service.device(name));
  const { page, context } = await opened.visit({
    program: 'chromium',
    path: '/account',
    width: 390,
    height: 844,
    worker: true,
    clock: true,
    script: `PushManager.prototype.subscribe = async () => ({ toJSON: () => (${device}) });`,
  });
  await context.grantPermissions(['notifications']);
  const deliver = await openWorker(page);
  await page.getByRole('button', { name: 'Turn on for this device' }).click();
  await page.getByRole('region', { name: 'Notifications' }).getByText('this device').waitFor();
  await page.goto('about:blank');
  return { name, page, context, deliver };
}

/** The message about this call that a device got, whatever came before and after it. */
async function messageFor(service: PushService, { name }: Phone, approvalId: string) {
  const found = () =>
    service.delivered.find(({ path, notice }) => path === `/send/${name}` && notice.path.includes(approvalId))?.notice;
  await expect.poll(found, { timeout: ROUND_MS }).toBeDefined();
  return found() ?? expect.fail();
}

itAtFullSize(
  `in ${ROUNDS} rounds with no page open, no question is lost and no decision counts twice`,
  async () => {
    const service = await openPushService();
    const { named, ca = '' } = service.route;
    const env = {
      COUNTERSIGN_SECRETS_KEY: 'a-secrets-key-of-this-test-0123456789-xyz',
    };
    const opened = await openBrowser({ env, push: { named, ca } });
    try {
      const [one, two] = [await openPhone(opened, service, 'one'), await openPhone(opened, service, 'two')];
      const { world, chat } = await opened.newChat();
      const rounds: { call: string; button: string; requestedAt: number }[] = [];
      const counts = { restarts: 0, offline: 0 };
      for (let round = 1; round <= ROUNDS; round += 1) {
        const isRestart = round % RESTART_EVERY === 0;
        if (isRestart) service.answer(503);
        const button = `round-${round}`;
        await opened.api.send(world, chat, { content: press(button) });
        const asked = async () => (await opened.api.approvals(world)).items[0];
        await expect.poll(asked, { timeout: ROUND_MS }).toBeDefined();
        const approval = (await asked()) ?? expect.fail();
        const { approvalId, toolCallId: call } = approval;
        if (isRestart) {
          counts.restarts += 1;
          await opened.restart();
          service.answer(201);
        }
        const notices = [
          await messageFor(service, one, approvalId),
          await messageFor(service, two, approvalId),
        ] as const;
        await Promise.all([one.deliver(notices[0]), two.deliver(notices[1])]);
        for (const { context } of [one, two])
          await expect.poll(() => inWorker(context, SHOWN), { timeout: ROUND_MS }).toMatchObject([{ body: button }]);
        if (round % OFFLINE_EVERY === 0) {
          counts.offline += 1;
          await one.context.setOffline(true);
          await inWorker(one.context, clickInWorker('deny'));
          const said = expect.stringContaining('not denied') as string;
          await expect.poll(() => inWorker(one.context, SHOWN)).toMatchObject([{ body: said }]);
          await one.context.setOffline(false);
          await one.deliver(notices[0]);
          await expect.poll(() => inWorker(one.context, SHOWN)).toMatchObject([{ body: button }]);
        }
        const deny = ({ context }: Phone): Promise<unknown> => inWorker(context, clickInWorker('deny'));
        if (round % 2 === 0) await Promise.all([deny(one), deny(two)]);
        else {
          // What *Review* opens.
          await two.page.goto(new URL(notices[1].path, opened.serving.url).href);
          const approve = two.page.getByRole('button', { name: 'Approve once', exact: true });
          await approve.waitFor();
          await two.page.clock.fastForward(1500);
          // One of them is too late, except when only one tries.
          const late = round % 4 === 1 ? deny(one) : Promise.resolve();
          await Promise.all([late, approve.click({ timeout: 5000 }).catch(() => undefined)]);
        }
        await expect.poll(asked, { timeout: ROUND_MS }).toBeUndefined();
        await two.page.goto('about:blank');
        rounds.push({ call, button, requestedAt: Date.parse(approval.requestedAt) });
      }
      const log = await readAll((place) => opened.api.audit(world, { ...place, limit: 200 }));
      const decided = rounds.map(({ call }) =>
        log.filter(({ invocationId, kind }) => invocationId === call && kind === 'decision'),
      );
      expect(decided.filter(({ length }) => length !== 1)).toEqual([]);
      const approved = rounds.filter((_, at) => decided[at]?.[0]?.decision === 'approve').map(({ button }) => button);
      await expect.poll(() => opened.ran).toEqual(approved);
      const times = rounds.map(({ requestedAt }, at) => Date.parse(decided[at]?.[0]?.at ?? '') - requestedAt);
      const sorted = times.toSorted((a, b) => a - b);
      const median = sorted[Math.floor(sorted.length / 2)] ?? Infinity;
      process.stdout.write(
        `rounds: ${ROUNDS} rounds, ${counts.restarts} restarts without network, ${counts.offline} times offline, ${approved.length} approved, median ${median} ms, longest ${sorted.at(-1)} ms\n`,
      );
      expect(median).toBeLessThan(5000);
    } finally {
      await opened.close();
      service.close();
    }
  },
  ROUNDS * ROUND_MS,
);
