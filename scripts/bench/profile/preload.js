// Loaded into every Node process of a measured project (`node --import`). In the worker, samples the CPU of each thread
// that runs JavaScript between two SIGURG, and writes `<PROFILE_FOLDER>/<thread>.cpuprofile`.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

const folder = process.env['PROFILE_FOLDER'];
if (folder !== undefined && (!isMainThread || process.argv[1]?.endsWith('/worker.js'))) {
  const session = new Session();
  session.connect();
  let sampling = false;
  const toggle = async () => {
    sampling = !sampling;
    if (sampling) {
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 500 });
      await session.post('Profiler.start');
      return;
    }
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(join(folder, `${isMainThread ? 'main' : `thread-${threadId}`}.cpuprofile`), JSON.stringify(profile));
  };
  // Only the main thread gets signals. This one is harmless to others; SIGUSR2 ends a worker of Temporal.
  const others = new BroadcastChannel('profile');
  others.onmessage = () => void toggle();
  others.unref();
  if (isMainThread)
    process.on('SIGURG', () => {
      others.postMessage('');
      void toggle();
    });
}
