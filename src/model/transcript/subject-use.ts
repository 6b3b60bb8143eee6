import { beginningOf } from '#lib';
import type { EventBody } from '../records/events.js';
import { createSkillUseFinder } from './skill-uses.js';

/** An agent's uses of skills and of the tools of MCP servers under test. */
export interface SubjectUse {
  /** In the order of their first use. */
  skills: { name: string; uses: number }[];
  tools: { server: string; tool: string; calls: number; failed: number }[];
  /** Number of problems of each server. */
  problems: { server: string; count: number }[];
}

/** Names come from the agent, so there may be any number of them. */
const MAX_NAMES = 100;
const NAME_LENGTH = 200;

/** Counts uses, in bounded memory. */
export function createSubjectUseCollector(): { add(event: EventBody): void; end(): SubjectUse } {
  const use: SubjectUse = { skills: [], tools: [], problems: [] };
  const finder = createSkillUseFinder();
  const cut = (name: string): string => beginningOf(name, NAME_LENGTH);
  /** Returns the entry that `isIt`, or a new one; null if there are very many others. */
  const entryOf = <Entry>(entries: Entry[], isIt: (entry: Entry) => boolean, created: Entry): Entry | null => {
    const found = entries.find(isIt);
    if (found !== undefined || entries.length >= MAX_NAMES) return found ?? null;
    entries.push(created);
    return created;
  };
  return {
    add(event) {
      for (const { skill, isTakenBack } of finder.add(event)) {
        const name = cut(skill);
        const entry = entryOf(use.skills, (one) => one.name === name, { name, uses: 0 });
        if (entry !== null) entry.uses += isTakenBack === true ? -1 : 1;
      }
      if (event.type === 'mcp_call') {
        const [server, tool] = [cut(event.server), cut(event.tool)];
        const entry = entryOf(use.tools, (of) => of.server === server && of.tool === tool, {
          server,
          tool,
          calls: 0,
          failed: 0,
        });
        if (entry === null) return;
        entry.calls += 1;
        if (event.is_error) entry.failed += 1;
      } else if (event.type === 'mcp_problem') {
        const server = cut(event.server);
        const entry = entryOf(use.problems, (of) => of.server === server, { server, count: 0 });
        if (entry !== null) entry.count += 1;
      }
    },
    end: () => ({ ...use, skills: use.skills.filter(({ uses }) => uses > 0) }),
  };
}
