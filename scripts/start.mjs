// `npm start` runs in this repository, which is a project folder, but must still start the server.
if (process.argv.length === 2) process.argv.push('serve');
await import(new URL('../packages/countersign/bin/countersign.js', import.meta.url).href);
