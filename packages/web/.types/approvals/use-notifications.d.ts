import type { InboxItem } from './use-inbox.js';
/** The count in the page's title, and a note on the desktop for what is new while nobody looks. Neither can sign anything. */
export declare function useNotifications(inbox: readonly InboxItem[]): void;
export declare function mayNotify(): boolean;
