/** The rules in an editor: one a line, without empty lines. A rule may go on where a line begins with blanks. */
export declare function rulesOf(text: string): string[];
