import { type ReactElement } from 'react';
/** The chat, windowed: only what can be seen is in the page, however long it is. Older pages are loaded on the way up. */
export declare function Transcript(): ReactElement;
