import { type ReactElement } from 'react';
import type { InboxItem } from './use-inbox.js';
/** What waits in all chats of all worlds. */
export default function InboxPage({ inbox }: {
    inbox: readonly InboxItem[];
}): ReactElement;
