/** What a person needs to see of a call, by what kind of thing it does. */
export type CallShape = {
    kind: 'shell';
    command: string;
    parameters: readonly string[];
} | {
    kind: 'write';
    path: string;
    content: string;
} | {
    kind: 'edit';
    path: string;
    before: string;
    after: string;
} | {
    kind: 'fields';
    fields: readonly {
        name: string;
        text: string;
    }[];
} | {
    kind: 'text';
    text: string;
};
export declare function describeCall(toolName: string, args: unknown): CallShape;
/** One line that tells this call from others in a list. */
export declare function callLine(toolName: string, args: unknown): string;
export declare function asText(value: unknown): string;
