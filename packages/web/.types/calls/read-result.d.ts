export type ResultShape = {
    kind: 'nothing';
} | {
    kind: 'shell';
    exitCode: number;
    stdout: string;
    stderr: string;
} | {
    kind: 'diff';
    path: string;
    diff: string;
} | {
    kind: 'text';
    text: string;
} | {
    kind: 'other';
    value: unknown;
};
/** Finds the form in which a result is best read. One that is JSON in a string is read as what it says. */
export declare function readResult(result: unknown): ResultShape;
