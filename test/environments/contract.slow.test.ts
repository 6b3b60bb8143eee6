import { testContract } from './contract.js';

for (const place of ['local', 'bubblewrap'] as const) await testContract(place);
