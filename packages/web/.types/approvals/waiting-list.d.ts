import type { ReactElement } from 'react';
import type { Asked } from './approval-panel.js';
/** The others that wait, each with its place, to pick from. */
export declare function WaitingList({ queue, shownId, find, onPick, }: {
    queue: readonly string[];
    shownId: string;
    find: (id: string) => Asked | undefined;
    onPick: (id: string) => void;
}): ReactElement | null;
