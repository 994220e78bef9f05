/** The entry of `countersign gate hook`, in its own bundle: agents start it for each of their calls. */
export { hookMain } from '@countersign/terminal/hook';
