import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { supervisorAt } from '../../packages/server/src/testing/run-fixture.js';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import type { Page } from 'playwright-core';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import {
  answersFrom,
  asks,
  button,
  call,
  choose,
  decide,
  decided,
  drawn,
  enabled,
  focused,
  giveReason,
  goTo,
  holdUp,
  overflow,
  press,
  ready,
  row,
  rows,
  said,
  select,
  toolCard,
  unfold,
  write,
} from './support/steps.js';
import { violations } from './support/violations.js';

const sandbox = await sharedSandbox();
const canRun = sandbox.kind === 'bubblewrap' && sandbox.drafting.how !== 'copy';

describe.runIf(hasBrowser)('approvals in the web app', () => {
  let opened: Opened;
  let visit: Visit;
  /** A new world and chat in this file's page. */
  const enter = async (): Promise<{ page: Page; world: string; chat: string; path: string }> => {
    const chat = await opened.newChat();
    await goTo(visit.page, chat.path);
    await visit.page.getByRole('region', { name: /wants to/ }).waitFor({ state: 'detached' });
    return { page: visit.page, ...chat };
  };
  /** A call that waits in this chat, without typing it. */
  const ask = async ({ world, chat }: { world: string; chat: string }, ...buttons: string[]): Promise<void> => {
    await opened.api.send(world, chat, { content: buttons.map(press).join('\n') });
    await visit.page.getByRole('region', { name: /wants to/ }).waitFor();
  };
  /** Opens the menu of a card that has just appeared, without its first second. */
  const pick = async (page: Page, name: Parameters<typeof choose>[1]): Promise<void> => {
    await ready(page, 'More choices');
    await choose(page, name);
  };
  /** A call that waits in another world. */
  const askThere = async (content: string, calls = 1): Promise<{ world: string; chat: string }> => {
    const there = await opened.newChat();
    await opened.api.send(there.world, there.chat, { content });
    await expect.poll(async () => (await opened.api.approvals(there.world)).items).toHaveLength(calls);
    return there;
  };
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit({ clock: true });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it.runIf(canRun)(
    '[RUN22] [RUN22.2] [RUN16] shows all that a run did, on a phone too, and approving applies it',
    async () => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-run-')));
      const sh = (cwd: string, script: string): string =>
        execFileSync('/bin/sh', ['-euc', `git() { command git -c user.name=Ann -c user.email=a@b "$@"; }; ${script}`], {
          cwd,
          encoding: 'utf8',
        });
      sh(folder, 'git init -q -b main; echo old > a.txt; echo build/ > .gitignore; git add -A; git commit -qm first');
      const { id: world } = await opened.api.createWorld({ name: 'Runs', workingDirectory: folder, mode: 'ask' });
      const supervisor = supervisorAt(process.pid);
      const { id, root } = await opened.api.runs.start(world, { program: ['make', 'all'], supervisor });
      sh(
        root,
        `cp -a '${folder}/.' upper; cd upper; echo new > a.txt; git commit -qam 'Fix the tests'
      mkdir build .vscode; touch build/o .vscode/tasks.json; echo evil > .git/hooks/pre-commit`,
      );
      const hosts = [{ host: 'registry.npmjs.org', port: 443, allowed: false, count: 2 }];
      const ended = { exitCode: 3, why: 'exited', hosts, variables: ['GIT_AUTHOR_NAME'] };
      await writeFile(join(root, 'ended.json'), JSON.stringify(ended));
      const { chatId = '' } = await opened.api.runs.end(world, id);
      const { page } = visit;
      await goTo(page, `/w/${world}/c/${chatId}`);
      const card = page.getByRole('region', { name: /wants to/ });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        if (width < 500) await button(page, 'Review').first().click();
        await card.getByText('Fix the tests').waitFor();
        const text = await card.innerText();
        const parts = ['make', '1 commit', 'refs/heads/main', 'build: 1 file', '.vscode', '.git/hooks/pre-commit'];
        for (const part of [...parts, 'registry.npmjs.org:443: refused 2 times', 'GIT_AUTHOR_NAME', 'exit code 3'])
          expect(text).toContain(part);
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        await picturesOf(`a run at ${width}`);
      }
      // [RUN22.2] For the next run, if the person adds the rule that is shown.
      await button(page, 'Allow registry.npmjs.org for the next run…').click();
      await card.getByText('allow sandbox_network(registry.npmjs.org)').waitFor();
      expect((await opened.api.policy(world)).value.rules).toEqual([]);
      await button(page, 'Add the rule').click();
      await page.getByText('The next run can reach the host.').waitFor();
      expect((await opened.api.policy(world)).value.rules).toEqual(['allow sandbox_network(registry.npmjs.org)']);
      await page.evaluate(`document.querySelector('[data-reading]').scrollTop = 1e9`);
      await decide(page, 'Approve once');
      await expect
        .poll(() => sh(folder, 'cat a.txt; git log -1 --format=%s; ls .git/hooks'))
        .toContain('new\nFix the tests');
      expect((await readdir(folder)).toSorted()).toEqual(['.git', '.gitignore', 'a.txt']);
      expect(await readdir(join(folder, '.git', 'hooks'))).not.toContain('pre-commit');
      await page.setViewportSize({ width: 1440, height: 900 });
      await rm(folder, { recursive: true });
    },
  );

  it('[CALL5.1] [CALL5.7] approving once runs this call; the next one needs approval again, and denying it gives the agent the reason', async () => {
    const { page } = await enter();
    await write(page, press('once-a'));
    await page.getByText('Ada wants to use').waitFor();
    await page.getByText('The tool asks: “Press once-a”').waitFor();
    expect(opened.ran).not.toContain('once-a');
    await decide(page, 'Approve once');
    await said(page, 'Finished. done').waitFor();
    expect(opened.ran.filter((run) => run === 'once-a')).toHaveLength(1);
    await toolCard(page, 'once-a').getByText('approved once', { exact: true }).waitFor();
    await write(page, press('once-b'));
    await asks(page, 'once-b').waitFor();
    await giveReason(page, 'not this one');
    await decide(page, 'Deny');
    await said(page, 'Finished. denied: not this one').waitFor();
    await toolCard(page, 'once-b').getByText('denied').waitFor();
    await unfold(toolCard(page, 'once-b'));
    await page.getByText(/Denied by you, from Chrome on Linux, .*: not this one/).waitFor();
    expect(opened.ran).not.toContain('once-b');
  });

  it.runIf(sandbox.kind === 'bubblewrap')(
    '[CHANGE6] a command shows what it will do before it is signed, and a yes applies exactly that',
    async () => {
      const { page, world } = await enter();
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'effect-')));
      await opened.api.updateWorld(world, { workingDirectory: folder });
      await mkdir(join(folder, 'notes'), { recursive: true });
      for (const name of ['a', 'b']) await writeFile(join(folder, 'notes', `scratch-${name}.tmp`), name);
      await writeFile(join(folder, 'list.txt'), 'one\ntwo\n');
      const command = 'rm notes/scratch-*.tmp; echo three >> list.txt; date +%N > stamp; echo tidied';
      await write(page, call('shell_cmd', { command }));
      const effect = page.getByRole('group', { name: 'What it will do' });
      await effect.getByText('Removes 2 files, changes 1 file, adds 1 file').waitFor();
      const listed = await effect.getByRole('listitem').allInnerTexts();
      expect(listed).toEqual([
        expect.stringContaining('notes/scratch-a.tmp'),
        expect.stringContaining('notes/scratch-b.tmp'),
        expect.stringContaining('list.txt'),
        expect.stringContaining('stamp'),
      ]);
      const stamp = /\d{9}/.exec(listed.at(-1) ?? '')?.[0];
      await effect.getByText('three').waitFor();
      expect((await readdir(join(folder, 'notes'))).length).toBe(2);
      // The effect may not fit, and only a call whose end was shown can be approved.
      await effect.hover();
      await page.mouse.wheel(0, 4000);
      await decide(page, 'Approve once');
      await said(page, 'Finished.').waitFor();
      const head = toolCard(page, 'rm notes').getByRole('button').first();
      // If the page saw the call running, the card has opened automatically.
      if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
      await page.getByText('Effect shown before the decision: Removes 2 files, changes 1 file, adds 1 file').waitFor();
      expect(await readdir(join(folder, 'notes'))).toEqual([]);
      expect(await readFile(join(folder, 'list.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
      expect(await readFile(join(folder, 'stamp'), 'utf8')).toBe(`${stamp}\n`);
      await rm(folder, { recursive: true });
    },
  );

  itAtFullSize(
    '[CHANGE6.10] [CHANGE8.6] a truncated effect can be shown completely, and a command can get the host that it tried',
    async ({ skip }) => {
      skip(sandbox.kind !== 'bubblewrap');
      const { page, world } = await enter();
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'effect-')));
      await opened.api.updateWorld(world, { workingDirectory: folder });
      await write(page, call('shell_cmd', { command: 'seq 5000 > long.txt' }));
      const effect = page.getByRole('group', { name: 'What it will do' });
      await effect.getByText('Not all of it is shown. Approving covers all of it.').waitFor();
      await effect.getByRole('button', { name: 'Show all' }).click();
      await effect.getByText('Not all of it is shown.').waitFor({ state: 'detached' });
      expect(await effect.textContent()).toContain('5000 in total');
      const [long] = (await opened.api.approvals(world)).items;
      if (long === undefined) throw new Error('nothing is pending');
      await opened.api.decide(world, long, { decision: 'deny' });
      await said(page, 'Finished. denied').waitFor();

      // [CHANGE8.6] Without network, the card says what was tried, and allows it for this call, which is then shown again.
      const command = `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT example.com:443 HTTP/1.1\\r\\n\\r\\n' >&3; head -1 <&3`;
      await write(page, call('shell_cmd', { command }));
      await effect.getByText('The sandbox has no network, and the command tried to reach example.com.').waitFor();
      expect(await effect.textContent()).not.toContain('exactly this');
      await page.getByRole('button', { name: 'Allow in this world…' }).click();
      await page.getByText('allow sandbox_network(example.com)').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Allow example.com for this call' }).click();
      await page.getByText('network limited to example.com').waitFor();
      await effect.getByText('It may use the network, so it can only run once, after approval.').waitFor();
      const [edited] = (await opened.api.approvals(world)).items;
      expect(edited?.arguments).toEqual({ command, hosts: ['example.com'] });
      await rm(folder, { recursive: true });
    },
  );

  it('[CHANGE10] [CHANGE10.1] [CHANGE10.9] a call that a rule allowed can be undone on its card, and one that changed nothing can’t', async () => {
    const { page, world } = await enter();
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'undo-')));
    await opened.api.updateWorld(world, { workingDirectory: folder });
    const { etag = '' } = await opened.api.policy(world);
    await opened.api.setPolicy(
      world,
      { rules: ['allow write_file(./**)', 'allow read_file(./**)'] },
      { ifMatch: etag },
    );
    await writeFile(join(folder, 'list.txt'), 'one\n');
    await write(page, call('write_file', { path: 'list.txt', content: 'two\n' }));
    await said(page, 'Finished.').waitFor();
    expect(await readFile(join(folder, 'list.txt'), 'utf8')).toBe('two\n');
    const card = toolCard(page, 'list.txt');
    await unfold(card);
    await button(page, 'Undo…').click();
    const dialog = page.getByRole('dialog', { name: 'Undo this call?' });
    await dialog.getByText('Changes 1 file').waitFor();
    // Said once, in the dialog.
    await writeFile(join(folder, 'list.txt'), 'mine\n');
    await dialog.getByRole('button', { name: 'Undo the call' }).click();
    await dialog.getByText('would lose later changes to list.txt').waitFor();
    expect(await page.getByText('would lose later changes').count()).toBe(1);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await writeFile(join(folder, 'list.txt'), 'two\n');
    await button(page, 'Undo…').click();
    await dialog.getByText('Changes 1 file').waitFor();
    await dialog.getByRole('button', { name: 'Undo the call' }).click();
    await page.getByText(/^Undone by /).waitFor();
    expect(await readFile(join(folder, 'list.txt'), 'utf8')).toBe('one\n');
    const listed = page.waitForResponse((response) => response.url().includes('/undo'));
    await write(page, call('read_file', { path: 'list.txt' }));
    const reading = toolCard(page, 'read_file');
    await reading.getByText('done').waitFor();
    await unfold(reading);
    await listed;
    await drawn(page);
    expect(await button(page, 'Undo…').count()).toBe(0);
    await rm(folder, { recursive: true });
  });

  itAtFullSize(
    '[CALL5.2] approving for this chat covers calls like this one or, on request, every call, and is revoked under Grants',
    async () => {
      const { page, world, chat, path } = await enter();
      await ask({ world, chat }, 'chat-a');
      await pick(page, 'Approve for this chat');
      const scope = page.getByRole('group', { name: 'Approve for this chat' });
      await scope.getByText('press calls like button=chat-a', { exact: true }).waitFor();
      await scope.getByLabel('every call to press in this chat').check();
      await scope.getByText('every press call', { exact: true }).waitFor();
      await decide(page, 'Approve for this chat');
      await said(page, 'Finished. done').waitFor();
      await opened.api.send(world, chat, { content: press('chat-b') });
      await toolCard(page, 'chat-b').getByText('done').waitFor();
      expect(opened.ran).toContain('chat-b');
      await goTo(page, `/w/${world}/grants`);
      await button(page, 'Revoke').click();
      await page.getByText('No grants.').waitFor();
      await goTo(page, path);
      await ask({ world, chat }, 'chat-c');
      expect(opened.ran).not.toContain('chat-c');
    },
  );

  itAtFullSize(
    '[CALL5.4] approving for this chat lists the waiting calls that it also runs, and then runs them',
    async () => {
      const { page, ...there } = await enter();
      const long = `also-b ${'and on '.repeat(500)} to its end`;
      await ask(there, 'also-a', long);
      await asks(page, 'also-a').waitFor();
      await pick(page, 'Approve for this chat');
      const held = await holdUp(page, '**/policy/matches');
      await page.getByLabel('every call to press in this chat').check();
      await held.asked;
      expect(await button(page, 'Approve for this chat').isDisabled()).toBe(true);
      held.letGo();
      const also = page.getByRole('region', { name: 'Waiting calls that also run' });
      await also.getByText('Also runs 1 waiting call now:').waitFor();
      // Nothing is clipped: the covered call is part of what must have been on the screen (CALL18.2).
      await page.clock.fastForward(1500);
      await page.locator('footer').getByText('call, scroll to its end').waitFor();
      expect(await button(page, 'Approve for this chat').isDisabled()).toBe(true);
      expect(await also.innerText()).toContain('to its end');
      await page.evaluate(`document.querySelector('[data-call] + div').scrollIntoView({ block: 'end' })`);
      await enabled(button(page, 'Approve for this chat'));
      await decide(page, 'Approve for this chat');
      await toolCard(page, 'also-b').getByText('allowed for this chat', { exact: true }).waitFor();
      await page.getByText(/^Finished\. done/).waitFor();
      expect(opened.ran.filter((run) => run.startsWith('also-'))).toEqual(['also-a', long]);
    },
  );

  it('[CALL5.3] [RULE1] “Always” shows the rule that it adds, which can be edited first, and what else it would have matched', async () => {
    const { page, world, chat } = await enter();
    await ask({ world, chat }, 'always-a');
    const [first] = (await opened.api.approvals(world)).items;
    if (first === undefined) throw new Error('nothing was asked');
    await opened.api.decide(world, first, { decision: 'deny' });
    await button(page, 'Close').click();
    await ask({ world, chat }, 'always-b');
    await pick(page, 'Always…');
    const rule = page.getByLabel('Rule for this world');
    expect(await rule.inputValue()).toMatch(/^allow press\(.*always-b/);
    // [RULE11.2] It can end; a date starts as today, so that it never lasts by mistake.
    const ends = page.getByLabel('Ends');
    for (const [choice, end] of [
      ['in one hour', / for 1h$/],
      ['on a date', / until \d{4}-\d\d-\d\dT\d\d:00Z$/],
      ['never', /\)$/],
    ] as const) {
      await ends.selectOption(choice);
      expect(await rule.inputValue()).toMatch(end);
    }
    await page.getByText('The rule matches no other call in this chat.').waitFor();
    // Until the matches of the new rule are known, those of the old one are not shown, and it can't be approved.
    const held = await holdUp(page, '**/policy/matches');
    await rule.fill('allow press');
    expect(await page.getByText('The rule matches no other call in this chat.').count()).toBe(0);
    expect(await button(page, 'Approve always').isDisabled()).toBe(true);
    await held.asked;
    expect(await button(page, 'Approve always').isDisabled()).toBe(true);
    held.letGo();
    await page.getByText('The rule would also have allowed these calls in this chat (1)').waitFor();
    await decide(page, 'Approve always');
    await toolCard(page, 'always-b').getByText('approved always', { exact: true }).waitFor();
    expect((await opened.api.policy(world)).value.rules).toEqual(['allow press']);
    await opened.api.send(world, chat, { content: press('always-c') });
    await toolCard(page, 'always-c').getByText('done').waitFor();
    expect(opened.ran).toContain('always-c');
  });

  it('[CALL7.4] shows an edited call again before it runs, and its card says that it was edited', async () => {
    const { page } = await enter();
    await write(page, press('edit-wrong'));
    await pick(page, 'Edit');
    const field = page.getByLabel('Arguments');
    await field.fill('{"button": ');
    await decide(page, 'Preview');
    await page.getByText('Not valid JSON').waitFor();
    await field.fill('{"knob":"edit-right"}');
    await decide(page, 'Preview');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await page
      .getByRole('main')
      .getByText(/^The edited call is not valid: .*button/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
    await field.fill('{"button":"edit-right"}');
    await decide(page, 'Preview');
    await page.getByText('This is the edited call. Check it, then approve it.').waitFor();
    await asks(page, 'edit-right').waitFor();
    if (isFullSize) await page.reload();
    await page.getByText('This is the edited call. Check it, then approve it.').waitFor();
    expect(opened.ran).not.toContain('edit-right');
    await decide(page, 'Approve once');
    await said(page, 'Finished. done').waitFor();
    expect(opened.ran).toContain('edit-right');
    expect(opened.ran).not.toContain('edit-wrong');
    await toolCard(page, 'edit-right').getByText('edited').waitFor();
  });

  itAtFullSize('[CALL7.4] an edited call shows the reason for its own arguments', async () => {
    const { page, world } = await enter();
    const { etag = '*' } = await opened.api.policy(world);
    const rules = ['ask press(button=edit-a)', 'deny press(button=edit-never)'];
    await opened.api.setPolicy(world, { rules }, { ifMatch: etag });
    await write(page, press('edit-a'));
    await page.getByText('a rule requires approval: ask press(button=edit-a)').waitFor();
    await pick(page, 'Edit');
    await page.getByLabel('Arguments').fill('{"button":"edit-never"}');
    expect(await page.getByText('The tool asks:').count()).toBe(0);
    expect(await page.getByText('a rule requires approval: ask press(button=edit-a)').count()).toBe(0);
    await decide(page, 'Preview');
    await page
      .getByText('The edited call is not allowed: a rule denies this call: deny press(button=edit-never)')
      .waitFor();
    await page.getByLabel('Arguments').fill('{"button":"edit-b"}');
    await decide(page, 'Preview');
    await page.getByText("Why you're asked: no rule allows this call").waitFor();
  });

  it('[SAFE6] reveals masked secrets on request, and the audit log says who did', async () => {
    const { page, world, chat } = await enter();
    await ask({ world, chat }, 'deploy --password correct-horse-battery');
    await asks(page, '‹masked 1: 15 characters›').waitFor();
    await page.getByRole('button', { name: /^Reveal \(/ }).click();
    await asks(page, 'deploy --password correct-horse-battery').waitFor();
    await decide(page, 'Deny');
    await said(page, 'Finished. denied').waitFor();
    await goTo(page, `/w/${world}/audit`);
    await page.getByText('secrets shown').first().waitFor();
    expect(opened.ran).not.toContain('deploy --password correct-horse-battery');
  });

  it('[CALL12] [TURN5] [PAGE1.6] [EXT1.26] three calls of one turn wait in order and get different decisions', async () => {
    const { page, ...there } = await enter();
    await ask(there, 'three-a', 'three-b', 'three-c');
    const panel = page.getByRole('complementary', { name: 'Waiting for you' });
    await panel.getByRole('list', { name: 'Also waiting' }).getByText('3 of 3').waitFor();
    await toolCard(page, 'three-a').getByText('1 of 3').waitFor();
    await expect.poll(() => page.title()).toMatch(/^\([1-9]\d*\) Countersign$/);
    // Chosen from the list, out of order.
    await panel.getByRole('button', { name: /three-b/ }).click();
    await asks(page, 'three-b').waitFor();
    // A half-written edit survives the next card, and a window that gets narrower.
    await pick(page, 'Edit');
    await page.getByLabel('Arguments').fill('{"button":"half');
    await panel.getByRole('button', { name: 'Show next' }).click();
    await panel.getByRole('button', { name: /three-b/ }).click();
    expect(await page.getByLabel('Arguments').inputValue()).toBe('{"button":"half');
    const size = page.viewportSize() ?? { width: 1440, height: 900 };
    await page.setViewportSize({ ...size, width: 800 });
    await page.getByRole('button', { name: /waiting for you/ }).waitFor();
    await page.setViewportSize(size);
    await panel.getByRole('button', { name: /three-b/ }).click();
    expect(await page.getByLabel('Arguments').inputValue()).toBe('{"button":"half');
    await button(page, 'Back').click();
    expect(await button(page, 'Request changes').count()).toBe(0);
    await giveReason(page, ' ');
    expect(await button(page, 'Request changes').isEnabled()).toBe(false);
    await page.getByLabel('Reason', { exact: true }).fill('leave b');
    await decide(page, 'Request changes');
    await toolCard(page, 'three-b').getByText('denied').waitFor();
    await asks(page, 'three-a').waitFor();
    await decide(page, 'Approve once');
    await toolCard(page, 'three-a').getByText('approved once', { exact: true }).waitFor();
    await asks(page, 'three-c').waitFor();
    await decide(page, 'Approve once');
    await said(page, 'Finished. done / denied: Asked for changes: leave b / done').waitFor();
    expect(opened.ran.filter((run) => run.startsWith('three'))).toEqual(['three-a', 'three-c']);
  });

  itAtFullSize(
    '[CALL8] [HTTP14] if someone else makes the same decision concurrently, one counts, and the slower person is told whose',
    async () => {
      const { page, world, chat } = await enter();
      await ask({ world, chat }, 'race');
      const held = await holdUp(page, '**/tool-results');
      await decide(page, 'Approve once');
      await held.asked;
      const [asked] = (await opened.api.approvals(world)).items;
      if (asked === undefined) throw new Error('nothing was asked');
      await opened.api.decide(world, asked, { decision: 'approve' });
      held.letGo();
      await said(page, 'Finished. done').waitFor();
      expect(opened.ran.filter((run) => run === 'race')).toHaveLength(1);
      // Both belong to one person. The slower one still shows the decision.
      await decided(page, 'race')
        .getByText(/Approved once by you, .*(?:ago|just now)/)
        .waitFor();
      await unfold(toolCard(page, 'race'));
      await toolCard(page, 'race')
        .getByText(/^Approved once by you,/)
        .waitFor();
      expect(await button(page, 'Approve once').count()).toBe(0);
      await button(page, 'Close').click();
      await page.getByText('Nothing in this chat is waiting for you.').waitFor();
    },
  );

  itAtFullSize('a double click approves one card, and not the card that replaces it', async () => {
    // Time stops at the first click, so the speed of this machine doesn't decide what the second one hits.
    const { page, ...there } = await enter();
    const { context } = visit;
    await ask(there, 'double-a', 'double-b');
    await page.getByRole('list', { name: 'Also waiting' }).waitFor();
    await enabled(button(page, 'Approve once'));
    const sent = answersFrom(page);
    const stop = async (): Promise<void> => context.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1000);
    // Retried if that moment passed before the clock was stopped.
    const isStopped = (): Promise<boolean> =>
      stop().then(
        () => true,
        () => false,
      );
    await expect.poll(isStopped).toBe(true);
    await button(page, 'Approve once').dblclick();
    await toolCard(page, 'double-a').getByText('approved once', { exact: true }).waitFor();
    await asks(page, 'double-b').waitFor();
    // At any time within that moment.
    const place = await button(page, 'Approve once').boundingBox();
    await page.mouse.click((place?.x ?? 0) + 20, (place?.y ?? 0) + 10);
    expect(await button(page, 'Approve once').isDisabled()).toBe(true);
    // [CALL18] A key is dropped, not queued, and the card says so.
    await page.keyboard.press('Alt+n');
    await page.keyboard.press('o');
    await page.getByText('Too early: nothing was decided.').waitFor();
    await context.clock.resume();
    await enabled(button(page, 'Approve once'));
    await asks(page, 'double-b').waitFor();
    expect(sent).toHaveLength(1);
    expect(opened.ran).not.toContain('double-b');
  });

  itAtFullSize('[CALL3] [CHANGE6.9] the inbox shows an edited call of another world at once', async ({ skip }) => {
    skip(sandbox.kind !== 'bubblewrap');
    const { page, world, chat } = await enter();
    await ask({ world, chat }, 'here before the edit');
    const there = await askThere(call('shell_cmd', { command: 'touch first' }));
    await page.getByRole('link', { name: /Inbox/ }).click();
    await row(page, 'touch first').click();
    await pick(page, 'Edit');
    await page.getByRole('textbox', { name: 'Command' }).fill('touch second');
    await enabled(button(page, 'Preview'));
    const { clock } = page.context();
    await clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1000);
    // The clock of the page stands still, so it waits for nothing.
    const read = page.waitForResponse((response) => response.url().includes(`/worlds/${there.world}/approvals?`));
    await button(page, 'Preview').click();
    expect((await read).status()).toBe(200);
    await clock.resume();
    await page.getByText('This is the edited call. Check what it will do, then approve it.').waitFor();
    await page.getByRole('group', { name: 'What it will do' }).getByText('Adds 1 file').waitFor();
    await opened.api.stop(there.world, there.chat);
    await opened.api.stop(world, chat);
  });

  it('[PAGE6] [CALL3] [HTTP14] the inbox shows a call of another world as soon as it waits, in list, title and icon; decides it, with its last messages; and says if someone was faster', async () => {
    const { page, ...here } = await enter();
    await ask(here, 'here before others');
    await page.getByRole('link', { name: /Inbox/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    const there = await askThere(['elsewhere', 'too-late'].map(press).join('\n'), 2);
    // Sooner than without a stream.
    await page.getByRole('link', { name: 'Inbox 3' }).waitFor({ timeout: 10_000 });
    expect(await page.title()).toBe('(3) Countersign');
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/mark-waiting.svg');
    const show = async (words: string): Promise<void> => {
      await row(page, words).click();
      await asks(page, words).getByText(words, { exact: true }).waitFor();
    };
    await show('elsewhere');
    await page.getByText('Last messages').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'I would do this' }).getByText('Ada', { exact: true }).waitFor();
    await decide(page, 'Approve once');
    await expect.poll(() => opened.ran.includes('elsewhere')).toBe(true);

    await show('too-late');
    await ready(page, 'Approve once');
    const reading = await holdUp(page, `**/worlds/${there.world}/approvals?*`);
    const [asked] = (await opened.api.approvals(there.world)).items;
    if (asked === undefined) throw new Error('nothing was asked');
    await opened.api.decide(there.world, asked, { decision: 'deny' });
    await reading.asked;
    await decide(page, 'Approve once');
    await page
      .getByRole('status')
      .getByText(/already denied/)
      .waitFor();
    reading.letGo();
    await decided(page, 'too-late').waitFor();
    expect(opened.ran).not.toContain('too-late');
  });

  it('[PAGE6.1] [PAGE6.2] [PAGE6.4] the inbox folds alike calls, decides selected ones after showing all in full, and “Not now” puts one last', async () => {
    const { page } = await enter();
    for (const { worldId, chatId } of (await opened.api.waiting()).items) await opened.api.stop(worldId, chatId);
    const there = await askThere(
      ['several-a', 'several-b', `several-c ${'long '.repeat(500)}`, 'several-d'].map(press).join('\n'),
      4,
    );
    await page.getByRole('link', { name: /Inbox/ }).click();
    await asks(page, 'several-a').waitFor();
    await rows(page).filter({ hasText: '4 alike calls' }).click();
    await row(page, 'several-d').waitFor();
    await button(page, 'Not now').click();
    await asks(page, 'several-b').waitFor();
    await page.getByText('1 of 4', { exact: true }).first().waitFor();
    // Put off, it is no longer among the others.
    await rows(page).filter({ hasText: '3 alike calls' }).waitFor();
    await expect.poll(async () => (await rows(page).allInnerTexts()).at(-1)).toContain('several-a');
    await select(page, 'several-a').check();
    await select(page, 'several-c').check();
    await button(page, 'Approve 2…').click();
    const dialog = page.getByRole('dialog');
    const confirm = button(page, 'Approve these 2 calls once');
    await dialog.getByRole('region', { name: '2 of 2' }).waitFor();
    await page.clock.fastForward(1500);
    expect(await confirm.isEnabled()).toBe(false);
    await dialog.getByRole('group', { name: 'Details' }).press('End');
    await enabled(confirm);
    expect(await violations(page, { within: 'dialog' })).toEqual([]);
    // One of them is decided elsewhere in the meantime.
    const stale = (await opened.api.approvals(there.world)).items.find(({ arguments: args }) =>
      JSON.stringify(args).includes('several-a'),
    );
    if (stale === undefined) throw new Error('nothing was asked');
    await opened.api.decide(there.world, stale, { decision: 'deny' });
    await confirm.click();
    await dialog.getByText('Approved once', { exact: true }).waitFor();
    await dialog.getByText(/Not decided: .*already denied/).waitFor();
    await dialog.getByText('1 of 2 decided.').waitFor();
    expect(await violations(page, { within: 'dialog' })).toEqual([]);
    await expect.poll(() => opened.ran.filter((run) => run.startsWith('several-'))).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await select(page, 'several-b').check();
    await button(page, 'Deny the rest (1)…').click();
    await page.clock.fastForward(1500);
    await enabled(button(page, 'Deny this call'));
    await button(page, 'Deny this call').click();
    await expect.poll(async () => (await opened.api.approvals(there.world)).items.length).toBe(1);
    await dialog.getByText('1 of 1 decided.').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByText('Decided elsewhere').count()).toBe(0);
    const mixed = await askThere([press('several-e'), call('ask_human', { question: 'Which?' })].join('\n'), 2);
    // Kept from before.
    await select(page, 'several-b').uncheck();
    await select(page, 'several-e').check();
    await select(page, 'Which').check();
    await button(page, 'Deny 1…').click();
    await dialog.getByText('Left out, decide it on its own:').waitFor();
    await dialog.getByText('a question', { exact: true }).waitFor();
    await button(page, 'Back').click();
    // The selection is kept.
    expect(await select(page, 'several-e').isChecked()).toBe(true);
    await opened.api.stop(mixed.world, mixed.chat);
    await opened.api.stop(there.world, there.chat);
  });

  it('[PAGE6.3] [PAGE6.5] [HTTP8.1] rows say what and where, filters hide them, and none moves under the pointer', async () => {
    const { page } = await enter();
    for (const { worldId, chatId } of (await opened.api.waiting()).items) await opened.api.stop(worldId, chatId);
    const { world } = await opened.newChat();
    const first = { world, chat: (await opened.api.createChat(world, { title: 'The first chat' })).id };
    await opened.api.send(first.world, first.chat, { content: press('row-a') });
    const second = await askThere(
      [
        press('row-b'),
        call('fill', Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, 'row-f']))),
      ].join('\n'),
      2,
    );
    await page.getByRole('link', { name: /Inbox/ }).click();
    await asks(page, 'row-a').waitFor();
    const { name } = (await opened.api.world(first.world)).value;
    await row(page, 'row-a').getByText(`${name} · Ada · The first chat`).waitFor();
    const calls = async (): Promise<readonly string[]> =>
      (await rows(page).allInnerTexts()).map((text) => /row-\w/.exec(text)?.[0] ?? text);
    await expect.poll(calls).toEqual(['row-a', 'row-b', 'row-f']);

    // The card changes with the filter, and the next one is from the filtered calls too.
    await page.getByLabel('Tool').selectOption('fill');
    await asks(page, 'row-f').waitFor();
    expect(await calls()).toEqual(['row-f']);
    await page.getByLabel('Tool').selectOption('');
    await expect.poll(calls).toEqual(['row-a', 'row-b', 'row-f']);

    // By keyboard: to the second row, and to its card.
    await row(page, 'row-f').focus();
    await page.keyboard.press('ArrowUp');
    await focused(row(page, 'row-b'));
    await page.keyboard.press('Enter');
    await asks(page, 'row-b').and(page.locator(':focus')).waitFor();

    // One is decided elsewhere, and another one arrives, while a person points at the list.
    await row(page, 'row-f').hover();
    const before = await row(page, 'row-f').boundingBox();
    await opened.api.stop(first.world, first.chat);
    await rows(page).filter({ hasText: 'No longer waiting' }).waitFor();
    const third = await askThere(press('row-c'));
    await row(page, 'row-c').waitFor();
    expect(await row(page, 'row-f').boundingBox()).toEqual(before);
    expect(await calls()).toEqual(['row-a', 'row-b', 'row-f', 'row-c']);
    await page.mouse.move(900, 500);
    await expect.poll(calls).toEqual(['row-b', 'row-f', 'row-c']);
    expect(await violations(page, { within: 'main', contrast: true })).toEqual([]);
    for (const { world, chat } of [second, third]) await opened.api.stop(world, chat);
  });

  it('[PAGE6.6] on a phone, the inbox is a list, then a card with a way back', async () => {
    const { page } = await enter();
    for (const { worldId, chatId } of (await opened.api.waiting()).items) await opened.api.stop(worldId, chatId);
    const there = await askThere([press('phone-a'), press('phone-b')].join('\n'), 2);
    onTestFinished(() => page.setViewportSize({ width: 1440, height: 900 }));
    await page.setViewportSize({ width: 360, height: 740 });
    await goTo(page, '/inbox');
    await row(page, 'phone-b').click();
    await asks(page, 'phone-b').and(page.locator(':focus')).waitFor();
    expect([await overflow(page), await row(page, 'phone-a').isVisible()]).toEqual([0, false]);
    await page.goBack();
    await row(page, 'phone-a').waitFor();
    expect([await overflow(page), await button(page, 'Approve once').count()]).toEqual([0, 0]);
    expect(await violations(page, { within: 'main' })).toEqual([]);
    // The next card follows at once; after the last one, the list.
    await row(page, 'phone-a').click();
    await decide(page, 'Deny');
    await asks(page, 'phone-b').waitFor();
    await page.getByRole('button', { name: /^All waiting calls/ }).click();
    await row(page, 'phone-b').waitFor();
    await page.keyboard.press('Alt+n');
    await asks(page, 'phone-b').waitFor();
    await decide(page, 'Deny');
    await page.getByText('Nothing is waiting for you.').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await opened.api.stop(there.world, there.chat);
  });

  it('[CALL15] [CALL15.2] by keyboard alone: single keys decide only while the card has the focus', async () => {
    const { page, world, chat } = await enter();
    await page.getByLabel('Message').focus();
    await page.keyboard.type(press('key-a'));
    await page.keyboard.press('Enter');
    const sent = answersFrom(page);
    await ready(page, 'Approve once');
    // In the composer these are letters; on the page they do nothing.
    await page.keyboard.type('od');
    await page.getByRole('main').focus();
    await page.keyboard.press('o');
    await page.keyboard.press('Enter');
    await drawn(page);
    expect(sent).toEqual([]);
    expect(opened.ran).not.toContain('key-a');
    await page.keyboard.press('Alt+n');
    // As in the terminal: these only open a form.
    for (const [key, name] of [
      ['c', 'Approve for this chat'],
      ['a', 'Approve always'],
    ] as const) {
      await page.keyboard.press(key);
      await button(page, name).waitFor();
      await button(page, 'Back').click();
      await page.keyboard.press('Alt+n');
      await ready(page, 'Approve once');
    }
    expect(sent).toEqual([]);
    await page.keyboard.press('o');
    await said(page, 'Finished. done').waitFor();
    expect(opened.ran).toContain('key-a');
    await opened.api.send(world, chat, { content: press('key-b') });
    await asks(page, 'key-b').waitFor();
    await ready(page, 'Approve once');
    await page.keyboard.press('Alt+n');
    // The key that opens the form is not typed into it.
    await page.keyboard.press('e');
    const field = page.getByLabel('Arguments');
    await field.waitFor();
    expect(JSON.parse(await field.inputValue())).toEqual({ button: 'key-b' });
    await button(page, 'Back').click();
    await page.keyboard.press('Alt+n');
    await page.keyboard.press('d');
    await said(page, 'Finished. denied').waitFor();
    expect(opened.ran).not.toContain('key-b');
  });

  it('no page violates the content security policy or throws', () => {
    expect(visit.complaints).toEqual([]);
  });
});
