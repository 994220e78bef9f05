import type { Attachment } from '@countersign/protocol';
import { expect, it } from 'vitest';
import type { ModelMessage } from '../ports/index.js';
import { addImages, hasImages } from './add-images.js';

const image = (id: string, bytes = 3): Attachment => ({ id, bytes, kind: 'image', mimeType: 'image/png' });
const file: Attachment = { id: 'pdf', bytes: 3, kind: 'file', mimeType: 'application/pdf' };
const result = (...attachments: Attachment[]): ModelMessage => ({
  role: 'tool',
  tool_call_id: 'c',
  content: '{}',
  attachments,
});

async function sent(messages: readonly ModelMessage[]): Promise<(readonly string[])[]> {
  const asked: string[] = [];
  const reader = {
    chat: () => Promise.resolve(undefined),
    attachment: async (chatId: string, id: string) => {
      asked.push(id);
      return id === 'gone' ? undefined : { chatId, id, kind: 'image' as const, mimeType: 'image/png', data: id };
    },
  };
  const added = await addImages(reader, 'chat_1', messages);
  expect(asked.length).toBeLessThanOrEqual(8);
  return added.map((message) => (message.role === 'tool' ? (message.images ?? []).map(({ data }) => data) : []));
}

it('[MODEL12] adds images in order, and leaves files and missing ones as descriptions', async () => {
  const messages = [
    { role: 'user', content: 'x' } as const,
    result(image('a'), file, image('b')),
    result(image('gone')),
  ];
  expect(await sent(messages)).toEqual([[], ['a', 'b'], []]);
  expect(hasImages(messages)).toBe(true);
  expect(hasImages([result(file)])).toBe(false);
});

it('[MODEL12.1] [STORE2] reads at most 8 images and 12 MB, the newest first, however long the chat is', async () => {
  const many = Array.from({ length: 1_000 }, (_, n) => result(image(String(n))));
  expect((await sent(many)).flat()).toEqual(['992', '993', '994', '995', '996', '997', '998', '999']);
  const large = ['a', 'b', 'c'].map((id) => result(image(id, 3_500_000)));
  expect((await sent(large)).flat()).toEqual(['b', 'c']);
});
