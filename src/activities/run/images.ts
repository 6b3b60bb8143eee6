import { join } from 'node:path';
import { builtImage, isBuilt } from '#environments';
import { hashTree, listTree } from '#host';
import { STEPS } from '#model';
import type { PlannedBuild } from '#protocol';
import { BUILD_SECS } from '#scenario';
import { checksFolder, fixtureFolder } from '#store';
import type { Deps } from '../step/deps.js';
import { readStep } from '../step/run-step-once.js';
import type { RunIdentity } from './context.js';

/** Thrown where the workspace cannot be prepared before images are built, which are steps of their own. */
export class ImagesMissing extends Error {
  constructor(readonly builds: PlannedBuild[]) {
    super(`to be built first: ${builds.map(({ step }) => step).join(', ')}`);
  }
}

/** The end of a step that builds an image. */
export interface ImageStep {
  image: string;
  /** The reason why it could not be built; null if it is there. */
  lacking: string | null;
}

/** An image that a run needs: the folder with its Dockerfile, and the hash of that folder. */
interface NeededImage {
  step: string;
  from: string;
  hash: string;
}

/** Folder with the builds of images that are under way. */
export const buildsFolder = ({ stateFolder }: Pick<Deps, 'stateFolder'>): string => join(stateFolder, 'images');

/** The image of a verifier in a container of its own; null if it has none that is built. */
async function imageOfVerifier(
  { resultsPath }: Pick<Deps, 'resultsPath'>,
  { scenario, checks }: RunIdentity,
): Promise<NeededImage | null> {
  if (scenario.task?.verifier_apart?.builds !== true || checks === undefined) return null;
  const from = join(checksFolder(resultsPath, checks), 'tests');
  return { step: STEPS.verifierImage, from, hash: await hashTree(from, await listTree(from)) };
}

/** The images that are built for a run, in order. */
export async function imagesOf(deps: Pick<Deps, 'resultsPath'>, identity: RunIdentity): Promise<NeededImage[]> {
  const { build: hash, scenario } = identity;
  if (scenario.environment.type !== 'docker') return [];
  const verifier = await imageOfVerifier(deps, identity);
  return [
    ...(hash === undefined ? [] : [{ step: STEPS.image, from: fixtureFolder(deps.resultsPath, hash), hash }]),
    ...(verifier === null ? [] : [verifier]),
  ];
}

/** The time limit of builds, in seconds. */
export const buildLimit = ({ environment }: RunIdentity['scenario']): number =>
  (environment.type === 'docker' ? environment.build_timeout_secs : undefined) ?? BUILD_SECS;

/**
 * Returns the image that a step of this run has built, or why there is none.
 *
 * @throws ImagesMissing if images of the run are neither built, nor has a step tried to
 */
export async function imageFor(
  deps: Pick<Deps, 'resultsPath'>,
  identity: RunIdentity,
  step: string,
): Promise<{ image: string } | { lacking: string }> {
  const { environment } = identity.scenario;
  if (environment.type !== 'docker') throw new TypeError('only containers have images');
  const needed = await imagesOf(deps, identity);
  const missing: PlannedBuild[] = [];
  for (const one of needed) {
    const done = (await readStep<ImageStep>(identity, one.step))?.result;
    if (done !== undefined && done.lacking !== null) return { lacking: done.lacking };
    if (done === undefined && !(await isBuilt(environment.command, one.hash)))
      missing.push({ step: one.step, timeoutSecs: buildLimit(identity.scenario) });
  }
  if (missing.length > 0) throw new ImagesMissing(missing);
  const image = needed.find((one) => one.step === step);
  if (image === undefined) throw new TypeError(`no image is built by '${step}'`);
  return { image: builtImage(image.hash) };
}
