export interface VisiblePart {
    kind: 'text' | 'escape';
    text: string;
}
/** Cuts text into what can be shown as it is and what is shown by its number. `strict` is for anything that will run. */
export declare function visibleParts(text: string, strict?: boolean): VisiblePart[];
/** The same as one string, for titles and names. */
export declare function visibleText(text: string, strict?: boolean): string;
