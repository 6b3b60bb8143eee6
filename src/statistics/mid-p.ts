import { sum, type Stratum } from './counts.js';
import { passesOfHead, tailsOf, type Tails } from './distribution.js';

/** A p below this is not computed exactly: improbable outcomes are left out of the distribution. */
export const SMALLEST_P = 1e-50;

/**
 * Two-sided conditional mid-p of whether runs of head pass as often as runs of base: twice the smaller tail of the passes
 * in head, given the passes of both sides together in each stratum, where the observed number counts half. Without that
 * half it is an exact test, which is valid but has little power with few runs. H. O. Lancaster, "Significance tests in
 * discrete distributions", JASA 56 (1961) 223-234; K. F. Hirji, "Exact Analysis of Discrete Data" (2006), chapters 7 and 8.
 */
export const midP = (strata: readonly Stratum[]): number =>
  midPOfTails(
    tailsOf(
      passesOfHead(strata),
      sum(strata, ({ head }) => head.passed),
    ),
  );

export const midPOfTails = ({ below, at, above }: Tails): number =>
  Math.max(SMALLEST_P, Math.min(1, 2 * (Math.min(below, above) + at / 2)));
