/** When the token of a request expires, before this request extended it (WHO5). */
export const TOKEN_EXPIRES_HEADER = 'X-Countersign-Token-Expires';
/** No external call has this id. Asking for it shows whether a token works, and doesn't extend it. */
export const NO_CALL = 'none';
export const SESSION_HEADER = 'X-Countersign-Session';
export const CLIENT_HEADER = 'X-Countersign-Client';
/** Response header: this server is shutting down and hasn't processed the request. Retrying with the next server is safe. */
export const LEAVING_HEADER = 'X-Countersign-Leaving';
/** The User-Agent of our own terminal commands, so that records can say where a decision came from (LOG1). */
export const TERMINAL_AGENT = 'countersign-terminal';
