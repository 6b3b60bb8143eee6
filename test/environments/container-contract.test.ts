import { testContract } from './contract.js';

for (const place of ['docker', 'podman'] as const) await testContract(place);
