import type { Message, WorldEvent } from '@countersign/protocol';
import type { TestWorld } from './fixture.js';

/** Lines such as `ada: hello`, without tool messages and empty ones. */
export const said = (messages: readonly Message[]): string[] =>
  messages.filter(({ role, content }) => role !== 'tool' && content !== '').map((m) => `${m.sender}: ${m.content}`);

/** Errors and notices, without the titles of chats. */
export const notices = (events: readonly WorldEvent[]): string[] =>
  events.flatMap((event) => (event.event === 'system' && event.data.type !== 'title' ? [event.data.message] : []));

/** Sends a message, waits until the chat has settled, and returns lines such as `ada: hello`. */
export async function talk({ chat }: Pick<TestWorld, 'chat'>, content: string): Promise<string[]> {
  await chat.send(content);
  await chat.settled();
  return said(await chat.messages());
}
