import { formatKnownCost } from '#lib';
import { comparedScores, type Judgment, type Metrics, type RunRecord, scoreText, votesText } from '#model';
import { blocks, code, fence, inline, list, table } from '../blocks/markdown.js';

const count = (tokens: number | null): string => (tokens === null ? 'n/a' : String(tokens));

/** Says in a sentence of markdown why there is no judgment. */
function judgeAbsence(run: RunRecord): string {
  const step = run.steps.find(({ name }) => name === 'judge');
  if (step === undefined) return 'Not judged: the scenario has no judge.';
  const note = inline(step.note ?? 'no reason was recorded');
  return step.status === 'failed' ? `**Could not judge:** ${note}` : `Not judged: ${note}.`;
}

/** Renders "Judge Score" of evaluation.md: the score in fifths, as a human gives it, and the scores by criterion. */
export function judgeScore(run: RunRecord, { judge }: Metrics): string {
  if (judge === null) return judgeAbsence(run);
  return blocks([
    `**${Math.round(judge.weighted_score * 5)}/5** (${verdict(judge)})`,
    votesLine(judge),
    criteria(judge),
  ]).trim();
}

/** Renders "Judge Feedback" of evaluation.md: what the judge said besides its scores. */
export function judgeFeedback(run: RunRecord, { judge }: Metrics): string {
  if (judge === null) return judgeAbsence(run);
  return blocks([
    'Issues:',
    points(judge.issues),
    'Highlights:',
    points(judge.highlights),
    Object.keys(judge.fields).length === 0 ? null : fence(JSON.stringify(judge.fields, null, 2), 'json'),
    `Confidence: ${scoreText(judge.confidence)}`,
  ]).trim();
}

/** Renders the judge's section of report.md. */
export function judgeSection(run: RunRecord, { judge }: Metrics): string {
  if (judge === null) return judgeAbsence(run);
  const { usage } = judge;
  return blocks([
    `${judge.passed ? '' : '**fail:** '}${verdict(judge)}. Judged by ${inline(judge.model)}${judge.model_used === null ? '' : `, which answered as ${inline(judge.model_used)},`} with ${inline(run.judge?.rubric ?? 'its rubric')}.`,
    votesLine(judge),
    criteria(judge),
    list([
      `Confidence: ${scoreText(judge.confidence)}`,
      `Issues: ${judge.issues.length}, highlights: ${judge.highlights.length}`,
      `Answers: ${judge.attempts}`,
      `Tokens: ${count(usage.input)} input, ${count(usage.output)} output`,
      `Cost: ${formatKnownCost(judge.cost_usd, judge.cost_usd_at_least)}`,
      `Agreement with people: see ${code(`llm-tool-test show ${run.sweep}`)}`,
    ]),
  ]).trim();
}

function verdict({ weighted_score, pass_threshold, passed }: Judgment): string {
  const [found, wanted] = comparedScores(weighted_score, pass_threshold);
  return `${found}, ${passed ? 'reaches' : 'below'} the threshold ${wanted}`;
}

function votesLine(judge: Judgment): string | null {
  const votes = votesText(judge);
  return votes === null ? null : `The ${votes}.`;
}

const criteria = ({ scores }: Judgment): string =>
  table(
    ['Criterion', 'Score'],
    Object.entries(scores).map(([id, value]) => [inline(id), scoreText(value)]),
  );

const points = (items: readonly string[]): string => (items.length === 0 ? 'None.' : list(items.map(inline)));
