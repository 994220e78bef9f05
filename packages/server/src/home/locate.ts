/** What a command needs to reach a running server. Loads nothing else of the server, which takes longer than most commands. */
export { findServer } from '../serve/server-file.js';
export { homeFolder } from './home-folder.js';
export { readToken } from './read-token.js';
