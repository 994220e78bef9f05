export type { Console } from './console.js';
export type { ServerDoor, ServeWords } from './server-door.js';
