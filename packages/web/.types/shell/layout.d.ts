import type { World } from '@countersign/protocol';
import { type ReactElement } from 'react';
/** Chats at the side, the page in the middle. On a phone the side is behind a button. */
export declare function Layout({ worlds }: {
    worlds: readonly World[];
}): ReactElement;
