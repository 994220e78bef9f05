/** Gives the person a file, made here. */
export declare function download(name: string, type: string, text: string): void;
