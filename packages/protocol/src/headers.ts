export const SESSION_HEADER = 'X-Countersign-Session';
export const CLIENT_HEADER = 'X-Countersign-Client';
/** Response header: this server is shutting down and hasn't processed the request. Retrying with the next server is safe. */
export const LEAVING_HEADER = 'X-Countersign-Leaving';
