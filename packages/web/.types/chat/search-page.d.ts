import { type ReactElement } from 'react';
/** Full text over all chats of the world. */
export default function SearchPage(): ReactElement;
