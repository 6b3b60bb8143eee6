import type { HumanReview, Metrics } from '#model';
import { scoreText } from '#model/pure';
import { Chip, Name, Text } from './parts.js';

/** The judge's findings, by criterion, beside a person's; evaluators too. */
export function Judge({ metrics, human }: { metrics: Metrics; human: HumanReview | null }) {
  const { judge, evaluator_results: evaluators } = metrics;
  return (
    <>
      {judge !== null && (
        <section class="card" aria-label="Judge">
          <h2>
            Judge <Chip look={judge.passed ? 'pass' : 'fail'}>{scoreText(judge.weighted_score)}</Chip>
          </h2>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Criterion</th>
                <th scope="col">Judge</th>
                {human?.criteria !== undefined && <th scope="col">Human</th>}
              </tr>
            </thead>
            <tbody>
              {Object.entries(judge.scores).map(([criterion, score]) => (
                <tr key={criterion}>
                  <th scope="row">
                    <Name>{criterion}</Name>
                  </th>
                  <td>
                    <meter min={0} max={1} value={score} aria-label={criterion} /> {scoreText(score)}
                  </td>
                  {human?.criteria !== undefined && <td>{scoreText(human.criteria[criterion] ?? null)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
          {[...judge.issues, ...judge.highlights].map((text) => (
            <Text key={text} text={text} lines={4} />
          ))}
          <p class="soft small">
            <Name>{judge.model}</Name>, threshold {scoreText(judge.pass_threshold)}
          </p>
        </section>
      )}
      {evaluators.length > 0 && (
        <section class="card" aria-label="Evaluators">
          <h2>Evaluators</h2>
          {evaluators.map(({ name, score, summary, error }) => (
            <div key={name}>
              <strong>
                <Name>{name}</Name>
              </strong>{' '}
              {scoreText(score)}
              <Text text={error ?? summary ?? ''} lines={6} />
            </div>
          ))}
        </section>
      )}
    </>
  );
}
