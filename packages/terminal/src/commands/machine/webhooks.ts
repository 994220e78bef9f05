import { text } from 'node:stream/consumers';
import { readAll, type Client } from '@countersign/client';
import {
  webhookEventSchema,
  type DeliveryState,
  type NewWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookFormat,
} from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { findThing, findWorld } from '../../find-things.js';
import { confirm } from '../../input/confirm.js';
import { readSecret } from '../../input/read-secret.js';
import { minuteText } from '../../text/clock-text.js';
import { plainLine } from '../../text/plain-text.js';
import { suggestion } from '../../text/suggest.js';
import { errors } from '../../words/errors.js';
import { withHelp, YES } from '../../words/help.js';
import { webhooksHelp as help } from '../../words/help-webhooks.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';

interface Flags {
  events?: string;
  world?: readonly string[];
  overdue?: string;
}

interface EditFlags extends Flags {
  newUrl?: boolean;
  allWorlds?: boolean;
  pause?: boolean;
  resume?: boolean;
  rotateSecret?: boolean;
}

const USUAL: readonly WebhookEvent[] = ['approval.requested', 'approval.decided', 'approval.expired'];

/** `countersign webhooks` (HOOK). A secret is printed once. */
export function addWebhooks(program: Command, register: Register): void {
  const webhooks = program.command('webhooks').description(help.about);
  register(withHelp(webhooks.command('list', { isDefault: true }), help.list), async (context) => {
    const client = await context.client();
    const columns = [
      { title: 'id', of: ({ id }: Webhook) => id },
      { title: 'to', of: ({ origin }: Webhook) => origin },
      { title: 'format', of: ({ format }: Webhook) => format },
      { title: 'events', of: ({ events }: Webhook) => events.join(', ') },
      { title: 'worlds', of: ({ worlds }: Webhook) => worlds?.join(', ') ?? results.allWorlds },
      { title: 'state', of: ({ active }: Webhook) => (active ? results.webhookActive : results.webhookPaused) },
      { title: 'owner', of: ({ owner = '' }: Webhook) => owner },
    ];
    showList(context, await readAll(() => client.webhooks()), columns, results.noWebhooks);
  });

  const add = withFlags(withHelp(webhooks.command('add').argument('[url]', help.url), help.add)).option(
    '--format <format>',
    help.format,
  );
  register<Flags & { format?: WebhookFormat }>(add, async (context, { args, options }) => {
    const client = await context.client();
    const asked = await readFlags(client, options);
    const url = args[0] ?? (await readUrl(context));
    const format = options.format === undefined ? {} : { format: options.format };
    const given: NewWebhook = { url, ...asked, ...format, events: asked.events ?? [...USUAL] };
    const saved = await client.addWebhook(given);
    showSecret(context, saved, results.webhookAdded(saved.id));
  });

  const edit = withFlags(withHelp(webhooks.command('edit').argument('<webhook>', help.webhook), help.edit))
    .option('--new-url', help.newUrl)
    .option('--all-worlds', help.allWorlds)
    .option('--pause', help.pause)
    .option('--resume', help.resume)
    .option('--rotate-secret', help.rotateSecret);
  register<EditFlags>(edit, async (context, { args, options }) => {
    const client = await context.client();
    const { id } = await findWebhook(client, args[0]);
    const { newUrl, allWorlds, pause, resume, rotateSecret } = options;
    const change: WebhookChange = {
      ...(await readFlags(client, options)),
      ...(allWorlds === true ? { worlds: null } : {}),
      ...(newUrl === true ? { url: await readUrl(context) } : {}),
      ...(pause === true ? { active: false } : resume === true ? { active: true } : {}),
      ...(rotateSecret === true ? { rotateSecret } : {}),
    };
    const saved = await client.updateWebhook(id, change);
    showSecret(context, saved, saved.secret === undefined ? results.webhookSaved(id) : results.webhookRotated);
  });

  const remove = withHelp(webhooks.command('remove').argument('<webhook>', help.webhook), help.remove);
  register<{ yes?: boolean }>(remove.option('--yes', YES), async (context, { args, options }) => {
    const client = await context.client();
    const { id, origin } = await findWebhook(client, args[0]);
    await confirm(context, { yes: options.yes, what: results.webhookRemoval(id, plainLine(origin)) });
    await client.removeWebhook(id);
    showDone(context, results.webhookRemoved(id), { removed: id });
  });

  const list = withHelp(webhooks.command('deliveries').argument('<webhook>', help.webhook), help.deliveries);
  register<{ state?: DeliveryState }>(
    list.option('--state <state>', help.state),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id } = await findWebhook(client, args[0]);
      const which = options.state === undefined ? {} : { state: options.state };
      const columns = [
        { title: 'id', of: (each: WebhookDelivery) => each.id },
        { title: 'event', of: ({ event }: WebhookDelivery) => event },
        { title: 'world', of: ({ world }: WebhookDelivery) => world },
        { title: 'state', of: ({ state }: WebhookDelivery) => state },
        { title: 'tries', of: ({ attempts }: WebhookDelivery) => String(attempts) },
        { title: 'at', of: ({ createdAt }: WebhookDelivery) => minuteText(createdAt) },
        { title: 'problem', of: ({ problem = '' }: WebhookDelivery) => problem },
      ];
      const all = await readAll((page) => client.webhookDeliveries(id, { ...which, ...page }));
      showList(context, all, columns, results.noDeliveries);
    },
  );

  const replay = withHelp(webhooks.command('replay').argument('<webhook>', help.webhook), help.replay);
  register(replay.argument('[delivery]', help.delivery), async (context, { args }) => {
    const client = await context.client();
    const { id } = await findWebhook(client, args[0]);
    const done = await client.replayWebhook(id, args[1]);
    showDone(context, results.webhookReplayed(done.replayed), done);
  });
}

function withFlags(command: Command): Command {
  return command
    .option('--events <events>', help.events)
    .option('-w, --world <world...>', help.world)
    .option('--overdue <minutes>', help.overdue);
}

async function readFlags(
  client: Client,
  { events, world = [], overdue }: Flags,
): Promise<Omit<WebhookChange, 'worlds'> & { worlds?: string[] }> {
  const worlds: string[] = [];
  for (const word of world) worlds.push((await findWorld(client, word)).id);
  return {
    ...(events === undefined ? {} : { events: readEvents(events) }),
    ...(worlds.length === 0 ? {} : { worlds }),
    ...(overdue === undefined ? {} : { overdueMinutes: Number(overdue) }),
  };
}

function readEvents(words: string): WebhookEvent[] {
  return words.split(',').map((word) => {
    const event = webhookEventSchema.safeParse(word.trim());
    if (event.success) return event.data;
    throw new CommandError(
      errors.notAnEvent(word.trim(), suggestion(word.trim(), webhookEventSchema.options)),
      EXIT.usage,
    );
  });
}

async function readUrl(context: CommandContext): Promise<string> {
  const { stdin } = context.console;
  return (stdin.isTTY ? await readSecret(context, results.webhookUrlPrompt) : await text(stdin)).trim();
}

async function findWebhook(client: Client, word = ''): Promise<Webhook> {
  return findThing(await readAll(() => client.webhooks()), word, { what: 'webhook' });
}

function showSecret(context: CommandContext, saved: { secret?: string }, sentence: string): void {
  showDone(context, sentence, saved);
  if (saved.secret !== undefined && !context.options.json) context.say(saved.secret);
}
