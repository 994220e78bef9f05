/** An `@` that is being typed, and where it would be completed. */
export interface Mention {
    from: number;
    typed: string;
}
/**
 * The mention under the cursor. Only at the start of a paragraph does it address anybody (M3); elsewhere no list opens, because it
 * would promise an answer that nobody gives.
 */
export declare function mentionAt(text: string, cursor: number): Mention | undefined;
export declare function complete(text: string, cursor: number, mention: Mention, name: string): {
    text: string;
    cursor: number;
};
export declare function matching<T extends {
    name: string;
    id: string;
}>(agents: readonly T[], typed: string): T[];
