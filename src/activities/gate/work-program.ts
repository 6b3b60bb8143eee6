import { parentPort, workerData } from 'node:worker_threads';
import type { GateWork, WorkInput } from '../../gates/gate.js';
import { doWork } from '../../gates/work.js';

/** A thread that does one piece of a gate's work (work-apart.ts). */
const { kind, input } = workerData as { kind: keyof GateWork; input: WorkInput<keyof GateWork> };
parentPort?.postMessage(doWork(kind, input));
