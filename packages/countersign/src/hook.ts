/** The entry of `countersign gate hook` and `gate exec`, in its own bundle: agents start them for each of their calls. */
export { execMain, hookMain } from '@countersign/terminal/hook';
