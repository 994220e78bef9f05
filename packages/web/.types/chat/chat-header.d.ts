import { type ReactElement } from 'react';
/** What the chat is called, whether somebody works, and how to stop it. */
export declare function ChatHeader({ onTimeline }: {
    onTimeline: () => void;
}): ReactElement;
