import { formatCost } from '#lib/pure';
import type { Used } from './conversation.js';
import { Name } from './parts.js';

const tokens = (count: number): string =>
  count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;

/** What the agent has used, as far as it has said so. */
export const UsedSoFar = ({ used }: { used: Used }) => (
  <p class="used soft">
    {used.calls !== null && (
      <span>
        {used.calls} {used.calls === 1 ? 'call' : 'calls'}
      </span>
    )}
    {used.mcpCalls > 0 && <span>{used.mcpCalls} of MCP servers</span>}
    {used.failed > 0 && <span class="fail">{used.failed} failed</span>}
    {used.skills.length > 0 && (
      <span>
        {used.skills.length === 1 ? 'skill' : 'skills'} <Name>{used.skills.join(', ')}</Name>
      </span>
    )}
    {used.tokensIn !== null && <span>{tokens(used.tokensIn)} tokens in</span>}
    {used.tokensOut !== null && <span>{tokens(used.tokensOut)} out</span>}
    {used.costUsd !== null && <span>{formatCost(used.costUsd)}</span>}
  </p>
);
