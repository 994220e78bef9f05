import type { AttachmentsTable } from '../schema.js';
import { prepared, type Cells, type RowOf } from './prepared.js';

const columns = ['chat_id', 'id', 'kind', 'mime_type', 'data'] as const satisfies readonly (keyof AttachmentsTable)[];
export type AttachmentRow = Cells<AttachmentsTable, typeof columns>;

export type AttachmentStatements = typeof attachmentStatements;

export const attachmentStatements = {
  attachment: prepared<{ chatId: string; id: string }, AttachmentRow>(
    `select ${columns.join(', ')} from attachments where chat_id = :chatId and id = :id`,
  ),
  // A deleted chat must not leave files behind.
  insertAttachment: prepared<RowOf<AttachmentsTable>>(
    `insert into attachments (${columns.join(', ')}) select id, :id, :kind, :mimeType, :data from chats where id = :chatId on conflict do nothing`,
  ),
};
