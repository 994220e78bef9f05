import type { Help } from './help.js';

export const webhooksHelp = {
  about: 'Tell URLs what waits and what happens',
  list: { about: 'List webhooks, without their URLs', examples: ['countersign webhooks'] },
  add: {
    about: 'Add a webhook and print its secret once',
    notes: [
      'Without a URL, the command asks for it, or reads it from standard input: a URL with a token should not be in the history of your shell.',
      'Events: approval.requested, approval.overdue, approval.decided, approval.expired, call.failed, chat.idle.',
      'You need the role admin. If you lose it, nothing more is sent.',
    ],
    examples: [
      'countersign webhooks add https://hooks.example.com/countersign',
      'countersign webhooks add --format slack --events approval.overdue --overdue 10 < url.txt',
      'countersign webhooks add https://hooks.example.com/failed --events call.failed,chat.idle -w harbour',
    ],
  },
  edit: {
    about: 'Change, pause or resume a webhook, or rotate its secret',
    examples: [
      'countersign webhooks edit 0a1b2c3d --pause',
      'countersign webhooks edit 0a1b2c3d --rotate-secret',
      'countersign webhooks edit 0a1b2c3d --events approval.requested,approval.decided',
    ],
  },
  remove: { about: 'Remove a webhook', examples: ['countersign webhooks remove 0a1b2c3d'] },
  deliveries: {
    about: 'List what a webhook was sent, newest first',
    notes: ['A message that failed ten times within about 20 hours is dead. Deliveries are kept for a week.'],
    examples: ['countersign webhooks deliveries 0a1b2c3d', 'countersign webhooks deliveries 0a1b2c3d --state dead'],
  },
  replay: {
    about: 'Send a delivery again, or all dead ones',
    notes: ['It keeps its id, so a receiver that has processed it can ignore it.'],
    examples: ['countersign webhooks replay 0a1b2c3d', 'countersign webhooks replay 0a1b2c3d msg_Ab12'],
  },
  webhook: 'webhook (id)',
  delivery: 'delivery (id); without it, all dead ones',
  url: "URL; https, unless the administrator's file names the host",
  newUrl: 'read another URL from standard input or the terminal',
  format: 'standard (default), slack, discord, telegram or ntfy',
  events: 'what to send, separated by commas (default: approval.requested,approval.decided,approval.expired)',
  world: 'only this world; repeatable (default: all)',
  allWorlds: 'all worlds',
  overdue: 'for approval.overdue: after how many minutes without a decision (default: 30)',
  pause: 'stop sending; what happens meanwhile is never sent',
  resume: 'start sending again',
  rotateSecret: 'create another secret; the old one is valid for another 24 hours',
  state: 'only pending, sent, dropped or dead',
} satisfies Record<string, unknown> & Record<'list' | 'add' | 'edit' | 'remove' | 'deliveries' | 'replay', Help>;
