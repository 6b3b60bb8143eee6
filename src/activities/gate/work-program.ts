import { parentPort, workerData } from 'node:worker_threads';
import { doWork, type GateWork, type WorkInput } from '#gates';

/** Program of the thread that performs a part of a gate check (run-work.ts). */
const { kind, input } = workerData as { kind: keyof GateWork; input: WorkInput<keyof GateWork> };
parentPort?.postMessage(doWork(kind, input));
