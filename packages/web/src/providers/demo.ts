/** The id of the demo's model, which plays a script. */
export const DEMO_PROVIDER = 'scripted';
export const DEMO_WORLD = 'harbour';
