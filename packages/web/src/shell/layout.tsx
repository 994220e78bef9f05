import type { World } from '@countersign/protocol';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { useInbox, inboxCount } from '../approvals/inbox/use-inbox.js';
import { useGoToWaiting } from '../approvals/use-go-to-waiting.js';
import { useNotifications } from '../approvals/inbox/use-notifications.js';
import NewChatPage from '../chat/new-chat-page.js';
import { useClient, useWorld } from '../data/connection.js';
import { Dialog } from '../ui/dialog.js';
import { Empty } from '../ui/card.js';
import { clearErrors, say } from '../notices/toast.js';
import { usePalette } from '../palette/use-palette.js';
import { ErrorBoundary } from './error-boundary.js';
import { OpenSidebar, Page } from './frame.js';
import { lazyView, loadViews } from './lazy-view.js';
import { decoded, isChat, isReview, paths } from './paths.js';
import { Sidebar } from './sidebar/sidebar.js';
import { TABLET, useMedia } from './use-media.js';
import { shellWords } from '../words/shell.js';

const pages = () => import('./pages.js');

const ChatPage = lazyView(
  shellWords.pages.chat,
  async () => (await import('../chat/chat-page.js')).default,
  isChat(location.pathname),
);
const InboxPage = lazyView(shellWords.pages.inbox, async () => (await pages()).InboxPage);
const PolicyPage = lazyView(shellWords.pages.policy, async () => (await pages()).PolicyPage);
const GrantsPage = lazyView(shellWords.pages.grants, async () => (await pages()).GrantsPage);
const AgentsPage = lazyView(shellWords.pages.agents, async () => (await pages()).AgentsPage);
const ServersPage = lazyView(shellWords.pages.servers, async () => (await pages()).ServersPage);
const SchedulesPage = lazyView(shellWords.pages.schedules, async () => (await pages()).SchedulesPage);
const WorldPage = lazyView(shellWords.pages.settings, async () => (await pages()).WorldPage);
const ProvidersPage = lazyView(shellWords.pages.providers, async () => (await pages()).ProvidersPage);
const ComputerPage = lazyView(shellWords.pages.computer, async () => (await pages()).ComputerPage);
const AccountPage = lazyView(shellWords.pages.account, async () => (await pages()).AccountPage);
const PeoplePage = lazyView(shellWords.pages.people, async () => (await pages()).PeoplePage);
const AuditPage = lazyView(shellWords.pages.audit, async () => (await pages()).AuditPage);
const ServerAuditPage = lazyView(shellWords.pages.serverAudit, async () => (await pages()).ServerAuditPage);
const StatsPage = lazyView(shellWords.pages.stats, async () => (await import('../stats/stats-page.js')).default);
const StartPage = lazyView(shellWords.pages.start, async () => (await pages()).StartPage);
const ReviewPage = lazyView(shellWords.pages.review, async () => (await pages()).ReviewPage);
const ChangesPage = lazyView(shellWords.pages.changes, async () => (await pages()).ChangesPage);
const SearchPage = lazyView(shellWords.pages.search, async () => (await pages()).SearchPage);

/** Chats on the side, the page in the middle. On a phone, a button opens the side. */
export function Layout({ worlds }: { worlds: readonly World[] }): ReactElement {
  const client = useClient();
  const isTablet = useMedia(TABLET);
  const [open, setOpen] = useState(false);
  const [path, go] = useLocation();
  const isWide = isTablet && !isReview(path);
  const inbox = useInbox(worlds);
  useNotifications(inbox);
  useGoToWaiting(() => {
    const next = inbox.items[0];
    // A form in a dialog would lose what was typed.
    if (document.querySelector('dialog[open]') !== null) return false;
    if (next === undefined) say(shellWords.nothingWaits);
    else go(paths.approval(next.worldId, next.approval.chatId, next.approval.approvalId));
    return true;
  }, true);
  useEffect(() => {
    setOpen(false);
    // Errors belong to the page they happened on.
    return () => clearErrors();
  }, [path]);
  useEffect(() => {
    // Wait until the first page has been rendered and loaded.
    const timer = setTimeout(() => void loadViews(client).catch(() => undefined), 2000);
    return () => clearTimeout(timer);
  }, [client]);
  const isReady = useWorld(({ loading }) => loading.kind === 'ready');
  useEffect(() => {
    // The next page is usually a chat.
    if (isReady) ChatPage.load(client).catch(() => undefined);
  }, [client, isReady]);
  const palette = usePalette(worlds);
  const pending = inboxCount(inbox);
  const openSidebar = useMemo(() => (isWide ? undefined : { open: () => setOpen(true), pending }), [isWide, pending]);
  const sidebar = <Sidebar worlds={worlds} pending={pending} onGo={() => setOpen(false)} />;
  return (
    <div className="flex h-dvh min-w-0">
      <a
        href="#page"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('page')?.focus();
        }}
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-1.5 focus:shadow-card"
      >
        {shellWords.skip}
      </a>
      {isWide ? <div className="w-64 shrink-0 border-r border-line 2xl:w-72">{sidebar}</div> : null}
      <OpenSidebar value={openSidebar}>
        <main id="page" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
          <ErrorBoundary where={path}>
            <Switch>
              <Route path="/inbox">
                <InboxPage inbox={inbox} />
              </Route>
              <Route path="/providers" component={ProvidersPage} />
              <Route path="/computer" component={ComputerPage} />
              <Route path="/account" component={AccountPage} />
              <Route path="/people" component={PeoplePage} />
              <Route path="/audit" component={ServerAuditPage} />
              <Route path="/w/:world" component={NewChatPage} />
              <Route path="/w/:world/c/:chat">
                {({ chat }) => {
                  const chatId = decoded(chat);
                  return chatId === undefined ? <Nothing /> : <ChatPage key={chat} chatId={chatId} />;
                }}
              </Route>
              <Route path="/w/:world/c/:chat/changes">
                {({ chat }) => {
                  const chatId = decoded(chat);
                  return chatId === undefined ? <Nothing /> : <ChangesPage key={chat} chatId={chatId} />;
                }}
              </Route>
              <Route path="/w/:world/review/:approval">
                {({ approval }) => {
                  const approvalId = decoded(approval);
                  return approvalId === undefined ? <Nothing /> : <ReviewPage key={approval} approvalId={approvalId} />;
                }}
              </Route>
              <Route path="/w/:world/policy" component={PolicyPage} />
              <Route path="/w/:world/grants" component={GrantsPage} />
              <Route path="/w/:world/agents" component={AgentsPage} />
              <Route path="/w/:world/servers" component={ServersPage} />
              <Route path="/w/:world/schedules" component={SchedulesPage} />
              <Route path="/w/:world/settings" component={WorldPage} />
              <Route path="/w/:world/audit" component={AuditPage} />
              <Route path="/w/:world/stats" component={StatsPage} />
              <Route path="/w/:world/search" component={SearchPage} />
              <Route path="/w/:world/start" component={StartPage} />
              <Route>
                <Nothing />
              </Route>
            </Switch>
          </ErrorBoundary>
        </main>
      </OpenSidebar>
      {palette}
      {!isWide && open ? (
        <Dialog title={shellWords.sidebar} shape="side" onClose={() => setOpen(false)}>
          <div className="h-[calc(100dvh-3.6rem)]">{sidebar}</div>
        </Dialog>
      ) : null}
    </div>
  );
}

function Nothing(): ReactElement {
  return (
    <Page title={shellWords.notFound}>
      <Empty title={shellWords.notFoundTitle}>{shellWords.notFoundHint}</Empty>
    </Page>
  );
}
