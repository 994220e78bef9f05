/** What the panel holds in front of the person. `held`: it was decided elsewhere; it stays until the person has seen that. */
export type Current = {
    kind: 'none';
} | {
    kind: 'open';
    id: string;
} | {
    kind: 'held';
    id: string;
};
/**
 * Which card is shown next. A card that waits is never replaced by another: what a person is about to click must not change under
 * the pointer. One that this person answered makes room; one that was decided elsewhere stays, and says so.
 */
export declare function nextCurrent(current: Current, queue: readonly string[], mine: ReadonlySet<string>): Current;
/** The one after this, round and round. */
export declare function after(queue: readonly string[], id: string): string | undefined;
