import { describe, expect, it } from 'vitest';
import type { AttachmentRecord } from '../../ports/index.js';
import { addChats, C, step, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

function attachment(chatId: string, id: string): AttachmentRecord {
  return { chatId, id, kind: 'image', mimeType: 'image/png', data: 'AAEC'.repeat(100_000) };
}

/** Files that tools returned. */
export function describeAttachments(open: OpenStore): void {
  const { store } = freshStore(open);
  const find = (chatId: string, id: string) => store().read((r) => r.attachment(chatId, id));

  describe('attachments', () => {
    it('[TURN16] belong to a chat, which stores the same content once', async () => {
      await addChats(store(), 'chat_2');
      await write(store(), async (tx) => {
        await tx.insertAttachment(attachment(C, 'one'));
        await tx.insertAttachment({ ...attachment(C, 'one'), mimeType: 'image/gif' });
        await tx.insertAttachment(attachment('chat_2', 'two'));
      });
      expect(await find(C, 'one')).toStrictEqual(attachment(C, 'one'));
      expect(await find('chat_2', 'one')).toBeUndefined();
      // [TURN16.3] Content that is stored once counts once.
      const bytes = (chatId: string) => store().read((r) => r.attachmentBytes(chatId));
      expect(await bytes(C)).toBe(300_000);
      expect(await bytes('chat_3')).toBe(0);
    });

    it('[TURN16] are deleted with their chat or world, and can’t be added afterwards', async () => {
      await addChats(store(), 'chat_2');
      const add = () =>
        write(store(), async (tx) => {
          await tx.insertAttachment(attachment(C, 'one'));
          await tx.insertAttachment(attachment('chat_2', 'one'));
        });
      await add();
      await step(store(), (tx) => tx.deleteChat('chat_2'));
      await add();
      expect((await find(C, 'one'))?.id).toBe('one');
      expect(await find('chat_2', 'one')).toBeUndefined();
      await step(store(), (tx) => tx.deleteWorld());
      expect(await find(C, 'one')).toBeUndefined();
    });
  });
}
