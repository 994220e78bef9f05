import type { WebhookFormat } from '@countersign/protocol';
import type { Message } from './compose-message.js';
import { webhookTexts as texts } from './webhook-texts.js';

/** The chat, and perhaps its topic. */
const TELEGRAM_FIELDS = ['chat_id', 'message_thread_id'] as const;

interface Rendered {
  url: URL;
  body: string;
}

/**
 * A message in the form that a service expects, and where to post it. What agents wrote stays plain text: it can't mention anybody, or look like a link or
 * button of ours. The only link opens the page, where people sign in.
 */
export function renderMessage(message: Message, format: WebhookFormat, address: string): Rendered {
  const url = new URL(address);
  switch (format) {
    case 'standard':
      return { url, body: JSON.stringify(message) };
    case 'slack':
      return { url, body: JSON.stringify(slack(message.data)) };
    case 'discord':
      return { url, body: JSON.stringify(discord(message.data)) };
    case 'telegram': {
      // They are in the URL so that it is all there is to configure. No others: `parse_mode` would make markup of what agents wrote.
      const fields = TELEGRAM_FIELDS.flatMap((name) => {
        const value = url.searchParams.get(name);
        return value === null ? [] : [[name, value]];
      });
      url.search = '';
      return { url, body: JSON.stringify({ ...Object.fromEntries(fields), ...telegram(message.data) }) };
    }
    case 'ntfy': {
      // JSON is published at the root, which keeps a token in the query.
      const topic = decodeURIComponent(url.pathname.slice(1));
      url.pathname = '/';
      return { url, body: JSON.stringify({ topic, ...ntfy(message.data) }) };
    }
  }
}

/** What is missing in a URL for a format, if anything. */
export function urlProblem({ pathname, searchParams }: URL, format: WebhookFormat): string | undefined {
  if (format === 'telegram' && !searchParams.has('chat_id')) return texts.needsChat;
  if (format === 'ntfy' && !/^\/[\w-]+$/.test(pathname)) return texts.needsTopic;
  return undefined;
}

type Data = Message['data'];

function slack({ title, text, url }: Data) {
  const code = { type: 'rich_text_preformatted', elements: [{ type: 'text', text }] };
  return {
    // In notifications. `<` would begin a mention.
    text: title.replace(/[&<>]/g, (character) => SLACK_ESCAPES[character] ?? ''),
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: title, emoji: false } },
      ...(text === '' ? [] : [{ type: 'rich_text', elements: [code] }]),
      { type: 'section', text: { type: 'mrkdwn', text: `<${url}|${texts.open}>` } },
    ],
    unfurl_links: false,
  };
}

const SLACK_ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const DISCORD_TITLE = 256;

function discord({ title, text, url }: Data) {
  const plain = title.replace(/[\\`*_~|<>[\]()#@:-]/g, String.raw`\$&`).slice(0, DISCORD_TITLE);
  // A code block ends at three backticks.
  const code = `\`\`\`\n${text.replaceAll('`', 'ˋ')}\n\`\`\``;
  return {
    embeds: [{ title: plain, url, ...(text === '' ? {} : { description: code }) }],
    allowed_mentions: { parse: [] },
  };
}

function telegram({ title, text, url }: Data) {
  const offset = title.length + 1;
  const code = text === '' ? [] : [{ type: 'pre', offset, length: text.length }];
  return {
    text: [title, ...(text === '' ? [] : [text]), url].join('\n'),
    // Code, because Telegram makes links and mentions of all other text, and a title has names of chats.
    entities: [{ type: 'code', offset: 0, length: title.length }, ...code],
    link_preview_options: { is_disabled: true },
  };
}

function ntfy({ title, text, url }: Data) {
  return { title, message: text === '' ? texts.open : text, click: url };
}
