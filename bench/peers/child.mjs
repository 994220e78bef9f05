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
let chats = [];
let work;
let turns = 0;

/** One turn in one chat, with nothing beside it. Times in microseconds; `cpu` is processor time from the pause to the end. */
async function once() {
  ran.count = 0;
  turns += 1;
  const start = process.hrtime.bigint();
  await subject.pause();
  const middle = process.hrtime.bigint();
  const used = process.cpuUsage();
  const early = ran.count;
  const text = await subject.finish();
  const end = process.hrtime.bigint();
  const { user, system } = process.cpuUsage(used);
  check(early, ran.count, work.tools, text);
  return { pause: Number(middle - start) / 1000, finish: Number(end - middle) / 1000, cpu: user + system };
}

function check(early, count, wanted, text) {
  if (early === 0 && count === wanted && text === ANSWER) return;
  throw new Error(`${contender.name}: ${early} ran before, ${count} of ${wanted} after: ${JSON.stringify(text)}`);
}

/** The same turns in all chats at once. Whole turns are measured: what one chat waits for, another works on. */
async function together(count) {
  ran.count = 0;
  let left = count;
  const times = [];
  const endWatch = watchLoop();
  const used = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(
    chats.map(async (chat) => {
      for (; left > 0;) {
        left -= 1;
        const at = performance.now();
        await chat.pause();
        check(0, work.tools, work.tools, await chat.finish());
        times.push((performance.now() - at) * 1000);
      }
    }),
  );
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(used);
  turns += count;
  check(0, ran.count, count * work.tools, ANSWER);
  return { times, ms, cpu: (user + system) / count, ...endWatch() };
}

/** How long the event loop did not turn. Not Node's own histogram: it has no entry at all if no timer fires before the end. */
function watchLoop() {
  const gaps = [];
  let last = performance.now();
  const note = () => {
    const now = performance.now();
    gaps.push(Math.max(0, now - last - 1));
    last = now;
  };
  const timer = setInterval(note, 1);
  return () => {
    clearInterval(timer);
    note();
    gaps.sort((a, b) => a - b);
    return { blockedMs: gaps[Math.floor(gaps.length * 0.99)], longestMs: gaps.at(-1) };
  };
}

async function obey(order) {
  switch (order.do) {
    case 'hello':
      return { name: contender.name, packageName: contender.packageName, importMs, rss: rss() - base };
    case 'prepare': {
      await subject?.close?.();
      ({ work } = order);
      subject = await contender.subject(work);
      chats = [subject];
      while (chats.length < (work.chats ?? 1)) chats.push(await subject.another());
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
    case 'together':
      return await together(order.times);
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
