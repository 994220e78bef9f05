/** `0.1 s`, `12 s`, `4 min`, `2 h`: one number is enough at a glance. */
export declare function durationWords(ms: number): string;
export declare function agoWords(at: string, now: number): string;
/** `14:05` today, `12 Mar 14:05` before. */
export declare function clockWords(at: string, now: number): string;
/** `950`, `1.2k`, `3.4M` */
export declare function countWords(count: number): string;
export declare function bytesWords(count: number): string;
