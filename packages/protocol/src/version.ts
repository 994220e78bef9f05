/** The version of Countersign. A constant, because bundled code can't read the `package.json` of its package. */
export const VERSION = '0.1.0';
