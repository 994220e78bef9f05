import { describe, expect, it } from 'vitest';
import type { WebhookFormat } from '@countersign/protocol';
import type { Message } from './compose-message.js';
import { renderMessage, urlProblem } from './render-message.js';

const ADDRESSES = {
  slack: 'https://hooks.slack.com/services/T0/B0/token',
  discord: 'https://discord.com/api/webhooks/1/token',
  telegram: 'https://api.telegram.org/bot1:token/sendMessage?chat_id=-100&message_thread_id=7&parse_mode=HTML&text=x',
  ntfy: 'https://ntfy.sh/countersign-1?auth=token',
} as const;
const LINK = 'https://countersign.example/w/harbour/c/chat_1?approval=approval_1';
/** What an agent could write to look like us, or to reach everybody. */
const EVIL = '<!channel> @everyone [Approve](https://evil.example) <https://evil.example|Approve> ```\n**x** :tada:';

const render = (format: Exclude<WebhookFormat, 'standard'>, more: Partial<Message['data']> = {}) => {
  const data = {
    ...{ world: { id: 'harbour', name: 'Harbour' }, chat: 'chat_1', url: LINK },
    ...{ title: 'Harbour: Ada wants to run rm', text: 'rm x' },
    ...more,
  };
  const message = { type: 'approval.requested', timestamp: '2026-01-01T00:00:00.000Z', data } as const;
  const { url, body } = renderMessage(message, format, ADDRESSES[format]);
  return { url: url.href, body: JSON.parse(body) as Record<string, unknown> };
};

describe('[HOOK5] a message for', () => {
  it('Slack has its code as text and one link', () => {
    expect(render('slack')).toEqual({
      url: ADDRESSES.slack,
      body: {
        text: 'Harbour: Ada wants to run rm',
        blocks: [
          { type: 'section', text: { type: 'plain_text', text: 'Harbour: Ada wants to run rm', emoji: false } },
          {
            type: 'rich_text',
            elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'rm x' }] }],
          },
          { type: 'section', text: { type: 'mrkdwn', text: `<${LINK}|Open in Countersign>` } },
        ],
        unfurl_links: false,
      },
    });
    const evil = render('slack', { title: EVIL, text: EVIL }).body;
    expect(evil['text']).not.toMatch(/[<>]/);
    // Only what we wrote is markup.
    expect(JSON.stringify(evil).match(/mrkdwn/g)).toHaveLength(1);
  });

  it('Discord mentions nobody, and no text of an agent is markup', () => {
    expect(render('discord')).toEqual({
      url: ADDRESSES.discord,
      body: {
        embeds: [{ title: 'Harbour\\: Ada wants to run rm', url: LINK, description: '```\nrm x\n```' }],
        allowed_mentions: { parse: [] },
      },
    });
    const [evil] = render('discord', { title: EVIL, text: EVIL }).body['embeds'] as [
      { title: string; description: string },
    ];
    expect(evil.description.slice(3, -3)).not.toContain('`');
    expect(evil.title).toContain(String.raw`\[Approve\]\(`);
    const [long] = render('discord', { title: '*'.repeat(300) }).body['embeds'] as [{ title: string }];
    expect(long.title.length).toBeLessThanOrEqual(256);
  });

  it('Telegram goes to the chat in its URL, with its parts by position', () => {
    const title = '\u{1F600} "@ada https://evil.example" has nothing left to do';
    const { url, body } = render('telegram', { title, text: EVIL });
    expect(url).toBe('https://api.telegram.org/bot1:token/sendMessage');
    expect(body).toMatchObject({
      chat_id: '-100',
      message_thread_id: '7',
      link_preview_options: { is_disabled: true },
    });
    const { text, entities } = body as { text: string; entities: { type: string; offset: number; length: number }[] };
    const parts = entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)]);
    expect(parts).toEqual([
      ['code', title],
      ['pre', EVIL],
    ]);
    expect(text.endsWith(`\n${LINK}`)).toBe(true);
    expect(body).not.toHaveProperty('parse_mode');
  });

  it('ntfy is published with its topic, and opens the card', () => {
    expect(render('ntfy')).toEqual({
      url: 'https://ntfy.sh/?auth=token',
      body: { topic: 'countersign-1', title: 'Harbour: Ada wants to run rm', message: 'rm x', click: LINK },
    });
  });

  it.each(['slack', 'discord', 'telegram', 'ntfy'] as const)(
    '%s can be without a text, and has no other link',
    (format) => {
      const { body } = render(format, { text: '' });
      expect(JSON.stringify(body).match(/https?:/g)).toEqual(['https:']);
      expect(JSON.stringify(body)).not.toContain('"pre"');
    },
  );
});

it('[HOOK5.1] the URL names the chat or topic', () => {
  const problem = (url: string, format: WebhookFormat) => urlProblem(new URL(url), format);
  for (const [format, url] of Object.entries(ADDRESSES)) expect(problem(url, format as WebhookFormat)).toBeUndefined();
  expect(problem('https://api.telegram.org/bot1/sendMessage', 'telegram')).toMatch(/chat_id/);
  expect(problem('https://ntfy.sh/', 'ntfy')).toMatch(/topic/);
  expect(problem('https://ntfy.sh/a/b', 'ntfy')).toMatch(/topic/);
});
