import { type ReactElement } from 'react';
export declare function ServerForm({ worldId, onDone }: {
    worldId: string;
    onDone: () => void;
}): ReactElement;
