import { type ReactElement } from 'react';
/** Before the first word: who is here, what will happen, and something to begin with. */
export default function NewChatPage(): ReactElement;
