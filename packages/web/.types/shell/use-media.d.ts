/** Whether a media query holds, and when that changes. */
export declare function useMedia(query: string): boolean;
/** Room for the column of questions beside the transcript. */
export declare const DESK = "(min-width: 70rem)";
/** Room for the list of chats beside the page. */
export declare const TABLET = "(min-width: 48rem)";
