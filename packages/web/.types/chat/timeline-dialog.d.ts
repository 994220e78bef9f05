import type { ReactElement } from 'react';
export declare function TimelineDialog({ worldId, chatId, onClose, }: {
    worldId: string;
    chatId: string;
    onClose: () => void;
}): ReactElement;
