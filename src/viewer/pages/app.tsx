import { render } from 'preact';
import { embedded, hasToken, linkHere, takeToken } from './api.js';
import { CopyButton } from './commands.js';
import { CompareRunsPage } from './compare-runs-page.js';
import { ComparePage } from './compare-page.js';
import { PlanPage } from './plan-page.js';
import { addressOf, useRoute, type Route } from './router.js';
import { RunPage } from './run-page.js';
import { SchedulesPage } from './schedules-page.js';
import { SweepPage } from './sweep-page.js';
import { SweepsPage } from './sweeps-page.js';
import { TrendsPage } from './trends-page.js';

function Page({ path, query }: Route) {
  if (!hasToken())
    return (
      <main id="main" class="narrow">
        <h1>Open the printed address</h1>
        <p>
          This tab does not know the token of the viewer. Copy the whole address that <code>llm-tool-test view</code>{' '}
          has printed, with the part after <code>#</code>.
        </p>
      </main>
    );
  const [kind, id, page] = path;
  if (kind === 'sweeps' && id !== undefined && page === 'plan') return <PlanPage sweep={id} query={query} />;
  if (kind === 'sweeps' && id !== undefined) return <SweepPage key={id} id={id} query={query} />;
  if (kind === 'runs' && id !== undefined) return <RunPage key={id} id={id} query={query} />;
  if (embedded !== null) {
    const { sweep } = embedded.sweep.document;
    return <SweepPage key={sweep} id={sweep} query={query} />;
  }
  if (kind === 'scenarios' && id !== undefined) return <TrendsPage key={id} scenario={id} />;
  if (kind === 'schedules') return <SchedulesPage />;
  if (kind === 'beside') return <CompareRunsPage query={query} />;
  if (kind === 'compare') return <ComparePage query={query} />;
  return <SweepsPage />;
}

function App() {
  const route = useRoute();
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={addressOf()}>
          llm-tool-test
        </a>
        {embedded === null && hasToken() && (
          <CopyButton key={location.hash} text={linkHere()} what="whoever has it can read the results on this machine">
            Copy the link
          </CopyButton>
        )}
      </header>
      <Page {...route} />
    </>
  );
}

/** The address of a page has the place in it, so a link inside the page must not change it. */
function skip(event: Event): void {
  event.preventDefault();
  const main = document.querySelector('main');
  main?.setAttribute('tabindex', '-1');
  main?.focus();
}

takeToken();
const root = document.getElementById('app');
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
