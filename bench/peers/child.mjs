// One contender in its own process. Does what its parent says and tells how long it took; nothing else runs meanwhile.
const [which] = process.argv.slice(2);
const rss = () => process.memoryUsage.rss() / 2 ** 20;
const base = rss();
const begun = process.hrtime.bigint();
const { CONTENDERS } = await import('./contenders.mjs');
const contender = await CONTENDERS[which]();
const importMs = Number(process.hrtime.bigint() - begun) / 1e6;
const { ANSWER, ran } = await import('./script.mjs');

let subject;
let work;
let turns = 0;

async function once() {
  ran.count = 0;
  turns += 1;
  const start = process.hrtime.bigint();
  await subject.pause();
  const middle = process.hrtime.bigint();
  const early = ran.count;
  const text = await subject.finish();
  const end = process.hrtime.bigint();
  if (early !== 0 || ran.count !== work.tools || text !== ANSWER) {
    throw new Error(
      `${contender.name}: ${early} ran before, ${ran.count} of ${work.tools} after: ${JSON.stringify(text)}`,
    );
  }
  return { pause: Number(middle - start) / 1000, finish: Number(end - middle) / 1000 };
}

async function obey(order) {
  switch (order.do) {
    case 'hello':
      return { name: contender.name, packageName: contender.packageName, importMs, rss: rss() - base };
    case 'prepare': {
      await subject?.close?.();
      ({ work } = order);
      subject = await contender.subject(work);
      turns = 0;
      for (let i = 0; i < order.warmUp; i += 1) await once();
      return {};
    }
    case 'run': {
      const times = [];
      const until = performance.now() + order.ms;
      while (times.length < order.times && (times.length < 3 || performance.now() < until)) times.push(await once());
      return { times };
    }
    case 'rest': {
      globalThis.gc?.();
      const used = { rss: rss(), paused: subject.bytes?.() };
      await subject.close?.();
      const persisted = subject.persisted?.();
      subject = undefined;
      return { ...used, ...(persisted === undefined ? {} : { persisted: persisted / turns }) };
    }
    case 'experiment':
      return { result: await contender.experiments[order.name]?.(order.with) };
    case 'end':
      await subject?.close?.();
      return {};
  }
  throw new Error(`there is no order "${order.do}"`);
}

async function answer(order) {
  try {
    process.send({ ok: true, ...(await obey(order)) });
    if (order.do === 'end') process.disconnect();
  } catch (error) {
    process.send({ ok: false, error: String(error?.stack ?? error) });
  }
}

process.on('message', (order) => void answer(order));
process.send({ ok: true });
