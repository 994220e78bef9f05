import type { Agent, Timeline } from '@countersign/protocol';
import type { ReactElement } from 'react';
/** A turn as bars over time: model calls, tools, waiting for people. */
export declare function TimelineView({ turn, agents }: {
    turn: Timeline;
    agents: readonly Agent[];
}): ReactElement;
