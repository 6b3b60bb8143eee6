import { testContract } from './contract.js';

await testContract('e2b');
