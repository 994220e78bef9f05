export interface DiffLine {
    kind: 'same' | 'added' | 'removed' | 'place' | 'note';
    text: string;
}
/** The lines of a unified diff. The two lines that name the files are left out: the card names the file. */
export declare function diffLines(diff: string): DiffLine[];
/** For an edit without a diff: what goes and what comes. */
export declare function replaceLines(before: string, after: string): DiffLine[];
