import { attachments, type Cells, type RowOf } from '../schema.js';
import { prepared } from './prepared.js';

export type AttachmentRow = Cells<typeof attachments>;

export type AttachmentStatements = typeof attachmentStatements;

export const attachmentStatements = {
  attachment: prepared<{ chatId: string; id: string }, AttachmentRow>(
    `select ${attachments.names.join(', ')} from attachments where chat_id = :chatId and id = :id`,
  ),
  // Neither database reads the content for its length. Base64 has 4 characters per 3 bytes.
  attachmentBytes: prepared<{ chatId: string }, [bytes: number]>(
    `select cast(coalesce(sum(octet_length(data)), 0) * 3 / 4 as double precision) from attachments where chat_id = :chatId`,
  ),
  // A deleted chat must not leave files behind.
  insertAttachment: prepared<RowOf<typeof attachments>>(
    `insert into attachments (${attachments.names.join(', ')}) select id, :id, :kind, :mimeType, :data from chats where id = :chatId on conflict do nothing`,
  ),
};
