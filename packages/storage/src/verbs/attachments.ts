import type { AttachmentRecord, StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { AttachmentRow, AttachmentStatements } from '../queries/attachments.js';

type AttachmentVerbs = Pick<StoreTransaction, 'attachment' | 'attachmentBytes' | 'insertAttachment'>;

export function attachmentVerbs(on: Connection, s: AttachmentStatements): AttachmentVerbs {
  const attachment = on.first(s.attachment, toAttachment);
  const attachmentBytes = on.first(s.attachmentBytes, ([bytes]) => bytes);
  const insertAttachment = on.run(s.insertAttachment);

  return {
    attachment: async (chatId, id) => attachment({ chatId, id }),
    attachmentBytes: async (chatId) => (await attachmentBytes({ chatId })) ?? 0,
    async insertAttachment(record) {
      await insertAttachment(record);
    },
  };
}

function toAttachment([chatId, id, kind, mimeType, data]: AttachmentRow): AttachmentRecord {
  return { chatId, id, kind: kind === 'image' ? 'image' : 'file', mimeType, data };
}
