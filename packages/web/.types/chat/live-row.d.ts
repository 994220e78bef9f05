import type { Agent } from '@countersign/protocol';
import type { LiveStream } from '@countersign/client';
import { type ReactElement } from 'react';
/** An answer being spoken. It keeps its place and form when the finished message comes. */
export declare function LiveRow({ stream, agents }: {
    stream: LiveStream;
    agents: readonly Agent[];
}): ReactElement;
