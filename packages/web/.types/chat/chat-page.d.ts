import { type ReactElement } from 'react';
export default function ChatPage({ chatId }: {
    chatId: string;
}): ReactElement;
