import type { Rubric } from './rubric.js';
import { weightedScore, type JudgeScores } from './answer.js';

/** The spread of a judge's votes. */
interface Spread {
  /** The highest score minus the lowest. */
  range: number;
  /** The sample standard deviation. */
  deviation: number;
}

/** The combined result of a judge's votes. */
export interface CombinedVotes extends JudgeScores {
  weighted_score: number;
  /** The weighted score of each vote, in order. */
  votes: number[];
  /** Null for a single vote, which says nothing about the spread. */
  spread: Spread | null;
}

/**
 * Combines the votes of a judge. Numbers are means; issues and highlights are those of all votes, without duplicates.
 * Other fields are texts, which have no mean: they are taken from the vote whose score is closest to the mean score.
 */
export function combineVotes(rubric: Rubric, answers: readonly JudgeScores[]): CombinedVotes {
  const scores = Object.fromEntries(
    rubric.criteria.map(({ id }) => [id, mean(answers.map((answer) => answer.scores[id] ?? 0))]),
  );
  const weighted_score = weightedScore(rubric, scores);
  const votes = answers.map((answer) => weightedScore(rubric, answer.scores));
  const distances = votes.map((vote) => Math.abs(vote - weighted_score));
  const nearest = answers[distances.indexOf(Math.min(...distances))];
  const distinct = (name: 'issues' | 'highlights'): string[] => [...new Set(answers.flatMap((answer) => answer[name]))];
  return {
    scores,
    confidence: mean(answers.map(({ confidence }) => confidence)),
    issues: distinct('issues'),
    highlights: distinct('highlights'),
    fields: nearest?.fields ?? {},
    weighted_score,
    votes,
    spread: spreadOf(votes),
  };
}

function spreadOf(votes: readonly number[]): Spread | null {
  if (votes.length < 2) return null;
  const center = mean(votes);
  const squares = votes.reduce((sum, vote) => sum + (vote - center) ** 2, 0);
  return {
    range: rounded(Math.max(...votes) - Math.min(...votes)),
    deviation: rounded(Math.sqrt(squares / (votes.length - 1))),
  };
}

const mean = (numbers: readonly number[]): number =>
  rounded(numbers.reduce((sum, number) => sum + number, 0) / numbers.length);

/** Rounds, so that the mean of three votes of 0.7 reaches a threshold of 0.7. */
const rounded = (number: number): number => Math.round(number * 1e6) / 1e6;
