export { runCommand } from './main.js';
export type { Program } from './main.js';
