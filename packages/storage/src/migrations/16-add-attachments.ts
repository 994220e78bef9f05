import type { Migration } from './ddl.js';

/** Files that tools return. Not clustered: `data` may be several megabytes, and large rows make a clustered tree deep. */
export const addAttachments: Migration = ({ plain }) => [
  `create table attachments (
    chat_id text not null,
    id text not null,
    kind text not null,
    mime_type text not null,
    data text not null,
    primary key (chat_id, id)
  ) ${plain}`,
];
