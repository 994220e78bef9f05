import { type ReactElement } from 'react';
/** The newest turn of the chat, small, at the foot of the column. */
export default function LastTurn(): ReactElement | null;
