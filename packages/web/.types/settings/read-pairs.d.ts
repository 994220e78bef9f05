/** `NAME=value` lines. A line without a name is left out; a value may hold `=`. */
export declare function readPairs(text: string): Record<string, string>;
