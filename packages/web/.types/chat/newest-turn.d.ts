import type { Timeline } from '@countersign/protocol';
/** The turn that began last, in whatever order they come. */
export declare function newest(turns: readonly Timeline[]): Timeline | undefined;
