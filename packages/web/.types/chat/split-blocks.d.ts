/**
 * Cuts Markdown into blocks that can be shown each by itself, so that a streamed answer re-reads only its last block. Joined they are
 * the text. Lists and what is indented stay with what they belong to.
 */
export declare function splitBlocks(text: string): string[];
