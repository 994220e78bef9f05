import type { Timeline } from '@countersign/protocol';
export interface Bar {
    kind: Timeline['spans'][number]['kind'];
    label: string;
    outcome?: string;
    /** In percent of the whole. */
    left: number;
    width: number;
    ms: number;
}
/** Places the spans of a turn on one line of time. What has not ended reaches up to now. */
export declare function layOut(turn: Timeline, now: number): {
    bars: Bar[];
    total: number;
};
