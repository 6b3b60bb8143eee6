// Answers as the Web UI of a Temporal server does, so that the examples run without one.
const execution = {
  execution: { workflowId: 'sweep/s1', runId: '01a20277-ecb2-7ae8-9caf-6647a0a1571a' },
  type: { name: 'runSweep' },
  startTime: '2026-01-02T03:04:05Z',
  status: 'WORKFLOW_EXECUTION_STATUS_RUNNING',
  taskQueue: 'llm-tool-test',
};

const answer = (request: Request): Response =>
  new URL(request.url).pathname === '/api/v1/namespaces/default/workflows'
    ? Response.json({ executions: [execution], nextPageToken: '' })
    : Response.json({ code: 5, message: 'there is no such namespace' }, { status: 404 });

Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: ({ port }) => announce(port) }, answer);

function announce(port: number): void {
  const address = `http://127.0.0.1:${port}`;
  Deno.writeTextFileSync('.agents/config.json', JSON.stringify({ 'open-workflows': { address } }));
  console.log(`ready at ${address}`);
}
