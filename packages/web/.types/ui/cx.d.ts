/** Joins class names; what is false or undefined is left out. */
export declare function cx(...names: readonly (string | false | undefined)[]): string;
