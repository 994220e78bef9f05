/** The version of Countersign. A constant, because bundled code has no `package.json` of its own package. */
export const VERSION = '0.1.0';
